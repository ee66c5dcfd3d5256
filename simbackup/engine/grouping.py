"""The groups of a network: who joins one after a solution, and who leaves one before the next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import simpy

from simbackup.engine.affected import Coupling, Sides
from simbackup.engine.events import Completions
from simbackup.engine.flow import Flow
from simbackup.engine.group import NEAR, ROOM, BottleneckGroup
from simbackup.engine.limit import WHOLE
from simbackup.engine.link import Link, Recorder

if TYPE_CHECKING:
    from simbackup.engine.buffer import Buffer

MANY = 16
"""Flows from which on those that a link limits are one group; for fewer, one by one is cheaper."""

LEFT = 4
"""Members below which a group dissolves."""


class Candidate(NamedTuple):
    """A flow that may join a group: what it moves at level 1, the level near which it stops, and whom it follows."""

    flow: Flow
    weight: float
    stop: float
    leader: Flow | None = None


class Groups:
    """The groups of a network, in the order in which they will lose a member that is done."""

    def __init__(
        self, env: simpy.Environment, numbers: Iterator[int], alone: Completions[Flow], trace: Recorder | None
    ) -> None:
        self._env = env
        self._numbers = numbers
        self._alone = alone
        self._trace = trace
        self.changed: dict[BottleneckGroup, None] = {}
        """Those whose members or level are others than was recorded."""
        self.ends = Completions[BottleneckGroup]()
        self._pairs: dict[Flow, Flow] = {}
        """Members that a buffer ties to each other: each follower with its leader, and the leader with the follower."""
        self._looking: dict[Buffer, None] = {}
        self.links: dict[Link, None] = {}
        """Links whose totals do not know yet who has joined or left."""

    def form(self, links: Iterable[Link]) -> None:
        """Form groups: a link that limits many flows, and flows that nothing else concerns.

        Groups that have become small, or stand still, dissolve.
        """
        for small in [one for one in self.changed if one.active and (len(one.members) < LEFT or one.rate <= 0.0)]:
            self.dissolve(small)
        for link in [link for link in links if link.groups or len(link.limited) >= MANY]:
            group = next((one for one in link.groups if one.link is link), None)
            if (group is None and len(link.limited) < MANY) or link.depended_on:
                continue
            level = group.rate if group is not None else None
            fit: list[Candidate] = []
            for one in link.limited:
                if isinstance(one, Flow):
                    level = one.rate / one.weight if level is None else level
                    fit += self._candidates(one, level)
            if level is None or level <= 0.0 or not (fit if group is not None else len(fit) >= MANY):
                continue
            group = group or BottleneckGroup(link, level, self._now, next(self._numbers))
            for candidate in fit:
                self._take(group, candidate)

    def add_held(self, asked: Mapping[Coupling, Sides | None]) -> None:
        """Add the flows that buffers hold to members of groups to these groups; where that fails, remove the member."""
        for coupling, hold in asked.items():
            for leader in hold[1] if hold is not None else ():
                group, watcher = leader.group, leader.watchers.get(coupling)
                if group is None or watcher is None or leader in self._pairs:
                    continue
                followers = self._followers(watcher, leader, group.rate) if watcher.holds else ()
                if followers is None:
                    self.release(leader)
                for candidate in followers or ():
                    self._take(group, candidate)

    def _take(self, group: BottleneckGroup, candidate: Candidate) -> None:
        flow = candidate.flow
        group.take(flow, candidate.weight, candidate.stop, self._now)
        self.links.update(dict.fromkeys(flow.links))
        self._looking.update(dict.fromkeys(filter(None, flow.watchers.values())))
        if candidate.leader is not None:
            self._pairs[flow], self._pairs[candidate.leader] = candidate.leader, flow
        self.changed[group] = None

    def _candidates(self, flow: Flow, level: float) -> list[Candidate]:
        """The flows that would join a group at a level: a flow and those that buffers hold to it; or none."""
        stop = self._stop(flow, flow.weight) if flow.bottleneck is not None else 0.0
        if stop <= level * (1.0 + ROOM):
            return []
        found = [Candidate(flow, flow.weight, stop)]
        for watcher in flow.watchers.values():
            if watcher is None:
                return []
            if watcher.holds:
                followers = self._followers(watcher, flow, level)
                if followers is None:
                    return []
                found += followers
        return found

    def _followers(self, watcher: Buffer, leader: Flow, level: float) -> list[Candidate] | None:
        """The follower that would join a group with its leader; None if others have to be asked for it."""
        pair = watcher.pair()
        if pair is None or pair.leader is not leader or leader in self._pairs:
            return None
        follower, weight, link = pair.follower, pair.units * leader.weight, leader.bottleneck
        if follower.group is not None or follower.cause != leader.cause or weight > follower.weight * (1.0 + NEAR):
            return None
        if any(other is None or (other is not watcher and other.holds) for other in follower.watchers.values()):
            return None
        for other in follower.links:
            if other is link or other.is_own(follower):
                continue
            # where a link is full, nobody who is limited elsewhere may have a higher level
            if any(weight * level / follower.weight > one.rate / one.weight for one in islice(other.limited, 1)):
                return None
        stop = self._stop(follower, weight)
        return [Candidate(follower, weight, stop, leader)] if stop > level * (1.0 + ROOM) else None

    @property
    def _now(self) -> float:
        return float(self._env.now)

    @staticmethod
    def _stop(flow: Flow, weight: float) -> float:
        """The level near which a limit of its own stops a flow, if it can join at all; zero if it cannot."""
        if flow.depends or flow.law is not None or flow.spent is not WHOLE:
            return 0.0
        stop = flow.cap / weight
        for link in flow.links:
            if link.depended_on or (link.streams is not None and link.streams.spares(flow)):
                return 0.0
            demand = flow.demands.get(link, 0.0)
            if demand and link.is_own(flow):
                stop = min(stop, link.capacity / (demand * weight))
        return stop * (1.0 - NEAR)

    def assign(self, group: BottleneckGroup, level: float) -> None:
        """Set the level of a group."""
        if group.assign(self._now, level):
            self.changed[group] = None

    def parted(self, group: BottleneckGroup, level: float, limit: Link | None) -> list[Flow]:
        """Remove and return the members that their own limit or another link stops when the group reaches a level."""
        if limit is group.link and level < group.cap:
            return []
        out = group.stopped(level) if limit is None or limit is group.link else list(group.loads[limit].flows)
        return [gone for flow in out for gone in self.release(flow)]

    def release(self, flow: Flow, *, ends: bool = False) -> list[Flow]:
        """Remove a flow, and the flow that a buffer ties to it, from their group; return those that were members."""
        group, mate = flow.group, self._pairs.pop(flow, None)
        if group is None:
            return []
        if mate is not None:
            del self._pairs[mate]
        group.lose(flow, self._now, ends=ends)
        if not ends:
            self._alone.put(flow)
        self.changed[group] = None
        self.links.update(dict.fromkeys(flow.links))
        if not group.members:
            group.end()
        return [flow, *self.release(mate)] if mate is not None and flow.bottleneck is not None else [flow]

    def dissolve(self, group: BottleneckGroup) -> list[Flow]:
        """Take all members out of a group, and return them."""
        members = list(group.members)
        for flow in members:
            self.release(flow)
        return members

    def carry(self, links: Iterable[Link]) -> None:
        """Leave links that only one group crosses, and nobody watches, out of solutions."""
        for link in links:
            if link.group_meter is None and len(link.variables) == 1 and not link.watchers and not link.solved_jointly:
                group = next(iter(link.groups))
                if group.link is not link:
                    group.carry(link, self._now)

    @property
    def next_end(self) -> float:
        """The time at which the next member of any group is done, infinite if none will be."""
        return self.ends.next_end() if self.ends else math.inf

    def come_to(self, link: Link) -> None:
        """Take a link back into solutions, as others come to it that only one group crossed so far."""
        if link.group_meter is not None:
            link.group_meter.group.solve_with(link, self._now)
            self.links[link] = None

    def leave(self, link: Link) -> None:
        """Take all flows on a link out of their groups."""
        for group in tuple(link.groups):
            self.part(group, link)

    def part(self, group: BottleneckGroup, link: Link) -> list[Flow]:
        """Take the members that cross a link, and their mates, out of a group, and return them."""
        return [gone for flow in tuple(group.loads[link].flows) for gone in self.release(flow)]

    def record(self) -> None:
        """Record the groups that have changed, and compute when their members end."""
        for group in self.changed:
            if self._trace is not None and (group.unrecorded or group.rate != group.recorded):
                self._trace.shared_level(self._now, group.name, group.rate, group.loaded(), group.beside(self._now))
            group.recorded = group.rate
            group.unrecorded.clear()
            group.expect(self._now)
            self.ends.put(group)
            self._looking.update(dict.fromkeys(group.ranges.broken(group.rate)))
        for watcher in self._looking:
            watcher.look()
        self._looking.clear()
        self.changed.clear()
        self.links.clear()

    def done(self, now: float) -> list[Flow]:
        """The members of all groups that are done at `now`."""
        return [flow for group in self.ends.due(now, now) for flow in group.done(now)]
