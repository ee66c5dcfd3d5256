"""Rotating disks, and what their arms lose by turning between streams."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Callable, Hashable
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from simbackup.devices.credits import Landed, LandingZone
from simbackup.devices.store import Direction, Service
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Spot
from simbackup.engine.link import Link, StreamKind
from simbackup.equations import disk as disks
from simbackup.equations.disk import DiskParameters, cylinder
from simbackup.equations.disk_turns import Visited, interrupted, returns_among, turn_size, turn_time
from simbackup.parameters import parameters_of

if TYPE_CHECKING:
    from simbackup.devices.disk.spec import DiskSheet, DiskSpec
    from simbackup.devices.site import Site

NOWHERE = Spot(0.0)
BINARY_PLACES = 96
"""Seconds are summed in units of two to this negative power, so that no sum depends on the order of streams."""


class Sweep:
    """The mean switchover time of an arm that visits all streams in one direction and returns to the first.

    The same as `equations.disk_turns.sweep_turn_time`, updated as streams begin and end: each changes two distances.
    """

    def __init__(self, disk: DiskParameters) -> None:
        self._disk = disk
        self._places: list[float] = []
        self._sum = 0

    def add(self, place: float) -> None:
        """Add a stream at a place, as a share (0 to 1) of the stroke."""
        at = bisect_left(self._places, place)
        self._sum -= self._around(at, at)
        insort(self._places, place)
        self._sum += self._around(at, at + 1)

    def remove(self, place: float) -> None:
        """Remove a stream at a place."""
        at = bisect_left(self._places, place)
        self._sum -= self._around(at, at + 1)
        del self._places[at]
        self._sum += self._around(at, at)

    def _around(self, begin: int, end: int) -> int:
        """Switchover times from the place before some to the one after them, in small units."""
        near = self._places[max(begin - 1, 0) : end + 1]
        return sum(self._turn(after - before) for before, after in pairwise(near))

    def _turn(self, distance: float) -> int:
        return int(math.ldexp(turn_time(self._disk, distance), BINARY_PLACES))

    def mean(self) -> float:
        """Mean seconds of a switchover; there is at least one stream."""
        places = self._places
        return (self._sum + self._turn(places[-1] - places[0])) / (len(places) << BINARY_PLACES)


class DiskTurns:
    """The switchover losses of all streams on some disks, which move their arms together.

    `under_way` gives the bytes of a stream that are moved at once, given its place and the number of streams in its
    direction; by default, those that the place states. `stripe` is the bytes on one disk before the next follows, and
    the number of data disks. A mirror has several `copies`, each of which serves as many readers as any other, and
    every writer (`interrupted`). If the place of a stream is unknown, the arm moves a third of the stroke. A stream
    beside users has already paid for the return from them, and pays here only for what it loses in addition.
    """

    def __init__(
        self,
        disk: DiskParameters,
        under_way: Callable[[Spot, int], float] | None = None,
        stripe: tuple[float, int] = (0.0, 1),
        copies: Callable[[], float] = lambda: 1.0,
    ) -> None:
        self._disk = disk
        self._under_way = under_way
        self._unit, self._disks = stripe
        self._copies = copies
        self._streams: dict[Flow, Spot | None] = {}
        self._sweep = Sweep(disk)
        self._unknown = self._writers = 0
        self._each: dict[Hashable, float] = {}

    def attach(self, link: Link, flow: Flow) -> StreamKind | None:
        """Add a flow to the streams that share the arm; return its kind, None for a flow that is not sequential."""
        moved = flow.moves.get(link, 0.0)
        if not (flow.sequential and moved):
            return None
        self._count(flow, flow.places.get(link), 1)
        run = flow.places.get(link, NOWHERE)._replace(position=0.0)
        return StreamKind(run, flow.sequential * moved / self._disks)

    def detach(self, flow: Flow) -> None:
        """Remove a flow from the streams."""
        if flow in self._streams:
            self._count(flow, self._streams[flow], -1)

    def each(self, kind: Hashable) -> float:
        """Seconds that a stream of a kind loses for each byte of one disk, with the present streams."""
        found = self._each.get(kind)
        if found is None:
            found = self._each[kind] = self._lost(cast("Spot", kind))
        return found

    def _count(self, flow: Flow, place: Spot | None, change: int) -> None:
        self._each.clear()
        if change > 0:
            self._streams[flow] = place
        else:
            del self._streams[flow]
        if place is None:
            self._unknown += change
            return
        self._writers += change if place.writes else 0
        at = cylinder(self._disk, place.position / self._disks)
        if change > 0:
            self._sweep.add(at)
        else:
            self._sweep.remove(at)

    def _lost(self, place: Spot) -> float:
        count = len(self._streams)
        if count < 2:  # noqa: PLR2004 (whoever is alone turns to nobody)
            return 0.0
        together = self._writers if place.writes else count - self._writers
        under_way = place.run if self._under_way is None else self._under_way(place, together)
        turn = turn_time(self._disk) if self._unknown else self._sweep.mean()
        size = turn_size(self._disk, under_way, self._unit, self._disks)
        copies = self._copies()
        share = interrupted(count - self._writers, self._writers, copies, writes=place.writes)
        if not place.writes:  # of whom each keeps one copy
            share /= copies
        if place.visited is None:
            return share * turn / size
        return share * returns_among(cast("Visited", place.visited), turn, size)


class Disk(Landed):
    """A rotating disk."""

    def __init__(self, name: str, parameters: DiskParameters) -> None:
        self.name = name
        self.parameters = parameters
        self.size = parameters.capacity
        self.link = Link(name, 1.0, DiskTurns(parameters), fastest=parameters.outer_rate)

    def run(self, direction: Direction, window: float) -> float:
        """What is requested at once, or what the disk itself reads ahead or gathers, if that is more."""
        return turn_size(self.parameters, window)

    @property
    def passed(self) -> float:
        """Any gap: its heads wait until the next bytes have turned below them, if that is faster than a seek."""
        return self.size

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream."""
        # a disk reads and writes at the rate of its media
        return disks.transfer_time(self.parameters, position, size) / size

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """The time of one positioned request, which occupies the disk throughout."""
        time = disks.request_time(self.parameters, head, position, size)
        return Service(time, time)

    def scattered(
        self, direction: Direction, begin: float, extent: float, size: float, waiting: float = 1.0
    ) -> Service:
        """The time of a request at a random place of an extent when the one before was at another."""
        disk = self.parameters
        moved = disks.transfer_time(disk, begin + max(extent - size, 0.0) / 2.0, size)
        alone, served = (scattered_positioning(disk, begin, extent, number) + moved for number in (1.0, waiting))
        return Service(alone, served)

    def continued(self, position: float, size: float) -> Service:
        """The time of the next read of a sequence: overhead and transfer."""
        time = self.parameters.command_overhead + size / disks.rate_at(self.parameters, position)
        return Service(time, time)

    def append(self, position: float, size: float) -> Service:
        """The time of a write that just missed its place: whole revolutions."""
        return missed(self.parameters, position, size)

    def switchover(self, here: float, there: float, size: float, *, back: bool = False, writing: int = 0) -> Service:
        """The loss to a stream elsewhere: a seek from there, or there and back, and half a revolution."""
        ahead = size if writing else self.parameters.stream_turn  # it cannot gather what it was not given
        time = turning(self.parameters, here, there, back=back) * min(size / ahead, 1.0)
        return Service(time, time)


