"""What measured rows leave open of fitted constants and of the inputs beside them, together.

The update of a linear model with normal errors: the logarithm of a row is the sum of the slopes of constants and
inputs, times how far these are from their best estimates, plus noise. Before the rows, a constant lies anywhere in its
plausible range, and an input in its own range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup.equations.uncertainty import SCORE
from simbackup.experiments.least_squares import UNIFORM, Range

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
