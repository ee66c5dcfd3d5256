import math
from collections.abc import Callable

import pytest
import simpy

from simbackup.devices.closed_network import ClosedClass
from simbackup.engine.buffer import Buffer
from simbackup.engine.events import FEW
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Law, Limit
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Trace


def system() -> tuple[simpy.Environment, FlowNetwork, Link]:
    env = simpy.Environment()
    return env, FlowNetwork(env, Trace()), Link("devices.sda", 100.0)


def test_zero_amount_is_done_at_once() -> None:
    env, network, disk = system()
    flow = network.start("jobs.a", "read", 0.0, {disk: 1.0})
    assert flow.done.triggered
    env.run(until=flow.done)
    assert env.now == 0.0
    assert not network.flows
    assert not disk.flows


@pytest.mark.parametrize(
    ("amount", "demand", "share", "cap"),
    [
        (-1.0, 1.0, 1.0, 1.0),
        (math.nan, 1.0, 1.0, 1.0),
        (1.0, -1.0, 1.0, 1.0),
        (1.0, 1.0, 0.0, 1.0),
        (1.0, 1.0, 1.0, -1.0),
        (1.0, 1.0, 1.0, math.nan),
        (1.0, 0.0, 1.0, math.inf),
    ],
)
def test_figures_out_of_range(amount: float, demand: float, share: float, cap: float) -> None:
    _, network, disk = system()
    with pytest.raises(ValueError, match=r"jobs\.a"):
        network.start("jobs.a", "read", amount, {disk: demand}, weight=share, cap=cap)
    assert not disk.flows


def test_a_flow_on_endless_links_alone_is_named() -> None:
    env, network, _ = system()
    flow = network.start("jobs.a", "read", 1.0, {Link("links.lan", math.inf): 1.0})
    with pytest.raises(ValueError, match=r"jobs\.a is limited neither"):
        env.run(until=flow.done)


def test_negative_capacity_is_named() -> None:
    _, network, disk = system()
    with pytest.raises(ValueError, match=r"capacity of links\.lan"):
        Link("links.lan", -1.0)
    with pytest.raises(ValueError, match="capacity of"):
        network.set_capacity(disk, math.nan)


def test_reading_does_not_change_what_comes() -> None:
    def run(reads: int) -> str:
        env, network, disk = system()
        flow = network.start("jobs.a", "read", 1000.0 / 3.0, {disk: 0.7}, moves={disk: 1.0})
        for _ in range(reads):
            env.run(until=env.now + 0.1)
            assert flow.completed == pytest.approx(env.now * 100.0 / 0.7)
            assert flow.waited == pytest.approx({"devices.sda": env.now})
        env.run(until=flow.done)
        assert network.trace is not None
        network.trace.event(env.now, "jobs.a", "done", waited=flow.waited)
        return "\n".join(network.trace.to_lines())

    assert run(0) == run(20)


def bent(limit: float, cause: str = "law") -> Law:
    """A law under which a flow has no more than a limit."""

    def law(rate: float, others: Callable[[Link], float]) -> Limit:
        del others
        return Limit(min(rate, limit), cause)

    return law


def test_flows_are_offered_no_more_than_their_laws_allow_when_others_leave_them_more() -> None:
    env, network, disk = system()
    tight = network.start("jobs.a", "write", 1000.0, {disk: 1.0}, law=bent(10.0, "tight"))
    loose = network.start("jobs.b", "write", 1000.0, {disk: 1.0}, law=bent(60.0, "loose"))
    free = network.start("jobs.c", "write", 1000.0, {disk: 1.0}, weight=0.1)
    env.run(until=1.0)
    assert (tight.rate, loose.rate, free.rate) == (10.0, 60.0, pytest.approx(30.0))
    assert loose.waited == {"loose": 1.0}


def test_nothing_is_left_of_many_flows_on_a_dead_link() -> None:
    env, network, disk = system()
    flows = [
        network.start(f"jobs.{i}", "read", 1e3, {disk: 0.1 * i}, weight=1.0 / i, moves={disk: 1.0})
        for i in range(1, 31)
    ]
    env.run(until=1.0)
    network.set_capacity(disk, 0.0)
    env.run(until=2.0)
    assert all(flow.rate == 0.0 for flow in flows)
    assert network.trace is not None
    last = link_rates(network.trace)[-1]
    assert (last.busy, last.bytes_per_s) == (0.0, 0.0)


def walkers(network: FlowNetwork, count: int, core: Link, disk: Callable[[int], Link]) -> list[Flow]:
    """Readers that take a tenth of a second at a disk and as much elsewhere for each unit, and send it over a core."""
    flows: list[Flow] = []
    for i in range(count):
        there = disk(i)
        going = ClosedClass(1, {(there.name, "read"): 0.1, (f"jobs.{i}", "think"): 0.1}, {there: 10.0})
        flows.append(network.start(f"jobs.{i}", "read", math.inf, {there: 10.0, core: 1.0}, customers=going))
    return flows


def test_requests_that_meet_nobody_share_the_level_of_a_full_link() -> None:
    env, trace = simpy.Environment(), Trace()
    network, core = FlowNetwork(env, trace), Link("links.core", 100.0)
    flows = walkers(network, 100, core, lambda i: Link(f"devices.{i:03}", 100.0))
    env.run(until=1.0)
    assert all(flow.rate == pytest.approx(1.0) for flow in flows)
    assert all(flow.group is not None for flow in flows)
    network.set_capacity(flows[0].links[0], 0.0)
    env.run(until=2.0)
    assert flows[0].rate == 0.0
    assert flows[1].rate == pytest.approx(100.0 / 99.0)
    network.set_capacity(flows[0].links[0], 100.0)
    network.set_capacity(core, 1000.0)
    env.run(until=3.0)
    assert all(flow.rate == pytest.approx(5.0) for flow in flows)


