"""Arrays of equal solid-state disks behind one controller."""

from __future__ import annotations

from simbackup.devices.raid.array import ArrayLayout, Controller, Rebuilding, mean
from simbackup.devices.shape import FlowShape
from simbackup.devices.ssd.live import Flash
from simbackup.devices.store import Direction, FlatStore, Service
from simbackup.engine.link import Link
from simbackup.equations import raid_work
from simbackup.equations.degraded import Case


class FlashArray(Rebuilding, FlatStore):
    """An array of equal solid-state disks: what levels ask of their disks, without arms and revolutions.

    As on one such disk, the latency of a request leaves its disks free for others; only its bytes occupy them.
    """

    def __init__(self, name: str, layout: ArrayLayout, disk: Flash, controller: Controller) -> None:
        self.name = name
        self.layout, self.disk, self.controller = layout, disk, controller
        self.size = layout.data_disks * disk.capacity
        self.link = Link(name, 1.0, fastest=layout.disks * max(disk.read_rate, disk.write_rate))

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream: full stripes on all disks at once.

        Reads go to both disks of a mirror, and past parity in no time, as no head has to pass it: all disks read.
        """
        del position, size
        disks = self.layout.reading_disks if direction == "read" else self.layout.data_disks
        member = 1.0 / (disks * self.disk.rate(direction))
        return max(member, 1.0 / self.controller.rate(direction))

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What one request takes: all disks that it touches at once, for a write after those that it has to read.

        It takes as long as its bytes take through the controller, at the least.
        """
        del head, position
        through, array = size / self.controller.rate(direction), self.layout
        if direction == "read":
            found = [self._read(case, size) for case in array.reads(size)]
        else:
            found = [self._written(case, size) for case in array.writes(size)]
        latency, busy = mean(found)
        return self.controller.served(Service(max(latency, through), max(busy, through)), size, direction)

    def _read(self, case: Case, size: float) -> tuple[float, Service]:
        """What a read takes, in a share of all cases."""
        disk, array = self.disk, self.layout
        latency = disk.read_latency + (size / array.touched(size) / disk.read_rate if size else 0.0)
        busy = disk.busy("read", case.work.bytes_read, case.work.reads) / array.reading_disks
        return case.share, Service(max(latency, busy), busy)

    def _written(self, case: Case, size: float) -> tuple[float, Service]:
        """What a write takes, in a share of all cases."""
        disk, array, work = self.disk, self.layout, case.work
        level, group, unit = array.level, array.group, array.stripe_unit
        latency = disk.write_latency + raid_work.largest_write(level, group, size, unit) / disk.write_rate
        if work.reads:  # never more than a unit of one disk
            latency += disk.read_latency + min(size, unit) / disk.read_rate
        busy = self._worked(work) / array.writing_disks
        parity = raid_work.parity_disk_work(level, group, size, unit)
        busy = max(busy, self._worked(parity) / array.groups)
        return case.share, Service(max(latency, busy), busy)

    def _worked(self, work: raid_work.DiskWork) -> float:
        """Seconds of all disks together."""
        read = self.disk.busy("read", work.bytes_read, work.reads)
        return read + self.disk.busy("write", work.bytes_written, work.writes)

    def continued(self, position: float, size: float) -> Service:
        """What the next read of a sequence takes; a controller that reads ahead has it in its cache."""
        if not self.fetches:
            return self.request("read", position, position, size)
        busy = self.stream("read", position, size) * size
        return Service(self.controller.controller_overhead + size / self.controller.rate("read"), busy)

    def append(self, position: float, size: float) -> Service:
        """What the next write of a sequence takes; a write cache gathers whole stripes."""
        if self.controller.write_cache < size:
            return self.request("write", position, position, size)
        busy = self.stream("write", position, size) * size
        return self.controller.served(Service(busy, busy), size, "write")

    def rebuilding(self, allocated: float, scattered: float) -> tuple[FlowShape, float]:
        """How a byte of a new disk loads all disks, and the bytes of it; where they lie does not matter."""
        del scattered
        one = max(1.0 / self.disk.rate("read"), 1.0 / self.disk.rate("write"))
        return self.filling(one, self.stream("read", 0.0, self.size)), self._made(self.disk.capacity, allocated)
