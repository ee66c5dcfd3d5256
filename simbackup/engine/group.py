"""Flows that share the level of a full link: one variable to the solver, one clock, and one alarm.

All flows of a group are limited by its link, so each moves at its weight times one level. Work is counted on a virtual
clock that runs at that level, as in fair queueing: a member that joined at `v` has moved its weight times what the
clock shows beyond `v`, and ends at a reading that no change of the level moves. A change of the level costs as much for
two as for ten thousand; without this clock, the cost of a night would grow with the square of its jobs.

To the solver a group is a flow of weight one. It demands of each link what its members do together. Links that nobody
else crosses are carried along: they are not asked, but say up to which level they have room, and so do the caps of
members. At the lowest of these stops the members that are stopped leave, and are solved one by one.

What a full or empty buffer holds to a member joins the group with it, at the weight at which it moves as many bytes.
Other buffers of members look for themselves when they will be full or empty, and say between which levels that is right
(`LevelRanges`).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count, islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import simpy

from simbackup.engine.events import DUE, ENDS, FEW, ULPS, Completions
from simbackup.engine.filling import same
from simbackup.engine.flow import Flow
from simbackup.engine.limit import WHOLE, Customers, Law
from simbackup.engine.link import Link

if TYPE_CHECKING:
    from simbackup.engine.affected import Coupling, Sides
    from simbackup.engine.buffer import Buffer
    from simbackup.trace.trace import Trace

Variable: TypeAlias = "Flow | BottleneckGroup"
"""An unknown of a problem, whose rate is solved for: a flow by itself, or a group."""

NEAR = 1e-9
"""Share of a stop's level by which a member leaves the group before its own limit stops it."""

ROOM = 1e-3
"""Share by which a link's stop must be above the level of a group so that solutions can leave the link out."""


class Pair(NamedTuple):
    """A flow that a buffer holds to what a single other one moves: units of it for each unit of that."""

    follower: Flow
    leader: Flow
    units: float


@dataclass(slots=True)
class GroupMeter:
    """What a link that only one group crosses carries at level 1, counted on the clock of the group."""

    group: BottleneckGroup
    units: float
    busy: float
    bytes: float
    showed: float
    """What the clock of the group showed last."""
    stop: float
    """The level up to which the link has room."""


class GroupLoad:
    """The members that cross one link, with the units that they use of it and the bytes that they move, at level 1.

    `own` are the units without what they turn; `kinds` the amount of the streams of each kind; `sizes` how many of
    these have which amount, as most have the same.
    """

    __slots__ = ("bytes", "changes", "flows", "kinds", "link", "most", "own", "sizes")

    def __init__(self, link: Link) -> None:
        self.link = link
        self.flows: dict[Flow, None] = {}
        self.kinds: dict[Hashable, float] = {}
        self.sizes: dict[Hashable, dict[float, int]] = {}
        self.own = self.bytes = self.most = 0.0
        self.changes = 0

    @property
    def units(self) -> float:
        """Units of the link that they use at level 1."""
        return self.own + self.lost()[1] if self.kinds else self.own

    def lost(self) -> tuple[float, float]:
        """Units that are lost to switchover at level 1: of one member at most, and of all together."""
        streams, most, total = self.link.streams, 0.0, 0.0
        for kind, amount in self.kinds.items():
            each = streams.each(kind) if streams is not None else 0.0
            most, total = max(most, max(self.sizes[kind], default=0.0) * each), total + amount * each
        return most, total

    def add(self, flow: Flow) -> None:
        """Add a member."""
        self.flows[flow] = None
        self._count(flow, 1.0)
        self.most = max(self.most, self.own)
        self._sum_now_and_then()

    def remove(self, flow: Flow) -> None:
        """Remove a member."""
        del self.flows[flow]
        self._count(flow, -1.0)
        self._sum_now_and_then()

    def _count(self, flow: Flow, sign: float) -> None:
        weight = sign * flow.in_group
        self.own += flow.demands.get(self.link, 0.0) * weight
        self.bytes += flow.moves.get(self.link, 0.0) * weight
        stream = self.link.streams.of(flow) if self.link.streams is not None and self.link in flow.demands else None
        if stream is not None:
            self.kinds[stream.kind] = self.kinds.get(stream.kind, 0.0) + stream.amount * weight
            sizes, size = self.sizes.setdefault(stream.kind, {}), stream.amount * flow.in_group
            sizes[size] = sizes.get(size, 0) + (1 if sign > 0.0 else -1)
            if not sizes[size]:
                del sizes[size]

    def _sum_now_and_then(self) -> None:
        """Compute the sums again after many changes, so that rounding errors do not add up."""
        self.changes += 1
        if self.own <= 0.5 * self.most or self.changes > len(self.flows) + FEW:
            self.own = self.bytes = 0.0
            self.kinds.clear()
            self.sizes.clear()
            for flow in self.flows:
                self._count(flow, 1.0)
            self.most, self.changes = self.own, 0