def scattered_positioning(disk: DiskParameters, begin: float, extent: float, waiting: float) -> float:
    """Seconds before a transfer can start at a random place of an extent of one disk, from another such place.

    So many requests are `waiting` there, and the disk, or its host, serves them on the way of the arm.
    """
    span = cylinder(disk, begin + extent) - cylinder(disk, begin)
    return disks.waiting_seek_time(disk, span, waiting) + disks.rotational_latency(disk) + disk.command_overhead


def missed(disk: DiskParameters, position: float, size: float) -> Service:
    """A write whose place has just passed under the head: overhead and transfer, up to the next whole revolution."""
    time = disk.command_overhead + size / disks.rate_at(disk, position)
    whole = math.ceil(time * disk.rotation_speed) / disk.rotation_speed
    return Service(whole, whole)


def turning(disk: DiskParameters, here: float, there: float, *, back: bool = False) -> float:
    """Seconds until one stream continues after another: a seek, or one there and one back, and half a revolution."""
    seek = disks.seek_time(disk, abs(cylinder(disk, there) - cylinder(disk, here)))
    return (2.0 if back else 1.0) * seek + disks.rotational_latency(disk)


def make(site: Site, disk: DiskSpec) -> Disk:
    """The disk."""
    live = Disk(site.address, mechanics(disk))
    live.lands(site, parameters_of(LandingZone, disk), live.link.fastest)
    return live


def mechanics(disk: DiskSheet) -> DiskParameters:
    """The mechanics of a disk, alone or in an array."""
    return parameters_of(DiskParameters, disk)
