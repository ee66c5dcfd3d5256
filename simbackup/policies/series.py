"""The restore points of one client at one place over time: what is added, expires, merges, and is freed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from simbackup.policies.levels import Level, RestorePoint, base_of
from simbackup.policies.retention import Retention


class Expiry(NamedTuple):
    """What expired at once."""

    freed: tuple[RestorePoint, ...]
    """Points that were freed."""
    merged: tuple[RestorePoint, ...]
    """Points into which older ones were merged, as they are now."""
    merges: tuple[tuple[RestorePoint, RestorePoint], ...] = ()
    """Points that were merged, each with the one into which it was merged, as that was before."""


@dataclass(slots=True)
class Series:
    """The restore points of one client in one place.

    A point that its retention no longer keeps stays while a chain needs it. If the place `merges`, it is merged into
    the only point that is based on it (incremental for ever), and freed.
    """

    retention: Retention
    """How long points are kept."""
    merges: bool = False
    """Whether expired points are merged."""
    points: dict[int, RestorePoint] = field(default_factory=dict[int, RestorePoint])
    """All points, by number."""
    kept: set[int] = field(default_factory=set[int])
    """Numbers of the points that the retention keeps: those that a restore may ask for."""
    count: int = 0
    """The number of the next point."""

    def add(self, time: datetime, level: Level) -> RestorePoint:
        """The point of a new backup, which is kept from now on."""
        return self.take(self.following(time, level))

    def following(self, time: datetime, level: Level) -> RestorePoint:
        """The point that a new backup makes; it is full if there is none that it could be based on."""
        base = base_of(level, self.points.values())
        made = Level.FULL if base is None and not level.whole else level
        return RestorePoint(self.count, time, made, None if base is None else base.number)

    def take(self, point: RestorePoint) -> RestorePoint:
        """The point, such as one copied from another place, with the number that it has there."""
        self.points[point.number] = point
        self.kept.add(point.number)
        self.count = max(self.count, point.number + 1)
        return point

    def expire(self, now: datetime) -> Expiry:
        """Free what neither the retention keeps nor a chain needs."""
        # a point that was let go stays so, though a newer one that hid it in its week has gone
        self.kept = self.retention.kept([self.points[number] for number in sorted(self.kept)], now)
        before = self.points
        merges = self._merge() if self.merges else []
        merged = {heir.number for _, heir in merges}
        needed = needed_by(self.points, self.kept)
        self.points = {number: point for number, point in self.points.items() if number in needed}
        freed = (point for number, point in before.items() if number not in self.points)
        took_up = tuple(self.points[number] for number in sorted(merged & needed))
        return Expiry(tuple(freed), took_up, tuple(merges))

    def rules(self, now: datetime) -> dict[int, tuple[str, ...]]:
        """The rules of the retention, in words, that keep each point since it was applied at a moment."""
        found = self.retention.rules([self.points[number] for number in sorted(self.kept)], now)
        return {number: tuple(rule for rule, kept in found.items() if number in kept) for number in self.kept}

    def _merge(self) -> list[tuple[RestorePoint, RestorePoint]]:
        """Let the point based on one that is no longer kept take it up, if it is the only one; who was, and by whom."""
        self.points, took = dict(self.points), list[tuple[RestorePoint, RestorePoint]]()
        for old in sorted(self.points.keys() - self.kept):
            above = [point for point in self.points.values() if point.base == old]
            if len(above) == 1:
                below, heir = self.points.pop(old), above[0]
                level = Level.FULL if below.level.whole else heir.level
                self.points[heir.number] = replace(heir, level=level, base=below.base)
                took.append((below, heir))
        return took


def needed_by(points: Mapping[int, RestorePoint], kept: Iterable[int]) -> set[int]:
    """The numbers of all points in the chains of some; where a base is missing, its chain ends."""
    needed: set[int] = set()
    for number in kept:
        at: int | None = number
        while at is not None and at in points and at not in needed:
            needed.add(at)
            at = points[at].base
    return needed
