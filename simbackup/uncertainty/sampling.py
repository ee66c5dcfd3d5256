"""Cases of uncertain inputs: Latin hypercubes, and one input at a time."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from statistics import NormalDist

from simbackup.equations.uncertainty import LEVEL, SCORE
from simbackup.uncertainty.inputs import Input

Case = tuple[float, ...]
"""For each input, how many standard deviations it is from its best estimate."""
ROUNDING = 1e-9
"""So near to the next part, a place lies in it."""


def latin_hypercube(inputs: Sequence[Input], count: int, seed: int) -> list[Case]:
    """So many cases in which each input takes each of `count` equally likely parts of its range once.

    McKay, Beckman and Conover, "A comparison of three methods for selecting values of input variables", Technometrics
    21, 1979; the middles of the parts are taken, as `scores_of` has them. Each input has a random stream of its own, by
    its address, so that one more input leaves the others' values as they are, and it does not matter where a scenario's
    file lies.

    >>> latin_hypercube([], 2, 0)
    [(), ()]
    """
    middles = scores_of(count)
    columns: list[list[float]] = []
    scenarios = {name: n for n, name in enumerate(dict.fromkeys(one.at[0][0] for one in inputs))}
    for one in inputs:
        scenario, address = one.at[0]
        order = permutation(seed, f"uncertainty {scenarios[scenario]} {address}", count)
        columns.append([middles[i] for i in order])
    return [tuple(column[row] for column in columns) for row in range(count)]


def scores_of(count: int) -> list[float]:
    """The standard deviations that stand for so many equally likely parts of a normal distribution, in order.

    The part in which an end of the range lies has that end, and each other one its middle. No value lies beyond the
    ends, so with middles alone, the percentile between the end and the next middle would lie inside the range. With ten
    cases, or a multiple of ten, the interval of what depends on a single input is that of its range.

    >>> [round(score, 3) for score in scores_of(20)[:3]]
    [-1.96, -1.645, -1.15]
    """
    scores = [NormalDist().inv_cdf((part + 0.5) / count) for part in range(count)]
    part = math.floor(count * (1.0 - LEVEL) / 2.0 + ROUNDING)
    scores[part], scores[count - 1 - part] = -SCORE, SCORE
    return scores


def one_at_a_time(inputs: Sequence[Input], which: int) -> tuple[Case, Case]:
    """The cases in which one input is at the lower and at the upper end of its range, and all others at their best."""
    low, high = ([0.0] * len(inputs) for _ in range(2))
    low[which], high[which] = -SCORE, SCORE
    return tuple(low), tuple(high)


def permutation(seed: int, path: str, size: int) -> list[int]:
    """The numbers below `size` in a random order, which depends on the seed and on the address of what draws alone.

    >>> permutation(0, "devices.disk", 5)
    [2, 3, 4, 1, 0]
    """
    drawn = random.Random(f"{seed}\0{path}")  # noqa: S311 (no secret); numpy takes longer to import than ten cases
    return sorted(range(size), key=lambda _: drawn.random())
