"""Sharing, completion times, buffers, links and switches against cases solved by hand."""

import math
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st
from oracles.page_cache import writer_time

import simbackup as sb
from simbackup.devices.disk.live import Disk
from simbackup.devices.host.live import Host, Machine
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region
from simbackup.devices.volume.live import Volume
from simbackup.engine.buffer import Buffer
from simbackup.engine.filling import CAP, UnboundedFlowError, max_min_rates
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.equations import disk as disks
from simbackup.equations.transfers import cubic_rate, loss_rate
from simbackup.errors import InputError
from simbackup.results.causes import split
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
        pytest.param([1.0, 1.0, 2.0], [{0: 1.0, 1: 1.0, 2: 1.0}, {0: 1.0}, {1: 1.0}, {2: 1.0}], [1, 1, 1, 1], [INF] * 4,
                     [0.5, 0.5, 0.5, 1.5], [0, 0, 1, 2], id="parking lot"),
        # Triangle: every flow crosses two of three links; AB and BC meet on B = 6, CA takes what is left.
        pytest.param([10.0, 6.0, 20.0], [{0: 1.0, 1: 1.0}, {1: 1.0, 2: 1.0}, {2: 1.0, 0: 1.0}], [1, 1, 1], [INF] * 3,
                     [3, 3, 7], [1, 1, 0], id="triangle"),
    ],
)  # fmt: skip
def test_hand_solved(
    *, capacities: list[float], demands: Demands, shares: list[float], caps: list[float], rates: list[float],
    bottlenecks: list[int],
) -> None:  # fmt: skip
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


# Streams over links: directions, windows and losses
SIZE, RATE, AWAY, WINDOW = 10e9, 125e6, 0.050, 2.0**20
SITE = """\
title: Two sites
hosts:
  here: {cores: 4, memory: 8 GiB, dirty_limit: 20 %, dirty_background: 10 %, copy_rate: 8 GB/s, owns: [a]}
  there: {cores: 4, memory: 8 GiB, dirty_limit: 20 %, dirty_background: 10 %, copy_rate: 8 GB/s, owns: [b]}
devices:
  a: {kind: ssd, capacity: 1 TB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  b: {kind: ssd, capacity: 1 TB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
links:
  wan: {joins: [here, there], rate: 125 MB/s, latency: 50 ms, window: 1 GB, duplex: full}
data:
  files: {on: a, size: 10 GB}
  other: {on: a, size: 10 GB}
jobs:
  full: {method: image, data: files, to: b}
  second: {method: image, data: other, to: b, after: full}
  back: {restore: full, after: full}
"""
TOLERANCE = 0.01
"""What the first request and the last bytes in memory add."""


def elapsed(changes: dict[str, Any], job: str = "full") -> float:
    return float(sb.simulate(sb.load(SITE, changes)).get(f"jobs.{job}.elapsed"))


@for_each("connections", [1, 2, 5])
def test_a_connection_gets_its_window_each_round_trip(connections: int) -> None:
    changes = {"links.wan.window": "1 MiB", "jobs.full.connections": connections}
    assert elapsed(changes) == pytest.approx(SIZE * AWAY / WINDOW / connections, rel=TOLERANCE)


def test_enough_connections_fill_the_line() -> None:
    assert elapsed({"links.wan.window": "1 MiB", "jobs.full.connections": 6}) == pytest.approx(
        SIZE / RATE, rel=TOLERANCE
    )


def test_the_round_trips_of_a_way_add_up() -> None:
    site = SITE.replace("links:\n", "links:\n  lan: {joins: [hall, there], rate: 1 GB/s, latency: 20 ms}\n")
    site = site.replace("joins: [here, there]", "joins: [here, hall]").replace(
        "hosts:\n",
        "hosts:\n  hall: {cores: 1, memory: 1 GiB, dirty_limit: 20 %, dirty_background: 10 %, copy_rate: 8 GB/s}\n",
    )
    found = sb.simulate(sb.load(site, {"links.wan.window": "1 MiB"})).get("jobs.full.elapsed")
    assert found == pytest.approx(SIZE * (AWAY + 0.020) / WINDOW, rel=TOLERANCE)


@pytest.mark.parametrize("loss", [1e-5, 1e-3])
def test_losses_halve_the_window_of_a_connection(loss: float) -> None:
    changes = {"links.wan.loss": loss, "jobs.full.connections": 2}
    rate = 2 * 1448.0 / AWAY * (1.5 / loss) ** 0.5
    assert elapsed(changes | {"links.wan.congestion": "reno"}) == pytest.approx(SIZE / rate, rel=TOLERANCE)


