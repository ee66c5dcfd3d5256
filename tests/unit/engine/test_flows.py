import math
from collections.abc import Callable, Generator
from typing import Any

import pytest
import simpy

from simbackup.devices.closed_network import ClosedClass
from simbackup.engine.flow import Flow, LocalWeight
from simbackup.engine.limit import Law, Limit
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Trace


def system() -> tuple[simpy.Environment, FlowNetwork, Link]:
    env = simpy.Environment()
    return env, FlowNetwork(env, Trace()), Link("devices.sda", 100.0)


class Watcher:
    """A store that notes when it is asked, which is once for each solution, and holds nobody."""

    name = "watcher"

    def __init__(self, env: simpy.Environment) -> None:
        self.env, self.asked = env, list[float]()

    def constraint(self) -> None:
        self.asked.append(float(self.env.now))

    def solved(self, *, binding: bool) -> None:
        assert not binding


def test_changes_at_one_instant_are_solved_once() -> None:
    env, network, disk = system()
    watcher = Watcher(env)
    network.couple(watcher, disk)

    def job(i: int) -> Generator[simpy.Event, Any, None]:
        yield env.timeout(5.0)
        flow = network.start(f"jobs.{i}", "read", 100.0, {disk: 1.0})
        yield flow.done
        yield network.start(f"jobs.{i}", "write", 100.0, {disk: 1.0}).done

    env.run(until=env.all_of([env.process(job(i)) for i in range(4)]))
    # Four starts at 5 s are one solve, ends and starts at 9 s another; the run stops before a third.
    assert watcher.asked == [5.0, 9.0]
    assert env.now == 13.0


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


def test_trace_records_every_change_of_a_link() -> None:
    env, network, disk = system()
    idle = Link("links.idle", 5.0)
    a = network.start("jobs.a", "read", 1000.0, {disk: 1.0}, cap=50.0, moves={disk: 2.0})
    env.run(until=10.0)
    network.set_cap(a, math.inf)
    network.set_capacity(idle, 7.0)
    env.run(until=a.done)
    env.run(until=env.timeout(1.0))
    assert network.trace is not None
    assert [(r.time, r.link, r.busy, r.bytes_per_s) for r in network.trace.rates] == [
        (0.0, "devices.sda", 0.5, 100.0),
        (10.0, "devices.sda", 1.0, 200.0),
        (15.0, "devices.sda", 0.0, 0.0),
    ]


def test_tiny_flows_late_in_time_do_not_stall() -> None:
    # At 1e15 s one representable step is 0.125 s; each flow would last 1e-7 s.
    env = simpy.Environment(1e15)
    network, disk = FlowNetwork(env), Link("devices.sda", 1e9)
    background = network.start("jobs.b", "write", math.inf, {disk: 1.0})

    def job() -> Generator[simpy.Event, Any, None]:
        for _ in range(100):
            yield network.start("jobs.a", "read", 100.0, {disk: 1.0}).done

    env.run(until=env.process(job()))
    network.advance()
    assert disk.units == pytest.approx(100.0 * 100.0 + background.completed)


def test_simultaneous_ends_come_in_order_of_starting() -> None:
    env, network, disk = system()
    ended: list[str] = []

    def note(flow: Flow) -> Generator[simpy.Event, Any, None]:
        yield flow.done
        ended.append(flow.name)

    flows = [network.start(name, "read", 10.0 / 3.0, {disk: 1.0 / 7.0}) for name in "zyxabc"]
    for flow in flows:
        env.process(note(flow))
    env.run(until=flows[-1].done)
    env.run(until=env.now + 1.0)
    assert ended == list("zyxabc")


def test_ties_between_links_do_not_depend_on_the_order_of_starting() -> None:
    for names in (("links.a", "links.b"), ("links.b", "links.a")):
        env = simpy.Environment()
        network = FlowNetwork(env)
        flow = network.start("jobs.a", "send", 10.0, {Link(name, 5.0): 1.0 for name in names})
        env.run(until=flow.done)
        assert list(flow.waited) == ["links.a"]


def test_bytes_on_a_link_without_demand() -> None:
    env, network, disk = system()
    meter = Link("links.meter", 0.0)
    flow = network.start("jobs.a", "read", 1000.0, {disk: 1.0}, moves={meter: 3.0})
    env.run(until=flow.done)
    assert env.now == 10.0
    assert (meter.bytes_moved, meter.units, meter.busy_s) == (3000.0, 0.0, 0.0)


