"""Fits of physical constants to measured rows, written back into their datasheets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

from simbackup import units
from simbackup.equations.uncertainty import SCORE
from simbackup.errors import SimbackupError
from simbackup.experiments.fits import CALIBRATION, plausible_range, read_fits, unit_of, write_fitted
from simbackup.experiments.least_squares import UNIFORM, least_squares, moved_by, posterior, slopes
from simbackup.experiments.reproduce import chosen, scenarios_of
from simbackup.results.compare import figure
from simbackup.results.tabled import Answer, interval_table
from simbackup.run import ran
from simbackup.scenario import Scenario, Value
from simbackup.schema.measured import Measured, Measurement
from simbackup.schema.study import Fit
from simbackup.uncertainty.inputs import Input, inputs, reached

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.plots.style import Chart

DIGITS = 4
AT_BOUND = 1e-3
"""Relative distance from an end of the plausible range within which a fit counts as at this end."""
ROUNDS = 10
"""Greatest number of rounds over all constants."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A constant after its fit, in SI units."""

    fit: Fit
    """The constant, and the rows that it was fitted to."""
    unit: str
    """Its dimension."""
    value: float
    """Its value."""
    uncertainty: float
    """Its standard uncertainty."""
    plausible: tuple[float, float]
    """Its physically plausible range."""
    errors: dict[str, float]
    """Logarithm of simulated over measured, by row."""
    correlations: dict[str, float] = field(default_factory=dict[str, float])
    """Correlations (-1 to 1) with uncertain inputs, by their places."""
    scatter: float | None = None
    """Relative standard deviation of single runs from the fit; None if it was fitted to measured rows."""
    narrowed: dict[str, float] = field(default_factory=dict[str, float])
    """Share (0 to 1) of the standard deviation that the fit leaves to uncertain inputs, by their names."""

    @property
    def constant(self) -> str:
        """Its place: `kind/name#parameter`."""
        return f"{self.fit.datasheet}#{self.fit.parameter}"

    @property
    def bound(self) -> float | None:
        """The end of the plausible range at which the fit stopped, in SI units; None if it is inside."""
        near = (end for end in self.plausible if abs(math.log(self.value / end)) < AT_BOUND)
        return next(near, None)

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of its 90 % interval, within the plausible range."""
        half, (least, most) = SCORE * self.uncertainty, self.plausible
        return max(least, self.value - half), min(most, self.value + half)

    @property
    def text(self) -> str:
        """Its value as in a datasheet."""
        return units.show(self.value, self.unit)


@dataclass(frozen=True, slots=True)
class Calibration(Answer, Sequence[Fitted]):
    """The constants of a document after their fit, in the order of its file."""

    document: str
    constants: tuple[Fitted, ...]

    @overload
    def __getitem__(self, at: int) -> Fitted: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Fitted]: ...
    def __getitem__(self, at: int | slice) -> Fitted | Sequence[Fitted]:
        return self.constants[at]

    def __len__(self) -> int:
        return len(self.constants)

    @property
    def frame(self) -> pd.DataFrame:
        """The main table: each constant with its value and standard uncertainty in SI units, and its rows."""
        import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

        return pd.DataFrame(
            [
                {
                    "constant": one.constant, "value": one.value, "uncertainty": one.uncertainty, "unit": one.unit,
                    "low": one.plausible[0], "high": one.plausible[1], "rows": ", ".join(one.errors),
                    "worst_error": max(map(abs, one.errors.values()), default=math.nan),
                }
                for one in self.constants
            ]
        ).set_index("constant")  # fmt: skip

    @property
    def intervals(self) -> pd.DataFrame:
        """Table of the 90 % intervals of the constants, in SI units; they stay within the plausible ranges."""
        return interval_table((one.constant, one.value, *one.ends, one.unit) for one in self)

    @property
    def warnings(self) -> list[str]:
        """Constants whose fit stopped at an end of the plausible range."""
        return [f"{one.constant} stopped at an end of its plausible range" for one in self if one.bound is not None]

    def figure(self) -> Chart:
        """The main picture: each constant with its interval, in its plausible range."""
        from simbackup.plots.reproduction import constants  # noqa: PLC0415 (matplotlib is an extra)

        return constants(self)

    @property
    def headline(self) -> str:
        """How many constants were fitted, in a sentence."""
        many, at_end = len(self), sum(one.bound is not None for one in self)
        ends = f", {at_end} of them at an end of their ranges" if at_end else ""
        return f"{self.document}: {many} constant{'s' * (many != 1)} fitted{ends}"


def calibrate(name: str, *, write: bool = True, seed: int = 0) -> Calibration:
    """The constants of a document, fitted to its rows by least squares of the logarithms of simulated over measured.

    The rows also say something of the other uncertain values. What they leave open of all of these together is the
    posterior of a linear model, see `posterior`: the uncertainty of the constant, its correlations with the values for
    which it makes up, and by how much these are better known than before. The noise of a row is what the residuals
    leave (where there are more rows than constants) and the digits that it is printed with.

    Parameters
    ----------
    name
        The beginning of the name of the document's folder; or a folder of your own.
    write
        Whether to write value, uncertainty and rows into the datasheets: those of the document's own root (see
        `shelf.roots`), where a datasheet from elsewhere is copied to.
    seed
        Seed of all runs: the same draws for each, so that differences are those of the constants.

    Raises
    ------
    InputError
        There is no such document, or its calibration file is wrong.
    SimbackupError
        A constant changes none of its rows, or a simulated figure is not above 0.
    """
    measured = chosen([name])[0]
    fits = read_fits(measured.folder / CALIBRATION)
    values: dict[Fit, str] = {}
    for _ in range(ROUNDS):  # constants that share scenarios change each other; repeat until none changes
        before = dict(values)
        for fit in fits:
            problem = FitProblem(measured, fit, _without(values, fit), seed)
            values[fit] = units.show(rounded(problem.best({})), problem.unit)
        if values == before:
            break
    done = [_fit(FitProblem(measured, fit, _without(values, fit), seed), values[fit]) for fit in fits]
    if write:
        write_fitted(done, measured.folder)
    return Calibration(measured.folder.name, tuple(done))


def _without(values: Mapping[Fit, str], fit: Fit) -> dict[Fit, str]:
    """The values that the other constants have so far."""
    return {other: text for other, text in values.items() if other is not fit}


def _fit(problem: FitProblem, text: str) -> Fitted:
    """The constant with the value that was found, its uncertainty, and its correlations."""
    fit = problem.fit
    value = units.parse(text, problem.unit)
    left = problem.residuals(math.log(value), {})
    slopes = problem.slopes(math.log(value), {})
    square = sum(slope * slope for slope in slopes)
    if square == 0.0:
        raise SimbackupError(f"{fit.datasheet}#{fit.parameter} changes none of the rows {', '.join(fit.rows)}")
    spare = len(fit.rows) - 1
    scatter = sum(e * e for e in left) / spare if spare else 0.0
    noise = [math.sqrt(scatter + (row.resolution / row.value) ** 2 / UNIFORM) for row in problem.rows]
    others = [one for one in inputs(problem.scenarios) if not problem.fits(one)]
    moves = {
        one.origin: moved_by(*(problem.residuals(math.log(value), problem.moved(one, side)) for side in (0, 1)))
        for one in others
    }
    found = posterior([[slope] for slope in slopes], [problem.plausible], moves, noise)
    [known], fitted = found.constants, problem.fitted_inputs()
    return Fitted(
        fit, problem.unit, value, uncertainty_of(value, known.deviation, problem.plausible),
        problem.plausible, dict(zip(fit.rows, left, strict=True)), known.correlations,
        narrowed={name: share for name, share in found.narrowed.items() if name not in fitted},
    )  # fmt: skip


def uncertainty_of(value: float, deviation: float, plausible: tuple[float, float]) -> float:
    """The standard uncertainty of a constant from that of its logarithm: it is at least known to be plausible."""
    anywhere = (plausible[1] - plausible[0]) / 2.0 / math.sqrt(UNIFORM)
    return rounded(min(value * deviation, anywhere), 2)


Changes = Mapping[str, Mapping[str, str]]


class FitProblem:
    """One constant, the scenarios of its rows, and the misfit as a function of its logarithm."""

    def __init__(self, measured: Measured, fit: Fit, others: Mapping[Fit, str], seed: int = 0) -> None:
        rows = {m.id: m for m in measured.rows}
        self.fit = fit
        self.seed = seed
        self.rows = [rows[row] for row in fit.rows]
        used = {file for m in self.rows for file, _ in m.addresses}
        self.scenarios: dict[str, Scenario] = {
            file: _with_fitted(scenario, others) for file, scenario in scenarios_of(measured).items() if file in used
        }
        self.addresses = {
            file: [value.address for value in scenario.values if is_of(fit, value)]
            for file, scenario in self.scenarios.items()
        }
        self.unit = unit_of(fit)
        self.plausible = plausible_range(fit)

    def fits(self, one: Input) -> bool:
        """Whether an uncertain input is the constant itself."""
        return all(address in self.addresses[file] for file, address in one.at)

    def fitted_inputs(self) -> set[str]:
        """The origins of inputs that are fitted themselves: their own rows say how well they are known."""
        fitted = {
            (file, value.address)
            for file, scenario in self.scenarios.items()
            for value in scenario.values
            if value.given.uncertainty
        }
        return {one.origin for one in inputs(self.scenarios) if fitted.intersection(one.at)}

    def moved(self, one: Input, side: int) -> Changes:
        """The overrides that move an uncertain input to one end of its range, as far as checks allow."""
        return {
            file: reached(self.scenarios[file], [address for there, address in one.at if there == file], side)
            for file in dict.fromkeys(file for file, _ in one.at)
        }

    def residuals(self, logarithm: float, changes: Changes) -> list[float]:
        """Logarithms of simulated over measured, row by row."""
        text = units.show(math.exp(logarithm), self.unit)
        results = {
            file: ran(
                scenario.with_({**changes.get(file, {}), **dict.fromkeys(self.addresses[file], text)}), seed=self.seed
            )
            for file, scenario in self.scenarios.items()
        }
        return [_logarithm(row, figure(row, results)) for row in self.rows]

    @property
    def shipped(self) -> float:
        """The constant as the scenarios have it."""
        return next(
            value.given.si
            for scenario in self.scenarios.values()
            for value in scenario.values
            if is_of(self.fit, value)
        )

    def best(self, changes: Changes, start: float | None = None) -> float:
        """The constant that fits the rows best; the search starts in the middle of its range by default."""
        begin = None if start is None else [start]
        return least_squares(lambda x: self.residuals(x[0], changes), [self.plausible], begin)[0]

    def slopes(self, logarithm: float, changes: Changes) -> list[float]:
        """The residuals' derivatives by the logarithm of the constant, row by row, inside the plausible range."""
        found = slopes(lambda x: self.residuals(x[0], changes), [logarithm], [self.plausible])
        return [row[0] for row in found]


def _logarithm(row: Measurement, simulated: float) -> float:
    """The logarithm of simulated over measured."""
    if simulated <= 0.0:
        message = "the simulated figure is not above 0, so nothing can be fitted to it"
        raise SimbackupError(f"{row.place}: {row.id}: {message}")
    return math.log(simulated / row.value)


def is_of(fit: Fit, value: Value) -> bool:
    """Whether a value of a scenario is the constant that is fitted."""
    return value.place.file == f"models/{fit.datasheet}.yaml" and value.address.endswith(f".{fit.parameter}")


def _with_fitted(scenario: Scenario, fitted: Mapping[Fit, str]) -> Scenario:
    """The scenario with the values that constants have so far."""
    found = {value.address: text for fit, text in fitted.items() for value in scenario.values if is_of(fit, value)}
    return scenario.with_(found) if found else scenario


def rounded(value: float, digits: int = DIGITS) -> float:
    """A value with as many significant digits as are worth writing."""
    return float(f"{value:.{digits}g}")
