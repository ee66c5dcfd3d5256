"""Block storage: disks, solid-state disks and arrays, and the volumes that lie on them.

Each device is one link of the flow network whose capacity is one second of its time each second. Sequential streams
demand seconds for each byte; requests that are made one at a time take a latency and occupy the device for a while.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from simbackup.components.network import Network
from simbackup.components.shape import FlowShape
from simbackup.engine.flows import Flow, Link
from simbackup.equations import disk as disks
from simbackup.equations import raid

Direction = Literal["read", "write"]


class Service(NamedTuple):
    """What one request takes: seconds until it is done, and seconds of the device's time."""

    latency: float
    busy: float


class Store(Protocol):
    """A block device."""

    @property
    def name(self) -> str:
        """Its address, such as `devices.sdb`."""
        ...

    @property
    def size(self) -> float:
        """Bytes that it holds."""
        ...

    @property
    def link(self) -> Link:
        """Its time as a resource: one second each second."""
        ...

    path: tuple[Network, ...]
    """The buses between it and the host that owns it."""

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream over `size` bytes at a position."""
        ...

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What a request for `size` bytes at a position takes when the last one ended at `head`."""
        ...

    def continued(self, position: float, size: float) -> Service:
        """What one read takes that goes on where the last one ended; the disks have read ahead themselves."""
        ...

    def append(self, position: float, size: float) -> Service:
        """What one write takes that begins where the last one ended and was made after that one was on disk."""
        ...

    def alone(self, position: float, size: float) -> float:
        """Greatest rate at which one reader gets `size` bytes in sequence, however much others leave."""
        ...

    def turn(self, here: float, there: float, size: float) -> Service:
        """What requests of `size` lose each, in the mean, to another stream that they take turns with on the device."""
        ...


class Disk:
    """A rotating disk."""

    def __init__(self, name: str, parameters: disks.Disk) -> None:
        self.name = name
        self.parameters = parameters
        self.size = parameters.capacity
        self.link = Link(name, 1.0, self._turns)
        self.path: tuple[Network, ...] = ()

    def _turns(self, flow: Flow) -> float:
        """Seconds for each unit of a sequential stream that go into turning to it from others."""
        return _turns(self.parameters, flow.moves.get(self.link, 0.0)) if flow.sequential else 0.0

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream."""
        del direction  # a disk reads and writes at the rate of its media
        return disks.transfer_time(self.parameters, position, size) / size

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What one positioned request takes: all of the disk's time while it lasts."""
        del direction
        time = disks.request_time(self.parameters, head, position, size)
        return Service(time, time)

    def continued(self, position: float, size: float) -> Service:
        """What the next read of a sequence takes: overhead and transfer."""
        time = self.parameters.command_overhead + size / disks.rate_at(self.parameters, position)
        return Service(time, time)

    def append(self, position: float, size: float) -> Service:
        """What a write takes that just missed its place: whole revolutions."""
        return _missed(self.parameters, position, size)

    def alone(self, position: float, size: float) -> float:
        """No bound of its own: the next bytes are on their way before they are asked for."""
        del position, size
        return math.inf

    def turn(self, here: float, there: float, size: float) -> Service:
        """What a request loses to a stream elsewhere: a seek there and back, and half a revolution."""
        time = _turning(self.parameters, here, there) * min(size / self.parameters.stream_turn, 1.0)
        return Service(time, time)


