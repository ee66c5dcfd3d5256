"""Cases of uncertain inputs: Latin hypercubes, and one input at a time."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

from simbackup.engine.randomness import stream
from simbackup.equations.uncertainty import SCORE
from simbackup.uncertainty.inputs import Input

Case = tuple[float, ...]
"""For each input, how many standard deviations it is from its best estimate."""


def latin_hypercube(inputs: Sequence[Input], count: int, seed: int) -> list[Case]:
    """So many cases in which each input takes each of `count` equally likely parts of its range once.

    McKay, Beckman and Conover, "A comparison of three methods for selecting values of input variables", Technometrics
    21, 1979; the middles of the parts are taken. Each input has a random stream of its own, by its address, so that one
    more input leaves the others' values as they are, and it does not matter where a scenario's file lies.

    >>> latin_hypercube([], 2, 0)
    [(), ()]
    """
    middles = [NormalDist().inv_cdf((part + 0.5) / count) for part in range(count)]
    columns: list[list[float]] = []
    scenarios = {name: n for n, name in enumerate(dict.fromkeys(one.at[0][0] for one in inputs))}
    for one in inputs:
        scenario, address = one.at[0]
        order: list[int] = stream(seed, f"uncertainty {scenarios[scenario]} {address}").permutation(count).tolist()
        columns.append([middles[i] for i in order])
    return [tuple(column[row] for column in columns) for row in range(count)]


def one_at_a_time(inputs: Sequence[Input], which: int) -> tuple[Case, Case]:
    """The cases in which one input is at the lower and at the upper end of its range, and all others at their best."""
    low, high = ([0.0] * len(inputs) for _ in range(2))
    low[which], high[which] = -SCORE, SCORE
    return tuple(low), tuple(high)
