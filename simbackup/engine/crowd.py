"""Flows that share the level of a full link: one mover to the solver, one clock, and one alarm.

All flows of a crowd are limited by its link, so each moves at its weight times one level. Work is counted on a clock
that runs at that level: a member that joined at `v` has moved its weight times what the clock shows beyond `v`, and
ends at a reading that no change of the level moves. A change of the level costs as much for two as for ten thousand.

To the solver a crowd is a flow of share one. It demands of each link what its members do together. What nobody else
crosses is carried along: such links are not asked, but say up to which level they have room, and so do the caps of
members. At the lowest of these stops the members that are stopped leave, and are solved one by one.

What a full or empty buffer holds to a member rides along, at the weight at which it moves as many bytes. Other buffers
of members look for themselves when they will be full or empty, and say between which levels that is right (`guards`).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

from simbackup.engine.crowd_load import CrowdLoad
from simbackup.engine.ends import ULPS, Ends
from simbackup.engine.guards import Guards
from simbackup.engine.limit import WHOLE, Law, Parts, Spot
from simbackup.engine.link import Link
from simbackup.engine.mover import Riding
from simbackup.engine.rounds import Going
from simbackup.engine.solver import same

if TYPE_CHECKING:
    from simbackup.engine.flow import Flow
    from simbackup.engine.reach import FlowCoupling

NEAR = 1e-9
"""Share of the level of a stop below which a member leaves before it is stopped."""

ROOM = 1e-3
"""Share of the level of a crowd from which on a stop is so far away that nobody asks for it."""


class Crowd:
    """Flows that `link` limits, each of which moves at its weight times `rate`, the level that they share."""

    def __init__(self, link: Link, level: float, now: float, number: int) -> None:
        self.link = self.bottleneck = link
        self.name = self.cause = link.name
        self.number = number
        self.share, self.sequential = 1.0, 0.0
        self.active, self.asks, self.odd = True, False, True
        self.activity = ""
        self.crowd: Crowd | None = None
        self.law: Law | None = None
        self.going: Going | None = None
        self.spent: Parts = WHOLE
        self.watchers: Mapping[FlowCoupling, None] = {}
        self.places: Mapping[Link, Spot] = {}
        self.rate = level
        self.members: dict[Flow, None] = {}
        self.sides: dict[Link, CrowdLoad] = {}
        """What its members use of each link that they cross."""
        self.seen: dict[Link, None] = {}
        """Those of the links that it is solved with: its own, and what others cross, too, or watch."""
        self.loads: dict[Link, None] = {}
        """Links on which its load at level one is another than was recorded."""
        self.near = self.ends = self.near_place = self.ends_place = math.inf
        self.recorded = -1.0
        self.guards = Guards()
        self._members_end = Ends["Flow"](self)
        self._pushes = count()
        self._stops: list[tuple[float, int, Flow | Link]] = []
        self._reading, self._since = 0.0, now
        self._past_ends: list[float] = []
        self._past_levels: list[float] = []
        link.limited[self] = None

    def __repr__(self) -> str:
        return f"<Crowd {self.name}, {len(self.members)} flows>"

    @property
    def demands(self) -> dict[Link, float]:
        """Units of each link that it is solved with for one unit of the level."""
        return {link: units for link in self.seen if (units := self.sides[link].units) > 0.0}

    @property
    def crossed(self) -> tuple[tuple[Link, float], ...]:
        """The same as pairs."""
        return tuple(self.demands.items())

    @property
    def links(self) -> tuple[Link, ...]:
        """The links that it is solved with."""
        return tuple(self.seen)

    @property
    def cap(self) -> float:
        """The level near which a limit of its own stops a member, infinite if none ever does."""
        stops = self._stops
        while stops and not self._counts(stops[0]):
            heappop(stops)
        return stops[0][0] if stops else math.inf

    def _counts(self, stop: tuple[float, int, Flow | Link]) -> bool:
        one = stop[2].riding or stop[2] if isinstance(stop[2], Link) else stop[2]
        return not isinstance(one, Link) and one.crowd is self and one.stop == stop[0]

    def clock(self, now: float) -> float:
        """What its clock shows at `now`: the integral of its level."""
        return self._reading + self.rate * (now - self._since)

    def greatest(self, since: float, now: float) -> float:
        """The greatest level that lasted for any time after `since`."""
        place = bisect_right(self._past_ends, since)
        past = self._past_levels[place] if place < len(self._past_levels) else 0.0
        return max(past, self.rate) if now > max(self._since, since) else past

    def assign(self, now: float, level: float) -> bool:
        """Go on at a level from `now`; whether that is another."""
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
        self.rate = level
        for link in self.seen:
            link.stale = True
        return True

    def take(self, flow: Flow, weight: float, stop: float, now: float) -> None:
        """Let a flow join at a weight, whose own limit stops it near a level."""
        flow.join(self, weight, stop, now)
        self.members[flow] = None
        if stop < math.inf:
            heappush(self._stops, (stop, next(self._pushes), flow))
        for link in flow.links:
            if link not in self.sides:
                self.sides[link] = CrowdLoad(link)
                self.seen[link] = link.crowds[self] = link.movers[self] = None
            self.see(link, now)
            self.sides[link].add(flow)
            self.load(link)
        self._members_end.put(flow)

    def lose(self, flow: Flow, now: float, *, ends: bool) -> None:
        """Let a member go on by itself, at the rate that it has, or end."""
        for link in flow.links:
            self.see(link, now)
            side = self.sides[link]
            side.remove(flow)
            self.load(link)
            if not side.flows:
                del self.sides[link], self.seen[link], link.crowds[self], link.movers[self]
        flow.leave(now, ends=ends)
        del self.members[flow]

    def see(self, link: Link, now: float) -> None:
        """Be solved with a link from now on."""
        if link.riding is not None:
            link.carry(None, now)
            self.seen[link] = None

    def carry(self, link: Link, now: float) -> None:
        """Carry a link along that nobody else crosses, unless it is nearly full."""
        side = self.sides[link]
        units, capacity = side.units, link.capacity
        stop = capacity / units * (1.0 - NEAR) if units > 0.0 else math.inf
        if stop > self.rate * (1.0 + ROOM):
            busy = units / capacity if capacity > 0.0 else 0.0
            link.carry(Riding(self, units=units, busy=busy, moved=side.bytes, showed=self.clock(now), stop=stop), now)
            del self.seen[link]
            if stop < math.inf:
                heappush(self._stops, (stop, next(self._pushes), link))

    def end(self) -> None:
        """Be solved for no more, as its last member has left."""
        del self.link.limited[self]
        self.active, self.rate = False, 0.0

    def load_on(self, link: Link) -> float:
        """Units of a link that its members use at level 1."""
        return self.sides[link].units

    def lost_on(self, link: Link) -> tuple[float, float]:
        """Units of a link that one member loses by turning at level 1 at most, and all of them."""
        return self.sides[link].lost()

    def load(self, link: Link) -> None:
        """Note that its load on a link is another than before."""
        self.loads[link] = None
        link.stale = True

    def loaded(self) -> dict[str, tuple[float, float]]:
        """The share of each link and the bytes at level one, where they are not recorded yet."""
        found: dict[str, tuple[float, float]] = {}
        for link in self.loads:
            side = self.sides.get(link)
            units, moved = (side.units, side.bytes) if side is not None else (0.0, 0.0)
            found[link.name] = (units / link.capacity if units > 0.0 else 0.0, moved)
        return found

    def beside(self, now: float) -> dict[str, tuple[float, float]]:
        """What flows by themselves do on these links, where they do anything that no rate of now says."""
        return {
            link.name: (link.recorded_busy, link.recorded_bytes)
            for link in self.loads
            if link.recorded_at != now and (link.recorded_busy > 0.0 or link.recorded_bytes > 0.0)
        }

    def expect(self, now: float) -> None:
        """Reckon when the next of its members ends."""
        near, ends = self._members_end.first(), self._members_end.next()
        reading = self.clock(now)
        self.near = max(now, now + (near - reading) / self.rate) if self.rate > 0.0 and near < math.inf else math.inf
        self.ends = max(now, now + (ends - reading) / self.rate) if self.rate > 0.0 and ends < math.inf else math.inf

    def due(self, now: float) -> bool:
        """Whether a member may be done at `now`."""
        return now >= self.near

    def done(self, now: float) -> list[Flow]:
        """The members that are done at `now`."""
        return self._members_end.due(self.clock(now) + self.rate * now * ULPS, now)

    def stopped(self, level: float) -> list[Flow]:
        """The members that a limit of their own stops below a level."""
        found: dict[Flow, None] = {}
        while self.cap <= level:
            one = heappop(self._stops)[2]
            found.update(self.sides[one].flows if isinstance(one, Link) else {one: None})
        return list(found)
