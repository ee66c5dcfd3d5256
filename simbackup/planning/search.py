"""Binary search with a guess: the first index at which an expensive test holds."""

from __future__ import annotations

from collections.abc import Callable

GUESSES = 4
"""Looks where a guess says, before the middle is taken."""


def first_of(low: int, high: int, holds: Callable[[int], bool], guess: Callable[[int, int], int]) -> int:
    """The first place after one where it does not hold, up to one where it does; the place before it was looked at.

    Parameters
    ----------
    low, high
        A place where it does not hold, and one where it does.
    holds
        Looks whether it holds at a place.
    guess
        The first place between two at which it seems to hold.

    >>> looked = []
    >>> first_of(0, 1000, lambda at: looked.append(at) or at >= 700, lambda low, high: 702)
    700
    >>> looked
    [702, 701, 700, 699]
    """
    looks = 0
    while high - low > 1:
        at = min(max(guess(low, high), low + 1), high - 1) if looks < GUESSES else (low + high) // 2
        low, high = (low, at) if holds(at) else (at, high)
        looks += 1
    return high
