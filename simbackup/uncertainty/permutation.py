"""Permutations of a sample in plain Python, the same ones that numpy draws.

A small run needs no other random numbers, and numpy takes longer to import than ten small cases take to run. Besides,
numpy may draw other permutations in a later version; these stay the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

HALF, WHOLE, TWICE = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1
"""The greatest numbers of 32, 64 and 128 bits."""
POOL = 4
"""Words into which entropy is mixed."""
MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
"""Of the linear congruential generator that PCG64 is made of."""


def permutation(seed: int, path: str, size: int) -> list[int]:
    """The numbers below `size` in a random order: `stream(seed, path).permutation(size)` of `simbackup.randomness`.

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
