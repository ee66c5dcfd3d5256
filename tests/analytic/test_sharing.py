"""Sharing, completion times and buffers against cases solved by hand."""

import math
from collections.abc import Generator
from typing import Any

import pytest
import simpy

from simbackup.engine.buffer import Buffer
from simbackup.engine.filling import CAP, UnboundedFlowError, max_min_rates
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from tests.cases import for_each

INF = math.inf
Demands = list[dict[int, float]]


@for_each(
    "capacities, demands, shares, caps, rates, bottlenecks",
    [
        pytest.param([10.0], [{0: 1.0}, {0: 1.0}], [1, 1], [INF, INF], [5, 5], [0, 0], id="two on one link"),
        pytest.param([90.0], [{0: 2.0}, {0: 1.0}], [1, 1], [INF, INF], [30, 30], [0, 0], id="demand of two"),
        pytest.param([12.0], [{0: 1.0}, {0: 1.0}], [1, 3], [INF, INF], [3, 9], [0, 0], id="weighted"),
        pytest.param([12.0], [{0: 2.0}, {0: 1.0}], [1, 4], [INF, INF], [2, 8], [0, 0], id="weighted demands"),
        pytest.param([10.0], [{0: 1.0}, {0: 1.0}], [1, 1], [2, INF], [2, 8], [CAP, 0], id="one capped"),
        pytest.param([10.0], [{0: 1.0}, {0: 1.0}], [1, 1], [2, 3], [2, 3], [CAP, CAP], id="both capped"),
        pytest.param([10.0], [{0: 1.0}, {0: 1.0}], [1, 1], [5, INF], [5, 5], [0, 0], id="cap ties with link"),
        pytest.param([5.0, 5.0], [{0: 1.0, 1: 1.0}], [1], [INF], [5], [0], id="links tie"),
        pytest.param([0.0, 9.0], [{0: 1.0, 1: 1.0}, {1: 1.0}], [1, 1], [INF, INF], [0, 9], [0, 1], id="zero"),
        pytest.param([4.0], [{0: 1.0}, {}], [1, 1], [INF, 7], [4, 7], [0, CAP], id="no demand but a cap"),
        pytest.param([0.0], [{0: 1.0}], [1], [0], [0], [0], id="zero link ties with zero cap"),
        # Parking lot: one flow over three links, one local flow on each (Bertsekas and Gallager, fig. 6.17).
        pytest.param(
            [1.0, 1.0, 2.0],
            [{0: 1.0, 1: 1.0, 2: 1.0}, {0: 1.0}, {1: 1.0}, {2: 1.0}],
            [1, 1, 1, 1],
            [INF] * 4,
            [0.5, 0.5, 0.5, 1.5],
            [0, 0, 1, 2],
            id="parking lot",
        ),
        # Triangle: every flow crosses two of three links; AB and BC meet on B = 6, CA takes what is left.
        pytest.param(
            [10.0, 6.0, 20.0],
            [{0: 1.0, 1: 1.0}, {1: 1.0, 2: 1.0}, {2: 1.0, 0: 1.0}],
            [1, 1, 1],
            [INF] * 3,
            [3, 3, 7],
            [1, 1, 0],
            id="triangle",
        ),
    ],
)
def test_hand_solved(
    *,
    capacities: list[float],
    demands: Demands,
    shares: list[float],
    caps: list[float],
    rates: list[float],
    bottlenecks: list[int],
) -> None:
    allocation = max_min_rates(capacities, demands, shares, caps)
    assert allocation.rates == pytest.approx(rates, rel=1e-14)
    assert allocation.bottlenecks == bottlenecks


def test_a_flow_without_any_limit_is_an_error() -> None:
    with pytest.raises(UnboundedFlowError) as caught:
        max_min_rates([1.0, INF], [{0: 1.0}, {1: 1.0}], [1.0, 1.0], [INF, INF])
    assert caught.value.flow == 1


def system() -> tuple[simpy.Environment, FlowNetwork]:
    env = simpy.Environment()
    return env, FlowNetwork(env)


def end_of(env: simpy.Environment, flow: Flow) -> float:
    """The time at which the flow is done."""
    env.run(until=flow.done)
    return env.now


def test_flows_that_start_and_end() -> None:
    # a alone 10 s (1000), shared with b 500/50 = 10 s more for b, then a has 2000 - 1500 = 500 left: 5 s.
    env, network = system()
    disk = Link("devices.sda", 100.0)
    a = network.start("jobs.a", "read", 2000.0, {disk: 1.0}, moves={disk: 2.0})
    env.run(until=10.0)
    b = network.start("jobs.b", "read", 500.0, {disk: 1.0})
    assert end_of(env, b) == pytest.approx(20.0, rel=1e-14)
    assert a.completed == pytest.approx(1500.0, rel=1e-14)
    assert end_of(env, a) == pytest.approx(25.0, rel=1e-14)
    network.advance()
    assert disk.units == pytest.approx(2500.0, rel=1e-14)
    assert disk.busy_s == pytest.approx(25.0, rel=1e-14)
    assert disk.bytes_moved == pytest.approx(4000.0, rel=1e-14)
    assert disk.peak_bytes_per_s == pytest.approx(200.0)
    assert a.waited == pytest.approx({"devices.sda": 25.0})
    assert not network.flows


