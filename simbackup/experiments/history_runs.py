"""The rows of a history as runs of the jobs of a scenario."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from simbackup.errors import InputError, Place, Problem
from simbackup.foreign.histories.finished_job import FAILED, FinishedJob
from simbackup.foreign.histories.formula import columns_of, value_of
from simbackup.scenario import Scenario
from simbackup.schema.calibration import HistoryJob

HoldOut = Literal["random", "later", "none"]
"""Which jobs are held back: a repeatable half, the later half, or none."""


@dataclass(frozen=True, slots=True)
class HistoryRun:
    """One row of a history: the job that it is a run of, the scenario with its values, and whether it is held back."""

    row: FinishedJob
    job: str
    scenario: Scenario
    measured: float
    """Seconds that it took."""
    held_out: bool = False

    @property
    def address(self) -> str:
        """Where a result has its simulated time."""
        return f"jobs.{self.job}.elapsed"


def history_runs(
    scenario: Scenario, jobs: Sequence[FinishedJob], hold_out: HoldOut, seed: int
) -> tuple[list[HistoryRun], list[str]]:
    """The rows of a history that are runs of jobs of a scenario, and notes on those that are left out.

    Parameters
    ----------
    scenario
        A scenario with `history:`.
    jobs
        The history.
    hold_out
        Which jobs are held back, of each job of the scenario a half.
    seed
        Seed of the random half, which depends on the ids of the rows and not on their order.

    Raises
    ------
    InputError
        The scenario has no history; a row is a run of two jobs, states values that the scenario refuses, or has no
        start where the later half is held back.
    """
    spec = scenario.spec.history
    if spec is None:
        remedy = "state there which rows are runs of which jobs, and what to fit"
        raise InputError([Problem(scenario.tree.place, "history", "is missing", remedy)])
    found: list[HistoryRun] = []
    problems: list[Problem] = []
    left: dict[str, int] = {}
    for row in jobs:
        mine = [name for name, job in spec.jobs.items() if matches(row, job.where)]
        if len(mine) > 1:
            message = f"'{row.id}' is a run of {' and '.join(mine)}"
            problems.append(Problem(row.place, "", message, "distinguish the jobs with 'where'"))
        why = _left_out(row, spec.jobs[mine[0]]) if mine else "runs of no job of the scenario"
        if why:
            left[why] = left.get(why, 0) + 1
            continue
        try:
            changed = scenario.with_({address: value_of(row, text) for address, text in spec.jobs[mine[0]].set.items()})
        except InputError as error:
            problems += [
                Problem(row.place, p.address, f"with '{row.id}', {p.message}", p.remedy) for p in error.problems
            ]
            continue
        found.append(HistoryRun(row, mine[0], changed, row.elapsed_s or 0.0))
    if hold_out == "later":
        problems += [
            Problem(run.row.place, "", f"'{run.row.id}' has no start", "hold back a random half: --hold-out random")
            for run in found
            if run.row.start is None
        ]
    if not found and not problems:
        place = jobs[0].place if jobs else Place("--history")
        problems.append(Problem(place, "", "no row is a run of a job of the scenario", "see 'history.jobs' in it"))
    if problems:
        raise InputError(problems)
    notes = [f"{count} of {len(jobs)} rows left out: {why}" for why, count in left.items()]
    return _halved(found, hold_out, seed), notes


def matches(row: FinishedJob, where: Mapping[str, Sequence[str]]) -> bool:
    """Whether a row has one of the words in each of these columns."""
    return all(str(getattr(row, column)) in words for column, words in where.items())


def _left_out(row: FinishedJob, job: HistoryJob) -> str:
    """Why a row is no measurement of its job; empty if it is."""
    if row.status == FAILED:
        return "failed"
    if not row.elapsed_s:
        return "no time stated"
    missing = [column for text in job.set.values() for column in columns_of(text) if not row.number(column)]
    return f"no {', '.join(dict.fromkeys(missing))} stated" if missing else ""


def _halved(runs: Sequence[HistoryRun], hold_out: HoldOut, seed: int) -> list[HistoryRun]:
    """The runs, of each job a half held back; of an odd number, the smaller part."""
    held: set[str] = set()
    for job in dict.fromkeys(run.job for run in runs):
        own = [run for run in runs if run.job == job]
        if hold_out == "random":
            own.sort(key=lambda run: hashlib.sha256(f"{seed} {run.row.id}".encode()).hexdigest())
        elif hold_out == "later":
            own.sort(key=lambda run: run.row.start.timestamp() if run.row.start else math.inf)
        if hold_out != "none":
            held |= {run.row.id for run in own[(len(own) + 1) // 2 :]}
    return [HistoryRun(r.row, r.job, r.scenario, r.measured, r.row.id in held) for r in runs]
