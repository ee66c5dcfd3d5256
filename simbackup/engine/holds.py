"""Max-min fair rates of flows that full and empty buffers couple.

A full buffer is one more link: its filling flows cross it, and its capacity, in bytes, is the rate at which it
is drained. An empty one is a link that its draining flows cross, with the rate of filling as capacity. Given
the capacities of these *holds*, the rates of all flows are those of progressive filling; the capacities are
right when each is what the leaders then move.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simbackup.engine.filling import Allocation, Bracket, max_min_rates
from simbackup.engine.switchover import Switchover

EQUAL = 1e-12
"""Relative difference below which followers move what their leaders do."""

MOST_STEPS = 12
"""Steps of Newton's method before the holds are lowered one after another."""

MOST_AVERAGES = 60
"""Steps of averaging from the lowered holds before these are left as they are."""

MOST_SWEEPS = 20
"""Sweeps of lowering after which the followers that still move too much are stopped."""

MOST_HALVINGS = 200
"""Steps of the search for one capacity: bisection alone would take no more than about a hundred."""


class Hold(NamedTuple):
    """Followers that together must not move more bytes than their leaders: index of flow to bytes per unit.

    `beside` are bytes a second of leaders that are not solved for.
    """

    followers: Mapping[int, float]
    leaders: Mapping[int, float]
    beside: float = 0.0


def held_demands(demands: Sequence[Mapping[int, float]], holds: Sequence[Hold], first: int) -> list[dict[int, float]]:
    """The demands of flows on links, and on holds, which are the resources from `first` on."""
    found = [dict(demand) for demand in demands]
    for resource, hold in enumerate(holds, first):
        for flow, bytes_per_unit in hold.followers.items():
            found[flow][resource] = bytes_per_unit
    return found


class _Trial(NamedTuple):
    """The outcome of these capacities of the holds: an allocation, and the bytes that either side moves."""

    capacities: list[float]
    allocation: Allocation
    followed: list[float]
    led: list[float]

    def gap(self, hold: int) -> float:
        """What the leaders of a hold move more than its followers, bytes a second."""
        return self.led[hold] - self.followed[hold]

    def exceeds(self, hold: int) -> bool:
        """Whether the followers move more than the leaders."""
        return self.followed[hold] > self.led[hold] * (1.0 + EQUAL)

    def wastes(self, hold: int) -> bool:
        """Whether the hold keeps the followers below what the leaders move."""
        limit = self.capacities[hold]
        return limit < self.led[hold] * (1.0 - EQUAL) and self.followed[hold] >= limit * (1.0 - EQUAL)

    @property
    def feasible(self) -> bool:
        return not any(map(self.exceeds, range(len(self.led))))

    @property
    def converged(self) -> bool:
        return self.feasible and not any(map(self.wastes, range(len(self.led))))


def coupled_rates(
    capacities: Sequence[float],
    demands: Sequence[Mapping[int, float]],
    weights: Sequence[float],
    caps: Sequence[float],
    holds: Sequence[Hold],
    *,
    switchovers: Mapping[int, Switchover] | None = None,
) -> Allocation:
    """Units per second of each flow under weighted max-min fairness, no hold's followers ahead of its leaders.

    Parameters
    ----------
    capacities, demands, weights, caps, switchovers
        As for `max_min_rates`.
    holds
        The full and the empty buffers. In the result, hold i is the resource `len(capacities) + i`.

    Raises
    ------
    UnboundedFlowError
        When nothing but a hold limits a flow.

    Notes
    -----
    The bytes that the leaders move are a continuous, piecewise linear function of the capacities of the holds,
    from a box into itself: capacities that equal it exist (Brouwer). Newton's method, which is exact within a
    piece, starts from no holds at all, where its first step is plain substitution; flows that share no link
    with those they follow take two or three solves. If it does not converge, each hold that is exceeded
    is lowered to where it no longer is, which ends: capacities only fall, and at zero nothing is exceeded.
    Newton's method starts again from there. If that fails too, the lowered capacities stay: feasible, though
    some followers move less than their leaders.

    Examples
    --------
    A writer that could do 20 into a full buffer, which is emptied at 5:

    >>> coupled_rates([20.0, 5.0], [{0: 1.0}, {1: 1.0}], [1.0, 1.0], [math.inf, math.inf], [Hold({0: 1.0}, {1: 1.0})])
    Allocation(rates=[5.0, 5.0], bottlenecks=[2, 1], filled=[1, 2])
    """
    if not holds:
        return max_min_rates(capacities, demands, weights, caps, switchovers)
    coupling = _Coupling(capacities, demands, weights, caps, switchovers or {}, holds)
    free = coupling.at([math.inf] * len(holds))
    trial = coupling.newton(free)
    if not trial.converged:
        trial = coupling.from_below(coupling.lowered(free))
    return trial.allocation


