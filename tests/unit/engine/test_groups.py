"""Flows that share the level of a link: what a change of it costs, and what they say of themselves."""

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
import simpy

from simbackup.engine.buffer import Buffer
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Limit, Spot
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Trace
from tests.shared import EqualLosses

MANY = 100


def begun(count: int = MANY) -> tuple[simpy.Environment, FlowNetwork, Link, list[Flow]]:
    """Flows with a disk each over one link of 100 units a second, of 1, 2, 3 ... units."""
    env, trace = simpy.Environment(), Trace()
    network, core = FlowNetwork(env, trace), Link("links.core", 100.0)
    disks = [Link(f"devices.{i:03}", 90.0) for i in range(count)]
    flows = [
        network.start(f"jobs.{i}", "read", float(i + 1), {core: 1.0, disk: 1.0}, moves={core: 2.0, disk: 2.0})
        for i, disk in enumerate(disks)
    ]
    return env, network, core, flows


def test_what_the_links_of_a_group_move_is_known_at_any_time() -> None:
    env, network, core, flows = begun()
    env.run(until=0.5)
    network.advance()
    disk = flows[40].links[1]
    assert (disk.units, disk.bytes_moved, disk.busy_s) == pytest.approx((0.5, 1.0, 0.5 / 90.0))
    assert (disk.peak_bytes_per_s, core.units, core.bytes_moved) == pytest.approx((2.0, 50.0, 100.0))
    env.run(until=flows[-1].done)
    network.advance()
    assert disk.units == pytest.approx(41.0)
    assert disk.peak_bytes_per_s == pytest.approx(2.0 * 100.0 / 60.0)
    assert network.trace is not None
    moved = [rate.bytes_per_s for rate in link_rates(network.trace, {"devices.040"})]
    assert moved == pytest.approx([2.0 * 100.0 / (MANY - i) for i in range(41)] + [0.0])


def test_a_level_that_takes_up_a_link_says_what_flows_by_themselves_do_there() -> None:
    env, trace = simpy.Environment(), Trace()
    network, core, side = FlowNetwork(env, trace), Link("links.core", 100.0), Link("links.side", 80.0)
    network.start("jobs.own", "read", 1e6, {side: 1.0}, cap=20.0, moves={side: 1.0})
    for i in range(39):
        network.start(f"jobs.{i}", "read", 1e6, {core: 1.0}, moves={core: 1.0})
    env.run(until=2.0)
    network.start("jobs.late", "read", 1e6, {core: 1.0, side: 1.0}, moves={core: 1.0, side: 1.0})
    env.run(until=3.0)
    last = network.start("jobs.last", "read", 1e6, {core: 1.0}, moves={core: 1.0})
    env.run(until=4.0)
    network.stop(last)
    env.run(until=5.0)
    assert [rate.time for rate in trace.rates if rate.link == "links.side"] == [0.0]
    assert [(level.time, dict(level.beside)) for level in trace.shared_levels if "links.side" in level.loads] == [
        (2.0, {"links.side": (0.25, 20.0)})
    ]
    moved = {rate.time: (rate.busy * 80.0, rate.bytes_per_s) for rate in link_rates(trace, {"links.side"})}
    for time, level in {0.0: 0.0, 2.0: 100.0 / 40, 3.0: 100.0 / 41, 4.0: 100.0 / 40}.items():
        assert moved[time] == pytest.approx((20.0 + level, 20.0 + level))


def test_a_limit_of_its_own_takes_a_flow_out_of_a_group() -> None:
    env, network, core, flows = begun()
    network.set_cap(flows[50], 1.5, "own")
    env.run(until=flows[40].done)
    env.run(until=env.now + 1e-6)
    assert flows[50].rate == 1.5
    assert flows[50].waited["own"] > 0.0
    assert sum(flow.rate for flow in core.flows) == pytest.approx(100.0)


def test_others_on_a_disk_meet_the_group_there() -> None:
    env, network, _, flows = begun()
    disk = flows[99].links[1]

    def reader() -> Generator[simpy.Event, Any]:
        yield env.timeout(1.0)
        yield network.start("jobs.other", "read", 890.0, {disk: 1.0}).done

    env.run(until=env.process(reader()))
    network.advance()
    assert disk.units == pytest.approx(890.0 + flows[99].completed, rel=1e-12)


