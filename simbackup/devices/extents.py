"""Sets of byte ranges."""

from __future__ import annotations

import bisect
import math


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
