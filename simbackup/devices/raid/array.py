"""What the controller of an array does: rates, overhead, read-ahead, and a cache for what is written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from simbackup.devices.landing import Landed
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, Service
from simbackup.engine.limit import Spot
from simbackup.engine.link import Link
from simbackup.equations import degraded, raid
from simbackup.equations.raid_work import DiskWork
from simbackup.equations.read_ahead import whole_stripes
from simbackup.late import Late
from simbackup.trace.activity import Activity


@dataclass(frozen=True, slots=True)
class Controller(Late):
    """Rates of a controller, seconds of each request, bytes of a stream that it reads ahead, and its write cache.

    A rebuild writes so many bytes a second at most.
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
        """Greatest rate, bytes a second; that of reading unless writing has its own."""
        written = self.controller_rate if self.controller_write_rate is None else self.controller_write_rate
        return self.controller_rate if direction == "read" else written

    def under_way(self, run: float, *, writes: bool, together: int) -> float:
        """Bytes of a stream that go to or from the disks at once, among so many streams that go the same way.

        The cache is emptied in the order of places, so that each of its streams has its share of it in one run, or
        `write_behind` bytes where the controller looks no further.
        """
        if writes:
            return max(run, min(self.write_cache / max(together, 1), self.write_behind))
        return max(run, self.read_ahead if self.prefetches else 0.0)

    def served(self, service: Service, size: float, direction: Direction) -> Service:
        """What a request takes behind the controller: a write that finds a cache is done when it is in there."""
        if direction == "write" and self.write_cache >= size:
            return Service(self.controller_overhead + size / self.rate("write"), service.busy)
        return Service(service.latency + self.controller_overhead, service.busy)


@dataclass(frozen=True, slots=True)
class ArrayLayout(Late):
    """How data, copies and parity lie on the disks of an array; one disk of one group may be missing.

    Data are striped over all groups, so that the time of the group with the missing disk is that of the array, and the
    others idle where they are faster. Exact for streams, and where disks are full; a single request in another group
    takes some per cent too long.
    """

    level: raid.Level
    disks: int
    stripe_unit: float
    groups: int = 1
    failed: int = 0
    stripes_ahead: float = 0.0
    rebuilds: str = "whole"

    @property
    def group(self) -> int:
        """Disks of one group, parity included."""
        return self.disks // self.groups

    @property
    def data_disks(self) -> int:
        """Disks' worth of data in all groups."""
        return self.groups * raid.data_disks(self.level, self.group)

    @property
    def stripe(self) -> float:
        """Bytes of data that parity joins; none without parity."""
        parity = raid.SCHEMES[self.level].parity_disks
        return self.stripe_unit * raid.data_disks(self.level, self.group) if parity else 0.0

    @property
    def reading_disks(self) -> int:
        """Disks over which small reads spread; the other half of a mirror reads for both."""
        if self.failed and self.level == "10":
            return self.data_disks
        return self.groups * (raid.reading_disks(self.level, self.group) - self.failed)

    @property
    def writing_disks(self) -> int:
        """Disks over which writes spread, with those of parity and copies."""
        return self.groups * (self.group - self.failed)

    def reads(self, size: float) -> tuple[degraded.Case, ...]:
        """What a read asks of the disks."""
        if not self.failed:
            return (degraded.Case(1.0, DiskWork(self.touched(size), 0, size, 0.0)),)
        return degraded.read_cases(self.level, self.group, size, self.stripe_unit, missing=True)

    def writes(self, size: float) -> tuple[degraded.Case, ...]:
        """What a write asks of the disks of a group."""
        return degraded.write_cases(self.level, self.group, size, self.stripe_unit, missing=bool(self.failed))

    def written(self, size: float) -> int:
        """Disks that a write touches, those of copies and parity included."""
        data, of_group = self.touched(size), raid.data_disks(self.level, self.group)
        parity = raid.SCHEMES[self.level].parity_disks
        if parity:
            return data + parity * min(math.ceil(data / of_group), self.groups)
        return data * (self.group // of_group)

    def touched(self, size: float) -> int:
        """Data disks that a request touches."""
        return raid.stripe_members_touched(size, self.stripe_unit, self.data_disks)


class Rebuilding(Landed):
    """An array that makes what a missing disk held on a new one."""

    layout: ArrayLayout
    controller: Controller
    size: float
    link: Link

    @property
    def ahead(self) -> float:
        """Bytes that hosts read ahead at least, where the operating system makes the array."""
        return whole_stripes(self.layout.stripe_unit, self.layout.data_disks, self.layout.stripes_ahead)

    @property
    def passed(self) -> float:
        """Bytes that controller or operating system read ahead; no disk alone passes a gap on all of them."""
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
    def jumps(self) -> float:
        """None: what is read in sequence lies in sequence."""
        return 0.0

    @property
    def degraded(self) -> bool:
        """Whether a disk is missing."""
        return bool(self.layout.failed)

    @property
    def tolerance(self) -> int:
        """Disks that may be missing before it loses data."""
        return raid.tolerance(self.layout.level, self.layout.group)

    def fail(self) -> bool:
        """Go on without one more disk; whether it still has its data."""
        if self.layout.failed >= self.tolerance:
            return False
        self.layout = replace(self.layout, failed=self.layout.failed + 1)
        return True

    def rebuilt(self) -> None:
        """Put the new disk in the place of a missing one."""
        self.layout = replace(self.layout, failed=self.layout.failed - 1)

    def _made(self, capacity: float, allocated: float) -> float:
        """Bytes of a new disk of a capacity that a rebuild writes: all, or as large a part as is allocated."""
        return capacity if self.layout.rebuilds == "whole" else capacity * min(allocated / self.size, 1.0)

    def filling(self, member: float, stream: float) -> FlowShape:
        """How a byte of the new disk loads the array when each disk takes so many seconds for one.

        All disks of the group but the new one are read, of a mirror the other half; the controller passes what is read.
        A `stream` takes so many seconds of the array for each of its bytes.
        """
        array = self.layout
        read = 1 if array.level in {"1", "10"} else array.group - 1
        seconds = max(member, read / self.controller.rate("read"))
        run = array.stripe_unit * array.data_disks
        moved = float(array.data_disks)
        shape = FlowShape({self.link: seconds}, {self.link: moved}, {self.link: Spot(0.0, run)})
        shape = shape.at_most(self.controller.rebuild_rate, f"{self.link.name}.rebuild_rate", Activity.WRITE)
        return shape._replace(share=stream * moved / seconds)


def mean(found: Sequence[tuple[float, Service]]) -> Service:
    """The mean of what requests take, each with its share of all of them."""
    return Service(sum(share * one.latency for share, one in found), sum(share * one.busy for share, one in found))
