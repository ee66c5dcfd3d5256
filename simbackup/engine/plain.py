"""Rates of flows that nothing but links and caps limit: a filling on the links themselves, and its check.

Most changes reach a few flows without laws, turns and buffers that hold them. Their rates follow as in `solver`, which
stays the rule: levels rise until a link is full or a cap is met, ties within `TIE` go to the link before the cap and to
the first link by name. Nothing is numbered, and no link is looked at that these flows do not cross.

Invariant: what a filling returns is what `Sharing` returns for the same flows, within rounding.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from heapq import heapify, heappop, heappush

from simbackup.engine.beside import above
from simbackup.engine.link import Link
from simbackup.engine.mover import Mover
from simbackup.engine.reach import BeyondReachError, UnevenError
from simbackup.engine.room import ABOVE, BELOW, LinkRoom, OwnLink
from simbackup.engine.solver import same


def plain_rates(flows: Collection[Mover]) -> Iterable[tuple[Mover, float, Link | None]]:
    """Flows with their rates, units per second, and the link that limits each, None where its cap does.

    All others go on as they are.

    Raises
    ------
    ValueError
        Nothing limits a flow.
    BeyondReachError
        The rates move other flows.
    UnevenError
        A link is spared turns at these rates.
    """
    if not flows:
        return ()
    if len(flows) == 1:
        flow, rate, limit = _alone(next(iter(flows)))
        _turn(flow.links, {flow: rate})
        return ((flow, rate, limit),)
    filling = _Filling(flows)
    filling.check()
    _turn([link for flow in flows for link in flow.links if link.streams is not None], filling.rates)
    return [(flow, rate, filling.limits[flow]) for flow, rate in filling.rates.items()]


def _turn(links: Iterable[Link], rates: Mapping[Mover, float]) -> None:
    """Raise UnevenError if a link is spared turns at these rates."""
    for link in links:
        if link.streams is not None and len(link.crossing) > 1 and not link.streams.even(link, rates):
            raise UnevenError(link)


def _alone(flow: Mover) -> tuple[Mover, float, Link | None]:
    """The rate of one flow beside others, and the link that limits it."""
    rate, limit, shared = math.inf, None, list[tuple[Link, float, float]]()
    for link, demand in flow.crossed:
        if link.free:
            continue
        left = link.capacity
        if len(link.movers) > 1:
            beside = link.used_beside(((flow, demand),), (flow,))
            shared.append((link, demand, beside))
            left = left - beside if left > beside else 0.0
        at = left / demand
        if limit is None or at < rate * BELOW:
            rate, limit = at, link
        elif at <= rate * ABOVE and link.name < limit.name:
            limit = link
    if flow.cap < rate * BELOW or limit is None:
        rate, limit = flow.cap, None
    rate = min(rate, flow.cap)
    if rate == math.inf:
        raise ValueError(f"flow {flow.name} is limited neither by a link nor by a cap")
    changed = not same(rate, flow.rate)
    full = [
        link
        for link, demand, beside in shared
        if link is limit or (changed and beside + demand * rate >= link.capacity * BELOW)
    ]
    beyond = dict.fromkeys(
        other for link in full for other in link.movers if other is not flow and above(other, link, rate / flow.share)
    )
    if changed:
        beyond |= {other: None for link, _, _ in shared for other in link.limited if other is not flow}
    if beyond:
        raise BeyondReachError(beyond)
    return flow, rate, limit


_Entry = tuple[float, str, int, LinkRoom | OwnLink]
"""A level, and the link that may be full at it, by name."""


class _Filling:
    """The rates of some flows and the link that limits each, None where its cap does."""

    def __init__(self, flows: Collection[Mover]) -> None:
        self.flows = flows
        self.rates: dict[Mover, float] = {}
        self.limits: dict[Mover, Link | None] = {}
        self._full: dict[LinkRoom, None] = {}
        self._rooms: dict[Link, LinkRoom] = {}
        self._rising: dict[Mover, list[tuple[LinkRoom, float]]] = {}
        """Flows whose rates rise, with what they cross and their demands there."""
        self._order: list[_Entry] = []
        self._tied: list[tuple[str, int, LinkRoom | OwnLink]] = []
        self._level = self._tie = 0.0
        self._gather()
        if self._rising:
            self._fill()

    def check(self) -> None:
        """Raise BeyondReachError if the rates move other flows, or change what limits them, with these."""
        beyond: dict[Mover, None] = {}
        for room in self._rooms.values():
            if not room.whole and (moved := room.beyond(self.rates, full=room in self._full)):
                beyond.update(dict.fromkeys(moved))
        if beyond:
            raise BeyondReachError(beyond)

    def _fill(self) -> None:
        rising = self._rising
        caps = [(cap / flow.share, flow.number, flow) for flow in rising if (cap := flow.cap) < math.inf]
        caps.sort(reverse=True)
        while rising:
            found = self._next()
            below, capped = self._level * BELOW if found is not None else math.inf, False
            while caps and caps[-1][0] < below:
                flow = caps.pop()[2]
                if flow in rising:
                    self._freeze(flow, flow.cap, None)
                    capped = True
            if found is None:
                if rising:
                    raise ValueError(f"flow {next(iter(rising)).name} is limited neither by a link nor by a cap")
            elif capped:  # this can only raise the levels of the links
                heappush(self._order, (self._level, *found))
            else:
                self._freeze_on(found[2])

    def _gather(self) -> None:
        """Put the links in the order in which they would be full: of those that a flow has for itself, the first.

        Links that are free are never full. A flow that meets nobody elsewhere goes on by itself.
        """
        rooms, order, rising = self._rooms, self._order, self._rising
        for flow in self.flows:
            share, crossed, own = flow.share, list[tuple[LinkRoom, float]](), list[tuple[Link, float]]()
            for link, demand in flow.crossed:
                if link.free:
                    continue
                if len(link.movers) == 1:
                    own.append((link, demand))
                    continue
                room = rooms.get(link)
                if room is None:
                    room = rooms[link] = LinkRoom(link)
                room.flows.append((flow, demand))
                room.weight += demand * share
                crossed.append((room, demand))
            first = OwnLink(flow, own) if own else None
            if not crossed:
                self._go_on(flow, first)
                continue
            rising[flow] = crossed
            if first is not None:
                order.append((first.at, first.link.name, -flow.number, first))
        for number, room in enumerate(rooms.values()):
            order.append((room.begin(rising), room.link.name, number, room))
        heapify(order)

    def _go_on(self, flow: Mover, own: OwnLink | None) -> None:
        """Give its rate to a flow that shares no link that may be full."""
        cap = flow.cap
        if own is None or cap / flow.share < own.at * BELOW:
            if cap == math.inf:
                raise ValueError(f"flow {flow.name} is limited neither by a link nor by a cap")
            self.rates[flow], self.limits[flow] = cap, None
        else:
            self.rates[flow], self.limits[flow] = min(flow.share * own.at, cap), own.link

    def _level_of(self, place: LinkRoom | OwnLink) -> float:
        """The level at which a link is full, infinite where nothing rises."""
        if isinstance(place, LinkRoom):
            return place.level()
        return place.at if place.flow in self._rising else math.inf

    def _next(self) -> tuple[str, int, LinkRoom | OwnLink] | None:
        """The link that fills next, whose level is noted; none where all that rise may rise for ever.

        Of those that fill together it is the first by name. Many may, so they are put in this order once.
        """
        order, tied = self._order, self._tied
        while order or tied:
            if not tied:
                if order[0][0] == math.inf:
                    return None
                self._tie = order[0][0] * ABOVE
            while order and order[0][0] <= self._tie:
                found = heappop(order)
                level = self._level_of(found[3])
                if level <= self._tie:
                    self._level = self._level if tied else max(level, self._level)
                    heappush(tied, found[1:])
                elif level < math.inf:
                    heappush(order, (level, *found[1:]))
            while tied:
                first = heappop(tied)
                level = self._level_of(first[2])
                if level <= self._tie:
                    return first
                if level < math.inf:
                    heappush(order, (level, *first))
        return None

    def _freeze_on(self, place: LinkRoom | OwnLink) -> None:
        """Freeze all that rise on a full link."""
        if isinstance(place, OwnLink):
            self._freeze(place.flow, min(place.flow.share * self._level, place.flow.cap), place.link)
            return
        self._full[place] = None
        for flow, _ in place.flows:
            if flow in self._rising:
                self._freeze(flow, min(flow.share * self._level, flow.cap), place.link)

    def _freeze(self, flow: Mover, rate: float, limit: Link | None) -> None:
        self.rates[flow] = rate
        self.limits[flow] = limit
        rising = self._rising
        for room, demand in rising.pop(flow):
            if room.link is not limit:
                room.take(rate, demand, demand * flow.share, rising)
            else:
                room.rising -= 1  # all that rise on it are frozen now
