"""Sobol' indices: the share of the variance of a figure that comes from each input, alone and with all others.

Saltelli et al., "Variance based sensitivity analysis of model output", Computer Physics Communications 181, 2010, as
`scipy.stats.sobol_indices` computes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from simbackup.errors import ResultError
from simbackup.randomness import generator
from simbackup.uncertainty.screening import Unit


class SobolIndex(NamedTuple):
    """The Sobol' indices of an input."""

    first: float
    """Share (0 to 1) of the variance that is due to the input alone."""
    total: float
    """Share (0 to 1) in which it takes part."""


class SobolDesign(NamedTuple):
    """The points at which a figure is needed for Sobol' indices."""

    one: list[Unit]
    """The first sample."""
    other: list[Unit]
    """The second sample."""
    mixed: list[list[Unit]]
    """For each input, the first sample with this input from the second."""

    @property
    def places(self) -> list[Unit]:
        """All places, in the order in which `indices` takes their values."""
        return [*self.one, *self.other, *(place for each in self.mixed for place in each)]


def design(count: int, inputs: int, seed: int) -> SobolDesign:
    """Where a figure is needed for the indices of so many inputs.

    Parameters
    ----------
    count
        Places of each sample, a power of two: Sobol' sequences are balanced over such numbers.
    inputs
        How many there are, at least one.
    seed
        Seed of the scrambling of the sequence.

    Raises
    ------
    ResultError
        SciPy is not installed.

    >>> len(design(8, 3, 0).places) == 8 * (3 + 2)
    True
    """
    sequence = _scipy("scipy.stats.qmc").Sobol(2 * inputs, scramble=True, seed=generator(seed, "sobol"))
    both: list[list[float]] = sequence.random(count).tolist()
    one, other = ([tuple(row[part]) for row in both] for part in (slice(inputs), slice(inputs, None)))
    mixed = [
        [(*a[:i], b[i], *a[i + 1 :]) for a, b in zip(one, other, strict=True)] for i in range(inputs)
    ]  # fmt: skip
    return SobolDesign(one, other, mixed)


def indices(asked: SobolDesign, values: Sequence[float]) -> list[SobolIndex]:
    """The indices of each input from the values of a figure at all places of a design; all 0 if it does not vary.

    They are estimates: of a figure with few runs, some may be a little below 0 or add up to more than 1.

    Raises
    ------
    ResultError
        SciPy is not installed.
    """
    count = len(asked.one)
    if len(set(values)) <= 1:
        return [SobolIndex(0.0, 0.0) for _ in asked.mixed]
    if len(asked.mixed) == 1:
        return [SobolIndex(1.0, 1.0)]  # all of the variance is that of the only input
    rows = _scipy("numpy").asarray(values, dtype=float).reshape(-1, 1, count)
    given = {"f_A": rows[0], "f_B": rows[1], "f_AB": rows[2:]}
    found = _scipy("scipy.stats").sobol_indices(func=given, n=count)
    pairs = zip(found.first_order.ravel().tolist(), found.total_order.ravel().tolist(), strict=True)
    return [SobolIndex(first, total) for first, total in pairs]


def need_scipy() -> None:
    """Check that SciPy is there, before any run.

    Raises
    ------
    ResultError
        SciPy is not installed.
    """
    _scipy("scipy.stats")


def _scipy(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        remedy = "install it with: pip install 'simbackup[fit]', or leave these indices out (--samples 0)"
        raise ResultError(f"Sobol' indices need SciPy; {remedy}") from None