class LevelRanges:
    """For each buffer, the range of levels in which its next alarm is right."""

    def __init__(self) -> None:
        self._lows: list[tuple[float, int, int, Buffer]] = []
        self._highs: list[tuple[float, int, int, Buffer]] = []
        self._numbers = count()
        self._most = FEW

    def add(self, watcher: Buffer, low: float, high: float) -> None:
        """Note that a buffer must look again when the level falls below `low` or rises above `high`."""
        heappush(self._lows, (-low, next(self._numbers), watcher.looks, watcher))
        heappush(self._highs, (high, next(self._numbers), watcher.looks, watcher))
        if len(self._highs) > self._most:  # those that count no more
            for heap in (self._lows, self._highs):
                heap[:] = [entry for entry in heap if entry[2] == entry[3].looks]
                heapify(heap)
            self._most = 2 * len(self._highs) + FEW

    def broken(self, level: float) -> list[Buffer]:
        """Remove and return the buffers whose range does not contain a level."""
        found: dict[Buffer, None] = {}
        for heap, at in ((self._lows, -level), (self._highs, level)):
            while heap and (heap[0][0] < at or heap[0][2] != heap[0][3].looks):
                entry = heappop(heap)
                if entry[2] == entry[3].looks:
                    found[entry[3]] = None
        return list(found)


