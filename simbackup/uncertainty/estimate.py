"""Figures with their intervals and the inputs that widen them most."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from simbackup.equations.uncertainty import CentralInterval, spread_of
from simbackup.errors import InputError, Problem
from simbackup.results.result import Result
from simbackup.run import ran
from simbackup.scenario import Scenario
from simbackup.uncertainty.conditioning import CaseFigures, Conditioned
from simbackup.uncertainty.deciding import Contribution, contributed, deciding, leaning
from simbackup.uncertainty.effort import QUICK, Done, Effort
from simbackup.uncertainty.fitted import GivenRows
from simbackup.uncertainty.inputs import Input, changes, inputs
from simbackup.uncertainty.sampling import Case, latin_hypercube

HALVINGS = 6
"""How often a refused case is moved half way to the best estimates before it is left out."""

T = TypeVar("T")
R = TypeVar("R")
Figures = Callable[[Mapping[str, Result]], Mapping[str, float]]
"""Reads figures by name from results by scenario; a figure that a case lacks is left out."""


class Mapper(Protocol):
    """Runs a function over items, such as an executor of `concurrent.futures`."""

    def map(self, function: Callable[[T], R], items: Iterable[T], /) -> Iterator[R]:
        """What each item gives, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval, without model error."""

    spread: CentralInterval
    """The interval that is due to inputs."""
    contributions: tuple[Contribution, ...]
    """What single inputs contribute, the greatest first."""
    values: tuple[float, ...]
    """The figure in those cases that have it; in others the job failed, or a check refused the values."""
    asked: int
    """Number of all cases."""
    bound: CentralInterval | None = None
    """The interval of the lower bound of the figure; None without one."""
    declared: tuple[float, ...] = ()
    """Share (0 to 1) of each value, or else of the best estimate, that consists of declared waits."""
    refused: tuple[str, ...] = ()
    """What checks said of the values of cases that they refused at first."""

    @classmethod
    def of(cls, name: str, best: CaseFigures, cases: Sequence[CaseFigures]) -> Estimate:
        """The estimate of a figure, from what it is with all inputs at their best estimates, and in cases of them.

        In a case, a line may have a rate that is as good as stated, as it was drawn: it bounds nothing at best
        estimates.
        """
        have = [each for each in cases if name in each.figures]
        values, value = tuple(each.figures[name] for each in have), best.figures[name]
        bound, bounds = best.bounds.get(name), [each.bounds[name] for each in cases if name in each.bounds]
        return cls(
            spread_of(value, values or [value]), (), values, len(cases),
            None if bound is None else spread_of(bound, bounds or [bound]),
            tuple(each.declared.get(name, 0.0) for each in have or [best]),
            tuple(each.refused for each in cases if each.refused),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Runs:
    """Runs scenarios in one case of their uncertain inputs after another."""

    scenarios: Mapping[str, Scenario]
    """The scenarios, by name."""
    inputs: tuple[Input, ...]
    """Their uncertain inputs."""
    figures: Figures
    """Reads the figures from results."""
    bounds: Figures | None
    """Reads lower bounds of figures; None if there are none."""
    declared: Figures | None
    """Reads the share of declared waits in figures; None if there are none."""
    seed: int
    """The seed of all runs."""
    given: GivenRows
    """The measured rows to which values of the scenarios were fitted."""
    until: tuple[str, ...] = ()
    """Jobs after whose end runs may end; empty for all jobs."""

    def __call__(self, case: Case) -> CaseFigures:
        """The figures of a case; none if its values are refused even near the best estimates."""
        why = ""
        for _ in range(HALVINGS):
            try:
                return self.read(self._results(case))._replace(refused=why)
            except InputError as error:
                why = why or in_words(error.problems)
                case = tuple(score / 2.0 for score in case)
        return CaseFigures(refused=why)

    def read(self, results: Mapping[str, Result]) -> CaseFigures:
        """The figures of results, and what bounds them."""
        return CaseFigures(
            self.figures(results),
            self.bounds(results) if self.bounds else {},
            self.declared(results) if self.declared else {},
            given=self.given(results),
        )

    def _results(self, case: Case) -> dict[str, Result]:
        moved = changes(self.inputs, case)
        scenarios = {  # before any of them is run, as a check may refuse the values in one
            name: scenario.with_(moved[name]) if name in moved else scenario
            for name, scenario in self.scenarios.items()
        }
        return {name: ran(each, seed=self.seed, until=self.until) for name, each in scenarios.items()}


def estimates(  # noqa: PLR0913
    scenarios: Mapping[str, Scenario],
    figures: Figures,
    *,
    effort: Effort = QUICK,
    seed: int = 0,
    bounds: Figures | None = None,
    declared: Figures | None = None,
    results: Mapping[str, Result] | None = None,
    until: Collection[str] = (),
    asked: Collection[str] | None = None,
    executor: Mapper | None = None,
    progress: Done | None = None,
) -> dict[str, Estimate]:
    """Figures of scenarios with their 90 % intervals, from a Latin hypercube over the ranges of all uncertain inputs.

    All scenarios are run in each case, so that an unknown that several of them share moves in all of them at once. The
    measured rows to which constants of the scenarios were fitted correct the cases, see `Conditioned`.

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
    declared
        What reads from the same results which share of each figure consists of declared waits, if any does.
    results
        The results with all inputs at their best estimates, if they are known; otherwise the scenarios are run.
    until
        The jobs with whose ends the runs may end; all of them unless given.
    asked
        The figures whose most important inputs are wanted; all of them unless given.
    executor
        Runs the cases at once; by default one after another.
    progress
        Called after each case with how many are done, and how many there will be at most.
    """
    unknown = tuple(inputs(scenarios))
    runs = _Runs(scenarios, unknown, figures, bounds, declared, seed, GivenRows.of(scenarios), tuple(until))
    best = runs.read(results) if results else runs(tuple(0.0 for _ in unknown))
    done = 0

    def run(cases: Sequence[Case], more: int) -> list[CaseFigures]:
        nonlocal done
        found = run_all(runs, cases, executor, progress, before=done, more=more)
        done += len(cases)
        return found

    return estimated(best, unknown, run, effort, seed, asked)


def estimated(
    best: CaseFigures,
    unknown: Sequence[Input],
    run: Callable[[Sequence[Case], int], Sequence[CaseFigures]],
    effort: Effort,
    seed: int = 0,
    asked: Collection[str] | None = None,
) -> dict[str, Estimate]:
    """Figures with their 90 % intervals, from a Latin hypercube over the ranges of uncertain inputs.

    Parameters
    ----------
    best
        The figures with all inputs at their best estimates.
    unknown
        The inputs.
    run
        Gives the figures of cases, in order; it is also called with how many more cases will follow at most.
    effort, seed, asked
        As for `estimates`.
    """
    sample = latin_hypercube(unknown, effort.cases, seed) if unknown else []
    most = len(unknown) if effort.alone is None else min(effort.alone, len(unknown))
    drawn = run(sample, 2 * most)
    conditioned = Conditioned.of(best, drawn)
    outcomes = [conditioned(each) for each in drawn]
    found = {name: Estimate.of(name, best, outcomes) for name in best.figures}
    done = len(sample)

    def tried(cases: Sequence[Case]) -> list[Mapping[str, float]]:
        nonlocal done
        left = max(len(sample) + 2 * most - done - len(cases), 0)
        done += len(cases)
        return [conditioned(each).figures for each in run(cases, left)]

    wanted = {name: one.spread for name, one in found.items() if asked is None or name in asked}
    lean = leaning(list(wanted), sample, [each.figures for each in outcomes])
    ends = deciding(wanted, lean, effort.alone, tried) if most else {}
    for name, spread in wanted.items():
        contributions = contributed(name, spread.best, found[name].values, ends, unknown)
        found[name] = replace(found[name], contributions=contributions)
    return found


def run_all(
    run: Callable[[Case], T],
    cases: Sequence[Case],
    executor: Mapper | None,
    progress: Done | None = None,
    *,
    before: int = 0,
    more: int = 0,
) -> list[T]:
    """The outcome of each case, in order; `before` cases were run already, and `more` will follow."""
    found: list[T] = []
    for outcome in executor.map(run, cases) if executor else map(run, cases):
        found.append(outcome)
        if progress is not None:
            progress(before + len(found), before + len(cases) + more)
    return found


def in_words(problems: Sequence[Problem]) -> str:
    """What a check says of values that it refuses."""
    return f"{problems[0].address}: {problems[0].message}"
