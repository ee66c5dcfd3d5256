"""Figures with their intervals and the inputs that widen them most."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup.equations.uncertainty import SCORE, CentralInterval, rank_correlation, spread_of
from simbackup.errors import InputError
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario import Scenario
from simbackup.uncertainty.inputs import Input, inputs
from simbackup.uncertainty.sampling import Case, latin_hypercube, one_at_a_time

if TYPE_CHECKING:
    from concurrent.futures import Executor

QUICK, THOROUGH = 20, 200
"""Cases of a quick interval, and of a thorough one."""
CANDIDATES = 4
"""Inputs that are moved alone after a quick sample: those that go most with a figure. A thorough one moves all."""
HALVINGS = 6
"""How often a case that a check refuses is moved half the way to the best estimates, before it is left out."""

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
    values.
    """

    spread: CentralInterval
    contributions: tuple[Contribution, ...]
    cases: int
    asked: int


@dataclass(frozen=True, slots=True)
class _Runs:
    """Scenarios with their uncertain inputs, to be run in one case after another."""

    scenarios: Mapping[str, Scenario]
    inputs: tuple[Input, ...]
    figures: Figures
    seed: int

    def __call__(self, case: Case) -> Mapping[str, float]:
        """The figures of a case; none if its values are refused even near the best estimates."""
        for _ in range(HALVINGS):
            try:
                return self.figures(self._results(case))
            except InputError:
                case = tuple(score / 2.0 for score in case)
        return {}

    def _results(self, case: Case) -> dict[str, Result]:
        changes: dict[str, dict[str, object]] = {name: {} for name in self.scenarios}
        for one, score in zip(self.inputs, case, strict=True):
            if score and one.value(score) != one.best:
                for name, address in one.at:
                    changes[name][address] = one.text(score)
        return {
            name: simulate(scenario.with_(changes[name]) if changes[name] else scenario, seed=self.seed)
            for name, scenario in self.scenarios.items()
        }


def estimates(
    scenarios: Mapping[str, Scenario],
    figures: Figures,
    *,
    cases: int = QUICK,
    seed: int = 0,
    executor: Executor | None = None,
    alone: bool = True,
) -> dict[str, Estimate]:
    """Figures of scenarios with their 90 % intervals, from a Latin hypercube over the ranges of all uncertain inputs.

    Parameters
    ----------
    scenarios
        The scenarios behind the figures, by name.
    figures
        What reads the figures from results by the same names.
    cases
        Cases of the sample: `QUICK`, `THOROUGH` or another number of at least 10.
    seed
        Seed of the sample and of all runs; the same seed gives the same intervals.
    executor
        Runs the cases at once; by default one after another.
    alone
        Whether to move inputs alone as well, which tells how much each contributes.
    """
    unknown = tuple(inputs(scenarios))
    runs = _Runs(scenarios, unknown, figures, seed)
    best = runs(tuple(0.0 for _ in unknown))
    sample = latin_hypercube(unknown, cases, seed) if unknown else []
    outcomes = _all(runs, sample, executor)
    chosen = {name: _candidates(name, sample, outcomes, len(unknown), cases) if alone else [] for name in best}
    singles = sorted({which for some in chosen.values() for which in some})
    moved = _all(runs, [case for which in singles for case in one_at_a_time(unknown, which)], executor)
    ends = {which: (moved[2 * i], moved[2 * i + 1]) for i, which in enumerate(singles)}
    found: dict[str, Estimate] = {}
    for name, value in best.items():
        values = [outcome[name] for outcome in outcomes if name in outcome]
        spread = spread_of(value, values or [value])
        contributions = _contributions(name, value, values, {which: ends[which] for which in chosen[name]}, unknown)
        found[name] = Estimate(spread, contributions, len(values), len(sample))
    return found


def _all(runs: _Runs, cases: Sequence[Case], executor: Executor | None) -> list[Mapping[str, float]]:
    return list(executor.map(runs, cases, chunksize=4) if executor else map(runs, cases))


def _candidates(
    name: str, sample: Sequence[Case], outcomes: Sequence[Mapping[str, float]], count: int, cases: int
) -> list[int]:
    """The inputs to move alone for a figure: after a quick sample, those that go most with it."""
    kept = [(case, outcome[name]) for case, outcome in zip(sample, outcomes, strict=True) if name in outcome]
    values = [value for _, value in kept]
    if min(values, default=0.0) == max(values, default=0.0):
        return []
    if cases >= THOROUGH:
        return list(range(count))
    strength = [abs(rank_correlation([case[i] for case, _ in kept], values)) for i in range(count)]
    return sorted(range(count), key=lambda i: (-strength[i], i))[:CANDIDATES]


def _contributions(
    name: str,
    best: float,
    values: Sequence[float],
    ends: Mapping[int, tuple[Mapping[str, float], Mapping[str, float]]],
    unknown: Sequence[Input],
) -> tuple[Contribution, ...]:
    """The inputs that move a figure, the greatest first; each with its share of the variance of the sample."""
    mean = sum(values) / len(values) if values else best
    variance = sum((value - mean) ** 2 for value in values) / len(values) if values else 0.0
    found: list[Contribution] = []
    for which, (low, high) in ends.items():
        at_low, at_high = low.get(name, best), high.get(name, best)
        width = ((at_low - best) ** 2 + (at_high - best) ** 2) / 2.0 / SCORE**2
        if width > 0.0:
            share = min(1.0, width / variance) if variance else 1.0
            found.append(Contribution(unknown[which], at_low, at_high, share))
    return tuple(sorted(found, key=lambda one: (-max(abs(one.at_low - best), abs(one.at_high - best)), one.input.name)))