def bent(limit: float, cause: str = "law") -> Law:
    """A law under which a flow has no more than a limit."""

    def law(rate: float, others: Callable[[Link], float]) -> Limit:
        del others
        return Limit(min(rate, limit), cause)

    return law


def test_a_law_answers_to_the_rate_that_is_offered() -> None:
    env, network, disk = system()
    asked: list[float] = []

    def half(rate: float, others: Callable[[Link], float]) -> Limit:
        del others
        asked.append(rate)
        return Limit(rate / 2.0, "devices.tape.repositioning")

    flow = network.start("jobs.a", "write", 1000.0, {disk: 1.0}, law=half)
    env.run(until=flow.done)
    assert asked[0] == 100.0
    assert env.now == 20.0
    assert flow.waited == {"devices.tape.repositioning": 20.0}


def test_the_rest_of_a_law_is_due_to_what_limited_the_flow_without_it() -> None:
    def slowed(rate: float, others: Callable[[Link], float]) -> Limit:
        del others
        return Limit(rate * 0.75, "tape", {("tape", "stop"): 0.25 / (rate * 0.75)}, rest=0.75 / (rate * 0.75))

    env, network, disk = system()
    by_link = network.start("jobs.a", "write", 750.0, {disk: 1.0}, law=slowed)
    env.run(until=by_link.done)
    (segment,) = by_link.segments
    assert (segment.end, segment.cause) == (10.0, "tape")
    assert {part: 750.0 * each for part, each in segment.parts.items()} == pytest.approx(
        {("tape", "stop"): 2.5, (disk.name, ""): 7.5}
    )
    # A cycle takes its share by its parts.
    parts = {("disk", "read"): 0.01, ("host", "open"): 0.03}
    cycle = network.start("jobs.b", "write", 750.0, {}, cap=25.0, cap_cause="host", cap_parts=parts, law=slowed)
    env.run(until=cycle.done)
    (segment,) = cycle.segments
    assert {part: 750.0 * each for part, each in segment.parts.items()} == pytest.approx(
        {("tape", "stop"): 10.0, ("disk", "read"): 7.5, ("host", "open"): 22.5}
    )


def test_what_a_law_leaves_is_for_others() -> None:
    env, network, disk = system()
    lawful = network.start("jobs.a", "write", 1000.0, {disk: 1.0}, law=bent(20.0))
    other = network.start("jobs.b", "write", 1600.0, {disk: 1.0})
    env.run(until=10.0)
    assert (lawful.rate, other.rate) == (20.0, 80.0)
    assert other.waited == {"devices.sda": 10.0}
    env.run(until=other.done)
    assert env.now == 20.0
    env.run(until=lawful.done)
    assert env.now == 50.0


def test_a_law_that_does_not_bind_changes_nothing() -> None:
    env, network, disk = system()
    flow = network.start("jobs.a", "write", 1000.0, {disk: 1.0}, cap=50.0, cap_cause="hosts.a", law=bent(50.0))
    env.run(until=flow.done)
    assert env.now == 20.0
    assert flow.waited == {"hosts.a": 20.0}


def test_a_law_is_asked_again_when_what_is_offered_changes() -> None:
    env, network, disk = system()
    lawful = network.start("jobs.a", "write", 1000.0, {disk: 1.0}, law=bent(60.0))
    other = network.start("jobs.b", "write", 500.0, {disk: 1.0})
    env.run(until=other.done)
    assert env.now == 10.0
    env.run(until=lawful.done)
    assert lawful.waited == pytest.approx({"devices.sda": 10.0, "law": 500.0 / 60.0})


def test_a_law_knows_what_others_use_of_a_link() -> None:
    env, network, disk = system()
    shares: list[float] = []

    def look(rate: float, others: Callable[[Link], float]) -> Limit:
        shares.append(others(disk))
        return Limit(rate, "law")

    network.start("jobs.b", "write", math.inf, {disk: 1.0}, cap=30.0)
    flow = network.start("jobs.a", "write", 700.0, {disk: 1.0}, law=look)
    env.run(until=flow.done)
    assert shares[0] == pytest.approx(0.3)
    assert env.now == 10.0


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