@for_each("loss", [1e-5, 1e-4, 1e-3])
def test_the_window_of_cubic_grows_with_the_time_since_a_loss(loss: float) -> None:
    """Against round trip by round trip, of which half of one more or less is in a cycle from loss to loss."""
    changes = {"links.wan.loss": loss}
    rate = cubic_rate(1448.0, AWAY, loss)
    assert elapsed(changes) == pytest.approx(SIZE / rate, rel=TOLERANCE)
    rounds = len(cubic_cycle(loss))
    by_rounds = 1448.0 / loss / rounds / AWAY
    assert rate == pytest.approx(max(by_rounds, loss_rate(1448.0, AWAY, loss)), rel=1.0 / rounds)


def cubic_cycle(loss: float) -> list[float]:
    """The window of each round trip from one loss to the next, in which 1 / p segments are sent."""
    most = 1.0
    while True:
        turn = (most * 0.3 / 0.4) ** (1.0 / 3.0)
        windows = [0.4 * (i * AWAY - turn) ** 3 + most for i in range(math.ceil(turn / AWAY))]
        if sum(windows) >= 1.0 / loss:
            return windows
        most *= 1.001


@pytest.mark.parametrize(("duplex", "times"), [("full", 1.0), ("half", 2.0)])
def test_a_restore_beside_a_backup_has_the_other_direction(duplex: str, times: float) -> None:
    for job in ("second", "back"):
        assert elapsed({"links.wan.duplex": duplex}, job) == pytest.approx(times * SIZE / RATE, rel=TOLERANCE)


def test_a_direction_is_shared_by_what_goes_the_same_way() -> None:
    changes = {"jobs.back": None, "jobs.second.after": []}
    assert elapsed(changes, "second") == pytest.approx(2.0 * SIZE / RATE, rel=TOLERANCE)


def test_each_direction_is_on_record() -> None:
    devices = sb.simulate(sb.load(SITE)).devices.set_index("device")
    assert devices.loc["links.wan", "bytes"] == pytest.approx(2 * SIZE)
    assert devices.loc["links.wan.back", "bytes"] == pytest.approx(SIZE)


def test_explain_names_the_way_there_and_back() -> None:
    result = sb.simulate(sb.load(SITE, {"links.wan.window": "1 MiB"}))
    assert sb.explain(result, "back")["back"].bottleneck == "links.wan"


def test_a_connection_keeps_to_one_of_several_wires() -> None:
    assert elapsed({"links.wan.count": 4}) == pytest.approx(SIZE / RATE, rel=TOLERANCE)
    assert elapsed({"links.wan.count": 4, "jobs.full.connections": 3}) == pytest.approx(SIZE / RATE / 3, rel=TOLERANCE)


# A switch with a port for each part: max-min fair rates over ports
HOSTS = ("a", "b", "c", "d")
PORT = 100e6
SWITCH_SIZE = 20e9


def site(lan: str, *ways: str) -> str:
    """Four hosts with fast disks on a switch, and a backup of 20 GB on each way, such as `ab`."""
    lines = ["title: A switch", "hosts:"]
    lines += [f"  {h}: {{model: host/linux-modern-server, owns: [d{h}]}}" for h in HOSTS]
    lines += ["devices:", *(f"  d{h}: {{model: ssd/sata-ssd-2015}}" for h in HOSTS)]
    lines += [f"links:\n  lan: {{joins: [{', '.join(HOSTS)}], rate: 100 MB/s, latency: 0 s{lan}}}"]
    lines += ["data:", *(f"  {w}: {{on: d{w[0]}, size: 20 GB}}" for w in ways)]
    lines += ["jobs:", *(f"  {w}: {{method: image, data: {w}, to: d{w[1]}}}" for w in ways)]
    return "\n".join(lines) + "\n"


def rates(lan: str, *ways: str) -> list[float]:
    """Bytes a second of each backup, over the wire alone; all begin and end together unless they do not."""
    result = sb.simulate(sb.load(site(lan, *ways)))
    return [SWITCH_SIZE / float(result.jobs.loc[way, "elapsed"]) for way in ways]


FULL = ", duplex: full"
NATIVE = "database_native, engine: backup_engine/sql-server-2008, buffers: 3"


@for_each(
    "lan, ways, each",
    [
        (FULL, ("ab", "cd"), PORT),  # two pairs
        (FULL, ("ab", "ba"), PORT),  # both directions of one pair
        (FULL, ("ab", "bc", "ca"), PORT),  # a ring: each sends and receives at full rate, in any order of `joins`
        (FULL, ("ab", "ac"), PORT / 2),  # one sends to two
        (FULL, ("ac", "bc"), PORT / 2),  # one receives from two
        (FULL + ", ports: {c: 1 GB/s}", ("ac", "bc"), PORT),
        (FULL + ", ports: {a: 10 MB/s}", ("ab",), PORT / 10),
        ("", ("ab", "cd"), PORT),
        ("", ("ab", "ba"), PORT / 2),  # half duplex: a port carries both
        (", medium: shared", ("ab", "cd"), PORT / 2),  # a bus carries all
        (FULL + ", medium: shared", ("ab", "ba"), PORT),
    ],
)
def test_rates_are_those_of_the_fullest_port(lan: str, ways: tuple[str, ...], each: float) -> None:
    assert rates(lan, *ways) == pytest.approx([each] * len(ways), rel=1e-3)  # starting takes some milliseconds


