"""Constants of a scenario fitted to a history of its jobs, and the jobs that were held back predicted with them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Literal

from simbackup import units
from simbackup.equations.intervals import student_quantile
from simbackup.equations.uncertainty import LEVEL, SCORE
from simbackup.errors import InputError, Place, Problem, SimbackupError
from simbackup.experiments.calibrate import Fitted, is_of, rounded, uncertainty_of
from simbackup.experiments.fits import check_home, plausible_range, unit_of, write_fitted, wrong_constant
from simbackup.experiments.identifiability import Separability, separability_of
from simbackup.experiments.least_squares import LEAST, least_squares, moved_by, posterior, slopes
from simbackup.foreign.histories.finished_job import FAILED, FinishedJob, columns_of, value_of
from simbackup.results.tabled import Tabled
from simbackup.run import ran
from simbackup.scenario import Scenario, load
from simbackup.scenario.files import find
from simbackup.schema.study import Fit, HistoryJob
from simbackup.uncertainty.inputs import Use, inputs

if TYPE_CHECKING:
    import pandas as pd


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


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A job of a history, with its simulation."""

    id: str
    """The name of its row."""
    job: str
    """The job of the scenario."""
    held_out: bool
    """Whether constants were fitted without it."""
    measured: float
    """Its seconds."""
    simulated: float
    """Its simulated seconds."""
    low: float
    """Lower end of the 90 % interval of the prediction, seconds."""
    high: float
    """Upper end, seconds."""

    @property
    def error(self) -> float:
        """Relative error of the simulated time, with its sign."""
        return self.simulated / self.measured - 1.0

    @property
    def inside(self) -> bool:
        """Whether the measured time is in the interval."""
        return self.low <= self.measured <= self.high


class HistoryProblem:
    """Runs of jobs, the constants to fit, and the misfit as a function of their logarithms."""

    def __init__(self, runs: Sequence[HistoryRun], constants: Sequence[Fit], seed: int) -> None:
        self.runs = runs
        self.constants = constants
        self.seed = seed
        self.units = [unit_of(fit) for fit in constants]
        self.plausible = [plausible_range(fit) for fit in constants]

    def simulated(self, run: HistoryRun, logarithms: Sequence[float], factors: Mapping[str, float]) -> float:
        """Seconds of one run with the constants (their logarithms), and with other values multiplied by factors.

        Raises
        ------
        SimbackupError
            The simulated job fails, so that it has no time.
        """
        changed = dict(factors)
        for fit, logarithm in zip(self.constants, logarithms, strict=True):
            for value in run.scenario.values:
                if is_of(fit, value):
                    changed[value.address] = math.exp(logarithm) / value.given.si
        result = ran(run.scenario.scaled(changed), seed=self.seed)
        row = next(row for row in result.job_rows if row["job"] == run.job)
        if row["status"] not in {"done", "late"}:
            why = f": {row['reason']}" if row["reason"] else ""
            raise SimbackupError(f"with '{run.row.id}', the simulated job '{run.job}' is {row['status']}{why}")
        return float(result.get(run.address))

    def misfit(self, logarithms: Sequence[float]) -> list[float]:
        """Logarithms of simulated over measured, run by run."""
        return self.moved(logarithms, {})

    def moved(self, logarithms: Sequence[float], factors: Mapping[str, Mapping[str, float]]) -> list[float]:
        """The same with other values multiplied by factors, by the id of the run and address."""
        return [
            math.log(self.simulated(run, logarithms, factors.get(run.row.id, {})) / run.measured) for run in self.runs
        ]

    def begin(self) -> list[float]:
        """The constants as the datasheets have them."""
        return [
            next(value.given.si for value in self.runs[0].scenario.values if is_of(fit, value))
            for fit in self.constants
        ]

    def assumed(self) -> dict[str, tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]]:
        """The factors that move each input that is not fitted to the lower and to the upper end, by its origin."""
        scenarios = {run.row.id: run.scenario for run in self.runs}
        found: dict[str, tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]] = {}
        for one in inputs(scenarios):
            uses = [use for use in one.uses if isinstance(use, Use) and use.low > 0.0 and use.best > 0.0]
            if uses and not any(self._fits(scenarios[use.scenario], use.address) for use in uses):
                sides: tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]] = ({}, {})
                for use in uses:
                    for side, end in zip(sides, (use.low, use.high), strict=True):
                        side.setdefault(use.scenario, {})[use.address] = end / use.best
                found[one.origin] = sides
        return found

    def _fits(self, scenario: Scenario, address: str) -> bool:
        """Whether a value is one of the constants."""
        return any(is_of(fit, value) for value in scenario.values if value.address == address for fit in self.constants)


