"""Weighted max-min fair rates by progressive filling.

The rates of all flows grow together, ``rate = weight * level``, until a resource is full or a flow reaches
its cap; what reached its limit is frozen and the rest goes on growing (Bertsekas and Gallager, *Data Networks*,
2nd ed., 1992, section 6.5.2). Every call starts from nothing; `affected` decides which flows
it is about.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simbackup.engine.switchover import Switchover

CAP = -1
"""The bottleneck of a flow that its own cap holds back."""

TIE = 1e-12
"""Relative difference of levels below which two limits are reached together."""


def same(rate: float, before: float) -> bool:
    """Whether two rates are the same within rounding."""
    return rate == before or abs(rate - before) <= TIE * before


Use = Callable[[float], float]
"""What a flow makes of the units a second that it is offered."""


class UnboundedFlowError(ValueError):
    """A flow that neither a resource nor a cap limits; `flow` is its index."""

    def __init__(self, flow: int) -> None:
        super().__init__(f"flow {flow} is limited neither by a resource nor by a cap")
        self.flow = flow


class Allocation(NamedTuple):
    """The rate of each flow, the index of the resource that froze it (or `CAP`), and the order of filling."""

    rates: list[float]
    bottlenecks: list[int]
    filled: list[int]


class Bracket:
    """Two places between which a function falls through zero, narrowed by regula falsi with the Illinois step.

    (Dowell and Jarratt, BIT 11, 1971)
    """

    def __init__(self, low: float, at_low: float, high: float, at_high: float) -> None:
        self.low, self.at_low = low, at_low
        self.high, self.at_high = high, at_high
        self.last = 0.0

    def middle(self) -> float:
        """The next place to try."""
        return (self.low * self.at_high - self.high * self.at_low) / (self.at_high - self.at_low)

    def narrow(self, place: float, value: float, *, below: bool) -> None:
        """Let a place take that of one end, as its value says; an end that stays twice in a row counts half."""
        if below:
            self.at_high *= 0.5 if self.last > 0.0 else 1.0
            self.low, self.at_low = place, value
        else:
            self.at_low *= 0.5 if self.last < 0.0 else 1.0
            self.high, self.at_high = place, value
        self.last = value


def max_min_rates(
    capacities: Sequence[float],
    demands: Sequence[Mapping[int, float]],
    weights: Sequence[float],
    caps: Sequence[float],
    switchovers: Mapping[int, Switchover] | None = None,
) -> Allocation:
    """Units per second of each flow, and what limits it, under weighted max-min fairness.

    Parameters
    ----------
    capacities
        Units per second of each resource, zero or more, may be infinite.
    demands
        For each flow, resource index to units of the resource that one unit of the flow consumes, above zero.
    weights
        The weight of each flow in fairness, above zero.
    caps
        The greatest rate of each flow, units per second, may be infinite.
    switchovers
        By resource, the streams between which it switches; their demands on it assume a switchover for all that they
        move.

    Raises
    ------
    UnboundedFlowError
        When nothing limits a flow.

    Notes
    -----
    A flow frozen by resource j has the greatest ``rate / weight`` of the flows on j, and j is full. Limits reached
    together (levels within `TIE`) go to the resource before the cap, and to the resource of the lowest index.
    Each time a resource fills, all resources are searched for the next. No capacity is exceeded by more than
    1e-12 relative with up to some thousands of flows on one resource (the rounding of a sum).

    Examples
    --------
    Two flows on a link of 10, one of them capped at 2:

    >>> max_min_rates([10.0], [{0: 1.0}, {0: 1.0}], [1.0, 1.0], [2.0, math.inf])
    Allocation(rates=[2.0, 8.0], bottlenecks=[-1, 0], filled=[0])
    """
    if not weights:
        return Allocation([], [], [])
    if len(weights) == 1 and not switchovers:
        return _alone(capacities, demands[0], weights[0], caps[0])
    return Filling(capacities, demands, weights, caps, switchovers or {}).filled_up()


def _alone(capacities: Sequence[float], demand: Mapping[int, float], weight: float, cap: float) -> Allocation:
    """The allocation of a single flow, the most frequent case."""
    levels = {resource: capacities[resource] / (units * weight) for resource, units in demand.items()}
    level = min(levels.values(), default=math.inf)
    if cap / weight < level * (1.0 - TIE):
        return Allocation([cap], [CAP], [])
    if math.isinf(level):
        raise UnboundedFlowError(0)
    resource = min(each for each, full in levels.items() if full <= level * (1.0 + TIE))
    return Allocation([min(weight * level, cap)], [resource], [resource])


@dataclass
class Filling:
    """The state of one progressive filling: what each resource has given away, and who still grows."""

    capacities: Sequence[float]
    demands: Sequence[Mapping[int, float]]
    weights: Sequence[float]
    caps: Sequence[float]
    switchovers: Mapping[int, Switchover]

    def __post_init__(self) -> None:
        capacities, demands, weights = self.capacities, self.demands, self.weights
        self.left = len(weights)
        self.rates = [0.0] * self.left
        self.bottlenecks = [CAP] * self.left
        self.growing = [True] * self.left
        self.filled: list[int] = []
        self.level = 0.0
        self.cap_levels = [cap / weight for cap, weight in zip(self.caps, weights, strict=True)]
        self.by_cap = sorted(range(self.left), key=self.cap_levels.__getitem__, reverse=True)
        self.members: list[list[int]] = [[] for _ in capacities]
        self.frozen = [0.0] * len(capacities)
        self.totals = [0.0] * len(capacities)
        for flow, demand in enumerate(demands):
            for resource, units in demand.items():
                self.members[resource].append(flow)
                self.totals[resource] += units * weights[flow]
        self.summed = list(self.totals)
        self.counts = [len(members) for members in self.members]
        self.levels = [math.inf] * len(capacities)
        self.changed = {j for j, count in enumerate(self.counts) if count}

    def filled_up(self) -> Allocation:
        """The allocation when no flow grows any more."""
        while self.left:
            resource, level = self.next_full()
            # Freezing these flows can only raise the levels of the resources, so all of them go at once.
            if self.freeze_capped(below=level * (1.0 - TIE)):
                continue
            if math.isinf(level):
                raise UnboundedFlowError(self.growing.index(True))
            self.freeze_members(resource, level)
        return Allocation(self.rates, self.bottlenecks, self.filled)

    def _total(self, resource: int) -> float:
        total = 0.0
        for flow in self.members[resource]:
            total += self.demands[flow][resource] * self.weights[flow]
        return total

    def next_full(self) -> tuple[int, float]:
        """The resource that fills next and the level at which it does; infinite when none does."""
        levels = self.levels
        for j in self.changed:
            levels[j] = self.level_of(j)
        self.changed.clear()
        level = max(min(levels, default=math.inf), self.level)
        near = level * (1.0 + TIE)
        for j, full in enumerate(levels if level < math.inf else ()):
            if full <= near:
                return j, level
        return CAP, math.inf

    def level_of(self, resource: int) -> float:
        """The level at which a resource with growing flows is full."""
        left, total = self.capacities[resource] - self.frozen[resource], self.totals[resource]
        switchover = self.switchovers.get(resource) if self.switchovers else None
        if switchover is None or left == math.inf:
            return left / total
        return switchover.level(left, total, self.weights, self.growing, self.rates)

    def freeze_capped(self, below: float) -> bool:
        """Whether any flow reached its cap at a level lower than `below`; those that did are frozen."""
        before = self.left
        while self.by_cap and self.cap_levels[self.by_cap[-1]] < below:
            flow = self.by_cap.pop()
            if self.growing[flow]:
                self.freeze(flow, self.caps[flow], CAP)
        return self.left < before

    def freeze_members(self, resource: int, level: float) -> None:
        """Freeze every growing flow of a full resource at `level`."""
        self.level = level
        self.filled.append(resource)
        for flow in self.members[resource]:
            if self.growing[flow]:
                self.freeze(flow, min(self.weights[flow] * level, self.caps[flow]), resource)

    def freeze(self, flow: int, rate: float, bottleneck: int) -> None:
        """Let a flow grow no more."""
        self.rates[flow] = rate
        self.bottlenecks[flow] = bottleneck
        self.growing[flow] = False
        self.left -= 1
        weight, frozen, counts, totals = self.weights[flow], self.frozen, self.counts, self.totals
        for resource, demand in self.demands[flow].items():
            frozen[resource] += demand * rate
            counts[resource] -= 1
            if not counts[resource]:
                self.levels[resource] = math.inf
                self.changed.discard(resource)
                continue
            self.changed.add(resource)
            totals[resource] = total = totals[resource] - demand * weight
            # Summed anew whenever it has halved, so that cancellation never affects the rates.
            if total < 0.5 * self.summed[resource]:
                self.members[resource] = [i for i in self.members[resource] if self.growing[i]]
                totals[resource] = self.summed[resource] = self._total(resource)


@dataclass
class OfferFilling(Filling):
    """A progressive filling in which some flows use only a part of their offers, which are noted."""

    uses: Mapping[int, Use]

    def __post_init__(self) -> None:
        super().__post_init__()
        uses = self.uses
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

        From below: nothing is exceeded.
        """
        left = self.capacities[resource] - self._taken(resource, low, flow)
        if left <= 0.0:
            return low
        high = 2.0 * low
        while (short := self.capacities[resource] - self._taken(resource, high, flow)) > 0.0:
            if high >= self.cap_levels[flow]:
                return self.cap_levels[flow]
            low, left, high = high, short, 2.0 * high
        bracket = Bracket(low, left, high, short)
        while bracket.high - bracket.low > TIE * bracket.high:
            step = 0.25 * TIE * bracket.high
            middle = min(max(bracket.middle(), bracket.low + step), bracket.high - step)
            gap = self.capacities[resource] - self._taken(resource, middle, flow)
            bracket.narrow(middle, gap, below=gap >= 0.0)
        return bracket.low

    def _taken(self, resource: int, level: float, whole: int) -> float:
        """Units a second that flows take of a resource at a level, one of them its whole offer."""
        rates: dict[int, float] = {}
        for flow in self.crossing[resource]:
            if not self.growing[flow]:
                rates[flow] = self.rates[flow]
            else:
                rates[flow] = self._offer(flow, level) if flow == whole else self._used(flow, level)
        switchover = self.switchovers.get(resource)
        taken = sum([self.demands[flow][resource] * rate for flow, rate in rates.items()])
        return taken if switchover is None else taken - switchover.spared(rates)

    def _offer(self, flow: int, level: float) -> float:
        return min(self.weights[flow] * level, self.caps[flow])

    def _used(self, flow: int, level: float) -> float:
        """What a flow uses of its offer at a level."""
        offer = self._offer(flow, level)
        return min(self.uses[flow](offer), offer) if flow in self.uses else offer
