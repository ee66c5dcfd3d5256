"""The least-squares problem of a fit to past jobs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from simbackup import units
from simbackup.equations.uncertainty import LEVEL, SCORE
from simbackup.errors import SimbackupError
from simbackup.experiments.calibrate import Fitted, is_of, rounded, uncertainty_of
from simbackup.experiments.fits import plausible_range, unit_of
from simbackup.experiments.history_runs import HistoryRun
from simbackup.experiments.identifiability import Separability, separability_of
from simbackup.experiments.least_squares import least_squares, slopes
from simbackup.experiments.posterior import LEAST, moved_by, posterior
from simbackup.run import ran
from simbackup.scenario import Scenario
from simbackup.schema.calibration import Fit
from simbackup.uncertainty.inputs import Use, inputs

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

    @cached_property
    def times(self) -> float:
        """Standard deviations from the middle to the end of an interval, given how few rows estimate the scatter."""
        return student(self.spare)


def student(spare: int) -> float:
    """Standard deviations from the middle to the end of an interval, for so many degrees of freedom."""
    return float(cast("Any", import_module("scipy.stats")).t.ppf(0.5 + LEVEL / 2.0, spare))


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
    single = scatter * student(spare) / SCORE
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
    rows: list[HistoryRow] = []
    for run, error, slope in zip(runs, here.misfit(found.logarithms), jacobian, strict=True):
        deviation = math.sqrt(found.scatter**2 + float(slope @ found.covariance @ slope)) * found.times
        simulated = run.measured * math.exp(error)
        low, high = (simulated * math.exp(side * deviation) for side in (-1.0, 1.0))
        rows.append(HistoryRow(run.row.id, run.job, run.held_out, run.measured, simulated, low, high))
    return rows
