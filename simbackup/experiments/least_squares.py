"""Least squares over the logarithms of constants, each inside its plausible range."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, cast

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
