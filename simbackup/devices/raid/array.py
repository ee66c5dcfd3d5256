"""What the controller of an array does: rates, overhead, read-ahead, and a cache for what is written."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simbackup.devices.store import Direction, Service
from simbackup.equations import raid


@dataclass(frozen=True, slots=True)
class Controller:
    """Rates of a controller, seconds of each request, bytes of a stream that it reads ahead, and its write cache.

    A write cache without a battery is not used: data are written through to the disks.
    """

    controller_rate: float = math.inf
    controller_write_rate: float | None = None
    controller_overhead: float = 0.0
    prefetches: bool = False
    read_ahead: float = 0.0
    write_cache: float = 0.0
    battery: bool = True

    @property
    def staging(self) -> float:
        """Bytes of the cache from which writes are acknowledged, 0 without one."""
        return self.write_cache if self.battery else 0.0

    def rate(self, direction: Direction) -> float:
        """Greatest rate, bytes a second; that of reading unless writing has its own."""
        written = self.controller_rate if self.controller_write_rate is None else self.controller_write_rate
        return self.controller_rate if direction == "read" else written

    def under_way(self, run: float, *, writes: bool, together: int) -> float:
        """Bytes of a stream that go to or from the disks at once, among so many streams that go the same way.

        The cache is emptied in the order of places, so that each of its streams has its share of it in one run.
        """
        if writes:
            return max(run, self.staging / max(together, 1))
        return max(run, self.read_ahead if self.prefetches else 0.0)

    def served(self, service: Service, size: float, direction: Direction) -> Service:
        """What a request takes behind the controller: a write that finds a cache is done when it is in there."""
        if direction == "write" and self.staging >= size:
            return Service(self.controller_overhead + size / self.rate("write"), service.busy)
        return Service(service.latency + self.controller_overhead, service.busy)


@dataclass(frozen=True, slots=True)
class ArrayLayout:
    """How data, copies and parity lie on the disks of an array."""

    level: raid.Level
    disks: int
    stripe_unit: float
    groups: int = 1

    @property
    def group(self) -> int:
        """Disks of one group, parity included."""
        return self.disks // self.groups

    @property
    def data_disks(self) -> int:
        """Disks' worth of data in all groups."""
        return self.groups * raid.data_disks(self.level, self.group)

    @property
    def reading_disks(self) -> int:
        """Disks over which small reads spread."""
        return self.groups * raid.reading_disks(self.level, self.group)

    def touched(self, size: float) -> int:
        """Data disks that a request touches."""
        return raid.stripe_members_touched(size, self.stripe_unit, self.data_disks)
