"""Constants of a scenario fitted to a history of its jobs, and the jobs that were held back predicted with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from simbackup.errors import InputError, Problem, SimbackupError
from simbackup.experiments.calibrate import Fitted, is_of
from simbackup.experiments.fits import wrong_constant
from simbackup.experiments.fitted_sheet import check_home, write_fitted
from simbackup.experiments.history_problem import HistoryProblem, HistoryRow, predicted, solved
from simbackup.experiments.history_runs import HoldOut, history_runs
from simbackup.experiments.identifiability import Separability
from simbackup.foreign.histories.finished_job import FinishedJob
from simbackup.results.tabled import Tabled
from simbackup.scenario import Scenario, load
from simbackup.scenario.files import find
from simbackup.schema.calibration import Fit

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class HistorySummary:
    """The jobs of one kind in a fit."""

    job: str
    """The kind."""
    held_out: bool
    """Whether they were held out of the fit."""
    rows: int
    """Number of jobs."""
    median_error: float
    """Median absolute relative error."""
    worst_error: float
    """Greatest absolute relative error."""
    inside: int
    """Number of jobs inside their intervals."""


@dataclass(frozen=True)
class HistoryFit(Tabled):
    """The constants fitted to a job history, and how well they predict its jobs."""

    constants: tuple[Fitted, ...]
    """The fitted constants, with uncertainty."""
    apart: Separability
    """Which of them the history tells apart."""
    rows: tuple[HistoryRow, ...]
    scatter: float
    """Standard deviation of the logarithm of simulated over measured that the fit leaves: noise, and what the model
    leaves out."""
    notes: tuple[str, ...] = ()
    """What was left out of the history, and why."""

    @property
    def summaries(self) -> list[HistorySummary]:
        """The rows by job, fitted ones first."""
        found: list[HistorySummary] = []
        for job in dict.fromkeys(row.job for row in self.rows):
            for held_out in (False, True):
                own = [row for row in self.rows if row.job == job and row.held_out == held_out]
                if own:
                    errors = sorted(abs(row.error) for row in own)
                    inside = sum(row.inside for row in own)
                    found.append(HistorySummary(job, held_out, len(own), median(errors), errors[-1], inside))
        return found

    @property
    def headline(self) -> str:
        """How well the held-back jobs are predicted, in a sentence."""
        held = [row for row in self.rows if row.held_out]
        if not held:
            return f"{len(self.rows)} jobs, none of them held back"
        error, inside = 100.0 * median(abs(row.error) for row in held), sum(row.inside for row in held)
        return f"{len(held)} jobs held back: median error {error:.1f} %, {inside} inside their intervals"

    @property
    def frame(self) -> pd.DataFrame:
        """The main table, by job: times in seconds, relative error, whether held out, whether inside its interval."""
        import pandas as pd  # noqa: PLC0415

        return pd.DataFrame(
            [
                {
                    "id": row.id, "job": row.job, "held_out": row.held_out, "measured": row.measured,
                    "simulated": row.simulated, "low": row.low, "high": row.high, "error": row.error,
                    "inside": row.inside,
                }
                for row in self.rows
            ]
        ).set_index("id")  # fmt: skip


def fit_history(
    scenario: str, jobs: Sequence[FinishedJob], *, hold_out: HoldOut = "random", write: bool = True, seed: int = 0
) -> HistoryFit:
    """The constants that a scenario's `history:` names, fitted together to jobs that ran.

    Least squares of the logarithms of simulated over measured times, over all jobs that are not held back. The
    uncertainty of a constant is what these residuals leave, with all others free, and how far the fit would move when
    each assumed value moves over its range. An interval of a job adds the scatter of the residuals to what the
    constants leave, by Student's t; it does not cover jobs that differ from all fitted ones.

    Parameters
    ----------
    scenario
        Path or name of a scenario with `history:`.
    jobs
        The history, see `read_history`.
    hold_out
        Which half of the jobs is predicted and not fitted to: a repeatable `random` one, the `later` one, or `none`.
    write
        Whether to write value, uncertainty and ids of the jobs into the datasheets, as `calibrate` does.
    seed
        Seed of the random half, and of all runs.

    Raises
    ------
    InputError
        The scenario has no history or is wrong, a row of it is, or a datasheet has no such constant.
    SimbackupError
        There are not more jobs than constants, or a constant changes none of them.
    """
    loaded = load(scenario)
    runs, notes = history_runs(loaded, jobs, hold_out, seed)
    fitted = [run for run in runs if not run.held_out]
    constants = _constants(loaded, [run.row.id for run in fitted])
    if len(fitted) <= len(constants):
        message = f"{len(fitted)} jobs cannot determine {len(constants)} constants and their scatter"
        raise SimbackupError(f"{message}; give a longer history, hold back less, or fit fewer constants")
    home = find(scenario).parent
    if write:
        check_home([fit.datasheet for fit in constants], home)
    problem = HistoryProblem(fitted, constants, seed)
    found = solved(problem)
    if write:
        write_fitted(found.constants, home)
    rows = [*predicted(problem, found, fitted), *predicted(problem, found, [run for run in runs if run.held_out])]
    return HistoryFit(tuple(found.constants), found.apart, tuple(rows), found.scatter, tuple(notes))


def _constants(scenario: Scenario, ids: Sequence[str]) -> list[Fit]:
    """The constants to fit, checked, with the ids of the jobs as their rows."""
    spec, found, problems = scenario.spec.history, list[Fit](), list[Problem]()
    if spec is not None and not spec.fit:
        place = scenario.tree.find(("history",))[0].place
        problems = [Problem(place, "history.fit", "is missing", "name the constants that are fitted to these runs")]
    for name, constant in spec.fit.items() if spec is not None else ():
        fit = Fit(**constant.model_dump(), rows=tuple(ids))
        node = scenario.tree.find(("history", "fit", name))[0]
        wrong = list(wrong_constant(fit, node, f"history.fit.{name}"))
        if not wrong and not any(is_of(fit, value) for value in scenario.values):
            message = f"the scenario does not use '{fit.parameter}' of '{fit.datasheet}'"
            wrong = [Problem(node.place, f"history.fit.{name}", message, "fit what its jobs depend on")]
        problems += wrong
        found.append(fit)
    if problems:
        raise InputError(problems)
    return found
