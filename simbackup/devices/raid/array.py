"""The controller of an array (rates, overhead, read-ahead, write cache), and the layout of data and parity."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from simbackup.devices.landing import Landed
from simbackup.devices.redundant import Redundant
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, Service
from simbackup.engine.limit import Spot
from simbackup.equations import degraded, raid
from simbackup.equations.raid_work import DiskWork
from simbackup.equations.read_ahead import whole_stripes
from simbackup.late import Late
from simbackup.trace.activity import Activity


@dataclass(frozen=True, slots=True)
class Controller(Late):
    """The controller of an array.

    Fields are those of `RaidSheet`, in SI units.
    """

    controller_rate: float = math.inf
    controller_write_rate: float | None = None
    controller_overhead: float = 0.0
    prefetches: bool = False
    read_ahead: float = 0.0
    write_cache: float = 0.0
    write_behind: float = math.inf
    rebuild_rate: float = math.inf

    def rate(self, direction: Direction) -> float:
        """Greatest rate in a direction, bytes a second."""
        written = self.controller_rate if self.controller_write_rate is None else self.controller_write_rate
        return self.controller_rate if direction == "read" else written

    def under_way(self, run: float, *, writes: bool, together: int) -> float:
        """Bytes of one stream that go to or from the disks at once, if `together` streams go in that direction.

        The cache is emptied in the order of addresses, so that each stream writes its share of the cache in one run, or
        at most `write_behind` bytes.
        """
        if writes:
            return max(run, min(self.write_cache / max(together, 1), self.write_behind))
        return max(run, self.read_ahead if self.prefetches else 0.0)

    def served(self, service: Service, size: float, direction: Direction) -> Service:
        """The time of a request with the controller; a write that fits into the cache is done when it is there."""
        if direction == "write" and self.write_cache >= size:
            return Service(self.controller_overhead + size / self.rate("write"), service.busy)
        return Service(service.latency + self.controller_overhead, service.busy)


@dataclass(frozen=True, slots=True)
class ArrayLayout(Late):
    """The layout of data, copies and parity on the disks of an array, of which one disk may be missing.

    Data are striped over all groups, so that the array is as slow as the group with the missing disk. This is exact
    for streams and for saturated disks; a single request to another group takes some per cent too long. Fields are
    those of `RaidSheet`, in SI units.
    """

    level: raid.Level
    disks: int
    """Disks of all groups, including parity."""
    stripe_unit: float
    groups: int = 1
    """Groups of disks, each with its own parity."""
    failed: int = 0
    """Disks that are missing."""
    stripes_ahead: float = 0.0
    rebuilds: str = "whole"
    rebuild_requests: float = 1.0
    declustered: float | None = None

    @property
    def group(self) -> int:
        """Disks of one group, including parity."""
        return self.disks // self.groups

    @property
    def data_disks(self) -> int:
        """Data disks of all groups: their disks without those for parity and copies."""
        return self.groups * raid.data_disks(self.level, self.group)

    @property
    def stripe(self) -> float:
        """Bytes of the data of a stripe with parity; 0 without parity."""
        parity = raid.SCHEMES[self.level].parity_disks
        return self.stripe_unit * raid.data_disks(self.level, self.group) if parity else 0.0

    @property
    def reading_disks(self) -> int:
        """Disks over which small reads spread; in a mirror with a missing disk, the other half reads for both."""
        if self.failed and self.level == "10":
            return self.data_disks
        return self.groups * (raid.reading_disks(self.level, self.group) - self.failed)

    @property
    def copies(self) -> float:
        """Copies of all data, each on disks of its own; one with parity, or where a pair has lost a disk."""
        return 1.0 if self.level not in {"1", "10"} else self.reading_disks / self.data_disks

    @property
    def writing_disks(self) -> int:
        """Disks over which writes spread, including those for parity and copies."""
        return self.groups * (self.group - self.failed)

    def reads(self, size: float) -> tuple[degraded.Case, ...]:
        """The operations of a read on the disks, by case."""
        if not self.failed:
            return (degraded.Case(1.0, DiskWork(self.touched(size), 0, size, 0.0)),)
        return degraded.read_cases(self.level, self.group, size, self.stripe_unit, missing=True)

    def writes(self, size: float) -> tuple[degraded.Case, ...]:
        """The operations of a write on the disks of a group, by case."""
        return degraded.write_cases(self.level, self.group, size, self.stripe_unit, missing=bool(self.failed))

    def written(self, size: float) -> int:
        """Disks that a write touches, including those for copies and parity."""
        data, of_group = self.touched(size), raid.data_disks(self.level, self.group)
        parity = raid.SCHEMES[self.level].parity_disks
        if parity:
            return data + parity * min(math.ceil(data / of_group), self.groups)
        return data * (self.group // of_group)

    def touched(self, size: float) -> int:
        """Data disks that a request touches."""
        return raid.stripe_members_touched(size, self.stripe_unit, self.data_disks)


class Rebuilding(Landed, Redundant):
    """An array that can run degraded, and rebuild a missing disk on a new one."""

    layout: ArrayLayout
    controller: Controller
    unreadable: bool = False

    @property
    def ahead(self) -> float:
        """Bytes that hosts read ahead at least, as operating systems do on software arrays."""
        return whole_stripes(self.layout.stripe_unit, self.layout.data_disks, self.layout.stripes_ahead)

    @property
    def passed(self) -> float:
        """Bytes of a gap up to which a sequential read goes on: what controller or operating system read ahead."""
        return max(self.ahead, self.controller.read_ahead if self.controller.prefetches else 0.0)

    @property
    def fetches(self) -> bool:
        """Whether its controller reads ahead."""
        return self.controller.prefetches

    @property
    def gathers(self) -> float:
        """Bytes of its write cache."""
        return self.controller.write_cache

    @property
    def stripe(self) -> float:
        """Bytes of the data of a stripe of one group that has parity."""
        return self.layout.stripe

    @property
    def degraded(self) -> bool:
        """Whether a disk is missing."""
        return bool(self.layout.failed)

    @property
    def tolerance(self) -> int:
        """Disks that may be missing without loss of data."""
        return raid.tolerance(self.layout.level, self.layout.group)

    @property
    def exposed(self) -> bool:
        """Whether no more disk may fail."""
        return self.layout.failed >= self.tolerance

    def fail(self) -> bool:
        """Lose one more disk; whether the data are still there."""
        if self.exposed:
            return False
        self.layout = replace(self.layout, failed=self.layout.failed + 1)
        return True

    def rebuilt(self) -> None:
        """Replace a missing disk with the rebuilt one."""
        self.layout = replace(self.layout, failed=self.layout.failed - 1)

    def _made(self, capacity: float, allocated: float) -> float:
        """Bytes that a rebuild writes to a new disk of a capacity: all, or the share that is allocated."""
        return capacity if self.layout.rebuilds == "whole" else capacity * min(allocated / self.size, 1.0)

    def filling(self, member: float, stream: float, skipping: Callable[[float], float] = lambda _: 0.0) -> FlowShape:
        """What each byte of the new disk loads on the array when each disk takes `member` seconds for one.

        All disks of the group but the new one are read, of a mirror the other half; the controller passes what is read.
        In a declustered array, these and the spare space are parts of all disks, which pass what lies between, or take
        `skipping` seconds to go over so many bytes. A `stream` takes so many seconds of the array for each byte.
        """
        array = self.layout
        read = 1 if array.level in {"1", "10"} else array.group - 1
        seconds, run, part = member, array.stripe_unit, 1.0
        if array.declustered is not None:
            part, run = (read + 1) / (array.disks - 1), array.declustered
            share = min(part, 1.0)
            seconds = part * min(member / share, member + skipping(run * (1.0 / share - 1.0)) / run)
        seconds, run = max(seconds, read / self.controller.rate("read")), run * array.data_disks
        moved = part * array.data_disks
        shape = FlowShape({self.link: seconds}, {self.link: moved}, {self.link: Spot(0.0, run)})
        shape = shape.at_most(self.controller.rebuild_rate, f"{self.link.name}.rebuild_rate", Activity.WRITE)
        return shape._replace(weight=stream * moved / seconds)


def mean(found: Sequence[tuple[float, Service]]) -> Service:
    """The mean time of requests, weighted with their shares."""
    return Service(sum(share * one.latency for share, one in found), sum(share * one.busy for share, one in found))
