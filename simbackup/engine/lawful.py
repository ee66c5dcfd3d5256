"""Max-min fair rates of flows some of which do not use all that they are offered.

A tape that stops and starts moves less than its host would send: a flow has a *use* for its offer, no more than this
and rising with it. Offers grow together, as rates do without uses. A flow is offered no more when a resource could
not take its whole offer beside what all others use at the same level: while it moves it takes all of it. Then it is
frozen at what it uses, and what it leaves goes on to the others.

So eight drives on one host are each offered what the seven others leave, as they take it on average, and not an
eighth of the host. All is a function of one rising level: the rates are unique, and do not depend on any order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from simbackup.engine.solver import CAP, TIE, Filling
from simbackup.engine.turns import Turns

Use = Callable[[float], float]
"""What a flow makes of the units a second that it is offered."""


class LawfulFilling(Filling):
    """A progressive filling in which some flows use only a part of their offers, which are noted."""

    def __init__(
        self,
        capacities: Sequence[float],
        demands: Sequence[Mapping[int, float]],
        shares: Sequence[float],
        caps: Sequence[float],
        *,
        turns: Mapping[int, Turns],
        uses: Mapping[int, Use],
    ) -> None:
        super().__init__(capacities, demands, shares, caps, turns)
        self.uses = uses
        self.offers: dict[int, float] = {}
        self.crossing = [tuple(members) for members in self.members]
        self.lawful = [tuple(i for i in members if i in uses) for members in self.members]
        self.held_back: dict[int, list[int]] = {}

    def level_of(self, resource: int) -> float:
        """The level at which a resource is full, or has no more to offer to a flow that does not use all."""
        level = max(super().level_of(resource), self.level, 0.0)
        self.held_back.pop(resource, None)
        mine = [flow for flow in self.lawful[resource] if self.growing[flow]]
        # At this level the resource would be full if all offers were used; where they are not, it is full later.
        if math.isinf(level) or all(self._used(i, level) >= self._offer(i, level) * (1.0 - TIE) for i in mine):
            return level
        levels = {flow: self._level_for(flow, resource, level) for flow in mine}
        least = min(levels.values())
        self.held_back[resource] = [flow for flow in mine if levels[flow] <= least * (1.0 + TIE)]
        return least

    def freeze_members(self, resource: int, level: float) -> None:
        """Freeze every growing flow of a full resource at `level`, or only those to which it can offer no more."""
        held_back = self.held_back.pop(resource, None)
        if held_back is None:
            super().freeze_members(resource, level)
            return
        self.level = level
        for flow in held_back:
            offer = self._offer(flow, level)
            self.freeze(flow, offer, CAP if offer >= self.caps[flow] else resource)

    def freeze(self, flow: int, rate: float, bottleneck: int) -> None:
        """Let a flow grow no more: its offer is this rate."""
        if flow in self.uses:
            self.offers[flow] = rate
            rate = min(self.uses[flow](rate), rate)
        super().freeze(flow, rate, bottleneck)

    def _level_for(self, flow: int, resource: int, low: float) -> float:
        """The level at which the whole offer of a flow and what the others use fill a resource, or it reaches its cap.

        By regula falsi with the Illinois step, from below: nothing is exceeded (Dowell and Jarratt, BIT 11, 1971).
        """
        left = self.capacities[resource] - self._taken(resource, low, flow)
        if left <= 0.0:
            return low
        high, before = 2.0 * low, 0.0
        while (short := self.capacities[resource] - self._taken(resource, high, flow)) > 0.0:
            if high >= self.cap_levels[flow]:
                return self.cap_levels[flow]
            low, left, high = high, short, 2.0 * high
        while high - low > TIE * high:
            step = 0.25 * TIE * high
            middle = min(max((low * short - high * left) / (short - left), low + step), high - step)
            gap = self.capacities[resource] - self._taken(resource, middle, flow)
            if gap >= 0.0:
                low, left, short = middle, gap, short * (0.5 if before > 0.0 else 1.0)
            else:
                high, short, left = middle, gap, left * (0.5 if before < 0.0 else 1.0)
            before = gap
        return low

    def _taken(self, resource: int, level: float, whole: int) -> float:
        """Units a second that flows take of a resource at a level, one of them its whole offer."""
        rates: dict[int, float] = {}
        for flow in self.crossing[resource]:
            if not self.growing[flow]:
                rates[flow] = self.rates[flow]
            else:
                rates[flow] = self._offer(flow, level) if flow == whole else self._used(flow, level)
        turns = self.turns.get(resource)
        taken = sum([self.demands[flow][resource] * rate for flow, rate in rates.items()])
        return taken if turns is None else taken - turns.spared(rates)

    def _offer(self, flow: int, level: float) -> float:
        return min(self.shares[flow] * level, self.caps[flow])

    def _used(self, flow: int, level: float) -> float:
        """What a flow uses of its offer at a level."""
        offer = self._offer(flow, level)
        return min(self.uses[flow](offer), offer) if flow in self.uses else offer
