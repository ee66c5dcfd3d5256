"""Arrays of equal disks behind one controller."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simbackup.devices.disk.live import missed, turning, turns
from simbackup.devices.network.live import Network
from simbackup.devices.store import Direction, Service
from simbackup.engine.flows import Flow, Link
from simbackup.equations import disk as disks
from simbackup.equations import raid, raid_work


@dataclass(frozen=True, slots=True)
class Array:
    """Parameters of a redundant or striped array."""

    level: raid.Level
    disks: int
    disk: disks.DiskParameters
    stripe_unit: float
    controller_rate: float = math.inf
    controller_overhead: float = 0.0
    prefetches: bool = False
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


class Raid:
    """An array of equal disks behind one controller.

    Streams spread evenly over the disks, so that the array is one link; a request occupies only the disks it touches.
    """

    def __init__(self, name: str, array: Array) -> None:
        self.name = name
        self.array = array
        self.data_disks = array.data_disks
        self.size = self.data_disks * array.disk.capacity
        self.link = Link(name, 1.0, self._turns)
        self.path: tuple[Network, ...] = ()

    def _turns(self, flow: Flow) -> float:
        """Seconds for each unit of a sequential stream that go into turning to it from others, on all disks at once."""
        return turns(self.array.disk, flow.moves.get(self.link, 0.0) / self.data_disks) * flow.sequential

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream: full stripes on all disks at once."""
        del direction  # parity and mirror disks write while the data disks do; mirrors read from one side
        member = disks.transfer_time(self.array.disk, position / self.data_disks, size / self.data_disks) / size
        return max(member, 1.0 / self.array.controller_rate)

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What one request takes: the slowest of the disks it touches, twice for a write that has to read parity."""
        array, one = self.array, self.array.disk
        touched = self._touched(size)
        revolution = 1.0 / one.rotation_speed
        move = disks.positioning_time(one, head / self.data_disks, position / self.data_disks)
        slowest = raid.expected_maximum_latency(touched, revolution) - disks.rotational_latency(one)
        rate = disks.rate_at(one, position / self.data_disks)
        if direction == "read":
            latency = move + slowest + size / touched / rate
            return Service(latency + array.controller_overhead, latency * touched / array.reading_disks)
        work = raid_work.write_operations(array.level, array.group, size, array.stripe_unit)
        # Parity and mirrors are written beside the data; what was read first comes round again a revolution later.
        members = min(max(work.writes, 1), array.disks)
        slowest = raid.expected_maximum_latency(members, revolution) - disks.rotational_latency(one)
        latency = move + slowest + size / touched / rate + (revolution if work.reads else 0.0)
        own = disks.rotational_latency(one) + one.command_overhead
        seek = move - own  # once for each disk: what was read is written at the same place
        busy = (work.operations * own + members * seek + work.bytes_moved / rate) / array.disks
        parity = raid_work.parity_disk_work(array.level, array.group, size, array.stripe_unit)
        if parity.writes:  # every write of a group comes by its parity disks, which may have no time left before others
            busy = max(busy, (parity.operations * own + seek + parity.bytes_moved / rate) / array.groups)
        return Service(latency + array.controller_overhead, min(busy, latency))

    def continued(self, position: float, size: float) -> Service:
        """What the next read of a sequence takes: the disks that it touches transfer at once."""
        one, touched = self.array.disk, self._touched(size)
        if self.array.prefetches:  # the disks have read it already, all of them at once
            busy = self.stream("read", min(position, self.size - size), size) * size
            return Service(self.array.controller_overhead + busy, busy)
        rate = disks.rate_at(one, position / self.data_disks)
        largest = max(min(size, self.array.stripe_unit), size / self.data_disks)  # part of one disk: the others wait
        latency = self.array.controller_overhead + one.command_overhead + largest / rate
        return Service(latency, (one.command_overhead * touched + size / rate) / self.array.reading_disks)

    def _touched(self, size: float) -> int:
        """Data disks that a request touches."""
        return raid.stripe_members_touched(size, self.array.stripe_unit, self.data_disks)

    def append(self, position: float, size: float) -> Service:
        """What a write takes that just missed its place on its disks."""
        touched = self._touched(size)
        one = missed(self.array.disk, position / self.data_disks, size / touched)
        level, group, unit = self.array.level, self.array.group, self.array.stripe_unit
        operations = raid_work.write_operations(level, group, size, unit).operations / self.array.disks
        parity = raid_work.parity_disk_work(level, group, size, unit).operations / self.array.groups
        busy = min(one.busy * max(operations, parity), one.latency)
        return Service(one.latency + self.array.controller_overhead, busy)

    def alone(self, position: float, size: float) -> float:
        """No limit of its own: the device reads ahead."""
        del position, size
        return math.inf

    def turn(self, here: float, there: float, size: float) -> Service:
        """What a request loses to a stream elsewhere on the same disks, each of which reads ahead for its part."""
        one, touched = self.array.disk, self._touched(size)
        lost = turning(one, here / self.data_disks, there / self.data_disks)
        latency = lost * min(size / touched / one.stream_turn, 1.0)
        return Service(latency, latency * touched / self.array.reading_disks)
