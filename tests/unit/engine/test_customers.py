"""Requests that go round alone where they wait: when their limit is reckoned, and that a group does not hide it."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
import simpy

from simbackup.engine.flow import Flow
from simbackup.engine.limit import Limit, Spot
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork

MANY = 20
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


def begun() -> tuple[simpy.Environment, FlowNetwork, Link, list[Flow], list[Trips]]:
    """Flows that read a disk each, of 20 units a second, over one full link of 100 units a second."""
    env = simpy.Environment()
    network, core = FlowNetwork(env), Link("links.core", 100.0)
    trips = [Trips(Link(f"devices.{i:02}", 20.0)) for i in range(MANY)]
    flows = [
        network.start(
            f"jobs.{i}", "read", math.inf, {core: 1.0, one.disk: 1.0}, customers=one, places={one.disk: Spot(0.0)}
        )
        for i, one in enumerate(trips)
    ]
    env.run(until=1.0)
    return env, network, core, flows, trips


def test_a_slower_disk_holds_back_the_requests_that_wait_there_alone_though_they_shared_a_level() -> None:
    env, network, _, flows, trips = begun()
    assert {flow.rate for flow in flows} == {100.0 / MANY}
    assert all(flow.group is not None for flow in flows)
    network.set_capacity(trips[3].disk, 8.0)  # more than the level that they share, and half of it is less
    env.run(until=2.0)
    assert flows[3].rate == pytest.approx(0.5 * 8.0)
    assert flows[3].cause == trips[3].disk.name
    assert flows[4].rate == pytest.approx((100.0 - 0.5 * 8.0) / (MANY - 1))


def test_requests_alone_are_asked_once_for_each_capacity_of_their_disk() -> None:
    env, network, core, flows, trips = begun()
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
