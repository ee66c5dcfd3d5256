"""Readers and writers of a native backup: their files and volumes, and what a buffer costs there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from simbackup.devices.host.live import Host
from simbackup.devices.network.live import Network, travel_time
from simbackup.devices.object_store.live import ObjectStore
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, Region, bus
from simbackup.engine.link import Link


class End(NamedTuple):
    """A volume of the database, or a backup file."""

    name: str
    region: Region | None
    """Where it is on a block device; None for an object store and for NUL."""
    networks: tuple[Network, ...] = ()
    """The networks between the host and its device."""
    objects: ObjectStore | None = None
    """The object store that has it, if one does."""

    def way(self, direction: Direction) -> list[Network]:
        """All networks from the host to its device, or back."""
        if self.region is None:
            return list(self.networks) if self.objects is not None else []
        return [*self.networks, *bus(self.region.store, direction)]


@dataclass(frozen=True, slots=True)
class Side:
    """All volumes of a database, or all of its backup files; each gets the same number of bytes."""

    places: tuple[End, ...]
    """The volumes or files."""
    direction: Direction
    """Whether they are read or written."""
    each: float
    """Bytes here for each byte of the database."""
    request: float
    """Seconds that the engine adds to each request."""
    size: float
    """Bytes of a buffer, before compression."""
    turns: Mapping[Link, float]
    """Seconds that devices lose by switching between places, for each of their bytes."""

    @property
    def kept(self) -> list[tuple[End, Region]]:
        """The places on block devices, with their regions."""
        return [(place, place.region) for place in self.places if place.region is not None]

    def shape(self) -> FlowShape:
        """What a byte of the database loads."""
        shape, share = FlowShape(sequential=False), self.each / len(self.places)
        for place, region in self.kept:  # what the device loses between its requests is in the loop's own queues
            there = region.streaming(self.direction).part(share)
            shape = shape.plus(there.demands, there.moves, there.places).over(place.networks, share)
            shape = shape.plus({region.store.link: self.turns.get(region.store.link, 0.0) * share})
        for place, store in self._objects:
            there = store.buffered(self.direction, self.size * self.each).part(share)
            shape = shape.plus(there.demands, there.moves)
            each_way = {link: share for network in place.networks for link in network.links}
            shape = shape.plus(each_way, each_way)
        return shape

    @property
    def _objects(self) -> list[tuple[End, ObjectStore]]:
        """The places in object stores."""
        return [(place, place.objects) for place in self.places if place.objects is not None]

    def wait(self) -> float:
        """Mean seconds that a request waits in addition to all queues."""
        waits = [self._wait(place, region) for place, region in self.kept]
        waits += [self._answer(place, store) for place, store in self._objects]
        return sum(waits) / len(self.places)

    def _answer(self, place: End, store: ObjectStore) -> float:
        """Seconds of a request in engine, networks and store, in addition to what its bytes load."""
        return self.request + store.buffer_wait(self.direction, place.networks, self.size * self.each)

    def _wait(self, place: End, region: Region) -> float:
        """Seconds of a request in engine and networks, and in a device beyond the time of its bytes in a stream."""
        store, size = region.store, self.size * self.each
        begin = max(min(region.begin, store.size - size), 0.0)
        read = self.direction == "read"
        service = store.continued(begin, size) if read else store.request("write", begin, begin, size)
        device = service.latency - store.stream(self.direction, begin, size) * size
        if not read and self.turns.get(store.link, 0.0) > 0.0:  # a turn finds the place, or the write before did
            device = 0.0
        return self.request + max(device, 0.0) + travel_time(place.way(self.direction))


class Coding(NamedTuple):
    """Threads of a host that compress or expand."""

    host: Host
    """The host."""
    seconds: float
    """Seconds of a core for each byte of the database."""
    threads: int
    """Number of threads."""

    def shape(self) -> FlowShape:
        """What a byte of the database loads."""
        return self.host.working(FlowShape(sequential=False), self.seconds)


class Sides(NamedTuple):
    """The cycle of a buffer."""

    before: Side
    """Where it is filled."""
    coding: Coding | None
    """What compresses or expands it; None without it."""
    after: Side
    """Where it is emptied."""

    def shape(self) -> FlowShape:
        """What a byte of the database loads on its way round the loop."""
        shape = self.before.shape()
        for part in (self.after, self.coding):
            if part is not None:
                shape = shape.in_parallel_with(part.shape())
        return shape