@dataclass(frozen=True)
class Solution:
    """The constants that fit best."""

    constants: list[Fitted]
    """The constants with their uncertainty."""
    apart: Separability
    """Which of them the rows determine separately."""
    logarithms: list[float]
    """Their natural logarithms."""
    scatter: float
    """Relative standard deviation of runs from the fit."""
    covariance: Matrix
    """Covariance of the logarithms."""
    spare: int
    """Number of rows minus number of constants."""


def solved(problem: HistoryProblem) -> Solution:
    """The constants with the least misfit, as they will be written, and how sure they are."""
    import numpy as np  # noqa: PLC0415

    best = least_squares(problem.misfit, problem.plausible, problem.begin())
    best = [rounded(value) for value in best]
    logarithms = [math.log(value) for value in best]
    left = np.array(problem.misfit(logarithms))
    jacobian = np.array(slopes(problem.misfit, logarithms, problem.plausible))
    for fit, length in zip(problem.constants, np.linalg.norm(jacobian, axis=0), strict=True):
        if length == 0.0:
            raise SimbackupError(f"{fit.datasheet}#{fit.parameter} changes none of the jobs that are fitted to")
    spare = len(left) - len(best)
    scatter = math.sqrt(float(left @ left) / spare)
    moves = {
        name: moved_by(*(problem.moved(logarithms, side) for side in both)) for name, both in problem.assumed().items()
    }
    noise = [max(scatter, LEAST)] * len(left)
    known = posterior(jacobian.tolist(), problem.plausible, moves, noise)
    back = np.linalg.pinv(jacobian)
    covariance = back @ back.T * scatter**2
    ids = [run.row.id for run in problem.runs]
    single = scatter * student_quantile(spare, LEVEL) / SCORE
    constants = [
        replace(
            _fitted(problem, i, value, one.deviation, dict(zip(ids, map(float, left), strict=True))),
            correlations=one.correlations, scatter=single, narrowed=known.narrowed,
        )
        for i, (value, one) in enumerate(zip(best, known.constants, strict=True))
    ]  # fmt: skip
    names = [one.constant for one in constants]
    apart = separability_of(names, ids, jacobian, np.full(len(ids), max(scatter, LEAST)))
    return Solution(constants, apart, logarithms, scatter, covariance, spare)


def _fitted(problem: HistoryProblem, i: int, value: float, relative: float, errors: dict[str, float]) -> Fitted:
    """A constant with its uncertainty, which is at most that of being plausible."""
    uncertainty = uncertainty_of(value, relative, problem.plausible[i])
    value = units.parse(units.show(value, problem.units[i]), problem.units[i])
    return Fitted(problem.constants[i], problem.units[i], value, uncertainty, problem.plausible[i], errors)


def predicted(problem: HistoryProblem, found: Solution, runs: Sequence[HistoryRun]) -> list[HistoryRow]:
    """Runs beside their simulation with the fitted constants, each with the interval of one more such run."""
    import numpy as np  # noqa: PLC0415

    if not runs:
        return []
    here = HistoryProblem(runs, problem.constants, problem.seed)
    jacobian = np.array(slopes(here.misfit, found.logarithms, here.plausible))
    times = student_quantile(found.spare, LEVEL)  # as few rows estimate the scatter
    rows: list[HistoryRow] = []
    for run, error, slope in zip(runs, here.misfit(found.logarithms), jacobian, strict=True):
        deviation = math.sqrt(found.scatter**2 + float(slope @ found.covariance @ slope)) * times
        simulated = run.measured * math.exp(error)
        low, high = (simulated * math.exp(side * deviation) for side in (-1.0, 1.0))
        rows.append(HistoryRow(run.row.id, run.job, run.held_out, run.measured, simulated, low, high))
    return rows


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

        rows = [{**asdict(row), "error": row.error, "inside": row.inside} for row in self.rows]
        return pd.DataFrame(rows).set_index("id")


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
