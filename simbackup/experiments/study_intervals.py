"""The 90 % intervals of the figures of a study, whose rows share the cases of their uncertain inputs."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from simbackup.equations.uncertainty import CentralInterval, spread_of
from simbackup.errors import InputError
from simbackup.experiments.processes import worker_processes
from simbackup.experiments.replications import Figure
from simbackup.experiments.study_runs import Found, Run, figures_of
from simbackup.scenario import load
from simbackup.uncertainty.effort import Done, for_study
from simbackup.uncertainty.estimate import (
    HALVINGS,
    CaseFigures,
    Contribution,
    bound_of,
    contributed,
    decisive,
    run_all,
    strengths,
)
from simbackup.uncertainty.inputs import Input, changes, inputs
from simbackup.uncertainty.sampling import Case, latin_hypercube, one_at_a_time
from simbackup.uncertainty.whole import whole

LOW, HIGH = " low", " high"
"""Endings of the columns with the ends of a figure's 90 % interval."""
TRIED = 2
"""Inputs that are moved alone for each figure: those that go most with it in all rows."""

Numbers = Mapping[str, float]
"""Figures of a row that are numbers, by their names."""


@dataclass(frozen=True, slots=True)
class StudyIntervals:
    """The interval of each figure of each row, and what decides a figure most where its interval is widest.

    `cases` has the figures of all rows in each case that they share; none without intervals.
    """

    rows: tuple[Mapping[str, CentralInterval], ...]
    decides: Mapping[str, tuple[Contribution, ...]] = field(default_factory=dict[str, tuple[Contribution, ...]])
    cases: tuple[tuple[Numbers, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of a study, to be run in one case of their inputs after another."""

    runs: Mapping[str, Run]
    inputs: tuple[Input, ...]

    def __call__(self, case: Case) -> dict[str, CaseFigures]:
        """What all rows give in a case."""
        moved = changes(self.inputs, case)
        return {row: self._row(row, case, moved.get(row, {})) for row in self.runs}

    def _row(self, row: str, case: Case, moved: Mapping[str, object]) -> CaseFigures:
        """What one row gives; nothing if its values are refused even near the best estimates."""
        for _ in range(HALVINGS):
            try:
                found = figures_of(self.runs[row].moved(moved))
            except InputError:
                case = tuple(score / 2.0 for score in case)
                moved = changes(self.inputs, case).get(row, {})
            else:
                return CaseFigures(_numbers(self.runs[row].show, found.figures), found.bounds)
        return CaseFigures()


def _numbers(names: Sequence[str], figures: Sequence[Figure]) -> Numbers:
    return {
        name: float(each) for name, each in zip(names, figures, strict=True) if isinstance(each, int | float)
    }  # fmt: skip


def study_intervals(
    runs: Sequence[Run],
    figures: Sequence[Mapping[str, Figure]],
    found: Sequence[Found],
    effort: str,
    progress: Done | None = None,
) -> StudyIntervals:
    """The intervals of the figures of runs.

    Parameters
    ----------
    runs, figures, found
        The rows of a study, their figures (means over all seeds), and what they found with the first seed, all inputs
        at their best estimates.
    effort
        `none`, `quick` or `thorough`.
    progress
        Called after each case with how many are done, and how many there will be.
    """
    work = for_study(effort, [one.records for one in found])
    if work is None:
        return StudyIntervals(tuple({} for _ in runs))
    scenarios = {str(i): load(run.file, run.values) for i, run in enumerate(runs)}
    unknown = tuple(inputs(scenarios))
    sample = latin_hypercube(unknown, work.cases, runs[0].seed) if unknown else []
    rows = {str(i): run for i, run in enumerate(runs)}
    every = _Rows(rows, unknown)
    with worker_processes(os.cpu_count() or 1) as executor:
        outcomes = run_all(every, sample, executor, progress)
    spreads: dict[str, dict[str, CentralInterval]] = {}
    widths: dict[str, dict[str, CentralInterval]] = {row: {} for row in rows}
    for row, run, own, first in zip(rows, runs, figures, found, strict=True):
        in_row = [outcome[row] for outcome in outcomes]
        for name, best in _numbers(run.show, [own[name] for name in run.show]).items():
            values = [each.figures[name] for each in in_row if name in each.figures]
            spread = spread_of(best, values or [best])
            bound = bound_of(name, first.bounds, [each.bounds for each in in_row])
            interval = whole(spread, scenarios[row], name, bound)
            if interval is not None:
                spreads.setdefault(name, {})[row], widths[row][name] = spread, interval
    pairs = list(zip(sample, outcomes, strict=True))
    decides = {name: _decides(name, own, widths, every, pairs) for name, own in spreads.items()}
    cases = tuple(tuple(outcome[row].figures for row in rows) for outcome in outcomes)
    return StudyIntervals(tuple(widths.values()), decides, cases)


def _decides(
    name: str,
    spreads: Mapping[str, CentralInterval],
    widths: Mapping[str, Mapping[str, CentralInterval]],
    every: _Rows,
    cases: Sequence[tuple[Case, Mapping[str, CaseFigures]]],
) -> tuple[Contribution, ...]:
    """What decides a figure most, where its inputs leave most: those inputs are moved alone there."""
    at = max(spreads, key=lambda row: _width(spreads[row]))
    if not _width(spreads[at]):
        return ()
    sample = [case for case, _ in cases]
    strength = [strengths(name, sample, [each[row].figures for _, each in cases]) for row in spreads]
    together = [sum(column) for column in zip(*strength, strict=True)]
    tried = sorted(range(len(together)), key=lambda i: (-together[i], i))[:TRIED]
    alone = _Rows({at: every.runs[at]}, every.inputs)
    ends = {which: [alone(case)[at].figures for case in one_at_a_time(every.inputs, which)] for which in tried}
    values = [each[at].figures[name] for _, each in cases if name in each[at].figures]
    found = contributed(name, spreads[at].best, values, ends, every.inputs)
    return tuple(decisive(found, spreads[at], widths[at][name]))


def _width(spread: CentralInterval) -> float:
    """How wide an interval is for its best estimate: by what factor, where it varies by factors."""
    if spread.by_factor and spread.low > 0.0:
        return math.log(spread.high / spread.low)
    return (spread.high - spread.low) / abs(spread.best) if spread.best else spread.high - spread.low
