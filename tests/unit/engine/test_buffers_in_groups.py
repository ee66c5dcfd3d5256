"""Flows of buffers that share the level of a link: who joins with whom, what is watched, and what a change costs."""

from collections.abc import Generator
from typing import Any

import pytest
import simpy

from simbackup.engine.buffer import Buffer
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Trace
from tests.shared import EqualLosses

MANY = 40


class Night:
    """Readers with disks of their own, each of which fills a buffer that a writer drains to one array."""

    def __init__(self, *, whole: bool = False, count: int = MANY, begin: float = 10.0) -> None:
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
    assert max(loads) < MANY  # it never begins anew with all of them
    assert sum(loads) < 4 * MANY


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
    for i in range(MANY):
        network.start(f"jobs.{i}", "read", 1e9, {core: 1.0, **({side: 1.0} if i % 2 else {})}, moves={core: 1.0})
    network.start("jobs.other", "read", 1e9, {side: 1.0}, cap=1.0)
    env.run(until=1.0)
    network.set_capacity(side, 160.0)
    env.run(until=2.0)
    busy = [rate.busy for rate in link_rates(trace, {"links.side"})]
    assert busy == pytest.approx([51.0 / 80.0, 51.0 / 160.0])
