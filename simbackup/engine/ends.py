"""What is under way in the order in which it will be done.

Invariant: each one that will be done stands once in either order, at its place, which is not after its time. One that
is delayed stays where it stands until its turn comes, and is put at its time only then. Other entries are passed over.

Who is under way says in `near` when it counts as done, and in `ends` when nothing of it is left. Its `near_place` and
`ends_place` are where it stands in the order of either, infinite if nowhere.
"""

from __future__ import annotations

import math
from heapq import heapify, heappop, heappush, heapreplace
from operator import attrgetter
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from simbackup.engine.crowd import Crowd
    from simbackup.engine.flow import Flow

FEW = 64
"""Entries from which on those are removed that do not count any more."""

ULPS = 1e-15
"""Share by which a time may be early by rounding."""


T = TypeVar("T", bound="Flow | Crowd")

_number = attrgetter("number")


class Ends(Generic[T]):
    """What is under way by the time from which each counts as done, and by that when nothing of it is left.

    The times are those of one clock: of a crowd, or of the simulation.
    """

    def __init__(self, crowd: object = None) -> None:
        self._crowd = crowd
        self._near: list[tuple[float, int, T]] = []
        self._ends: list[tuple[float, int, T]] = []
        self._most = FEW

    def put(self, one: T) -> None:
        """Sort in one whose times have changed."""
        near, ends = one.near, one.ends
        if near < one.near_place:
            one.near_place = near
            heappush(self._near, (near, one.number, one))
        if ends < one.ends_place:
            one.ends_place = ends
            heappush(self._ends, (ends, one.number, one))
            if len(self._ends) > self._most:
                self._tidy()

    def _tidy(self) -> None:
        """Remove the entries that do not count any more; whoever stands still for now stands nowhere."""
        near, ends = list[tuple[float, int, T]](), list[tuple[float, int, T]]()
        for entry in self._near:
            time, _, one = entry
            if time == one.near_place and one.crowd is self._crowd:
                if one.near < math.inf:
                    near.append(entry)
                else:
                    one.near_place = math.inf
        for entry in self._ends:
            time, _, one = entry
            if time == one.ends_place and one.crowd is self._crowd:
                if one.ends < math.inf:
                    ends.append(entry)
                else:
                    one.ends_place = math.inf
        heapify(near)
        heapify(ends)
        self._near, self._ends = near, ends
        self._most = 2 * len(ends) + FEW

    def due(self, at: float, now: float) -> list[T]:
        """Those that are done when the clock shows `at`, and the simulation `now`, in the order in which they began."""
        order, until = self._near, at * (1.0 + ULPS)
        if not order or order[0][0] > until:
            return []
        found: list[T] = []
        while order and order[0][0] <= until:
            time, _, one = heappop(order)
            if time == one.near_place and one.crowd is self._crowd:
                one.near_place = math.inf
                found.append(one)
        for one in found:
            self.put(one)
        due = [one for one in found if one.near <= until and one.due(now)]
        if len(due) > 1:
            due.sort(key=_number)
        return due

    def first(self) -> float:
        """When the first counts as done, infinite if none will be."""
        order = self._near
        while order:
            time, number, one = order[0]
            if time == one.near_place and one.crowd is self._crowd:
                if one.near == time:
                    return time
                one.near_place = one.near  # it stood there from before it was delayed, or will never be done now
                if one.near < math.inf:
                    heapreplace(order, (one.near, number, one))
                    continue
            heappop(order)
        return math.inf

    def next(self) -> float:
        """The time at which nothing of the next is left, infinite if none will be done."""
        order = self._ends
        while order:
            time, number, one = order[0]
            if time == one.ends_place and one.crowd is self._crowd:
                if one.ends == time:
                    return time
                one.ends_place = one.ends
                if one.ends < math.inf:
                    heapreplace(order, (one.ends, number, one))
                    continue
            heappop(order)
        return math.inf

    def __bool__(self) -> bool:
        return bool(self._near)
