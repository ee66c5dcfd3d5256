"""How well a fit predicts each of its own rows from the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from statistics import median
from typing import TYPE_CHECKING

from simbackup.experiments.calibrate import FitProblem
from simbackup.experiments.fits import CALIBRATION, read_fits
from simbackup.experiments.reproduce import chosen
from simbackup.results.tabled import Tabled
from simbackup.schema.measured import Measured
from simbackup.schema.study import Fit

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A row of a fit, predicted by a fit to the other rows."""

    document: str
    """The document."""
    constant: str
    """The constant."""
    row: str
    """The row."""
    value: float
    """The constant from the other rows, in SI units."""
    unit: str
    """Its dimension."""
    error: float
    """Relative error of the prediction."""


@dataclass(frozen=True, slots=True)
class CrossValidation(Tabled):
    """The rows that were left out in turn, and the constants of a single row, which have no such error."""

    left_out: list[LeftOut]
    single: list[tuple[str, str]]

    @property
    def frame(self) -> pd.DataFrame:
        """The main table: each row that was left out, the constant without it, and the error of its prediction."""
        import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

        names = [one.name for one in fields(LeftOut)]
        return pd.DataFrame([[getattr(one, name) for name in names] for one in self.left_out], columns=names)

    @property
    def headline(self) -> str:
        """How well rows are predicted from the others, in a sentence."""
        if not self.left_out:
            return "no constant was fitted to more than one row"
        error = 100.0 * median(abs(one.error) for one in self.left_out)
        return f"{len(self.left_out)} rows predicted from the others: median error {error:.1f} %"


def cross_validate(names: Sequence[str] = (), *, seed: int = 0) -> CrossValidation:
    """Each row of each fit predicted by the same fit to its other rows, for all documents or for those named.

    The other constants of the document stay as they are. All runs have the same seed.

    Raises
    ------
    InputError
        There is no such document, or a calibration file is wrong.
    """
    left_out: list[LeftOut] = []
    single: list[tuple[str, str]] = []
    for measured in chosen(names):
        path = measured.folder / CALIBRATION
        for fit in read_fits(path) if path.is_file() else ():
            constant = f"{fit.datasheet}#{fit.parameter}"
            if len(fit.rows) == 1:
                single.append((constant, fit.rows[0]))
            else:
                left_out += [_without(measured, fit, row, seed) for row in fit.rows]
    return CrossValidation(left_out, single)


def _without(measured: Measured, fit: Fit, row: str, seed: int) -> LeftOut:
    """One row, predicted by the fit to the others."""
    others = fit.model_copy(update={"rows": tuple(other for other in fit.rows if other != row)})
    problem = FitProblem(measured, others, {}, seed)
    value = problem.best({}, problem.shipped)  # all rows together gave that: one row fewer moves it little
    alone = FitProblem(measured, fit.model_copy(update={"rows": (row,)}), {}, seed)
    error = math.expm1(alone.residuals(math.log(value), {})[0])
    constant = f"{fit.datasheet}#{fit.parameter}"
    return LeftOut(measured.folder.name, constant, row, value, problem.unit, error)
