"""Rates of flows that nothing but links and caps limit: a filling on the links themselves, and its check.

Most changes reach a few flows without laws, turns and buffers that hold them. Their rates follow as in `solver`, which
stays the rule: levels rise until a link is full or a cap is met, ties within `TIE` go to the link before the cap and to
the first link by name. Nothing is numbered, and no link is looked at that these flows do not cross.

Invariant: what a filling returns is what `Sharing` returns for the same flows, within rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from simbackup.engine.link import Link
from simbackup.engine.mover import Mover
from simbackup.engine.reach import BeyondReachError, UnevenError
from simbackup.engine.room import ABOVE, BELOW, LinkRoom, OwnLink


def plain_rates(flows: Iterable[Mover]) -> Iterable[tuple[Mover, float, Link | None]]:
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
    filling = PlainFilling()
    for flow in flows:
        filling.add(flow)
    filling.fill()
    if beyond := filling.beyond():
        raise BeyondReachError(beyond)
    if filling.odd:
        for link in dict.fromkeys([link for flow in filling.flows for link in flow.links if link.streams is not None]):
            if len(link.crossing) > 1 and link.streams is not None and not link.streams.even(link, filling.rates):
                raise UnevenError(link)
    return [(flow, rate, filling.limits[flow]) for flow, rate in filling.rates.items()]


_Entry = tuple[float, str, int, LinkRoom | OwnLink]
"""A level, and the link that may be full at it, by name."""


class PlainFilling:
    """The rates of some flows and the link that limits each, None where its cap does."""

    def __init__(self) -> None:
        self.flows: dict[Mover, list[tuple[LinkRoom, float]]] = {}
        """The flows, with what they cross that others cross, too, and may be full, and their demands there."""
        self.rooms: dict[Link, LinkRoom] = {}
        self.rates: dict[Mover, float] = {}
        self.limits: dict[Mover, Link | None] = {}
        self.odd = False
        """Whether more than links and caps may have to do with a flow, or more than rates and capacity with a link."""
        self._own: list[_Entry] = []
        self._full: dict[LinkRoom, None] = {}
        self._rising: dict[Mover, list[tuple[LinkRoom, float]]] = {}
        """Those of the flows whose rates rise."""
        self._order: list[_Entry] = []
        self._tied: list[tuple[str, int, LinkRoom | OwnLink]] = []
        self._level = self._tie = 0.0

    def add(self, flow: Mover) -> None:
        """Solve one more flow. Links that are free are never full: it does not matter who crosses these.

        Of the links that a flow has for itself, only the first to be full counts.
        """
        rooms, share = self.rooms, flow.share
        crossed: list[tuple[LinkRoom, float]] = []
        own: OwnLink | None = None
        for link, demand in flow.crossed:
            if link.free:
                continue
            if link.odd:
                self.odd = True
            weight = demand * share
            if len(link.movers) == 1:
                if own is None:
                    own = OwnLink(flow, link, link.capacity / weight)
                else:
                    own.meet(link, link.capacity / weight)
                continue
            room = rooms.get(link)
            if room is None:
                room = rooms[link] = LinkRoom(link)
            room.flows.append((flow, demand))
            room.total += weight
            crossed.append((room, demand))
        if flow.odd:
            self.odd = True
        self.flows[flow] = crossed
        if not crossed:
            self._go_on(flow, own)
        elif own is not None:
            self._own.append((own.at, own.link.name, -flow.number, own))

    def _go_on(self, flow: Mover, own: OwnLink | None) -> None:
        """Give its rate to a flow that shares no link that may be full."""
        rate, limit, share = flow.cap, None, flow.share
        if own is not None and rate / share >= own.at * BELOW:
            rate, limit = min(share * own.at, rate), own.link
        if rate == math.inf:
            raise ValueError(f"flow {flow.name} is limited neither by a link nor by a cap")
        self.rates[flow], self.limits[flow] = rate, limit

    def beyond(self) -> dict[Mover, None]:
        """Other flows that the rates move, or change what limits them."""
        found: dict[Mover, None] = {}
        for room in self.rooms.values():
            if not room.whole and (moved := room.beyond(self.rates, full=room in self._full)):
                found.update(dict.fromkeys(moved))
        return found

    def fill(self) -> None:
        """Let all rates rise until each flow is limited.

        The links are put in the order in which they would be full: of those that a flow has for itself, the first.
        """
        if not self.rooms:
            return
        self._rising = rising = {flow: crossed for flow, crossed in self.flows.items() if crossed}
        self._order = order = self._own.copy()
        for number, room in enumerate(self.rooms.values()):
            order.append((room.begin(rising), room.link.name, number, room))
        heapify(order)
        self._full, self._level = {}, 0.0
        self._tied.clear()
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
                heappush(order, (self._level, *found))
            else:
                self._freeze_on(found[2])

    def _next(self) -> tuple[str, int, LinkRoom | OwnLink] | None:
        """The link that fills next, whose level is noted; none where all that rise may rise for ever.

        Of those that fill together it is the first by name. Many may, so they are put in this order once.
        """
        order, tied, rising = self._order, self._tied, self._rising
        while order or tied:
            if not tied:
                if order[0][0] == math.inf:
                    return None
                self._tie = order[0][0] * ABOVE
            while order and order[0][0] <= self._tie:
                found = heappop(order)
                level = found[3].level(rising)
                if level <= self._tie:
                    self._level = self._level if tied else max(level, self._level)
                    heappush(tied, found[1:])
                elif level < math.inf:
                    heappush(order, (level, *found[1:]))
            while tied:
                first = heappop(tied)
                level = first[2].level(rising)
                if level <= self._tie:
                    return first
                if level < math.inf:
                    heappush(order, (level, *first))
        return None

    def _freeze_on(self, place: LinkRoom | OwnLink) -> None:
        """Freeze all that rise on a full link."""
        level = self._level
        if isinstance(place, OwnLink):
            self._freeze(place.flow, min(place.flow.share * level, place.flow.cap), place.link)
            return
        self._full[place] = None
        link, rising = place.link, self._rising
        for flow, _ in place.flows:
            if flow in rising:
                self._freeze(flow, min(flow.share * level, flow.cap), link)

    def _freeze(self, flow: Mover, rate: float, limit: Link | None) -> None:
        self.rates[flow] = rate
        self.limits[flow] = limit
        rising = self._rising
        for room, demand in rising.pop(flow):
            if room.link is not limit:
                room.take(rate, demand, demand * flow.share, rising)
            else:
                room.rising -= 1  # all that rise on it are frozen now
