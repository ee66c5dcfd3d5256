"""How good a fit is: which constants the measured rows determine, and how well it predicts each row from the others."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from statistics import median
from typing import TYPE_CHECKING

from simbackup.experiments.calibrate import FitProblem, Fitted
from simbackup.experiments.fits import CALIBRATION, read_fits
from simbackup.experiments.least_squares import UNIFORM
from simbackup.experiments.reproduce import chosen
from simbackup.results.tabled import Tabled
from simbackup.schema.measured import Measured
from simbackup.schema.study import Fit

if TYPE_CHECKING:
    import pandas as pd


if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

NEAR_ONE = 0.95
"""Correlation from which two constants count as one: not knowing the other makes each three times as uncertain."""
NEAR_NULL = math.sqrt(1.0 - NEAR_ONE)
"""Singular value below which a direction counts as null, for a Jacobian with columns of length 1. Two constants of
correlation r have the singular values sqrt(1 - |r|) and sqrt(1 + |r|): both thresholds agree for a pair."""
MEMBER = 0.3
"""Share in a null direction, whose squares sum to 1, from which a constant belongs to it."""
SEEN = 0.01
"""Change of a row, relative to that of the constant, above which the constant affects it."""
FINEST = 1e-3
"""Least relative uncertainty of a row, whatever its printed digits."""
RIDGE = 1e-9
"""Least square of a singular value that is divided by, so that what is not determined at all has a correlation of 1."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two constants that both affect some rows, the correlation of their errors, and those rows."""

    constants: tuple[str, str]
    correlation: float
    rows: tuple[str, ...]

    @property
    def identifiable(self) -> bool:
        """Whether both are identifiable from the rows."""
        return abs(self.correlation) < NEAR_ONE


@dataclass(frozen=True, slots=True)
class Combination:
    """Constants that can change together by these powers with hardly any effect on the rows, and that effect."""

    powers: dict[str, float]
    singular_value: float


@dataclass(frozen=True, slots=True)
class Separability(Tabled):
    """Which fitted constants the rows determine separately."""

    pairs: tuple[Pair, ...]
    """Pairs of constants that share rows."""
    groups: tuple[Combination, ...]
    """Groups of constants that are not identifiable."""
    inflations: dict[str, float]
    """Factor by which each constant is more uncertain because the others are uncertain."""
    single: tuple[tuple[str, str], ...] = ()
    """Constants that were fitted to a single row."""

    @property
    def frame(self) -> pd.DataFrame:
        """The main table: pairs of constants, the correlation of their errors, and whether both are identifiable."""
        import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

        rows = [(*pair.constants, pair.correlation, pair.identifiable) for pair in self.pairs]
        return pd.DataFrame(rows, columns=["constant", "other", "correlation", "identifiable"])

    @property
    def headline(self) -> str:
        """How many pairs of constants are identifiable, in a sentence."""
        apart = sum(pair.identifiable for pair in self.pairs)
        return f"{apart} of {len(self.pairs)} pairs of constants are identifiable"


def separability(name: str, found: Sequence[Fitted], *, seed: int = 0) -> Separability:
    """Which constants of a document are identifiable from its rows, at their fitted values.

    The Jacobian has the derivatives of the logarithms of simulated over measured, each divided by the row's own
    uncertainty, by the logarithms of all constants. Its rows are all those to which any of the constants was fitted.
    If C is its inverse normal matrix, the correlation of two constants is C_ij / sqrt(C_ii C_jj) with all others free.

    Parameters
    ----------
    name
        The document.
    found
        Its constants as `calibrate` found them.
    seed
        Seed of all runs: the same draws for each, so that differences are those of the constants.
    """
    import numpy as np  # noqa: PLC0415 (numpy costs start-up time)

    measured = chosen([name])[0]
    rows = [m for m in measured.rows if any(m.id in one.fit.rows for one in found)]
    ids = tuple(m.id for m in rows)
    texts = {one.fit: one.text for one in found}
    columns: list[list[float]] = []
    for one in found:
        others = {fit: text for fit, text in texts.items() if fit is not one.fit}
        problem = FitProblem(measured, one.fit.model_copy(update={"rows": ids}), others, seed)
        columns.append(problem.slopes(math.log(one.value), {}))
    left = {row: error for one in found for row, error in one.errors.items()}
    spare = len(rows) - len(found)
    scatter = sum(left[row] ** 2 for row in ids) / spare if spare > 0 else 0.0
    digits = [m.resolution / m.value if m.value else 0.0 for m in rows]
    sigmas = [math.sqrt(max(digit**2 / UNIFORM + scatter, FINEST**2)) for digit in digits]
    single = tuple((one.constant, one.fit.rows[0]) for one in found if len(one.fit.rows) == 1)
    slopes = np.transpose(np.array(columns))
    return replace(separability_of([one.constant for one in found], ids, slopes, np.array(sigmas)), single=single)


def separability_of(constants: Sequence[str], rows: Sequence[str], slopes: Matrix, sigmas: Matrix) -> Separability:
    """Which constants are identifiable from a Jacobian.

    Parameters
    ----------
    constants, rows
        Names of the columns and of the rows of the Jacobian.
    slopes
        Relative change of each row by that of each constant.
    sigmas
        Relative uncertainty of each row.

    >>> import numpy as np
    >>> found = separability_of(["a", "b"], ["r", "s"], np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([0.01, 0.01]))
    >>> round(found.pairs[0].correlation, 3), [round(abs(power), 2) for power in found.groups[0].powers.values()]
    (-1.0, [1.0, 1.0])
    """
    import numpy as np  # noqa: PLC0415

    weighted = slopes / sigmas[:, np.newaxis]
    lengths = np.linalg.norm(weighted, axis=0)
    moving = [i for i, length in enumerate(lengths) if length > 0.0]
    scaled = weighted[:, moving] / lengths[moving]
    count = len(moving)
    # A row of zeros for each constant more than there are rows gives the directions that nothing determines.
    padded = np.vstack([scaled, np.zeros((max(count - len(rows), 0), count))])
    _, values, directions = np.linalg.svd(padded, full_matrices=False)
    spread = (directions.T / np.maximum(values**2, RIDGE)) @ directions
    pairs: list[Pair] = []
    for a, b in itertools.combinations(range(count), 2):
        one, other = moving[a], moving[b]
        shared = [row for row, slope in zip(rows, slopes, strict=True) if min(abs(slope[[one, other]])) >= SEEN]
        if shared:
            correlation = float(spread[a, b] / math.sqrt(spread[a, a] * spread[b, b]))
            pairs.append(Pair((constants[one], constants[other]), correlation, tuple(shared)))
    groups = [
        _group([constants[i] for i in moving], direction / lengths[moving], direction, float(value))
        for value, direction in zip(values, directions, strict=True)
        if value < NEAR_NULL
    ]
    inflations = {constants[i]: math.sqrt(spread[k, k]) for k, i in enumerate(moving)}
    return Separability(tuple(pairs), tuple(groups), inflations)


def _group(constants: Sequence[str], changes: Matrix, shares: Matrix, value: float) -> Combination:
    """The constants of a null direction with the powers by which they change, the greatest of which is 1."""
    members = [i for i, share in enumerate(shares) if abs(share) >= MEMBER]
    greatest = max((changes[i] for i in members), key=abs)
    return Combination({constants[i]: float(changes[i] / greatest) for i in members}, value)


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