def test_requests_stand_still_on_a_dead_link_and_go_on_after_it() -> None:
    env, network, disk = system()
    cores = Link("hosts.server.cores", 4.0, pooled=True)
    parts = {(disk.name, "read"): 0.01, (cores.name, "open"): 0.002}
    demands = {disk: 0.5, cores: 0.002}
    flow = network.start("jobs.a", "read", 1e3, demands, customers=ClosedClass(2, parts, demands))
    env.run(until=1.0)
    before = flow.rate
    assert before > 0.0
    for link in (disk, cores):
        capacity = link.capacity
        network.set_capacity(link, 0.0)
        env.run(until=env.now + 1.0)
        assert flow.rate == 0.0
        network.set_capacity(link, capacity)
        env.run(until=env.now + 1.0)
        assert flow.rate == pytest.approx(before, rel=1e-9)


def walkers(network: FlowNetwork, count: int, core: Link, disk: Callable[[int], Link]) -> list[Flow]:
    """Readers that take a tenth of a second at a disk and as much elsewhere for each unit, and send it over a core."""
    flows: list[Flow] = []
    for i in range(count):
        there = disk(i)
        going = ClosedClass(1, {(there.name, "read"): 0.1, (f"jobs.{i}", "think"): 0.1}, {there: 10.0})
        flows.append(network.start(f"jobs.{i}", "read", math.inf, {there: 10.0, core: 1.0}, customers=going))
    return flows


def test_requests_wait_for_others_only_while_others_are_there() -> None:
    env, network, disk = system()
    core = Link("links.core", 100.0)
    [first] = walkers(network, 1, core, lambda _: disk)
    env.run(until=1.0)
    assert first.rate == pytest.approx(5.0)
    [second] = walkers(network, 1, core, lambda _: disk)
    env.run(until=2.0)
    # two customers, 0.1 s of service and 0.1 s of thinking each: between N / (Z + N S) and N / (Z + S)
    assert 2.0 / 0.3 < first.rate + second.rate < 2.0 / 0.2
    assert first.rate == second.rate
    network.stop(second)
    env.run(until=3.0)
    assert first.rate == pytest.approx(5.0)


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


def test_a_weight_that_holds_on_one_link_counts_while_a_stream_meets_it_there() -> None:
    """On the disk, files have a fifth of what the stream has; on the wire, with the disk for themselves, half."""
    env, network, disk = system()
    wire, apart = Link("links.lan", 60.0), Link("devices.sdb", 100.0)
    files = network.start(
        "jobs.files", "save", math.inf, {disk: 1.0, wire: 1.0}, weight=0.2, among=LocalWeight(disk, elsewhere=1.0)
    )
    image = network.start("jobs.image", "save", math.inf, {apart: 1.0, wire: 1.0})
    env.run(until=1.0)
    assert (files.rate, image.rate) == (pytest.approx(30.0), pytest.approx(30.0))
    stream = network.start("jobs.other", "save", math.inf, {disk: 1.0})
    env.run(until=2.0)
    assert files.rate == pytest.approx(60.0 / 6.0)  # also on the wire, where the image takes the other 50
    assert stream.rate == pytest.approx(90.0)
    network.stop(stream)
    env.run(until=3.0)
    assert (files.rate, image.rate) == (pytest.approx(30.0), pytest.approx(30.0))


def test_flows_with_a_weight_on_one_link_keep_it_among_each_other() -> None:
    """Alone on the disk, 0.2 and 0.1 share it as two to one, and the greater one the wire with another evenly."""
    env, network, disk = system()
    wire = Link("links.lan", 60.0)
    more = network.start(
        "jobs.more", "save", math.inf, {disk: 1.0, wire: 1.0}, weight=0.2, among=LocalWeight(disk, 1.0)
    )
    less = network.start("jobs.less", "save", math.inf, {disk: 1.0}, weight=0.1, among=LocalWeight(disk, 1.0))
    other = network.start("jobs.other", "save", math.inf, {wire: 1.0})
    env.run(until=1.0)
    assert (more.rate, other.rate) == (pytest.approx(30.0), pytest.approx(30.0))
    assert less.rate == pytest.approx(70.0)
    network.stop(other)
    env.run(until=2.0)
    assert (more.rate, less.rate) == (pytest.approx(60.0), pytest.approx(40.0))
    network.stop(less)
    network.set_capacity(wire, math.inf)
    there = LocalWeight(disk, elsewhere=0.01)
    units = network.start("jobs.units", "save", math.inf, {disk: 100.0}, weight=0.002, among=there)
    env.run(until=3.0)
    assert (more.rate, units.rate) == (pytest.approx(50.0), pytest.approx(0.5))  # each unit is a hundred of theirs
