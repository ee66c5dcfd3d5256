"""Arrays of equal disks, rotating or solid-state: the layout of data and parity, behind one controller."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from simbackup.devices.closed_network import ClosedClass
from simbackup.devices.credits import Landed, LandingZone
from simbackup.devices.disk.live import DiskTurns, mechanics, missed, scattered_positioning, turning
from simbackup.devices.shape import FlowShape
from simbackup.devices.ssd.live import Flash
from simbackup.devices.store import Direction, Service, Store
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Limit, Spot
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.equations import disk as disks
from simbackup.equations import raid
from simbackup.equations.disk_turns import turn_size
from simbackup.equations.files import whole_stripes
from simbackup.equations.raid import Case, DiskWork
from simbackup.late import Late
from simbackup.parameters import parameters_of
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.devices.raid.spec import RaidSpec
    from simbackup.devices.site import Site

Outcome = TypeVar("Outcome")
LEAST = 4096.0
"""Bytes of a request of which nothing is known."""


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

    def reads(self, size: float) -> tuple[Case, ...]:
        """The operations of a read on the disks, by case."""
        if not self.failed:
            return (Case(1.0, DiskWork(self.touched(size), 0, size, 0.0)),)
        return raid.read_cases(self.level, self.group, size, self.stripe_unit, missing=True)

    def writes(self, size: float) -> tuple[Case, ...]:
        """The operations of a write on the disks of a group, by case."""
        return raid.write_cases(self.level, self.group, size, self.stripe_unit, missing=bool(self.failed))

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


class Redundant(Landed):
    """An array that goes on without a disk, and makes what that held again on a new one."""

    layout: ArrayLayout
    controller: Controller
    unreadable: bool = False
    """Whether a sector cannot be read on one of its disks, which nobody knows."""

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

    @abstractmethod
    def rebuilding(self, allocated: float, scattered: float) -> tuple[FlowShape, float]:
        """How a byte of the new disk loads all disks, and the bytes of it; its share is that of a stream.

        So many bytes of the device are allocated, of which a share lies scattered.
        """

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


class FlashArray(Redundant):
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
        disks = self.layout.reading_disks if direction == "read" else self.layout.data_disks
        member = 1.0 / (disks * self.disk.rate(direction))
        return max(member, 1.0 / self.controller.rate(direction))

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What one request takes: all disks that it touches at once, for a write after those that it has to read.

        It takes as long as its bytes take through the controller, at the least.
        """
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
        latency = disk.write_latency + raid.largest_write(level, group, size, unit) / disk.write_rate
        if work.reads:  # never more than a unit of one disk
            latency += disk.read_latency + min(size, unit) / disk.read_rate
        busy = self._worked(work) / array.writing_disks
        parity = raid.parity_disk_work(level, group, size, unit)
        busy = max(busy, self._worked(parity) / array.groups)
        return case.share, Service(max(latency, busy), busy)

    def _worked(self, work: DiskWork) -> float:
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
        one = max(1.0 / self.disk.rate("read"), 1.0 / self.disk.rate("write"))
        return self.filling(one, self.stream("read", 0.0, self.size)), self._made(self.disk.capacity, allocated)