@dataclass
class _Coupling:
    """Flows, links and holds, to be tried with one set of capacities of the holds after another."""

    capacities: Sequence[float]
    demands: Sequence[Mapping[int, float]]
    weights: Sequence[float]
    caps: Sequence[float]
    switchovers: Mapping[int, Switchover]
    holds: Sequence[Hold]

    def __post_init__(self) -> None:
        self.first = len(self.capacities)
        self.demands = held_demands(self.demands, self.holds, self.first)

    def at(self, held: list[float]) -> _Trial:
        """The outcome of these capacities of the holds."""
        allocation = max_min_rates([*self.capacities, *held], self.demands, self.weights, self.caps, self.switchovers)
        followed = [_moved(hold.followers, allocation) for hold in self.holds]
        led = [hold.beside + _moved(hold.leaders, allocation) for hold in self.holds]
        return _Trial(held, allocation, followed, led)

    def newton(self, trial: _Trial) -> _Trial:
        """The trial at which Newton's method ends: converged, unless it found no solution."""
        for _ in range(MOST_STEPS):
            if trial.converged:
                break
            following = self._next(trial)
            if following is None:
                break
            trial = self.at(following)
        return trial

    def from_below(self, lowered: _Trial) -> _Trial:
        """A converged trial, found by Newton's method from here and from averages on the way; else this one."""
        trial = lowered
        for step in range(MOST_AVERAGES):
            if step % 6 == 0 and (found := self.newton(trial)).converged:
                return found
            pairs = zip(map(min, trial.capacities, trial.led), trial.led, strict=True)
            trial = self.at([capacity + (led - capacity) / (step + 2.0) for capacity, led in pairs])
        return lowered

    def _next(self, trial: _Trial) -> list[float] | None:
        """Capacities that would be right if all stayed linear; None where no or many are."""
        if not any(hold.leaders for hold in self.holds):  # what they move depends on nothing
            return trial.led
        count = len(self.holds)
        slopes = self._slopes(trial.allocation)
        binding = {resource - self.first for resource in trial.allocation.filled if resource >= self.first}
        base = [trial.capacities[i] if i in binding else trial.led[i] for i in range(count)]
        rows: list[dict[int, float]] = [{i: 1.0} for i in range(count)]
        for row, hold in zip(rows, self.holds, strict=True):
            for flow, bytes_per_unit in hold.leaders.items():
                for j, slope in slopes[flow].items():
                    row[j] = row.get(j, 0.0) - bytes_per_unit * slope
        steps = _steps(rows, [led - start for led, start in zip(trial.led, base, strict=True)])
        if steps is None:
            return None
        return [max(0.0, start + step) for start, step in zip(base, steps, strict=True)]

    def _slopes(self, allocation: Allocation) -> list[dict[int, float]]:
        """For each flow, how its rate grows with the capacity of each hold, none frozen in another order."""
        slopes: list[dict[int, float]] = [{} for _ in self.demands]
        members: dict[int, list[int]] = {resource: [] for resource in allocation.filled}
        for flow, demands in enumerate(self.demands):
            for resource in demands:
                if resource in members:
                    members[resource].append(flow)
        for resource in allocation.filled:
            total = {resource - self.first: 1.0} if resource >= self.first else {}
            weight = 0.0
            switchover = self.switchovers.get(resource)
            cheaper = switchover.marginal(allocation.rates) if switchover is not None else {}
            for flow in members[resource]:
                demand = self.demands[flow][resource] - cheaper.get(flow, 0.0)
                if allocation.bottlenecks[flow] == resource:
                    weight += demand * self.weights[flow]
                for hold, slope in slopes[flow].items():
                    total[hold] = total.get(hold, 0.0) - demand * slope
            for flow in members[resource] if total else ():
                if allocation.bottlenecks[flow] == resource:
                    slopes[flow] = {hold: self.weights[flow] * net / weight for hold, net in total.items()}
        return slopes

    def lowered(self, trial: _Trial) -> _Trial:
        """A trial in which nothing is exceeded, with capacities no higher than in this one."""
        for sweep in range(MOST_SWEEPS + len(self.holds)):
            for hold in range(len(self.holds)):
                if trial.exceeds(hold):
                    trial = self._lowered_one(trial, hold) if sweep < MOST_SWEEPS else self._with(trial, hold, 0.0)
            if trial.feasible:
                break
        return trial

    def _with(self, trial: _Trial, hold: int, capacity: float) -> _Trial:
        return self.at([*trial.capacities[:hold], capacity, *trial.capacities[hold + 1 :]])

    def _lowered_one(self, trial: _Trial, hold: int) -> _Trial:
        """The trial with one hold lowered to where its leaders keep up.

        What the leaders move less what the followers move is continuous, not negative at zero and negative at
        the start.
        """
        best = self._with(trial, hold, 0.0)
        bracket = Bracket(0.0, best.gap(hold), trial.followed[hold], trial.gap(hold))
        for _ in range(MOST_HALVINGS):
            middle = bracket.middle()
            if not bracket.low < middle < bracket.high:
                middle = 0.5 * (bracket.low + bracket.high)
            if not bracket.low < middle < bracket.high:
                break
            trial = self._with(trial, hold, middle)
            keeps_up = not trial.exceeds(hold)
            if keeps_up:
                best = trial
                if not trial.wastes(hold):
                    break
            bracket.narrow(middle, trial.gap(hold), below=keeps_up)
        return best


