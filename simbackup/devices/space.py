"""Space on devices: ranges of bytes, what volumes and clones are guaranteed or use, and what spooled backups borrow."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Generator, MutableMapping
from dataclasses import dataclass, field
from typing import Any

import simpy

from simbackup.trace.activity import Activity
from simbackup.trace.clock import Clock


class ExtentSet:
    """Disjoint byte ranges in order.

    >>> extents = ExtentSet()
    >>> for begin, end in ((0, 10), (20, 30), (10, 20)):
    ...     extents.add(begin, end)
    >>> extents.ranges, extents.total
    ([(0, 30)], 30.0)
    """

    def __init__(self) -> None:
        self.ranges: list[tuple[float, float]] = []
        self.total = 0.0

    def add(self, begin: float, end: float) -> None:
        """Take a range into the set; ranges that touch become one."""
        if end <= begin:
            return
        first = bisect.bisect_left(self.ranges, begin, key=lambda r: r[1])
        last = bisect.bisect_right(self.ranges, end, key=lambda r: r[0])
        for old_begin, old_end in self.ranges[first:last]:
            begin, end = min(begin, old_begin), max(end, old_end)
            self.total -= old_end - old_begin
        self.ranges[first:last] = [(begin, end)]
        self.total += end - begin

    def remove(self, begin: float, end: float) -> None:
        """Take a range out of the set.

        >>> extents = ExtentSet()
        >>> extents.add(0, 30)
        >>> extents.remove(10, 20)
        >>> extents.ranges, extents.total
        ([(0, 10), (20, 30)], 20.0)
        """
        if end <= begin:
            return
        left: list[tuple[float, float]] = []
        for old_begin, old_end in self.ranges:
            left += [(old_begin, min(old_end, begin)), (max(old_begin, end), old_end)]
        self.ranges = [one for one in left if one[0] < one[1]]
        self.total = float(sum(last - first for first, last in self.ranges))

    def state(self, at: float) -> tuple[bool, float]:
        """Whether a byte is missing from the set, and the next byte where that changes (infinity if none)."""
        i = bisect.bisect_right(self.ranges, at, key=lambda r: r[1])
        if i == len(self.ranges):
            return True, math.inf
        begin, end = self.ranges[i]
        return (False, end) if begin <= at else (True, begin)

    def gap(self, begin: float, end: float, room: float) -> float:
        """Bytes from `begin` towards `end` that can be taken in while no more than `room` of them are new."""
        at, new = begin, 0.0
        while at < end:
            missing, until = self.state(at)
            until = min(until, end)
            if missing:
                until = min(until, at + room - new)
                if until <= at:
                    return at - begin
                new += until - at
            at = until
        return end - begin


@dataclass(slots=True)
class Space:
    """Space on a device that several volumes and clones share: each takes what it is guaranteed, or what it uses."""

    size: float
    """Bytes of the device."""
    taken: dict[str, Callable[[], float]] = field(default_factory=dict[str, Callable[[], float]])
    """Bytes that each volume, clone, copy area or mirror takes, by name."""

    @property
    def free(self) -> float:
        """Free bytes."""
        return self.size - sum(taken() for taken in self.taken.values())


class SpoolRoom:
    """Space on a volume that is lent: the lowest free range that is large enough, in the order of requests.

    `used` is the byte at which free space begins on each volume, and `grow` allocates space there, if there is some. A
    range that is returned below another one is a hole, which a later request may fill.
    """

    def __init__(
        self, clock: Clock, volume: str, used: MutableMapping[str, float], grow: Callable[[str, float], float | None]
    ) -> None:
        self._clock, self._volume, self._used, self._grow = clock, volume, used, grow
        self._holes = ExtentSet()
        self._lent = 0
        self._queue = simpy.Resource(clock.env, 1)
        self._returned = clock.env.event()

    def take(self, job: str, size: float) -> Generator[simpy.Event, Any, float | None]:
        """Wait for so many bytes of space; the byte at which they begin, or None if nothing is lent to wait for."""
        turn = self._queue.request()
        with self._clock.span(job, f"devices.{self._volume}", Activity.WAIT_FOR_ROOM):
            yield from self._clock.wait(job, turn)
            try:
                while (place := self._place(size)) is None and self._lent:
                    yield from self._clock.wait(job, self._returned)
            finally:
                self._queue.release(turn)
        self._lent += place is not None
        return place

    def give_back(self, begin: float, size: float) -> None:
        """Return a range."""
        self._lent -= 1
        self._holes.add(begin, begin + size)
        last, end = self._holes.ranges[-1]
        if end == self._used[self._volume]:  # else others took room behind it that they keep
            self._used[self._volume] = last
            self._holes.remove(last, end)
        event, self._returned = self._returned, self._clock.env.event()
        event.succeed()

    def _place(self, size: float) -> float | None:
        """The lowest hole that is large enough, or else space at the end of the volume; None without either."""
        for begin, end in self._holes.ranges:
            if end - begin >= size:
                self._holes.remove(begin, begin + size)
                return begin
        return self._grow(self._volume, size)