def test_a_group_goes_on_beside_a_stream_that_moves_more_than_all_others() -> None:
    ends: list[list[float]] = []
    for whole in (False, True):
        env, trace = simpy.Environment(), Trace()
        network = FlowNetwork(env, trace, whole=whole)
        rack, disk = Link("links.rack", 10.0), Link("devices.disk", 100.0, EqualLosses(0.25))
        flows = [network.start(f"jobs.{i}", "write", 50.0 + i, {rack: 1.0, disk: 1.0}) for i in range(MANY)]
        env.run(until=1.0)
        burst = network.start("jobs.burst", "write", 100.0, {disk: 1.0})
        env.run(until=1.1)
        assert 2.0 * burst.rate > 10.0
        if not whole:
            assert all(flow.group is flows[0].group is not None for flow in flows)
        env.run(until=env.all_of([flow.done for flow in (*flows, burst)]))
        ends.append([flow.segments[-1].end for flow in (*flows, burst)])
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)


# Flows of buffers that share a level: who joins with whom, what is watched, and what a change costs
BUFFERS_MANY = 40


class Night:
    """Readers with disks of their own, each of which fills a buffer that a writer drains to one array."""

    def __init__(self, *, whole: bool = False, count: int = BUFFERS_MANY, begin: float = 10.0) -> None:
        self.begin = begin
        self.env, self.trace = simpy.Environment(), Trace()
        self.network = FlowNetwork(self.env, self.trace, whole=whole)
        self.array = Link("devices.array", 100.0, EqualLosses(0.25))
        self.readers = [self._reader(i) for i in range(count)]
        self.writers: list[Flow] = []
        self.done = self.env.all_of([self.env.process(self._written(i)) for i in range(count)])

    def _reader(self, i: int) -> Flow:
        own = Link(f"devices.{i:02}", 8.0 + i % 3)
        return self.network.start(f"jobs.{i:02}", "read", 100.0 + i, {own: 1.0}, moves={own: 1.0})

    def _written(self, i: int) -> Generator[simpy.Event, Any]:
        buffer = Buffer(self.network, 20.0, f"hosts.cache.{i:02}")
        buffer.fill(self.readers[i])
        yield buffer.when(self.begin, rising=True)
        writer = self.network.start(f"jobs.{i:02}", "write", 100.0 + i, {self.array: 1.0}, moves={self.array: 1.0})
        self.writers.append(writer)
        buffer.drain(writer)
        yield writer.done

    def ends(self) -> list[float]:
        """When each flow ended, readers before writers."""
        return [flow.segments[-1].end for flow in (*self.readers, *sorted(self.writers, key=lambda flow: flow.name))]


def test_flows_of_buffers_end_when_they_do_if_all_are_solved_anew() -> None:
    few, whole = Night(), Night(whole=True)
    for night in (few, whole):
        night.env.run(until=night.done)
    assert few.ends() == pytest.approx(whole.ends(), rel=1e-9)
    for mine, other in zip(few.readers, whole.readers, strict=True):
        assert mine.waited == pytest.approx(other.waited, rel=1e-9, abs=1e-9)
        assert mine.links[0].busy_s == pytest.approx(other.links[0].busy_s, rel=1e-9)


def test_writers_that_come_to_full_buffers_join_a_group_that_goes_on() -> None:
    few, whole = Night(begin=20.0), Night(begin=20.0, whole=True)
    for night in (few, whole):
        night.env.run(until=night.done)
    assert few.ends() == pytest.approx(whole.ends(), rel=1e-9)
    loads = [len(record.loads) for record in few.trace.shared_levels]
    assert max(loads) < BUFFERS_MANY  # it never begins anew with all of them
    assert sum(loads) < 4 * BUFFERS_MANY


@pytest.mark.parametrize("count", [20, 80])
def test_a_job_leaves_as_many_records_however_many_there_are(count: int) -> None:
    night = Night(count=count)
    night.env.run(until=night.done)
    assert sum(night.trace.counts().values()) <= 12 * count