class BottleneckGroup:
    """Flows that `link` limits, each of which moves at its weight times `rate`, the level that they share."""

    def __init__(self, link: Link, level: float, now: float, number: int) -> None:
        self.link = self.bottleneck = link
        self.name, self.number = link.name, number
        self.rate: float = level
        """The level, units a second of weight one."""
        self.active = True

        # as a variable
        self.weight = 1.0
        self.depends = False
        self.law: Law | None = None
        self.customers: Customers | None = None
        self.watchers: Mapping[Coupling, None] = {}

        # its members
        self.members: dict[Flow, None] = {}
        self.loads: dict[Link, GroupLoad] = {}
        """For each link, the load of the members that cross it."""
        self.solved_with: dict[Link, None] = {}
        """The links that are in its solutions: its own, and those that other flows cross or couplings watch."""
        self.unrecorded: dict[Link, None] = {}
        """Links on which its load at level one has changed since it was recorded."""
        self.recorded = -1.0
        """The level that was recorded last."""

        # its clock
        self.group: BottleneckGroup | None = None
        self.times, self.entries = [math.inf, math.inf], [math.inf, math.inf]
        """When the next member counts as done, and when nothing of one is left; its entries in the queues of both."""
        self.ranges = LevelRanges()
        self._completions = Completions["Flow"](self)
        self._pushes = count()
        self._stops: list[tuple[float, int, Flow | Link]] = []
        self._reading, self._since = 0.0, now
        self._past_ends: list[float] = []
        self._past_levels: list[float] = []
        link.limited[self] = None

    def __repr__(self) -> str:
        return f"<BottleneckGroup {self.name}, {len(self.members)} flows>"

    @property
    def demands(self) -> dict[Link, float]:
        """Units of each link that it is solved with for one unit of the level."""
        return {link: units for link in self.solved_with if (units := self.loads[link].units) > 0.0}

    @property
    def links(self) -> tuple[Link, ...]:
        """The links that it is solved with."""
        return tuple(self.solved_with)

    @property
    def cap(self) -> float:
        """The level near which a limit of its own stops a member, infinite if none ever does."""
        stops = self._stops
        while stops and not self._counts(stops[0]):
            heappop(stops)
        return stops[0][0] if stops else math.inf

    def _counts(self, stop: tuple[float, int, Flow | Link]) -> bool:
        level, _, what = stop
        if isinstance(what, Link):
            meter = what.group_meter
            return meter is not None and meter.group is self and meter.stop == level
        return what.group is self and what.level_stop == level

    def clock(self, now: float) -> float:
        """What its clock shows at `now`: the integral of its level."""
        return self._reading + self.rate * (now - self._since)

    def greatest(self, since: float, now: float) -> float:
        """The greatest level that lasted for any time after `since`."""
        place = bisect_right(self._past_ends, since)
        past = self._past_levels[place] if place < len(self._past_levels) else 0.0
        return max(past, self.rate) if now > max(self._since, since) else past

    def assign(self, now: float, level: float) -> bool:
        """Set the level from `now` on, and return whether it has changed."""
        if same(level, self.rate):
            return False
        if now > self._since:
            self._reading = self.clock(now)
            while self._past_levels and self._past_levels[-1] <= self.rate:
                self._past_levels.pop()
                self._past_ends.pop()
            self._past_levels.append(self.rate)
            self._past_ends.append(now)
            self._since = now
        self.rate: float = level
        for link in self.solved_with:
            link.stale = True
        return True

    def take(self, flow: Flow, weight: float, stop: float, now: float) -> None:
        """Add a flow with a weight, and the level (`stop`) at which its own limit stops it."""
        flow.join(self, weight, stop, now)
        self.members[flow] = None
        if stop < math.inf:
            heappush(self._stops, (stop, next(self._pushes), flow))
        for link in flow.links:
            if link not in self.loads:
                self.loads[link] = GroupLoad(link)
                self.solved_with[link] = link.groups[self] = link.variables[self] = None
            self.solve_with(link, now)
            self.loads[link].add(flow)
            self.reload(link)
        self._completions.put(flow)

    def lose(self, flow: Flow, now: float, *, ends: bool) -> None:
        """Remove a member, which keeps its rate unless it ends."""
        for link in flow.links:
            self.solve_with(link, now)
            load = self.loads[link]
            load.remove(flow)
            self.reload(link)
            if not load.flows:
                del self.loads[link], self.solved_with[link], link.groups[self], link.variables[self]
        flow.leave(now, ends=ends)
        del self.members[flow]

    def solve_with(self, link: Link, now: float) -> None:
        """Solve the group together with a link from now on, even if nobody else crosses that."""
        if link.group_meter is not None:
            link.meter_by(None, now)
            self.solved_with[link] = None

    def carry(self, link: Link, now: float) -> None:
        """Leave a link that nobody else crosses out of solutions, as long as it is not nearly full."""
        load = self.loads[link]
        units, capacity = load.units, link.capacity
        stop = capacity / units * (1.0 - NEAR) if units > 0.0 else math.inf
        if stop > self.rate * (1.0 + ROOM):
            busy = units / capacity if capacity > 0.0 else 0.0
            link.meter_by(GroupMeter(self, units, busy, load.bytes, self.clock(now), stop), now)
            del self.solved_with[link]
            if stop < math.inf:
                heappush(self._stops, (stop, next(self._pushes), link))

    def end(self) -> None:
        """End the group, as its last member has left."""
        del self.link.limited[self]
        self.active, self.rate = False, 0.0

    def load_on(self, link: Link) -> float:
        """Units of a link that its members use at level 1."""
        return self.loads[link].units

    def lost_on(self, link: Link) -> tuple[float, float]:
        """Units of a link that are lost to switchover at level 1: of one member at most, and of all together."""
        return self.loads[link].lost()

    def reload(self, link: Link) -> None:
        """Note that its load on a link has changed."""
        self.unrecorded[link] = None
        link.stale = True

    def loaded(self) -> dict[str, tuple[float, float]]:
        """The share of each link and the bytes at level one, where they are not recorded yet."""
        found: dict[str, tuple[float, float]] = {}
        for link in self.unrecorded:
            load = self.loads.get(link)
            units, moved = (load.units, load.bytes) if load is not None else (0.0, 0.0)
            found[link.name] = (units / link.capacity if units > 0.0 else 0.0, moved)
        return found

    def beside(self, now: float) -> dict[str, tuple[float, float]]:
        """Busy share and bytes a second of flows outside groups on its unrecorded links, if not recorded just now."""
        return {
            link.name: (link.recorded_busy, link.recorded_bytes)
            for link in self.unrecorded
            if link.recorded_at != now and (link.recorded_busy > 0.0 or link.recorded_bytes > 0.0)
        }

    def expect(self, now: float) -> None:
        """Compute when the next of its members ends."""
        reading = self.clock(now)
        self.times = [
            max(now, now + (at - reading) / self.rate) if self.rate > 0.0 and at < math.inf else math.inf
            for at in map(self._completions.earliest, (DUE, ENDS))
        ]

    def due(self, now: float) -> bool:
        """Whether a member may be done at `now`."""
        return now >= self.times[DUE]

    def done(self, now: float) -> list[Flow]:
        """The members that are done at `now`."""
        return self._completions.due(self.clock(now) + self.rate * now * ULPS, now)

    def stopped(self, level: float) -> list[Flow]:
        """The members that a limit of their own stops below a level."""
        found: dict[Flow, None] = {}
        while self.cap <= level:
            one = heappop(self._stops)[2]
            found.update(self.loads[one].flows if isinstance(one, Link) else {one: None})
        return list(found)


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
    """The groups of a network, and a queue of the times at which a member of each is done next."""

    def __init__(
        self, env: simpy.Environment, numbers: Iterator[int], alone: Completions[Flow], trace: Trace | None
    ) -> None:
        self._env = env
        self._numbers = numbers
        self._alone = alone
        self._trace = trace
        self.changed: dict[BottleneckGroup, None] = {}
        """Groups whose members or level have changed since they were recorded."""
        self.ends = Completions[BottleneckGroup]()
        self._pairs: dict[Flow, Flow] = {}
        """Members that a buffer ties to each other: each follower with its leader, and the leader with the follower."""
        self._looking: dict[Buffer, None] = {}
        self.links: dict[Link, None] = {}
        """Links whose totals do not yet include who has joined or left a group."""

    def form(self, links: Iterable[Link]) -> None:
        """Form groups: a link that limits many flows, and flows that nothing else concerns.

        Groups that have become small, or stand still, dissolve.
        """
        for small in [one for one in self.changed if one.active and (len(one.members) < LEFT or one.rate <= 0.0)]:
            for flow in tuple(small.members):
                self.release(flow)
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

    def carry(self, links: Iterable[Link]) -> None:
        """Leave links that only one group crosses, and nobody watches, out of solutions."""
        for link in links:
            if link.group_meter is None and len(link.variables) == 1 and not link.watchers and not link.solved_jointly:
                group = next(iter(link.groups))
                if group.link is not link:
                    group.carry(link, self._now)

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