def test_capacity_falls_to_zero_and_comes_back() -> None:
    env, network = system()
    lan = Link("links.lan", 100.0)
    flow = network.start("jobs.a", "send", 1000.0, {lan: 1.0})

    def outage() -> Generator[simpy.Event, Any, None]:
        yield env.timeout(4.0)
        network.set_capacity(lan, 0.0)
        yield env.timeout(50.0)
        assert flow.rate == 0.0
        assert flow.bottleneck is lan
        network.set_capacity(lan, 200.0)

    env.process(outage())
    assert end_of(env, flow) == pytest.approx(57.0, rel=1e-14)
    assert flow.waited == pytest.approx({"links.lan": 57.0})
    assert lan.busy_s == pytest.approx(7.0)


def test_stop_and_cap_in_mid_flow() -> None:
    # a at 50 for 10 s beside b; then b stops; a at 100 for 5 s, and capped at 25 for the last 200.
    env, network = system()
    disk = Link("devices.sda", 100.0)
    a = network.start("jobs.a", "read", 1200.0, {disk: 1.0})
    b = network.start("jobs.b", "read", INF, {disk: 1.0})
    env.run(until=10.0)
    assert network.stop(b) == pytest.approx(500.0, rel=1e-14)
    assert b.done.triggered
    env.run(until=15.0)
    network.set_cap(a, 25.0, "hosts.cpu")
    assert end_of(env, a) == pytest.approx(23.0, rel=1e-14)
    assert a.waited == pytest.approx({"devices.sda": 15.0, "hosts.cpu": 8.0})
    assert network.stop(b) == pytest.approx(500.0, rel=1e-14)


MB = 1e6


def test_writer_into_a_page_cache() -> None:
    # Full after 800 / (245 - 80) s; from then on in = out = 80; the drain ends at 10,000 / 80 = 125 s.
    env, network = system()
    disk, memory = Link("devices.sda", 80 * MB), Link("hosts.memory", 245 * MB)
    cache = Buffer(network, 800 * MB, "hosts.cache")
    writer = network.start("jobs.dd", "write", 10_000 * MB, {memory: 1.0})
    flush = network.start("jobs.dd", "flush", 10_000 * MB, {disk: 1.0})
    cache.fill(writer)
    cache.drain(flush)
    full = cache.when(800 * MB, rising=True)
    half = cache.when(400 * MB, rising=True)
    env.run(until=half)
    assert env.now == pytest.approx(400 / 165, rel=1e-9)
    env.run(until=full)
    assert env.now == pytest.approx(800 / 165, rel=1e-9)
    low = cache.when(200 * MB, rising=False)
    env.run(until=60.0)
    assert (writer.rate, flush.rate) == pytest.approx((80 * MB, 80 * MB), rel=1e-12)
    assert cache.content == pytest.approx(800 * MB, rel=1e-9)
    assert end_of(env, writer) == pytest.approx((10_000 - 800) / 80, rel=1e-9)
    assert writer.waited == pytest.approx({"hosts.memory": 800 / 165, "devices.sda": 115 - 800 / 165}, rel=1e-9)
    env.run(until=low)
    assert env.now == pytest.approx((10_000 - 200) / 80, rel=1e-9)
    assert end_of(env, flush) == pytest.approx(125.0, rel=1e-9)
    assert cache.content == pytest.approx(0.0, abs=1.0)


def test_two_fillers_share_what_the_drain_leaves() -> None:
    # 30 + 90 in, 60 out, room for 600: full at 10 s; then each is held to 30, and the small one is at its own
    # link's rate; with a share of 2 the large one would have 40, the small one 20.
    for share, large_rate in ((1.0, 30.0), (2.0, 40.0)):
        env, network = system()
        tape = Link("devices.tape", 60.0)
        store = Buffer(network, 600.0, "devices.spool")
        small = network.start("jobs.a", "read", INF, {Link("links.a", 30.0): 1.0})
        large = network.start("jobs.b", "read", INF, {Link("links.b", 90.0): 1.0}, weight=share)
        drain = network.start("jobs.b", "write", INF, {tape: 1.0})
        store.fill(small)
        store.fill(large)
        store.drain(drain)
        env.run(until=20.0)
        assert large.rate == pytest.approx(large_rate, rel=1e-12)
        assert small.rate == pytest.approx(60.0 - large_rate, rel=1e-12)
        assert large.waited == pytest.approx({"links.b": 10.0, "devices.tape": 10.0})
        assert store.content == pytest.approx(small.completed + large.completed - drain.completed, rel=1e-9)


