"""The crowds of a network: who joins one after a solution, and who leaves one before the next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import simpy

from simbackup.engine.crowd import NEAR, ROOM, Crowd
from simbackup.engine.ends import Ends
from simbackup.engine.flow import Flow
from simbackup.engine.limit import WHOLE
from simbackup.engine.link import Link
from simbackup.engine.trace import Trace

MANY = 16
"""Flows from which on those that a link limits are one crowd; for fewer, one by one is cheaper."""

LEFT = 4
"""Members below which a crowd dissolves."""


class Crowds:
    """The crowds of a network, in the order in which they will lose a member that is done."""

    def __init__(self, env: simpy.Environment, numbers: Iterator[int], alone: Ends[Flow], trace: Trace | None) -> None:
        self._env = env
        self._numbers = numbers
        self._alone = alone
        self._trace = trace
        self.changed: dict[Crowd, None] = {}
        self.ends = Ends[Crowd]()
        self.links: dict[Link, None] = {}
        """Links whose totals do not know yet who has joined or left."""

    def form(self, links: Iterable[Link]) -> None:
        """Let flows that a link limits and nothing else concerns share its level, if they are many.

        Crowds that have become small, or stand still, dissolve.
        """
        for crowd in [one for one in self.changed if one.active and (len(one.members) < LEFT or one.rate <= 0.0)]:
            self.dissolve(crowd)
        for link in [link for link in links if link.crowds or len(link.limited) >= MANY]:
            crowd = next((one for one in link.crowds if one.link is link), None)
            if (crowd is None and len(link.limited) < MANY) or link.entangled:
                continue
            level = crowd.rate if crowd is not None else None
            fit = list[tuple[Flow, float]]()
            for one in link.limited:
                if isinstance(one, Flow):
                    level = one.rate / one.share if level is None else level
                    stop = self._stop(one)
                    if stop > level * (1.0 + ROOM):
                        fit.append((one, stop))
            if level is None or level <= 0.0 or not (fit if crowd is not None else len(fit) >= MANY):
                continue
            crowd = crowd or Crowd(link, level, self._now, next(self._numbers))
            for flow, stop in fit:
                near = flow.near
                crowd.take(flow, stop, self._now)
                self._alone.gone(near)
                self.links.update(dict.fromkeys(flow.links))
            self.changed[crowd] = None

    @property
    def _now(self) -> float:
        return float(self._env.now)

    @staticmethod
    def _stop(flow: Flow) -> float:
        """The level near which a limit of its own stops a flow, if it can join at all; zero if it cannot."""
        if flow.asks or flow.watchers or flow.spent is not WHOLE or flow.bottleneck is None:
            return 0.0
        stop = flow.cap / flow.share
        for link in flow.links:
            if link.entangled:
                return 0.0
            demand = flow.demands.get(link, 0.0)
            if demand and link.is_own(flow):
                stop = min(stop, link.capacity / (demand * flow.share))
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
        for flow in out:
            self.release(flow)
        return out

    def release(self, flow: Flow) -> None:
        """Let a flow go on by itself."""
        crowd = flow.crowd
        if crowd is None:
            return
        crowd.lose(flow, self._now)
        self._alone.put(flow, math.inf)
        self.changed[crowd] = None
        self.links.update(dict.fromkeys(flow.links))
        if not crowd.members:
            crowd.end()

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
            for flow in tuple(crowd.sides[link].flows):
                self.release(flow)

    def settle(self) -> None:
        """Record what has changed, and reckon when members end."""
        for crowd in self.changed:
            if self._trace is not None and (crowd.loads or crowd.rate != crowd.recorded):
                self._trace.shared_level(self._now, crowd.name, crowd.rate, crowd.loaded())
            crowd.recorded = crowd.rate
            crowd.loads.clear()
            near = crowd.near
            crowd.expect(self._now)
            if crowd.near != near:
                self.ends.put(crowd, near)
        self.changed.clear()
        self.links.clear()

    def done(self, now: float) -> list[Flow]:
        """The members of all crowds that are done at `now`."""
        if not self.ends:
            return []
        return [flow for crowd in self.ends.due(now, now) for flow in crowd.done(now)]