@pytest.mark.parametrize("flows", [1, 40])
def test_links_that_nobody_crosses_any_more_are_forgotten(flows: int) -> None:
    env = simpy.Environment()
    network, trunk = FlowNetwork(env), Link("links.trunk", 10.0)
    for number in range(flows):
        own = Link(f"devices.{number}", 1.0)
        network.start(f"jobs.{number}", "read", 5.0 + number, {own: 1.0, trunk: 1.0})
    env.run()
    assert not network.flows
    assert not network.links


# The order in which flows will be done, when entries that do not count any more are removed from it
def test_a_flow_that_stood_still_ends_when_it_goes_on_more_slowly() -> None:
    """A hundred seconds at full speed: half of it, a stop in which many others begin, and then at a tenth."""
    env = simpy.Environment()
    network, way = FlowNetwork(env), Link("links.way", 10.0)
    flow = network.start("jobs.slow", "save", 1000.0, {way: 1.0})
    env.run(until=50.0)
    network.set_capacity(way, 0.0)
    env.run(until=60.0)
    for number in range(2 * FEW):
        network.start(f"jobs.{number}", "save", 1000.0 + number, {Link(f"links.{number}", 10.0): 1.0})
    env.run(until=70.0)
    network.set_capacity(way, 1.0)
    for _ in range(20 * FEW):  # many times the events of all that begin and end
        if flow.active:
            env.step()
    assert not flow.active
    assert env.now == 570.0


# Buffers
def system_buffer() -> tuple[simpy.Environment, FlowNetwork, Buffer]:
    env = simpy.Environment()
    network = FlowNetwork(env)
    return env, network, Buffer(network, 100.0, "hosts.cache")


def flow(network: FlowNetwork, name: str, rate: float, amount: float = math.inf) -> Flow:
    return network.start(f"jobs.{name}", "copy", amount, {Link(f"links.{name}", rate): 1.0})


@pytest.mark.parametrize("amount", [50.0, 80.0])
def test_nobody_looks_when_it_will_be_empty_if_its_flows_end_first(amount: float) -> None:
    env, network, cache = system_buffer()
    fill = flow(network, "in", 10.0, 50.0)
    cache.fill(fill)
    env.run(until=fill.done)
    drain = flow(network, "out", 4.0, amount)
    cache.drain(drain)
    env.run(until=5.1)
    before, rings = cache.looks, cache.rings
    env.run(until=17.4)
    assert (cache.looks, cache.content) == (before, pytest.approx(0.4))
    assert rings == (math.inf if amount == 50.0 else pytest.approx(17.5))
    env.run(until=18.0)
    assert (drain.completed, drain.rate, cache.content) == pytest.approx((50.0, 0.0, 0.0))
    assert drain.active == (amount > 50.0)


def test_full_without_a_drain_stops_the_filler() -> None:
    env, network, cache = system_buffer()
    fill = flow(network, "in", 10.0)
    cache.fill(fill)
    env.run(until=15.0)
    assert fill.rate == 0.0
    assert fill.completed == pytest.approx(100.0)
    assert fill.waited == pytest.approx({"links.in": 10.0, "hosts.cache": 5.0})
    drain = flow(network, "out", 4.0)
    cache.drain(drain)
    env.run(until=20.0)
    assert (fill.rate, drain.rate) == pytest.approx((4.0, 4.0))
    network.stop(drain)
    env.run(until=21.0)
    assert fill.rate == 0.0
    assert cache.content == pytest.approx(100.0)


def stops(rate: float, others: Callable[[Link], float]) -> Limit:
    """A tape that needs 20 to keep moving, and else takes a tenth less than its host has room for."""
    del others
    return Limit(rate if rate >= 20.0 else 0.9 * rate, "tape")


def test_what_stops_before_a_full_buffer_goes_on_once_that_has_room_again() -> None:
    env, network, cache = system_buffer()
    fill = network.start("jobs.in", "copy", math.inf, {Link("links.in", 20.0): 1.0}, law=stops)
    drain = flow(network, "out", 10.0)
    cache.fill(fill)
    cache.drain(drain)
    env.run(until=34.0)  # the level has fallen by 1 a second since 10 s, and by a quarter of 100 at 35 s
    assert fill.rate == pytest.approx(9.0)
    env.run(until=36.0)
    assert fill.rate == 20.0
    env.run(until=38.0)  # full again at 37.5 s
    assert fill.rate == pytest.approx(9.0)


def test_wrong_use_is_refused() -> None:
    _, network, cache = system_buffer()
    fill = flow(network, "in", 1.0)
    cache.fill(fill)
    with pytest.raises(ValueError, match="already fills or drains"):
        cache.drain(fill)
    with pytest.raises(ValueError, match="bytes per unit"):
        cache.drain(flow(network, "third", 1.0), bytes_per_unit=0.0)
    with pytest.raises(ValueError, match="not 101"):
        cache.when(101.0, rising=True)
    with pytest.raises(ValueError, match="above zero and finite"):
        Buffer(network, 0.0, "hosts.cache")