def test_an_unused_portion_goes_to_the_other_filler() -> None:
    env, network = system()
    store = Buffer(network, 100.0, "devices.spool")
    small = network.start("jobs.a", "read", INF, {Link("links.a", 10.0): 1.0})
    large = network.start("jobs.b", "read", INF, {Link("links.b", 90.0): 1.0})
    store.fill(small)
    store.fill(large)
    store.drain(network.start("jobs.c", "write", INF, {Link("devices.tape", 60.0): 1.0}))
    env.run(until=20.0)
    assert (small.rate, large.rate) == pytest.approx((10.0, 50.0), rel=1e-12)


def test_empty_buffer_holds_the_drain_to_the_inflow() -> None:
    env, network = system()
    lan, tape = Link("links.lan", 12.0), Link("devices.tape", 30.0)
    store = Buffer(network, 1000.0, "devices.spool")
    receive = network.start("jobs.a", "receive", 120.0, {lan: 1.0})
    write = network.start("jobs.a", "write", 150.0, {tape: 1.0})
    store.fill(receive)
    store.drain(write)
    env.run(until=5.0)
    assert write.rate == pytest.approx(12.0, rel=1e-12)
    assert write.waited == pytest.approx({"links.lan": 5.0})
    env.run(until=15.0)
    assert write.rate == 0.0
    assert write.waited == pytest.approx({"links.lan": 10.0, "devices.spool": 5.0})
    more = network.start("jobs.b", "receive", 30.0, {lan: 1.0})
    store.fill(more)
    assert end_of(env, write) == pytest.approx(17.5, rel=1e-9)


def test_both_sides_of_a_full_buffer_on_one_disk() -> None:
    # The filler has three times the drain's share of one disk. Without limit 75 in, 25 out. Full, the two
    # must be equal, and as the filler gives way the drain takes it up: 50 each.
    env, network = system()
    disk = Link("devices.sda", 100.0)
    store = Buffer(network, 500.0, "hosts.cache")
    copy_in = network.start("jobs.a", "read", INF, {disk: 1.0}, weight=3.0)
    copy_out = network.start("jobs.a", "write", INF, {disk: 1.0})
    store.fill(copy_in)
    store.drain(copy_out)
    env.run(until=5.0)
    assert (copy_in.rate, copy_out.rate) == pytest.approx((75.0, 25.0), rel=1e-12)
    env.run(until=30.0)
    assert (copy_in.rate, copy_out.rate) == pytest.approx((50.0, 50.0), rel=1e-12)
    assert copy_in.completed == pytest.approx(10.0 * 75.0 + 20.0 * 50.0, rel=1e-9)


def test_two_full_buffers_in_a_row() -> None:
    # disk 100 -> [300] -> wire 60 -> [300] -> tape 30. Second full at 10 s, first at 300/40 = 7.5 s.
    env, network = system()
    first, second = Buffer(network, 300.0, "hosts.a.cache"), Buffer(network, 300.0, "hosts.b.cache")
    read = network.start("jobs.a", "read", INF, {Link("devices.sda", 100.0): 1.0})
    send = network.start("jobs.a", "send", INF, {Link("links.lan", 60.0): 1.0})
    write = network.start("jobs.a", "write", 1500.0, {Link("devices.tape", 30.0): 1.0})
    first.fill(read)
    first.drain(send)
    second.fill(send)
    second.drain(write)
    assert end_of(env, write) == pytest.approx(50.0, rel=1e-9)
    assert read.waited == pytest.approx({"devices.sda": 7.5, "links.lan": 2.5, "devices.tape": 40.0}, rel=1e-9)
    assert send.waited == pytest.approx({"links.lan": 10.0, "devices.tape": 40.0}, rel=1e-9)
    assert read.completed == pytest.approx(write.completed + first.content + second.content, rel=1e-9)


def test_files_in_bytes_out() -> None:
    # 50 files of 4 bytes a second in, 100 bytes out: full after 300 / (200 - 100) = 3 s, then 25 files.
    env, network = system()
    store = Buffer(network, 300.0, "hosts.cache")
    files = network.start("jobs.a", "read", INF, {}, cap=50.0, cap_cause="devices.sda")
    store.fill(files, bytes_per_unit=4.0)
    store.drain(network.start("jobs.a", "write", INF, {Link("devices.tape", 100.0): 1.0}))
    env.run(until=5.0)
    assert files.completed == pytest.approx(50 * 3 + 25 * 2, rel=1e-9)
    assert files.waited == pytest.approx({"devices.sda": 3.0, "devices.tape": 2.0}, rel=1e-9)
    network.set_cap(files, 10.0, "devices.sda")  # the own cap is remembered: 40 in, 100 out
    env.run(until=8.0)
    assert files.rate == pytest.approx(10.0, rel=1e-12)
    assert store.content == pytest.approx(300.0 - 60.0 * 3, rel=1e-9)
