"""Rates of flows that nothing but links and caps limit: a filling on the links themselves, and its check.

Most changes reach a few flows without laws, turns and buffers that hold them. Their rates follow as in `solver`, which
stays the rule: levels rise until a link is full or a cap is met, ties within `TIE` go to the link before the cap and to
the first link by name. Nothing is numbered, and no link is looked at that these flows do not cross.

Invariant: what a filling returns is what `Sharing` returns for the same flows, within rounding.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush

from simbackup.engine.beside import above
from simbackup.engine.link import Link
from simbackup.engine.mover import Mover
from simbackup.engine.reach import BeyondReachError, UnevenError
from simbackup.engine.solver import TIE, same

BELOW, ABOVE = 1.0 - TIE, 1.0 + TIE
"""Factors within which levels are reached together."""


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
        left = link.capacity
        if len(link.movers) > 1:
            beside = link.used_beside(((flow, demand),))
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


class _Room:
    """What a link has for the flows that are solved: capacity, use, and the weight of those whose rates still rise."""

    __slots__ = ("beside", "capacity", "flows", "link", "number", "rising", "summed", "taken", "weight", "whole")

    def __init__(self, link: Link, number: int, capacity: float) -> None:
        self.link = link
        self.number = number
        self.capacity = capacity
        self.flows: list[tuple[Mover, float]] = []
        self.weight = self.summed = self.taken = self.beside = 0.0
        self.rising = 0
        self.whole = True

    def begin(self) -> _Entry:
        """Its place in the order of filling if all flows rise; what flows beside them use is not on offer."""
        self.summed = self.weight
        self.rising = len(self.flows)
        if self.rising != len(self.link.movers):
            self.whole = False
            self.beside = self.link.used_beside(self.flows)
            self.capacity = self.capacity - self.beside if self.capacity > self.beside else 0.0
        return self.capacity / self.weight, self.link.name, self.number, self

    def level(self) -> float:
        """The level at which it is full if all that rise now go on."""
        return (self.capacity - self.taken) / self.weight

    def weigh(self, rising: Container[Mover]) -> None:
        """Sum the weight of those that rise anew, as cancellation must never affect the rates."""
        weight = 0.0
        for flow, demand in self.flows if self.rising else ():
            if flow in rising:
                weight += demand * flow.share
        self.weight = self.summed = weight

    def beyond(self, rates: Mapping[Mover, float], moved: Collection[Mover], *, full: bool) -> Iterator[Mover]:
        """Flows beside those that are solved which these rates move, or change what limits them."""
        link, changed = self.link, any(flow in moved for flow, _ in self.flows)
        if changed:
            yield from (flow for flow in link.limited if flow not in rates)
        if full or (changed and self.beside + self.taken >= link.capacity * BELOW):
            level = max(rates[flow] / flow.share for flow, _ in self.flows)
            yield from (flow for flow in link.movers if flow not in rates and above(flow, link, level))


_Entry = tuple[float, str, int, _Room]
"""A level, and the link that may be full at it, by name."""


class _Filling:
    """The rates of some flows and the link that limits each, None where its cap does."""

    def __init__(self, flows: Collection[Mover]) -> None:
        self.flows = flows
        self.rates: dict[Mover, float] = {}
        self.limits: dict[Mover, Link | None] = {}
        self.full: dict[Link, None] = {}
        self._shared: list[_Room] = []
        self._rising: dict[Mover, list[tuple[_Room, float]]] = {}
        """Flows whose rates rise, with what they cross and their demands there."""
        self._order: list[_Entry] = []
        self._tied: list[tuple[str, int, _Room]] = []
        self._level = self._tie = 0.0
        self._fill()

    def check(self) -> None:
        """Raise BeyondReachError if the rates move other flows, or change what limits them, with these."""
        if not self._shared:
            return
        moved = {flow for flow, rate in self.rates.items() if not same(rate, flow.rate)}
        beyond: dict[Mover, None] = {}
        for room in self._shared:
            beyond.update(dict.fromkeys(room.beyond(self.rates, moved, full=room.link in self.full)))
        if beyond:
            raise BeyondReachError(beyond)

    def _fill(self) -> None:
        rising = self._rising
        self._gather()
        caps = [(cap / flow.share, flow.number, flow) for flow in self.flows if (cap := flow.cap) < math.inf]
        caps.sort(reverse=True)
        while rising:
            room = self._next()
            below, capped = self._level * BELOW if room is not None else math.inf, False
            while caps and caps[-1][0] < below:
                flow = caps.pop()[2]
                if flow in rising:
                    self._freeze(flow, flow.cap, None)
                    capped = True
            if room is None:
                if rising:
                    raise ValueError(f"flow {next(iter(rising)).name} is limited neither by a link nor by a cap")
            elif capped:  # this can only raise the levels of the links
                heappush(self._order, (self._level, room.link.name, room.number, room))
            else:
                self._freeze_on(room)

    def _gather(self) -> None:
        """Put the links in the order in which they would be full: of those that a flow has for itself, the first."""
        rooms, order = dict[Link, _Room](), self._order
        for flow in self.flows:
            share, own, at = flow.share, None, math.inf
            crossed = self._rising[flow] = []
            for link, demand in flow.crossed:
                if len(link.movers) == 1:
                    level = link.capacity / (demand * share)
                    if own is None or level < at * BELOW:
                        own, at = link, level
                    elif level <= at * ABOVE and link.name < own.name:
                        own = link
                    continue
                room = rooms.get(link)
                if room is None:
                    room = rooms[link] = _Room(link, len(rooms), link.capacity)
                room.flows.append((flow, demand))
                room.weight += demand * share
                crossed.append((room, demand))
            if own is not None:
                room = _Room(own, -flow.number, at)
                room.flows, room.rising, room.weight = [(flow, 0.0)], 1, 1.0
                crossed.append((room, 0.0))
                order.append((at, own.name, room.number, room))
        order += [room.begin() for room in rooms.values()]
        heapify(order)
        self._shared = [room for room in rooms.values() if not room.whole]

    def _next(self) -> _Room | None:
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
                room = found[3]
                level = room.level() if room.rising else math.inf
                if level <= self._tie:
                    self._level = self._level if tied else max(level, self._level)
                    heappush(tied, (*found[1:3], room))
                elif room.rising:
                    heappush(order, (level, *found[1:]))
            while tied:
                room = heappop(tied)[2]
                level = room.level() if room.rising else math.inf
                if level <= self._tie:
                    return room
                if room.rising:
                    heappush(order, (level, room.link.name, room.number, room))
        return None

    def _freeze_on(self, room: _Room) -> None:
        """Freeze all that rise on a full link."""
        self.full[room.link] = None
        for flow, _ in room.flows:
            if flow in self._rising:
                self._freeze(flow, min(flow.share * self._level, flow.cap), room.link)

    def _freeze(self, flow: Mover, rate: float, limit: Link | None) -> None:
        self.rates[flow] = rate
        self.limits[flow] = limit
        share = flow.share
        for room, demand in self._rising.pop(flow):
            room.taken += demand * rate
            room.weight -= demand * share
            room.rising -= 1
            if room.weight < 0.5 * room.summed:
                room.weigh(self._rising)