def _moved(ports: Mapping[int, float], allocation: Allocation) -> float:
    return sum([allocation.rates[flow] * bytes_per_unit for flow, bytes_per_unit in ports.items()])


def _steps(rows: list[dict[int, float]], right: list[float]) -> list[float] | None:
    """The solution of linear equations, most of which have one unknown; None if they are singular."""
    known: dict[int, float] = {}
    for i, row in enumerate(rows):
        if len(row) == 1 and row[i] >= EQUAL:
            known[i] = right[i] / row[i]
    rest = [i for i in range(len(rows)) if i not in known]
    if rest:
        others = [right[i] - sum([rows[i][j] * known[j] for j in rows[i] if j in known]) for i in rest]
        found = _solution([[rows[i].get(j, 0.0) for j in rest] for i in rest], others)
        if found is None:
            return None
        known.update(zip(rest, found, strict=True))
    return [known[i] for i in range(len(rows))]


def _solution(matrix: list[list[float]], right: list[float]) -> list[float] | None:
    """The solution of linear equations by elimination with row pivots, None if they are singular."""
    count = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(count):
        pivot = max(range(column, count), key=lambda i: abs(rows[i][column]))
        if abs(rows[pivot][column]) < EQUAL:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for i in range(count):
            factor = rows[i][column] / rows[column][column]
            if i != column and factor != 0.0:
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[column], strict=True)]
    return [rows[i][count] / rows[i][i] for i in range(count)]
