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
from simbackup.experiments.study_runs import Run, figures_of
from simbackup.scenario import load
from simbackup.uncertainty.effort import Done, for_study
from simbackup.uncertainty.estimate import HALVINGS, Contribution, contributed, decisive, run_all, strengths
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

    def __call__(self, case: Case) -> dict[str, Numbers]:
        """The figures of all rows in a case."""
        moved = changes(self.inputs, case)
        return {row: self._figures(row, case, moved.get(row, {})) for row in self.runs}

    def _figures(self, row: str, case: Case, moved: Mapping[str, str]) -> Numbers:
        """The figures of one row; none if its values are refused even near the best estimates."""
        for _ in range(HALVINGS):
            try:
                return _numbers(self.runs[row].show, figures_of(self.runs[row].moved(moved)).figures)
            except InputError:
                case = tuple(score / 2.0 for score in case)
                moved = changes(self.inputs, case).get(row, {})
        return {}


def _numbers(names: Sequence[str], figures: Sequence[Figure]) -> Numbers:
    return {
        name: float(each) for name, each in zip(names, figures, strict=True) if isinstance(each, int | float)
    }  # fmt: skip


def study_intervals(
    runs: Sequence[Run],
    figures: Sequence[Mapping[str, Figure]],
    records: Sequence[int],
    effort: str,
    progress: Done | None = None,
) -> StudyIntervals:
    """The intervals of the figures of runs, which found these with all inputs at their best estimates.

    Parameters
    ----------
    runs, figures, records
        The rows of a study, what they found, and the records of their traces.
    effort
        `none`, `quick` or `thorough`.
    progress
        Called after each case with how many are done, and how many there will be.
    """
    work = for_study(effort, records)
    scenarios = {str(i): load(run.file, run.values) for i, run in enumerate(runs)} if work else {}
    unknown = tuple(inputs(scenarios))
    if work is None:
        return StudyIntervals(tuple({} for _ in runs))
    best = [_numbers(run.show, [row[name] for name in run.show]) for run, row in zip(runs, figures, strict=True)]
    sample = latin_hypercube(unknown, work.cases, runs[0].seed) if unknown else []
    rows = {str(i): run for i, run in enumerate(runs)}
    with worker_processes(os.cpu_count() or 1) as executor:
        outcomes = run_all(_Rows(rows, unknown), sample, executor, progress)
    spreads = [
        {name: spread_of(value, _values(outcomes, str(i), name) or [value]) for name, value in row.items()}
        for i, row in enumerate(best)
    ]
    widths = [
        {name: each for name, spread in row.items() if (each := whole(spread, scenarios[str(i)], name)) is not None}
        for i, row in enumerate(spreads)
    ]
    decides: dict[str, tuple[Contribution, ...]] = {}
    for name in runs[0].show:
        own = {i: spread for i, row in enumerate(spreads) if (spread := row.get(name)) and name in widths[i]}
        at = max(own, key=lambda i: _width(own[i]), default=None)
        if at is None or not _width(own[at]):
            continue
        strength = [strengths(name, sample, [each[str(i)] for each in outcomes]) for i in own]
        together = [sum(column) for column in zip(*strength, strict=True)]
        tried = sorted(range(len(together)), key=lambda i: (-together[i], i))[:TRIED]
        alone = _Rows({str(at): runs[at]}, unknown)
        ends = {
            which: tuple(alone(case)[str(at)] for case in one_at_a_time(unknown, which)) for which in tried
        }  # fmt: skip
        found = contributed(name, own[at].best, _values(outcomes, str(at), name), ends, unknown)
        decides[name] = tuple(decisive(found, own[at], widths[at][name]))
    cases = tuple(tuple(outcome[row] for row in rows) for outcome in outcomes)
    return StudyIntervals(tuple(widths), decides, cases)


def _values(outcomes: Sequence[Mapping[str, Numbers]], row: str, name: str) -> list[float]:
    """A figure of a row in all cases that have it."""
    return [outcome[row][name] for outcome in outcomes if name in outcome[row]]


def _width(spread: CentralInterval) -> float:
    """How wide an interval is for its best estimate: by what factor, where it varies by factors."""
    if spread.by_factor and spread.low > 0.0:
        return math.log(spread.high / spread.low)
    return (spread.high - spread.low) / abs(spread.best) if spread.best else spread.high - spread.low