class Raid(Redundant):
    """An array of equal disks behind one controller.

    Streams spread evenly over the disks, so that the array is one link; a request occupies only the disks that it
    touches.
    """

    def __init__(
        self, name: str, layout: ArrayLayout, disk: disks.DiskParameters, controller: Controller | None = None
    ) -> None:
        self.name = name
        self.layout, self.disk, self.controller = layout, disk, controller or Controller()
        self.data_disks = self.layout.data_disks
        self.size = self.data_disks * self.disk.capacity
        # mirrors read on all of their disks, parity is not read
        fastest = self.layout.disks * self.disk.outer_rate
        stripe = (self.layout.stripe_unit, self.data_disks)
        turns = DiskTurns(self.disk, self._under_way, stripe, lambda: self.layout.copies)
        self.link = Link(name, 1.0, turns, fastest=fastest)

    @property
    def width(self) -> int:
        """Its number of data disks."""
        return self.data_disks

    @property
    def arms(self) -> int:
        """The disks over which small reads spread; either disk of a mirrored pair, unless one is missing."""
        return self.layout.reading_disks

    def sides(self, position: float, size: float) -> float:
        """The copies of a mirror: a stream goes on where its head is, so that another one has another copy."""
        one = self.stream("read", position, size)
        return max(min(self.layout.copies, one * self.controller.rate("read")), 1.0)

    def run(self, direction: Direction, window: float) -> float:
        """Bytes of a stream on one disk before the next disk follows, or its part of what is in flight at once."""
        under_way = self.controller.under_way(window, writes=direction == "write", together=1)
        return turn_size(self.disk, under_way, self.layout.stripe_unit, self.data_disks)

    def _under_way(self, place: Spot, together: int) -> float:
        """Bytes of one stream that go to or from the disks at once, if `together` streams go in its direction."""
        return self.controller.under_way(place.run, writes=place.writes, together=together)

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream: full stripes on all disks at once."""
        # parity and mirror disks write while the data disks do; a reader of a mirror has one side
        member = disks.transfer_time(self.disk, position / self.data_disks, size / self.data_disks) / size
        return max(member, 1.0 / self.controller.rate(direction))

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """The time of one request: that of the slowest of its disks, longer for a write that has to read first."""
        there = position / self.data_disks
        move = disks.positioning_time(self.disk, head / self.data_disks, there)
        return self._positioned(direction, move, disks.rate_at(self.disk, there), size)

    def scattered(
        self, direction: Direction, begin: float, extent: float, size: float, waiting: float = 1.0
    ) -> Service:
        """The time of a request at a random place of an extent when the one before was at another."""
        first, width = begin / self.data_disks, extent / self.data_disks
        rate = disks.rate_at(self.disk, first + width / 2.0)
        alone, served = (
            self._positioned(direction, scattered_positioning(self.disk, first, width, number), rate, size)
            for number in (1.0, waiting * self._part(direction, size))
        )
        return Service(alone.latency, served.busy)

    def _part(self, direction: Direction, size: float) -> float:
        """The share (0 to 1) of the disks that a request occupies."""
        if direction == "read":
            return min(self.layout.touched(size) / self.layout.reading_disks, 1.0)
        return min(self.layout.written(size) / self.layout.writing_disks, 1.0)

    def _positioned(self, direction: Direction, move: float, rate: float, size: float) -> Service:
        """The time of a request whose disks each need `move` seconds before the transfer, on average."""
        transfer = size / self.layout.touched(size) / rate if size else 0.0
        if direction == "read":
            found = [self._read(case, move, transfer) for case in self.layout.reads(size)]
        else:
            found = [self._written(case, move, rate, size) for case in self.layout.writes(size)]
        return self.controller.served(mean(found), size, direction)

    def _read(self, case: Case, move: float, transfer: float) -> tuple[float, Service]:
        """The time of a read whose disks each transfer for some seconds, with the share of its case."""
        latency = move + self._slowest(case.work.reads) + transfer
        return case.share, Service(latency, (move + transfer) * case.work.reads / self.layout.reading_disks)

    def _written(self, case: Case, move: float, rate: float, size: float) -> tuple[float, Service]:
        """The time of a write, with the share of its case."""
        array, revolution, work, again = self.layout, 1.0 / self.disk.rotation_speed, case.work, case.again
        transfer = size / array.touched(size) / rate if size else 0.0
        # Parity and mirrors are written beside the data; what was read first comes round again a revolution later.
        latency = move + self._slowest(min(max(work.writes, 1), array.disks)) + transfer
        if again:
            latency += revolution
        elif work.reads:
            latency += self._slowest(work.reads) + disks.rotational_latency(self.disk)
        own = disks.rotational_latency(self.disk) + self.disk.command_overhead
        seeks = min(max(work.operations - again, 1), array.disks) * (move - own)
        turned = (work.operations - 2 * again) * own + again * (own + revolution)
        moved = work.bytes_moved - again * min(
            size, array.stripe_unit
        )  # what is read passes while the disk comes round
        busy = (turned + seeks + moved / rate) / array.writing_disks
        parity = raid.parity_disk_work(array.level, array.group, size, array.stripe_unit)
        if parity.writes:  # every write of a group comes by its parity disks, which may have no time left before others
            whole = revolution if parity.reads else (parity.writes - 1) * own
            busy = max(busy, (own + whole + move - own + parity.bytes_written / rate) / array.groups)
        return case.share, Service(latency, min(busy, latency))

    def _slowest(self, number: int) -> float:
        """Seconds by which the last of several disks takes longer than half a revolution, on average."""
        latest = raid.expected_maximum_latency(number, 1.0 / self.disk.rotation_speed)
        return latest - disks.rotational_latency(self.disk)

    def continued(self, position: float, size: float) -> Service:
        """The time of the next read of a sequence: its disks transfer in parallel, or have done so already."""
        one, array, overhead = self.disk, self.layout, self.controller.controller_overhead
        if self.fetches:  # it is in the cache; all disks at once read what comes later
            there = min(position, self.size - size)
            busy = self.stream("read", there, size) * size / self.sides(there, size)
            return Service(overhead + size / self.controller.rate("read"), busy)
        rate = disks.rate_at(one, position / self.data_disks)
        largest = max(min(size, array.stripe_unit), size / self.data_disks)  # part of one disk: the others wait
        latency = overhead + one.command_overhead + largest / rate
        works = [(case.share, case.work) for case in array.reads(size)]
        used = sum(share * (one.command_overhead * work.reads + work.bytes_read / rate) for share, work in works)
        return Service(latency, used / array.reading_disks)

    def append(self, position: float, size: float) -> Service:
        """The time of a write that just missed its place on its disks; a write cache gathers whole stripes."""
        array, controller = self.layout, self.controller
        if controller.write_cache >= size:
            busy = self.stream("write", min(position, self.size - size), size) * size
            return controller.served(Service(busy, busy), size, "write")
        one = missed(self.disk, position / self.data_disks, size / array.touched(size)).latency
        parity = raid.parity_disk_work(array.level, array.group, size, array.stripe_unit)
        found: list[tuple[float, Service]] = []
        for case in array.writes(size):
            work, again = case.work, case.again
            later = 1.0 / self.disk.rotation_speed if work.reads else 0.0
            held = ((work.operations - 2 * again) * one + again * (one + later)) / array.writing_disks
            if parity.writes:
                held = max(held, (parity.writes * one + (later if parity.reads else 0.0)) / array.groups)
            found.append((case.share, Service(one + later, min(held, one + later))))
        return controller.served(mean(found), size, "write")

    def rebuilding(self, allocated: float, scattered: float) -> tuple[FlowShape, float]:
        """What each byte of a new disk loads on all disks, as a mean over its tracks, and the bytes to be rebuilt.

        Allocated data are on the outer tracks, which are filled first. In the order of age, scattered data take a seek
        of all disks for each stripe unit.
        """
        disk, unit, size = self.disk, self.layout.stripe_unit, self._made(self.disk.capacity, allocated)
        own = disks.rotational_latency(disk) + disk.command_overhead
        member = disks.transfer_time(disk, 0.0, size) / size if size else 0.0
        if self.layout.rebuilds == "by_age":
            span = disks.cylinder(disk, max(size, unit))
            member += scattered * (disks.waiting_seek_time(disk, span, self.layout.rebuild_requests) + own) / unit

        def skipping(gap: float) -> float:
            return disks.seek_time(disk, min(gap / disk.capacity, 1.0)) + own

        stream = self.stream("read", 0.0, self.size) / self.sides(0.0, self.size)
        shape = self.filling(member, stream, skipping)
        middle = {self.link: shape.places[self.link]._replace(position=size * self.data_disks / 2.0)}
        return shape._replace(places=middle), size

    def switchover(self, here: float, there: float, size: float, *, back: bool = False, writing: int = 0) -> Service:
        """The loss of a request to a stream elsewhere on the same disks, each of which reads ahead for its part.

        A write also moves the arms of disks with copies and parity; a cache gathers for all streams that are writing.
        """
        array, touched = self.layout, self.layout.touched(size)
        lost = turning(self.disk, here / self.data_disks, there / self.data_disks, back=back)
        under_way = self.controller.under_way(size, writes=writing > 0, together=writing)
        if writing:  # a disk does not hold more of a stream than it was given
            each = under_way / self.data_disks
        else:
            each = turn_size(self.disk, under_way, array.stripe_unit, self.data_disks)
        latency = lost * min(size / touched / each, 1.0)
        share = array.written(size) / array.writing_disks if writing else touched / array.reading_disks
        return Service(latency, latency * min(share, 1.0))

    def spread(self, size: float, *, writes: bool) -> int:
        """The disks that it touches, or one if a write is done when it is in the cache."""
        if not writes:
            return self.layout.touched(size)
        return 1 if self.controller.write_cache >= size else min(self.layout.written(size), self.layout.writing_disks)


def changing(network: FlowNetwork, store: Store, change: Callable[[], Outcome]) -> Outcome:
    """Change a device under flows: each goes on as if every unit took as many times as long there as its like does.

    Streams take as many times as long as a stream at their place. What is made of requests takes as many times as long
    as requests of its size here and there.
    """
    flows = [flow for flow in store.link.flows if store.link in flow.demands]
    before = [_taken(store, flow) for flow in flows]
    outcome = change()
    for flow, was in zip(flows, before, strict=True):
        now = _taken(store, flow)
        times = Service(now.latency / was.latency, now.busy / was.busy)
        if times != (1.0, 1.0):
            _slow(network, store, flow, times)
    return outcome


def _taken(store: Store, flow: Flow) -> Service:
    """Seconds, and seconds of the device, that what is like a flow takes there for each byte."""
    place = flow.places.get(store.link)
    direction: Direction = "write" if place is not None and place.writes else "read"
    position = place.position if place is not None else store.size / 2.0
    size = min(max(place.run if place is not None else 0.0, LEAST), store.size - position)
    stream = store.stream(direction, position, size)
    sides = store.sides(position, size) if direction == "read" else 1.0
    asked = store.scattered(direction, 0.0, store.size, size)
    share = flow.sequential
    return Service(
        share * stream + (1.0 - share) * asked.latency / size,
        share * stream / sides + (1.0 - share) * asked.busy / size,
    )


def _slow(network: FlowNetwork, store: Store, flow: Flow, times: Service) -> None:
    """Let each unit of a flow take so many times as long at a device."""

    def spent(parts: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
        return {part: seconds * (times.latency if part[0] == store.name else 1.0) for part, seconds in parts.items()}

    demands = {link: demand * (times.busy if link is store.link else 1.0) for link, demand in flow.demands.items()}
    own, going = flow.limits.own, flow.customers
    parts = spent(own.parts)
    total = math.fsum(own.parts.values())
    rate = own.rate * total / math.fsum(parts.values()) if parts and total > 0.0 else own.rate
    if isinstance(going, ClosedClass):
        held = {link: need * (times.busy if link is store.link else 1.0) for link, need in going.demands.items()}
        going = replace(going, parts=spent(going.parts), demands=held)
    network.reshape(flow, demands, flow.moves, Limit(rate, own.cause, parts), going, places=flow.places)


def make(site: Site, array: RaidSpec) -> Raid | FlashArray:
    """The array, of rotating disks or of solid-state ones."""
    layout, controller = parameters_of(ArrayLayout, array), parameters_of(Controller, array)
    live = (
        FlashArray(site.address, layout, parameters_of(Flash, array.ssd), controller)
        if array.disk is None
        else Raid(site.address, layout, mechanics(array.disk), controller)
    )
    live.lands(site, parameters_of(LandingZone, array.member).of(layout.data_disks), live.link.fastest)
    return live
