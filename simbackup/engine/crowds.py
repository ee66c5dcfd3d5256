"""The crowds of a network: who joins one after a solution, and who leaves one before the next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import simpy

from simbackup.engine.crowd import NEAR, ROOM, Crowd
from simbackup.engine.ends import Ends
from simbackup.engine.flow import Flow
from simbackup.engine.guards import Guarded
from simbackup.engine.limit import WHOLE
from simbackup.engine.link import Link
from simbackup.engine.reach import FlowCoupling, Ports
from simbackup.engine.trace import Trace

MANY = 16
"""Flows from which on those that a link limits are one crowd; for fewer, one by one is cheaper."""

LEFT = 4
"""Members below which a crowd dissolves."""


class Joining(NamedTuple):
    """A flow that joins a crowd: what it moves at level 1, the level near which it stops, and with whom it rides."""

    flow: Flow
    weight: float
    stop: float
    leader: Flow | None = None


class Crowds:
    """The crowds of a network, in the order in which they will lose a member that is done."""

    def __init__(self, env: simpy.Environment, numbers: Iterator[int], alone: Ends[Flow], trace: Trace | None) -> None:
        self._env = env
        self._numbers = numbers
        self._alone = alone
        self._trace = trace
        self.changed: dict[Crowd, None] = {}
        self.ends = Ends[Crowd]()
        self._rides: dict[Flow, Flow] = {}
        self._looking: dict[Guarded, None] = {}
        self.links: dict[Link, None] = {}
        """Links whose totals do not know yet who has joined or left."""

    def form(self, links: Iterable[Link]) -> None:
        """Let flows that a link limits and nothing else concerns share its level, if they are many.

        Crowds that have become small, or stand still, dissolve.
        """
        for small in [one for one in self.changed if one.active and (len(one.members) < LEFT or one.rate <= 0.0)]:
            self.dissolve(small)
        for link in [link for link in links if link.crowds or len(link.limited) >= MANY]:
            crowd = next((one for one in link.crowds if one.link is link), None)
            if (crowd is None and len(link.limited) < MANY) or link.asked:
                continue
            level = crowd.rate if crowd is not None else None
            fit: list[Joining] = []
            for one in link.limited:
                if isinstance(one, Flow):
                    level = one.rate / one.share if level is None else level
                    fit += self._joining(one, level)
            if level is None or level <= 0.0 or not (fit if crowd is not None else len(fit) >= MANY):
                continue
            crowd = crowd or Crowd(link, level, self._now, next(self._numbers))
            for joining in fit:
                self._take(crowd, joining)

    def hold(self, asked: Mapping[FlowCoupling, tuple[Ports, Ports] | None]) -> None:
        """Let flows that stores hold to members of a crowd ride along, or else let these members leave."""
        for store, hold in asked.items():
            for leader in hold[1] if hold is not None else ():
                crowd, guard = leader.crowd, leader.watchers.get(store)
                if crowd is None or guard is None or leader in self._rides:
                    continue
                riding = self._riding(guard, leader, crowd.rate) if guard.holds else ()
                if riding is None:
                    self.release(leader)
                for joining in riding or ():
                    self._take(crowd, joining)

    def _take(self, crowd: Crowd, joining: Joining) -> None:
        flow = joining.flow
        crowd.take(flow, joining.weight, joining.stop, self._now)
        self.links.update(dict.fromkeys(flow.links))
        self._looking.update(dict.fromkeys(filter(None, flow.watchers.values())))
        if joining.leader is not None:
            self._rides[flow], self._rides[joining.leader] = joining.leader, flow
        self.changed[crowd] = None

    def _joining(self, flow: Flow, level: float) -> list[Joining]:
        """A flow that may join a crowd at a level, and what would ride along; nobody if it cannot."""
        stop = self._stop(flow, flow.share) if flow.bottleneck is not None else 0.0
        if stop <= level * (1.0 + ROOM):
            return []
        found = [Joining(flow, flow.share, stop)]
        for guard in flow.watchers.values():
            if guard is None:
                return []
            if guard.holds:
                riding = self._riding(guard, flow, level)
                if riding is None:
                    return []
                found += riding
        return found

    def _riding(self, guard: Guarded, leader: Flow, level: float) -> list[Joining] | None:
        """What would ride with a leader at a level of its crowd; None if others have to be asked for it."""
        ride = guard.ride()
        if ride is None or ride.leader is not leader or leader in self._rides:
            return None
        rider, weight, link = ride.rider, ride.units * leader.share, leader.bottleneck
        if rider.crowd is not None or rider.cause != leader.cause or weight > rider.share * (1.0 + NEAR):
            return None
        if any(other is None or (other is not guard and other.holds) for other in rider.watchers.values()):
            return None
        for other in rider.links:
            if other is link or other.is_own(rider):
                continue
            # where a link is full, nobody who is limited elsewhere may have a higher level
            if any(weight * level / rider.share > one.rate / one.share for one in islice(other.limited, 1)):
                return None
        stop = self._stop(rider, weight)
        return [Joining(rider, weight, stop, leader)] if stop > level * (1.0 + ROOM) else None

    @property
    def _now(self) -> float:
        return float(self._env.now)

    @staticmethod
    def _stop(flow: Flow, weight: float) -> float:
        """The level near which a limit of its own stops a flow, if it can join at all; zero if it cannot."""
        if flow.asks or flow.law is not None or flow.spent is not WHOLE:
            return 0.0
        stop = flow.cap / weight
        for link in flow.links:
            if link.asked or (link.streams is not None and link.streams.spares(flow)):
                return 0.0
            demand = flow.demands.get(link, 0.0)
            if demand and link.is_own(flow):
                stop = min(stop, link.capacity / (demand * weight))
        return stop * (1.0 - NEAR)

    def assign(self, crowd: Crowd, level: float) -> None:
        """Let a crowd go on at a level."""
        if crowd.assign(self._now, level):
            self.changed[crowd] = None

    def parted(self, crowd: Crowd, level: float, limit: Link | None) -> list[Flow]:
        """The members that something else stops when a crowd is at a level, which a limit explains; they have left."""
        if limit is crowd.link and level < crowd.cap:
            return []
        out = crowd.stopped(level) if limit is None or limit is crowd.link else list(crowd.sides[limit].flows)
        return [gone for flow in out for gone in self.release(flow)]

    def release(self, flow: Flow, *, ends: bool = False) -> list[Flow]:
        """Let a flow go on by itself or end, and what rides along go on; those that did not do so before."""
        crowd, mate = flow.crowd, self._rides.pop(flow, None)
        if crowd is None:
            return []
        if mate is not None:
            del self._rides[mate]
        crowd.lose(flow, self._now, ends=ends)
        if not ends:
            self._alone.put(flow)
        self.changed[crowd] = None
        self.links.update(dict.fromkeys(flow.links))
        if not crowd.members:
            crowd.end()
        rides_along = mate is not None and flow.bottleneck is not None
        return [flow, *self.release(mate)] if mate is not None and rides_along else [flow]

    def dissolve(self, crowd: Crowd) -> list[Flow]:
        """The members of a crowd, which go on by themselves."""
        members = list(crowd.members)
        for flow in members:
            self.release(flow)
        return members

    def carry(self, links: Iterable[Link]) -> None:
        """Let crowds carry the links along that nobody else has to do with."""
        for link in links:
            if link.riding is None and len(link.movers) == 1 and not link.watchers and not link.entangled:
                crowd = next(iter(link.crowds))
                if crowd.link is not link:
                    crowd.carry(link, self._now)

    @property
    def next(self) -> float:
        """The time at which the next member of any crowd is done, infinite if none will be."""
        return self.ends.next() if self.ends else math.inf

    def see(self, link: Link) -> None:
        """Let the crowd that carries a link be solved with it, as others come to it."""
        if link.riding is not None:
            link.riding.crowd.see(link, self._now)
            self.links[link] = None

    def leave(self, link: Link) -> None:
        """Let the flows on a link go on by themselves."""
        for crowd in tuple(link.crowds):
            self.part(crowd, link)

    def part(self, crowd: Crowd, link: Link) -> list[Flow]:
        """The members of a crowd that cross a link, and who rides along with them, which go on by themselves."""
        return [gone for flow in tuple(crowd.sides[link].flows) for gone in self.release(flow)]

    def settle(self) -> None:
        """Record what has changed, and reckon when members end."""
        for crowd in self.changed:
            if self._trace is not None and (crowd.loads or crowd.rate != crowd.recorded):
                self._trace.shared_level(self._now, crowd.name, crowd.rate, crowd.loaded(), crowd.beside(self._now))
            crowd.recorded = crowd.rate
            crowd.loads.clear()
            crowd.expect(self._now)
            self.ends.put(crowd)
            self._looking.update(dict.fromkeys(crowd.guards.broken(crowd.rate)))
        for guard in self._looking:
            guard.look()
        self._looking.clear()
        self.changed.clear()
        self.links.clear()

    def done(self, now: float) -> list[Flow]:
        """The members of all crowds that are done at `now`."""
        return [flow for crowd in self.ends.due(now, now) for flow in crowd.done(now)]