def test_explain_names_the_full_port() -> None:
    result = sb.simulate(sb.load(site(FULL, "ac", "bc")))
    assert max(split(result, "ac").items(), key=lambda item: item[1])[0].address == "links.lan.c.receive"


def test_the_order_of_joins_does_not_matter() -> None:
    turned = site(FULL, "ab", "cb", "bd").replace("joins: [a, b, c, d]", "joins: [d, c, b, a]")
    here, there = (sb.simulate(sb.load(text)).jobs["elapsed"] for text in (site(FULL, "ab", "cb", "bd"), turned))
    assert here.to_dict() == pytest.approx(there.to_dict(), rel=1e-9)


def test_a_window_over_one_round_trip_limits_a_connection() -> None:
    """The latency of the link counts once from port to port: 1 MB under way over 20 ms is 50 MB/s."""
    scenario = site(FULL + ", window: 1 MB", "ab").replace("latency: 0 s", "latency: 20 ms")
    assert SWITCH_SIZE / float(sb.simulate(sb.load(scenario)).jobs.loc["ab", "elapsed"]) == pytest.approx(
        50e6, rel=1e-3
    )


@pytest.mark.slow
@for_each(
    "job",
    ["method: image", "method: file_level", f"method: {NATIVE}"],
)
def test_an_idle_third_part_changes_nothing(job: str) -> None:
    """A line between two parts, and a switch with a third that sends nothing, give the same time."""
    text = site(", duplex: full, window: 1 MiB", "ab").replace("latency: 0 s", "latency: 5 ms")
    text = text.replace("method: image", job)
    text = text.replace(
        "size: 20 GB", "size: 2 GB, files: 20_000, filesystem: filesystem/xfs" if "file" in job else "size: 500 MB"
    )
    times = [
        float(sb.simulate(sb.load(text.replace("joins: [a, b, c, d]", f"joins: [{ends}]"))).jobs.loc["ab", "elapsed"])
        for ends in ("a, b", "a, b, c")
    ]
    assert times[0] == pytest.approx(times[1], rel=1e-9)


@pytest.mark.parametrize(
    ("lan", "says"),
    [
        (", ports: {e: 1 GB/s}", "links.lan.ports.e: the link does not join 'e'"),
        (", medium: shared, ports: {a: 1 GB/s}", "links.lan.ports: has no effect on a shared medium"),
    ],
)
def test_wrong_ports_are_reported(lan: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        sb.load(site(FULL + lan, "ab"))


def test_a_workload_names_the_port_that_its_requests_cross(tmp_path: Path) -> None:
    text = site(FULL, "ab", "ac") + "workloads:\n  web: {via: [PORT], request: 100 kB, transactions: 100 /s}\n"
    path = tmp_path / "web.yaml"
    path.write_text(text.replace("PORT", "lan"), encoding="utf-8")
    with pytest.raises(InputError, match=r"'lan' is a switch, with a port for each part; name a port: lan\.a\.send"):
        sb.load(path)
    path.write_text(text.replace("PORT", "lan.a.send"), encoding="utf-8")
    result = sb.simulate(path)
    # two backups share what 10 MB/s of requests leave of the port
    rate = 2 * SWITCH_SIZE / float(result.jobs["elapsed"].max())
    assert rate == pytest.approx(PORT - 10e6, rel=0.02)


# dd through a page cache, composed of flows and a buffer
RATES = st.floats(1e6, 1e9)


@given(st.floats(1e6, 1e11), RATES, RATES, st.floats(1e6, 1e10), st.floats(0.01, 0.99))
def test_a_writer_takes_the_time_of_the_closed_form(
    size: float, write: float, rate: float, limit: float, share: float
) -> None:
    env = simpy.Environment()
    network = FlowNetwork(env)
    disk = Disk("devices.a", disks.DiskParameters(1e12, 100.0, 1e-3, 5e-3, 9e-3, rate, rate, 0.0, 1e6))
    volume = Volume(env, "devices.a", Region(disk, 0.0, disk.size))
    host = Host(network, "hosts.h", Machine(2.0, write, limit, share * limit))
    fill = FlowShape({host.cpu: 1.0 / write}).at_most(write, host.cpu.name)
    flow = fill.start(network, "jobs.dd", "write", size)
    host.cache(disk).take("jobs.dd", VolumeRange(volume, 0.0, size), flow)
    env.run(until=flow.done)
    assert env.now == pytest.approx(writer_time(size, write, rate, limit, share * limit), rel=1e-6)
