"""What is under way in the order in which it will be done.

Invariant: each active flow that will be done stands once under each of its present times; entries of times that it has
left behind are passed over, and are never more than those that count, and a few.
"""

from __future__ import annotations

import math
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
    """What is under way by the time from which each counts as done, and by that when nothing of it is left.

    The times are those of one clock: of a crowd, or of the simulation.
    """

    def __init__(self, crowd: object = None) -> None:
        self._crowd = crowd
        self._near: list[tuple[float, int, T]] = []
        self._ends: list[tuple[float, int, T]] = []
        self._old = 0

    def put(self, one: T, before: float) -> None:
        """Sort in one whose times have changed; `before` is when it counted as done."""
        if one.near < math.inf:
            heappush(self._near, (one.near, one.number, one))
            heappush(self._ends, (one.ends, one.number, one))
        if before < math.inf:
            self.gone(before)

    def gone(self, before: float) -> None:
        """Note that one does not stand at a time any more."""
        if before < math.inf:
            self._old += 1
        if self._old > FEW and 2 * self._old > len(self._near):
            self._near = [entry for entry in self._near if self._counts(entry, entry[2].near)]
            self._ends = [entry for entry in self._ends if self._counts(entry, entry[2].ends)]
            heapify(self._near)
            heapify(self._ends)
            self._old = 0

    def due(self, at: float, now: float) -> list[T]:
        """Those that are done when the clock shows `at`, and the simulation `now`, in the order in which they began."""
        if not self._near or self._near[0][0] > at * (1.0 + ULPS):
            return []
        near: dict[T, None] = {}
        while self._near and self._near[0][0] <= at * (1.0 + ULPS):
            time, _, one = heappop(self._near)
            if one.near == time and one.crowd is self._crowd:
                near[one] = None
        for one in near:
            heappush(self._near, (one.near, one.number, one))
        return sorted((one for one in near if one.due(now)), key=lambda one: one.number)

    def first(self) -> tuple[float, float]:
        """When the first counts as done, and when nothing of the next is left; infinite if none will be."""
        while self._near and not self._counts(self._near[0], self._near[0][2].near):
            heappop(self._near)
        return (self._near[0][0] if self._near else math.inf), self.next()

    def next(self) -> float:
        """The time at which nothing of the next is left, infinite if none will be done."""
        ends = self._ends
        while ends:
            time, _, one = ends[0]
            if one.ends == time and one.crowd is self._crowd:
                return time
            heappop(ends)
        return math.inf

    def __bool__(self) -> bool:
        return bool(self._near)

    def _counts(self, entry: tuple[float, int, T], at: float) -> bool:
        """Whether an entry is not of the past of its flow, which may be done at a time."""
        return at == entry[0] and entry[2].crowd is self._crowd