def test_a_reader_that_its_own_disk_stops_leaves_the_group() -> None:
    night = Night()
    night.env.run(until=16.0)
    for flow in sorted(night.writers, key=lambda flow: flow.name)[:30]:
        night.network.stop(flow)  # the others could write 8 a second, and the slowest disks read no more than 5
    for reader in night.readers[36:]:
        night.network.set_capacity(reader.links[0], 5.0)
    night.env.run(until=16.01)
    assert [reader.rate for reader in night.readers[36:]] == pytest.approx([5.0] * 4)
    assert [reader.cause for reader in night.readers[36:]] == [f"devices.{i}" for i in range(36, 40)]


def test_another_capacity_of_a_link_shows_in_its_busy_share_though_no_rate_changes() -> None:
    env, trace = simpy.Environment(), Trace()
    network, core, side = FlowNetwork(env, trace), Link("links.core", 100.0), Link("links.side", 80.0)
    for i in range(BUFFERS_MANY):
        network.start(f"jobs.{i}", "read", 1e9, {core: 1.0, **({side: 1.0} if i % 2 else {})}, moves={core: 1.0})
    network.start("jobs.other", "read", 1e9, {side: 1.0}, cap=1.0)
    env.run(until=1.0)
    network.set_capacity(side, 160.0)
    env.run(until=2.0)
    busy = [rate.busy for rate in link_rates(trace, {"links.side"})]
    assert busy == pytest.approx([51.0 / 80.0, 51.0 / 160.0])


# Requests alone where they wait: when their limit is reckoned, and that a group does not hide it
CUSTOMERS_MANY = 20
"""Flows that are enough for a group."""


@dataclass
class Trips:
    """Requests of a flow that have a disk for half of the time, and how often they were asked for what they achieve."""

    disk: Link
    asked: list[float] = field(default_factory=list[float])

    def service_demands(self) -> Mapping[Link, float]:
        """The disk."""
        return {self.disk: 0.5}

    def limits_of(
        self,
        classes: Sequence[Any],
        others: Callable[[Link], float],
        switchovers: Sequence[Mapping[Link, float]],
        blocked: Sequence[float],
    ) -> list[Limit]:
        """Half of what the disk can do."""
        del classes, others, switchovers, blocked
        self.asked.append(self.disk.capacity)
        return [Limit(0.5 * self.disk.capacity, self.disk.name)]


def begun_customers() -> tuple[simpy.Environment, FlowNetwork, Link, list[Flow], list[Trips]]:
    """Flows that read a disk each, of 20 units a second, over one full link of 100 units a second."""
    env = simpy.Environment()
    network, core = FlowNetwork(env), Link("links.core", 100.0)
    trips = [Trips(Link(f"devices.{i:02}", 20.0)) for i in range(CUSTOMERS_MANY)]
    flows = [
        network.start(
            f"jobs.{i}", "read", math.inf, {core: 1.0, one.disk: 1.0}, customers=one, places={one.disk: Spot(0.0)}
        )
        for i, one in enumerate(trips)
    ]
    env.run(until=1.0)
    return env, network, core, flows, trips


def test_a_slower_disk_holds_back_the_requests_that_wait_there_alone_though_they_shared_a_level() -> None:
    env, network, _, flows, trips = begun_customers()
    assert {flow.rate for flow in flows} == {100.0 / CUSTOMERS_MANY}
    assert all(flow.group is not None for flow in flows)
    network.set_capacity(trips[3].disk, 8.0)  # more than the level that they share, and half of it is less
    env.run(until=2.0)
    assert flows[3].rate == pytest.approx(0.5 * 8.0)
    assert flows[3].cause == trips[3].disk.name
    assert flows[4].rate == pytest.approx((100.0 - 0.5 * 8.0) / (CUSTOMERS_MANY - 1))


def test_requests_alone_are_asked_once_for_each_capacity_of_their_disk() -> None:
    env, network, core, flows, trips = begun_customers()
    for step in range(5):
        network.set_cap(flows[0], 1.0 + step)  # which solves it again
        network.set_capacity(core, 90.0 - step)
        env.run(until=2.0 + step)
    assert trips[0].asked == [20.0]
    network.set_capacity(trips[0].disk, 10.0)
    env.run(until=8.0)
    network.set_capacity(trips[0].disk, 4.0)
    env.run(until=9.0)
    assert trips[0].asked == [20.0, 10.0, 4.0]
    assert flows[0].rate == pytest.approx(2.0)
