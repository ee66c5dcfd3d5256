"""The runs of a study, and the figures of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from simbackup.errors import InputError, Place, Problem, ResultError
from simbackup.experiments.replications import Figure
from simbackup.results.causes import by_address, split
from simbackup.results.result import Result
from simbackup.run import Progress, simulate
from simbackup.scenario import load
from simbackup.uncertainty.effort import records_of
from simbackup.uncertainty.whole import bound_at

CASE = "case"
"""Column of the names of cases."""

Values = dict[str, str | list[str] | dict[str, Any] | None]


class Found(NamedTuple):
    """The figures of one run, why jobs failed, how many records its trace has, and what bounds figures of jobs."""

    figures: list[Figure]
    failed: str | None
    records: int
    bounds: dict[str, float]


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a study: the file of its scenario, its case, the values that were varied, and the figures wanted."""

    scenario: str
    file: str
    case: str | None
    together: Values
    varied: Values
    show: tuple[str, ...]
    seed: int

    @property
    def values(self) -> Values:
        """All values by address that replace those of the file."""
        return self.together | self.varied

    def moved(self, values: Mapping[str, object]) -> Run:
        """The same run with other values at some addresses."""
        return replace(self, varied={**self.varied, **values})

    @property
    def names(self) -> dict[str, str]:
        """The columns that identify its row."""
        case = {} if self.case is None else {CASE: self.case}
        return {"scenario": self.scenario, **case, **{name: _shown(value) for name, value in self.varied.items()}}


def _shown(value: str | list[str] | dict[str, Any] | None) -> str:
    """A value as the table names it."""
    if isinstance(value, dict):
        return str(value.get("value", value))
    return "none" if value is None else value if isinstance(value, str) else ", ".join(value)


def figures_of(run: Run, progress: Progress | None = None) -> Found:
    """What one run found; figures of a job that failed are None, as its times mean nothing."""
    result = simulate(load(run.file, run.values), seed=run.seed, progress=progress)
    status = {row["job"]: row["status"] for row in result.job_rows}
    reported = "; ".join(f"{row['job']}: {row['reason']}" for row in result.job_rows if row["status"] == "failed")
    try:
        figures = [_figure(result, address, status) for address in run.show]
    except ResultError as error:
        raise InputError([Problem(Place(run.file), run.scenario, str(error))]) from None
    bounds = {address: bound for address in run.show if (bound := bound_at(result, address)) is not None}
    return Found(figures, reported or None, records_of(result.trace), bounds)


def _figure(result: Result, address: str, status: Mapping[str, str]) -> Figure:
    """One figure of a result, or a word about one of its jobs."""
    owner, _, column = address.rpartition(".")
    section, _, job = owner.partition(".")
    if section != "jobs" or job not in status:
        return result.get(address)
    if column in {"status", "reason"}:
        return next(str(row[column]) for row in result.job_rows if row["job"] == job)
    if status[job] in {"failed", "skipped"}:
        return None
    return _cause(result, job) if column == "cause" else result.get(address)


def _cause(result: Result, job: str) -> str:
    """The address that takes most of a job's time, the first among equals; empty where it took none."""
    spent = by_address(split(result, job))
    return max(spent, key=lambda address: spent[address], default="")