class Ssd:
    """A solid-state disk."""

    def __init__(self, name: str, size: float, rates: tuple[float, float], latencies: tuple[float, float]) -> None:
        self.name = name
        self.size = size
        self.rates: dict[Direction, float] = {"read": rates[0], "write": rates[1]}
        self.latencies: dict[Direction, float] = {"read": latencies[0], "write": latencies[1]}
        self.link = Link(name, 1.0)
        self.path: tuple[Network, ...] = ()

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream."""
        del position, size
        return 1.0 / self.rates[direction]

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What one request takes; its latency leaves the device free for others."""
        del head, position
        transfer = size / self.rates[direction]
        return Service(self.latencies[direction] + transfer, transfer)

    def continued(self, position: float, size: float) -> Service:
        """What the next read of a sequence takes."""
        return self.request("read", position, position, size)

    def append(self, position: float, size: float) -> Service:
        """What a write takes; no place is missed."""
        return self.request("write", position, position, size)

    def alone(self, position: float, size: float) -> float:
        """No bound of its own: the next bytes are on their way before they are asked for."""
        del position, size
        return math.inf

    def turn(self, here: float, there: float, size: float) -> Service:
        """Nothing is lost: it has no arm to move."""
        del here, there, size
        return Service(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Array:
    """Parameters of a redundant or striped array."""

    level: raid.Level
    disks: int
    disk: disks.Disk
    stripe_unit: float
    controller_rate: float
    controller_overhead: float
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
        return _turns(self.array.disk, flow.moves.get(self.link, 0.0) / self.data_disks) if flow.sequential else 0.0

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
        work = raid.write_operations(array.level, array.group, size, array.stripe_unit)
        # Parity and mirrors are written beside the data; what was read first comes round again a revolution later.
        members = min(max(work.writes, 1), array.disks)
        slowest = raid.expected_maximum_latency(members, revolution) - disks.rotational_latency(one)
        latency = move + slowest + size / touched / rate + (revolution if work.reads else 0.0)
        own = disks.rotational_latency(one) + one.command_overhead
        seek = move - own  # once for each disk: what was read is written at the same place
        busy = (work.operations * own + members * seek + work.bytes_moved / rate) / array.disks
        parity = raid.parity_disk_work(array.level, array.group, size, array.stripe_unit)
        if parity.writes:  # every write of a group comes by its parity disks, which may have no time left before others
            busy = max(busy, (parity.operations * own + seek + parity.bytes_moved / rate) / array.groups)
        return Service(latency + array.controller_overhead, min(busy, latency))

    def continued(self, position: float, size: float) -> Service:
        """What the next read of a sequence takes: the disks that it touches transfer at once."""
        one, touched = self.array.disk, self._touched(size)
        if self.array.prefetches:  # the disks have read it already, all of them at once
            busy = self.stream("read", min(position, self.size - size), size) * size
            return Service(self.array.controller_overhead + busy, busy)
        transfer = size / touched / disks.rate_at(one, position / self.data_disks)
        latency = self.array.controller_overhead + one.command_overhead + transfer
        return Service(latency, (one.command_overhead + transfer) * touched / self.array.reading_disks)

    def _touched(self, size: float) -> int:
        """Data disks that a request touches."""
        return raid.stripe_members_touched(size, self.array.stripe_unit, self.data_disks)

    def append(self, position: float, size: float) -> Service:
        """What a write takes that just missed its place on its disks."""
        touched = self._touched(size)
        one = _missed(self.array.disk, position / self.data_disks, size / touched)
        level, group, unit = self.array.level, self.array.group, self.array.stripe_unit
        operations = raid.write_operations(level, group, size, unit).operations / self.array.disks
        parity = raid.parity_disk_work(level, group, size, unit).operations / self.array.groups
        busy = min(one.busy * max(operations, parity), one.latency)
        return Service(one.latency + self.array.controller_overhead, busy)

    def alone(self, position: float, size: float) -> float:
        """No bound of its own: the next bytes are on their way before they are asked for."""
        del position, size
        return math.inf

    def turn(self, here: float, there: float, size: float) -> Service:
        """What a request loses to a stream elsewhere on the same disks, each of which reads ahead for its part."""
        one, touched = self.array.disk, self._touched(size)
        lost = _turning(one, here / self.data_disks, there / self.data_disks)
        latency = lost * min(size / touched / one.stream_turn, 1.0)
        return Service(latency, latency * touched / self.array.reading_disks)


def _missed(disk: disks.Disk, position: float, size: float) -> Service:
    """A write whose place has just passed under the head: overhead and transfer, up to the next whole revolution."""
    time = disk.command_overhead + size / disks.rate_at(disk, position)
    whole = math.ceil(time * disk.rotation_speed) / disk.rotation_speed
    return Service(whole, whole)


def _turning(disk: disks.Disk, here: float, there: float) -> float:
    """Seconds from one stream to another and back: two seeks, and half a revolution to come upon the first again."""
    seek = disks.seek_time(disk, abs(disks.cylinder(disk, there) - disks.cylinder(disk, here)))
    return 2.0 * seek + disks.rotational_latency(disk)


def _turns(disk: disks.Disk, size: float) -> float:
    """Seconds that a disk loses over so many bytes of a stream when it turns to it again and again from others."""
    return size / disk.stream_turn * disks.turn_time(disk)


@dataclass(frozen=True, slots=True)
class Region:
    """A contiguous part of a device: a whole disk, a logical volume, a copy area, a data set."""

    store: Store
    begin: float
    size: float

    def part(self, begin: float, size: float) -> Region:
        """A part of the region, counted from its beginning."""
        return Region(self.store, self.begin + begin, size)

    def streaming(self, direction: Direction) -> FlowShape:
        """How a byte of sequential reading or writing of the region loads its device and the buses before it."""
        demand = self.store.stream(direction, self.begin, self.size)
        shape = FlowShape({self.store.link: demand}, {self.store.link: 1.0}).over(self.store.path)
        return shape.at_most(self.store.alone(self.begin, self.size), self.store.name) if direction == "read" else shape
