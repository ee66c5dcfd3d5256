"""What is under way in the order in which it will be done.

Invariant: each active flow that will be done stands once under its present time; entries of times that it has left
behind are passed over, and are never more than those that count, and a few.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import Generic, Protocol, TypeVar

FEW = 64
"""Entries from which on the old ones are removed."""

ULPS = 1e-15
"""Share by which a time may be early by rounding."""


class Ending(Protocol):
    """What is done after a time: `near` is when it counts as done, `ends` when nothing of it is left."""

    near: float
    ends: float
    number: int

    @property
    def crowd(self) -> object:
        """Whose clock these times are of, None for that of the simulation."""
        ...

    def due(self, now: float) -> bool:
        """Whether it is done at a time of the simulation."""
        ...


T = TypeVar("T", bound=Ending)


class Ends(Generic[T]):
    """A heap of what is under way by the time from which each counts as done, unless its rate changes.

    The times are those of one clock: of a crowd, or of the simulation.
    """

    def __init__(self, crowd: object = None) -> None:
        self._crowd = crowd
        self._heap: list[tuple[float, int, T]] = []
        self._old = 0

    def put(self, one: T, before: float) -> None:
        """Sort in one whose time has changed; `before` is the one at which it stood."""
        if math.isfinite(one.near):
            heappush(self._heap, (one.near, one.number, one))
        self.gone(before)

    def gone(self, before: float) -> None:
        """Note that one does not stand at a time any more."""
        if math.isfinite(before):
            self._old += 1
        if self._old > FEW and 2 * self._old > len(self._heap):
            self._heap = [entry for entry in self._heap if self._counts(entry)]
            heapify(self._heap)
            self._old = 0

    def due(self, at: float, now: float) -> list[T]:
        """Those that are done when the clock shows `at`, and the simulation `now`, in the order in which they began."""
        near: dict[T, None] = {}
        while self._heap and self._heap[0][0] <= at * (1.0 + ULPS):
            self._take(near)
        self._put_back(near)
        return sorted((one for one in near if one.due(now)), key=lambda one: one.number)

    def first(self) -> tuple[float, float]:
        """When the first counts as done, and when nothing of the next is left; infinite if none will be."""
        at = self.next()
        return (self._heap[0][0] if at < math.inf else math.inf), at

    def next(self) -> float:
        """The time at which the next is done, infinite if none will be."""
        found: dict[T, None] = {}
        at = math.inf
        while self._heap and self._heap[0][0] <= at:
            at = min(at, self._take(found))
        self._put_back(found)
        return at

    def __bool__(self) -> bool:
        return bool(self._heap)

    def _counts(self, entry: tuple[float, int, T]) -> bool:
        return entry[2].near == entry[0] and entry[2].crowd is self._crowd

    def _take(self, found: dict[T, None]) -> float:
        """Take out the first entry, and note whose it is if it counts: when that ends, infinite if it does not."""
        entry = heappop(self._heap)
        if not self._counts(entry):
            return math.inf
        found[entry[2]] = None
        return entry[2].ends

    def _put_back(self, some: Iterable[T]) -> None:
        for one in some:
            heappush(self._heap, (one.near, one.number, one))
