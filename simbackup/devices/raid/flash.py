"""Arrays of equal solid-state disks behind one controller."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.devices.network.live import Network
from simbackup.devices.raid.array import ArrayLayout, Controller, Rebuilding, mean
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, FlatStore, Service
from simbackup.engine.flows import Link
from simbackup.equations import raid_work
from simbackup.equations.degraded import Case


@dataclass(frozen=True, slots=True)
class Flash:
    """A solid-state disk of an array: bytes, bytes a second, and seconds of one small request."""

    capacity: float
    read_rate: float
    write_rate: float
    read_latency: float
    write_latency: float

    def rate(self, direction: Direction) -> float:
        """Sequential rate, bytes a second."""
        return self.read_rate if direction == "read" else self.write_rate


class FlashArray(Rebuilding, FlatStore):
    """An array of equal solid-state disks: what levels ask of their disks, without arms and revolutions.

    As on one such disk, the latency of a request leaves its disks free for others; only its bytes occupy them.
    """

    def __init__(self, name: str, layout: ArrayLayout, disk: Flash, controller: Controller) -> None:
        self.name = name
        self.layout, self.disk, self.controller = layout, disk, controller
        self.size = layout.data_disks * disk.capacity
        self.link = Link(name, 1.0, fastest=layout.disks * max(disk.read_rate, disk.write_rate))
        self.path: tuple[Network, ...] = ()

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream: full stripes on all disks at once."""
        del position, size
        member = 1.0 / (self.layout.data_disks * self.disk.rate(direction))
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
        return case.share, Service(latency, case.work.bytes_read / disk.read_rate / array.reading_disks)

    def _written(self, case: Case, size: float) -> tuple[float, Service]:
        """What a write takes, in a share of all cases."""
        disk, array, work = self.disk, self.layout, case.work
        level, group, unit = array.level, array.group, array.stripe_unit
        latency = disk.write_latency + raid_work.largest_write(level, group, size, unit) / disk.write_rate
        if work.reads:  # never more than a unit of one disk
            latency += disk.read_latency + min(size, unit) / disk.read_rate
        busy = (work.bytes_read / disk.read_rate + work.bytes_written / disk.write_rate) / array.writing_disks
        parity = raid_work.parity_disk_work(level, group, size, unit)
        own = parity.bytes_read / disk.read_rate + parity.bytes_written / disk.write_rate
        return case.share, Service(latency, max(busy, own / array.groups))

    def continued(self, position: float, size: float) -> Service:
        """What the next read of a sequence takes; a controller that reads ahead has read it from all disks."""
        if not self.controller.prefetches:
            return self.request("read", position, position, size)
        busy = self.stream("read", position, size) * size
        return Service(self.controller.controller_overhead + busy, busy)

    def append(self, position: float, size: float) -> Service:
        """What the next write of a sequence takes; a write cache gathers whole stripes."""
        if self.controller.staging < size:
            return self.request("write", position, position, size)
        busy = self.stream("write", position, size) * size
        return self.controller.served(Service(busy, busy), size, "write")

    def rebuilding(self) -> tuple[FlowShape, float]:
        """How a byte of a new disk loads all disks, and the bytes of it."""
        one = max(1.0 / self.disk.rate("read"), 1.0 / self.disk.rate("write"))
        return self.filling(one, self.stream("read", 0.0, self.size)), self.disk.capacity
