"""Figures with their intervals and the inputs that widen them most."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from simbackup.equations.uncertainty import SCORE, CentralInterval, rank_correlation, spread_of
from simbackup.errors import InputError
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario import Scenario
from simbackup.uncertainty.effort import QUICK, Done, Effort
from simbackup.uncertainty.inputs import Input, changes, inputs
from simbackup.uncertainty.sampling import Case, latin_hypercube, one_at_a_time

if TYPE_CHECKING:
    from concurrent.futures import Executor

CANDIDATES = 4
"""Inputs that are moved alone for each figure, as far as the effort goes: those that go most with it."""
MATTERS = 0.1
"""Share of the variance of a whole interval from which on an input is named."""
NAMED = 2
"""Most inputs that are named for a figure."""
HALVINGS = 6
"""How often a case that a check refuses is moved half the way to the best estimates, before it is left out."""

T = TypeVar("T")
Figures = Callable[[Mapping[str, Result]], Mapping[str, float]]
"""Figures by name from results by the names of their scenarios; a figure that a case lacks is left out."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a figure becomes if one input alone is at either end of its range, and the share of the variance from it."""

    input: Input
    at_low: float
    at_high: float
    share: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the interval that its inputs leave, and the inputs that contribute most to it, greatest first.

    `cases` are those that have the figure, of `asked` cases: in the others the job failed or a check refused the
    values. `bound` is that of what the figure is bound by, such as the least that a time can be.
    """

    spread: CentralInterval
    contributions: tuple[Contribution, ...]
    cases: int
    asked: int
    bound: CentralInterval | None = None


class CaseFigures(NamedTuple):
    """The figures of one case, and what bounds them."""

    figures: Mapping[str, float] = {}
    bounds: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class _Runs:
    """Scenarios with their uncertain inputs, to be run in one case after another."""

    scenarios: Mapping[str, Scenario]
    inputs: tuple[Input, ...]
    figures: Figures
    bounds: Figures | None
    seed: int

    def __call__(self, case: Case) -> CaseFigures:
        """What a case gives; nothing if its values are refused even near the best estimates."""
        for _ in range(HALVINGS):
            try:
                return self.read(self._results(case))
            except InputError:
                case = tuple(score / 2.0 for score in case)
        return CaseFigures()

    def read(self, results: Mapping[str, Result]) -> CaseFigures:
        """The figures of results, and what bounds them."""
        return CaseFigures(self.figures(results), self.bounds(results) if self.bounds else {})

    def _results(self, case: Case) -> dict[str, Result]:
        moved = changes(self.inputs, case)
        scenarios = {  # before any of them is run, as a check may refuse the values in one
            name: scenario.with_(moved[name]) if name in moved else scenario
            for name, scenario in self.scenarios.items()
        }
        return {name: simulate(scenario, seed=self.seed) for name, scenario in scenarios.items()}


def estimates(
    scenarios: Mapping[str, Scenario],
    figures: Figures,
    *,
    effort: Effort = QUICK,
    seed: int = 0,
    bounds: Figures | None = None,
    results: Mapping[str, Result] | None = None,
    executor: Executor | None = None,
    progress: Done | None = None,
) -> dict[str, Estimate]:
    """Figures of scenarios with their 90 % intervals, from a Latin hypercube over the ranges of all uncertain inputs.

    All scenarios are run in each case, so that an unknown that several of them share moves in all of them at once.

    Parameters
    ----------
    scenarios
        The scenarios behind the figures, by name.
    figures
        What reads the figures from results by the same names.
    effort
        Cases of the sample, at least 10, and inputs that are moved alone besides, to find how much they contribute.
    seed
        Seed of the sample and of all runs; the same seed gives the same intervals.
    bounds
        What reads from the same results by what each figure is bound, if anything bounds it.
    results
        The results with all inputs at their best estimates, if they are known; otherwise the scenarios are run.
    executor
        Runs the cases at once; by default one after another.
    progress
        Called after each case with how many are done, and how many there will be at most.
    """
    unknown = tuple(inputs(scenarios))
    runs = _Runs(scenarios, unknown, figures, bounds, seed)
    best = runs.read(results) if results else runs(tuple(0.0 for _ in unknown))
    sample = latin_hypercube(unknown, effort.cases, seed) if unknown else []
    most = 2 * (len(unknown) if effort.alone is None else min(effort.alone, len(unknown)))
    outcomes = run_all(runs, sample, executor, progress, more=most)
    chosen = _chosen(best.figures, sample, [each.figures for each in outcomes], effort.alone)
    singles = sorted({which for some in chosen.values() for which in some})
    alone = [case for which in singles for case in one_at_a_time(unknown, which)]
    moved = [each.figures for each in run_all(runs, alone, executor, progress, before=len(sample))]
    ends = {which: (moved[2 * i], moved[2 * i + 1]) for i, which in enumerate(singles)}
    found: dict[str, Estimate] = {}
    for name, value in best.figures.items():
        values = [each.figures[name] for each in outcomes if name in each.figures]
        bound = bound_of(name, best.bounds, [each.bounds for each in outcomes])
        contributions = contributed(name, value, values, {which: ends[which] for which in chosen[name]}, unknown)
        spread = spread_of(value, values or [value])
        found[name] = Estimate(spread, contributions, len(values), len(sample), bound)
    return found


def run_all(
    run: Callable[[Case], T],
    cases: Sequence[Case],
    executor: Executor | None,
    progress: Done | None = None,
    *,
    before: int = 0,
    more: int = 0,
) -> list[T]:
    """What each case gives, in order; so many cases were run `before`, and so many `more` will follow."""
    found: list[T] = []
    for outcome in executor.map(run, cases) if executor else map(run, cases):
        found.append(outcome)
        if progress is not None:
            progress(before + len(found), before + len(cases) + more)
    return found


def bound_of(name: str, best: Mapping[str, float], sample: Sequence[Mapping[str, float]]) -> CentralInterval | None:
    """The interval of what a figure is bound by; None if nothing bounds it."""
    values = sorted(each[name] for each in sample if name in each)
    if name not in best and not values:
        return None
    middle = best[name] if name in best else values[len(values) // 2]
    return spread_of(middle, values or [middle])


def _chosen(
    best: Mapping[str, float], sample: Sequence[Case], outcomes: Sequence[Mapping[str, float]], most: int | None
) -> dict[str, list[int]]:
    """The inputs to move alone for each figure: those that go most with it, of those that go most with all figures."""
    strength = {name: strengths(name, sample, outcomes) for name in best}
    if most is None:
        return {name: [i for i in range(len(own)) if any(own)] for name, own in strength.items()}
    own = {name: _strongest(each, CANDIDATES) for name, each in strength.items()}
    together = [sum(column) for column in zip(*(each for each in strength.values() if each), strict=True)]
    wanted = {which for some in own.values() for which in some}
    kept = [which for which in _strongest(together, len(together)) if which in wanted][:most]
    return {name: [which for which in some if which in kept] for name, some in own.items()}


def strengths(name: str, sample: Sequence[Case], outcomes: Sequence[Mapping[str, float]]) -> list[float]:
    """How closely each input goes with a figure: squares of their rank correlations, all 0 if it does not vary."""
    kept = [(case, outcome[name]) for case, outcome in zip(sample, outcomes, strict=True) if name in outcome]
    values = [value for _, value in kept]
    return [
        rank_correlation([case[i] for case, _ in kept], values) ** 2 for i in range(len(sample[0]) if sample else 0)
    ]


def _strongest(strength: Sequence[float], most: int) -> list[int]:
    """The inputs with the greatest numbers, but none with 0."""
    order = sorted(range(len(strength)), key=lambda i: (-strength[i], i))
    return [i for i in order[:most] if strength[i] > 0.0]


def contributed(
    name: str,
    best: float,
    values: Sequence[float],
    ends: Mapping[int, Sequence[Mapping[str, float]]],
    unknown: Sequence[Input],
) -> tuple[Contribution, ...]:
    """The inputs that move a figure, the greatest first; each with its share of the variance of the sample.

    Parameters
    ----------
    name, best
        The figure, and its best estimate.
    values
        What it is in a sample of cases.
    ends
        All figures with an input alone at the lower and at the upper end of its range, by the input's number.
    unknown
        The inputs.
    """
    scale = math.log if min((best, *values), default=0.0) > 0.0 else float
    middle, sample = scale(best), [scale(value) for value in values]
    mean = sum(sample) / len(sample) if sample else middle
    variance = sum((value - mean) ** 2 for value in sample) / len(sample) if sample else 0.0
    found: list[tuple[float, Contribution]] = []
    for which, (low, high) in ends.items():
        at_low, at_high = low.get(name, best), high.get(name, best)
        moved = [scale(end) - middle if scale is float or end > 0.0 else 0.0 for end in (at_low, at_high)]
        width = (moved[0] ** 2 + moved[1] ** 2) / 2.0 / SCORE**2
        if width > 0.0:
            share = min(1.0, width / variance) if variance else 1.0
            found.append((max(map(abs, moved)), Contribution(unknown[which], at_low, at_high, share)))
    return tuple(one for _, one in sorted(found, key=lambda each: (-each[0], each[1].input.name)))


def input_share(from_inputs: CentralInterval, whole: CentralInterval) -> float:
    """The share of the variance of a whole interval that comes from the inputs; the model leaves out the rest."""
    width = whole.high - whole.low
    return min(1.0, ((from_inputs.high - from_inputs.low) / width) ** 2) if width > 0.0 else 0.0


def decisive(found: Sequence[Contribution], from_inputs: CentralInterval, whole: CentralInterval) -> list[Contribution]:
    """The inputs that decide a figure most, each of which makes a good part of its whole interval."""
    share = input_share(from_inputs, whole)
    return [one for one in found if one.share * share >= MATTERS][:NAMED]
