"""Least squares over the logarithms of constants, each inside its plausible range, and what measured rows leave open.

The latter is the update of a linear model with normal errors: the logarithm of a row is the sum of the slopes of
constants and inputs, times how far these are from their best estimates, plus noise. Before the rows, a constant lies
anywhere in its plausible range, and an input in its own range.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from simbackup.equations.uncertainty import SCORE
from simbackup.errors import SimbackupError

STEP = 0.03
"""Relative change of a constant over which slopes are taken: the position on the passes of a tape makes them uneven."""
NEAR = 1e-5
"""Step of the logarithms, as a share of them, below which a search ends: finer than any figure that is written."""
TRIED = 9
"""Places tried before a search if nothing moves in the middle of the range."""
UNIFORM = 3.0
"""Square of half a range over the variance of a value that is uniform in it."""

Misfit = Callable[[Sequence[float]], list[float]]
"""The residuals of all rows as a function of the logarithms of the constants."""
Range = tuple[float, float]


def least_squares(misfit: Misfit, plausible: Sequence[Range], start: Sequence[float] | None = None) -> list[float]:
    """The constants whose residuals have the least sum of squares.

    Parameters
    ----------
    misfit
        Residuals, row by row, by the logarithms of the constants.
    plausible
        The lowest and the highest value of each constant, above 0.
    start
        Where to begin; in the middle of the logarithms of the ranges unless given.

    Raises
    ------
    SimbackupError
        scipy is not installed.

    >>> [round(value, 3) for value in least_squares(lambda x: [x[0] - math.log(2.0)], [(1.0, 10.0)])]
    [2.0]
    """
    try:
        solve = cast("Any", import_module("scipy.optimize")).least_squares
    except ImportError:
        raise SimbackupError("calibration needs scipy; install simbackup[fit]") from None
    low, high = ([math.log(ends[side]) for ends in plausible] for side in (0, 1))
    if start is None:
        begin = [(a + b) / 2.0 for a, b in zip(low, high, strict=True)]
    else:
        begin = [min(max(math.log(x), a), b) for x, a, b in zip(start, low, high, strict=True)]

    if start is None and not _moves(misfit, begin, plausible):
        moving = [x for x in _grid(low, high) if _moves(misfit, x, plausible)]
        begin = min(moving, key=lambda x: sum(each * each for each in misfit(x)), default=begin)

    def residuals(x: Sequence[float]) -> list[float]:
        return misfit([float(each) for each in x])

    def jacobian(x: Sequence[float]) -> list[list[float]]:
        return slopes(misfit, [float(each) for each in x], plausible)

    found = solve(residuals, begin, jac=jacobian, bounds=(low, high), xtol=NEAR)
    return [math.exp(float(each)) for each in found.x]


def _moves(misfit: Misfit, logarithms: Sequence[float], plausible: Sequence[Range]) -> bool:
    """Whether any constant moves any row there: where none does, a search ends before it has begun."""
    return any(any(row) for row in slopes(misfit, logarithms, plausible))


def _grid(low: Sequence[float], high: Sequence[float]) -> list[list[float]]:
    """Places from near the low ends of all ranges to near the high ones."""
    shares = [(n + 0.5) / TRIED for n in range(TRIED)]
    return [[a + share * (b - a) for a, b in zip(low, high, strict=True)] for share in shares]


def slopes(misfit: Misfit, logarithms: Sequence[float], plausible: Sequence[Range]) -> list[list[float]]:
    """The residuals' derivatives by the logarithms of the constants, row by row, inside the plausible ranges."""
    columns: list[list[float]] = []
    for i, (low, high) in enumerate(plausible):
        right = min(logarithms[i] + STEP, math.log(high))
        left = max(logarithms[i] - STEP, math.log(low))
        above, below = (misfit([*logarithms[:i], x, *logarithms[i + 1 :]]) for x in (right, left))
        columns.append([(a - b) / (right - left) for a, b in zip(above, below, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

NARROWED = 0.95
"""The share of its standard deviation from which on an input counts as no better known than before."""
LEAST = 1e-3
"""The least noise of a row, as a share of it."""
LEAST_CORRELATION = 0.1
"""Correlation below which an input is left out: it makes 1 % of the variance."""


@dataclass(frozen=True, slots=True)
class Known:
    """A constant after the rows: the standard deviation of its logarithm, and its correlations with inputs by name."""

    deviation: float
    correlations: dict[str, float]


@dataclass(frozen=True, slots=True)
class Posterior:
    """The constants after the rows, and the share of its standard deviation that each better known input keeps."""

    constants: tuple[Known, ...]
    narrowed: dict[str, float]


def moved_by(low: Sequence[float], high: Sequence[float]) -> list[float]:
    """How far rows move with a standard deviation of an input, from where they are at the two ends of its range."""
    return [(after - before) / 2.0 / SCORE for before, after in zip(low, high, strict=True)]


def posterior(
    slopes: Sequence[Sequence[float]], plausible: Sequence[Range], moves: dict[str, list[float]],
    noise: Sequence[float],
) -> Posterior:  # fmt: skip
    """What rows leave open of constants and inputs.

    Parameters
    ----------
    slopes
        Of each row its derivatives by the logarithms of the constants.
    plausible
        The lowest and the highest value of each constant, above 0.
    moves
        By the name of each input, how far each row moves with a standard deviation of it.
    noise
        Standard deviation of the logarithm of each row.

    >>> found = posterior([[1.0]], [(0.01, 100.0)], {"size": [0.3]}, [0.01])
    >>> round(found.constants[0].deviation, 2), found.constants[0].correlations, found.narrowed
    (0.3, {'size': -1.0}, {})
    >>> posterior([[1.0]], [(0.9, 1.1)], {"size": [0.3]}, [0.01]).narrowed
    {'size': 0.19}
    """
    import numpy as np  # noqa: PLC0415 (numpy costs start-up time)

    count, names = len(plausible), list(moves)
    before = [math.log(high / low) / 2.0 / math.sqrt(UNIFORM) for low, high in plausible]
    both = np.hstack([np.array(slopes), np.array([moves[name] for name in names]).reshape(len(names), len(slopes)).T])
    weighted = both / np.maximum(np.array(noise), LEAST)[:, None]
    prior = np.diag([*(deviation**-2 for deviation in before), *[1.0] * len(names)])
    left = np.linalg.inv(weighted.T @ weighted + prior)
    deviations = [math.sqrt(float(variance)) for variance in np.diag(left)]
    constants = tuple(
        Known(
            deviations[i],
            _kept({
                name: float(left[i, count + n]) / deviations[i] / deviations[count + n] for n, name in enumerate(names)
            }),
        )
        for i in range(count)
    )  # fmt: skip
    kept = {name: round(deviations[count + n], 2) for n, name in enumerate(names)}
    return Posterior(constants, {name: share for name, share in kept.items() if share < NARROWED})


def _kept(correlations: dict[str, float]) -> dict[str, float]:
    """The correlations that matter, as they are written."""
    found = {name: round(each, 2) for name, each in correlations.items()}
    return {name: each for name, each in found.items() if abs(each) >= LEAST_CORRELATION}
