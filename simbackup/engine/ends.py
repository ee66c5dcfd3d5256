"""What is under way in the order in which it will be done.

Invariant: each one that will be done stands once in the order, at a time not after that from which it counts as done.
One that is delayed stays where it stands until its turn comes, and is put at its time only then.
"""

from __future__ import annotations

import math
from heapq import heapify, heappop, heappush, heapreplace
from typing import Generic, Protocol, TypeVar

FEW = 64
"""Entries from which on those are removed that do not count any more."""

ULPS = 1e-15
"""Share by which a time may be early by rounding."""


class Ending(Protocol):
    """What is done after a time: `near` is when it counts as done, `ends` when nothing of it is left."""

    near: float
    ends: float
    number: int
    queued: float
    """Where it stands in the order, infinite if nowhere."""

    @property
    def crowd(self) -> object:
        """Whose clock these times are of, None for that of the simulation."""
        ...

    def due(self, now: float) -> bool:
        """Whether it is done at a time of the simulation."""
        ...


T = TypeVar("T", bound=Ending)


class Ends(Generic[T]):
    """What is under way by the time from which each counts as done.

    The times are those of one clock: of a crowd, or of the simulation.
    """

    def __init__(self, crowd: object = None) -> None:
        self._crowd = crowd
        self._order: list[tuple[float, int, T]] = []
        self._most = FEW

    def put(self, one: T) -> None:
        """Sort in one whose times have changed."""
        if one.near < one.queued:
            one.queued = one.near
            heappush(self._order, (one.near, one.number, one))
            if len(self._order) > self._most:  # those that count no more
                self._order = [entry for entry in self._order if self._counts(entry) and entry[2].near < math.inf]
                heapify(self._order)
                self._most = 2 * len(self._order) + FEW

    def _counts(self, entry: tuple[float, int, T]) -> bool:
        """Whether an entry is where one stands now."""
        return entry[0] == entry[2].queued and entry[2].crowd is self._crowd

    def due(self, at: float, now: float) -> list[T]:
        """Those that are done when the clock shows `at`, and the simulation `now`, in the order in which they began."""
        order, until = self._order, at * (1.0 + ULPS)
        if not order or order[0][0] > until:
            return []
        found: dict[T, None] = {}
        while order and order[0][0] <= until:
            entry = heappop(order)
            if self._counts(entry):
                found[entry[2]] = None
        for one in found:
            one.queued = math.inf
            self.put(one)
        return sorted((one for one in found if one.near <= until and one.due(now)), key=lambda one: one.number)

    def first(self) -> float:
        """When the first counts as done, infinite if none will be."""
        order = self._order
        while order:
            time, _, one = order[0]
            if one.queued != time or one.crowd is not self._crowd:
                heappop(order)
            elif one.near == time:
                return time
            elif one.near < math.inf:
                one.queued = one.near
                heapreplace(order, (one.near, one.number, one))
            else:
                one.queued = math.inf
                heappop(order)
        return math.inf

    def next(self) -> float:
        """The time at which nothing of the next is left, infinite if none will be done."""
        if self.first() == math.inf:
            return math.inf
        order = self._order
        soonest, places = order[0][2].ends, [1, 2]
        for place in places:  # who counts as done by then may have less left
            if place < len(order) and order[place][0] <= soonest:
                entry = order[place]
                if self._counts(entry):
                    soonest = min(soonest, entry[2].ends)
                places += (2 * place + 1, 2 * place + 2)
        return soonest

    def __bool__(self) -> bool:
        return bool(self._order)
