"""Morris screening: which inputs matter at all, from few runs.

Morris, "Factorial sampling plans for preliminary computational experiments", Technometrics 33, 1991. The measure of
importance is the mean of the absolute effects (Campolongo, Cariboni and Saltelli, "An effective screening design for
sensitivity analysis of large models", Environmental Modelling & Software 22, 2007).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from simbackup.randomness import generator

LEVELS = 4
"""Places of an input, evenly spread from one end of its range to the other."""
STEP = LEVELS / (2.0 * (LEVELS - 1.0))
"""Length of a step as a share of the range, with which all places are equally likely."""

Unit = tuple[float, ...]
"""For each input its place in its range, from 0 to 1."""


class Effect(NamedTuple):
    """The elementary effects of an input on a figure, over the whole range of the input."""

    mean: float
    """Mean of the absolute effects."""
    signed: float
    """Mean of the effects with their signs."""
    deviation: float
    """Standard deviation; as large as `mean` if the effect depends on other inputs, or is not linear."""


def trajectories(count: int, inputs: int, seed: int) -> list[list[Unit]]:
    """Walks through the ranges of all inputs: from a random place, each input in turn takes one step, in random order.

    >>> [len(walk) for walk in trajectories(2, 3, 0)]
    [4, 4]
    """
    drawn = generator(seed, "screening")
    walks: list[list[Unit]] = []
    for _ in range(count):
        at = [float(place) / (LEVELS - 1) for place in drawn.integers(0, LEVELS, inputs)]
        walk = [tuple(at)]
        for which in drawn.permutation(inputs).tolist():
            at[which] += STEP if at[which] + STEP <= 1.0 + 1e-9 else -STEP
            walk.append(tuple(at))
        walks.append(walk)
    return walks


def effects(walks: Sequence[Sequence[Unit]], values: Sequence[Sequence[float | None]]) -> list[Effect]:
    """The effect of each input, from the value of a figure at each place of each walk; None leaves out its steps.

    >>> walks = trajectories(4, 2, 0)
    >>> [one.mean for one in effects(walks, [[3.0 * a - b for a, b in walk] for walk in walks])]
    [3.0, 1.0]
    """
    found: list[list[float]] = [[] for _ in range(len(walks[0][0]) if walks else 0)]
    for walk, own in zip(walks, values, strict=True):
        for i in range(1, len(walk)):
            before, after = own[i - 1], own[i]
            which = next(n for n, (a, b) in enumerate(zip(walk[i - 1], walk[i], strict=True)) if a != b)
            if before is not None and after is not None:
                found[which].append((after - before) / (walk[i][which] - walk[i - 1][which]))
    return [_effect(each) for each in found]


def _effect(slopes: Sequence[float]) -> Effect:
    if not slopes:
        return Effect(0.0, 0.0, 0.0)
    signed = math.fsum(slopes) / len(slopes)
    squares = math.fsum((slope - signed) ** 2 for slope in slopes)
    deviation = math.sqrt(squares / (len(slopes) - 1)) if len(slopes) > 1 else 0.0
    return Effect(round(math.fsum(map(abs, slopes)) / len(slopes), 12), signed, deviation)
