"""Cases of uncertain inputs: Latin hypercubes, and one input at a time."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist

from simbackup.equations.uncertainty import LEVEL, SCORE
from simbackup.uncertainty.inputs import Input

Case = tuple[float, ...]
"""For each input, how many standard deviations it is from its best estimate."""
ROUNDING = 1e-9
"""So near to the next part, a place lies in it."""
HALF, WHOLE, TWICE = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1
"""The greatest numbers of 32, 64 and 128 bits."""
POOL = 4
"""Words into which entropy is mixed."""
MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
"""Of the linear congruential generator that PCG64 is made of."""


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


Correlations = Mapping[tuple[int, int], float]
"""Correlations of inputs by their numbers; all others are 0."""


def correlated(sample: Sequence[Case], correlations: Correlations) -> list[Case]:
    """A sample in another order, so that some of its inputs are correlated.

    Iman and Conover, "A distribution-free approach to inducing rank correlation among input variables", Communications
    in Statistics B 11, 1982: the values of each input stay the same, and take the order of normal scores that have the
    wanted correlations. What inputs without one have stays in its order.

    Parameters
    ----------
    sample
        Cases, more than there are correlated inputs.
    correlations
        By the numbers of two inputs, from -1 to 1.

    Raises
    ------
    ValueError
        The correlations cannot all hold together.

    >>> correlated([(0.0, 1.0), (1.0, 0.0), (2.0, 2.0)], {})
    [(0.0, 1.0), (1.0, 0.0), (2.0, 2.0)]
    """
    import numpy as np  # noqa: PLC0415 (numpy costs start-up time)

    chosen = sorted({which for pair in correlations for which in pair})
    if not chosen:
        return list(sample)
    wanted = np.eye(len(chosen))
    for (one, other), correlation in correlations.items():
        a, b = chosen.index(one), chosen.index(other)
        wanted[a, b] = wanted[b, a] = correlation
    try:
        goal = np.linalg.cholesky(wanted)
    except np.linalg.LinAlgError:
        raise ValueError("the correlations contradict each other") from None
    values = np.array([[case[which] for which in chosen] for case in sample])
    own = np.linalg.cholesky(np.corrcoef(values, rowvar=False))
    scores = values @ np.linalg.inv(own).T @ goal.T
    ordered = np.take_along_axis(np.sort(values, axis=0), scores.argsort(axis=0).argsort(axis=0), axis=0)
    found = np.array(sample)
    found[:, chosen] = ordered
    rows: list[list[float]] = found.tolist()
    return [tuple(row) for row in rows]


def one_at_a_time(inputs: Sequence[Input], which: int) -> tuple[Case, Case]:
    """The cases in which one input is at the lower and at the upper end of its range, and all others at their best."""
    low, high = ([0.0] * len(inputs) for _ in range(2))
    low[which], high[which] = -SCORE, SCORE
    return tuple(low), tuple(high)


def permutation(seed: int, path: str, size: int) -> list[int]:
    """The numbers below `size` in a random order: `stream(seed, path).permutation(size)` of `simbackup.randomness`.

    In plain Python, as numpy takes longer to import than ten small cases take to run, and may draw others one day.
    Durstenfeld, "Algorithm 235: Random permutation", Communications of the ACM 7, 1964.

    Parameters
    ----------
    seed
        The seed of the run.
    path
        The address of what draws.
    size
        How many numbers, at most 2^32.

    >>> permutation(0, "devices.disk", 5)
    [1, 0, 3, 2, 4]
    """
    digest = hashlib.blake2b(f"{seed}\0{path}".encode(), digest_size=32).digest()
    words = _words(int.from_bytes(digest, "big"))
    order = list(range(size))
    for last in range(size - 1, 0, -1):
        chosen = _upto(last, words)
        order[last], order[chosen] = order[chosen], order[last]
    return order


def _upto(most: int, words: Iterator[int]) -> int:
    """A random number up to another, each as likely: the first word with no more bits that is not greater."""
    mask = (1 << most.bit_length()) - 1
    drawn = next(words) & mask
    while drawn > most:
        drawn = next(words) & mask
    return drawn


def _words(entropy: int) -> Iterator[int]:
    """Random numbers of 32 bits: the two halves of each of PCG64 (XSL-RR), the lower one first.

    O'Neill, "PCG: A family of simple fast space-efficient statistically good algorithms for random number generation",
    Harvey Mudd College HMC-CS-2014-0905, 2014.
    """
    high, low, upper, lower = _seeds(entropy)
    step = ((upper << 64 | lower) << 1 | 1) & TWICE
    state = ((step + (high << 64 | low)) * MULTIPLIER + step) & TWICE
    while True:
        state = (state * MULTIPLIER + step) & TWICE
        mixed, turn = (state >> 64) ^ (state & WHOLE), state >> 122
        drawn = (mixed >> turn | mixed << (64 - turn)) & WHOLE
        yield drawn & HALF
        yield drawn >> 32


def _seeds(entropy: int) -> list[int]:
    """Four seeds of 64 bits: the first that `SeedSequence` of numpy makes of a number (after O'Neill's seed_seq_fe)."""
    given = [entropy >> shift & HALF for shift in range(0, max(entropy.bit_length(), 1), 32)]
    keys = _keys(0x43B0D7E5, 0x931E8875)
    pool = [_hashed(word, keys) for word in (given + [0] * POOL)[:POOL]]
    for source in range(POOL):
        for target in range(POOL):
            if source != target:
                pool[target] = _mixed(pool[target], _hashed(pool[source], keys))
    for word in given[POOL:]:
        pool = [_mixed(each, _hashed(word, keys)) for each in pool]
    keys = _keys(0x8B51F9DD, 0x58F38DED)
    words = [_hashed(pool[i % POOL], keys) for i in range(2 * POOL)]
    return [low | high << 32 for low, high in zip(words[::2], words[1::2], strict=True)]


def _keys(first: int, factor: int) -> Iterator[tuple[int, int]]:
    """The constants of one hash after another."""
    while True:
        before, first = first, first * factor & HALF
        yield before, first


def _hashed(word: int, keys: Iterator[tuple[int, int]]) -> int:
    one, other = next(keys)
    word = (word ^ one) * other & HALF
    return word ^ word >> 16


def _mixed(one: int, other: int) -> int:
    mixed = (0xCA01F9DD * one - 0x4973F715 * other) & HALF
    return mixed ^ mixed >> 16
