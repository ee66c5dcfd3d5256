"""Volumes that are written and frozen: what a write costs where a frozen image still needs the old data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import simpy

from simbackup.devices.changes import Spread
from simbackup.devices.mirror.live import Mirror
from simbackup.devices.shape import FlowShape
from simbackup.devices.snapshot.live import Snapshot
from simbackup.devices.store import Region, Store
from simbackup.engine.activity import Activity
from simbackup.engine.limit import Place
from simbackup.engine.trace import Trace
from simbackup.equations import snapshot as equations


class Stretch(NamedTuple):
    """A run of bytes of a volume, and the snapshots that still need a copy of it."""

    begin: float
    size: float
    fresh: tuple[Snapshot, ...]


class Volume:
    """A part of a device that is written and frozen: a logical volume, or a whole device."""

    def __init__(self, env: simpy.Environment, name: str, region: Region) -> None:
        self.env = env
        self.name = name
        self.region = region
        self.snapshots: list[Snapshot] = []
        self.mirrors: list[Mirror] = []
        self.changed = env.event()

    def taken(self) -> float:
        """Bytes that it takes on its device."""
        return self.region.size

    def record(self, trace: Trace) -> None:
        """Record its state in the trace; nothing to record where it overwrites in place."""

    @property
    def full(self) -> bool:
        """Whether updates fail for lack of room; never where they overwrite in place."""
        return False

    def fits(self, begin: float, size: float) -> float:
        """Bytes of a write in sequence that find room: all where it overwrites in place."""
        del begin
        return size

    def expect(self, begin: float, size: float) -> None:
        """Reserve room for a write that begins now; nothing to reserve where it overwrites in place."""

    def lay(self, data: str, place: tuple[float, float], spread: Spread | None, updates: float) -> None:
        """Place data at the start, as earlier updates have left them; in place nothing moves."""

    def updated(self, users: str, place: tuple[float, float], spread: Spread, updates: float) -> None:
        """Note how many updates some users have made in all; nothing moves where they overwrite in place."""

    def until_next(self, users: str, place: tuple[float, float], spread: Spread, change: float) -> float:
        """Updates until what they cost has changed by so much; it never does where they overwrite in place."""
        del users, place, spread, change
        return math.inf

    def attach(self, snapshot: Snapshot) -> None:
        """Let a snapshot take copies from now on."""
        self.snapshots.append(snapshot)
        self.announce()

    def detach(self, snapshot: Snapshot) -> None:
        """Let a snapshot take no more copies."""
        self.snapshots.remove(snapshot)
        self.announce()

    def announce(self) -> None:
        """Notify current writers that the cost of their writes has changed."""
        event, self.changed = self.changed, self.env.event()
        event.succeed()

    def stretch(self, begin: float, size: float) -> Stretch:
        """The longest run from a byte that costs the same all along; snapshots without room become invalid."""
        for snapshot in list(self.snapshots):
            needs, _ = snapshot.needs(begin)
            if needs and snapshot.room < snapshot.parameters.chunk:
                snapshot.invalidate(self.env.now)
        end = begin + size
        fresh: list[Snapshot] = []
        for snapshot in self.snapshots:
            needs, until = snapshot.needs(begin)
            end = min(end, until)
            if needs:
                fresh.append(snapshot)
                end = min(end, begin + snapshot.room)
        return Stretch(begin, end - begin, tuple(fresh))

    def wrote(self, stretch: Stretch, size: float) -> None:
        """Note that the first `size` bytes of a stretch are on disk."""
        for snapshot in stretch.fresh:
            if snapshot.active:
                snapshot.wrote(stretch.begin, size)
        for mirror in self.mirrors:
            mirror.wrote(stretch.begin, size)

    def write_shape(self, stretch: Stretch, waiting: float = math.inf) -> FlowShape:
        """How a byte of sequential writing loads the devices here, with so many bytes outstanding at most."""
        store = self.region.store
        position = self.region.begin + stretch.begin
        if stretch.fresh:
            shape = first_write_shape(store, position, stretch, waiting)
        else:
            shape = Region(store, position, stretch.size).streaming("write")
        return self.mirrored(shape, stretch)

    def mirrored(self, shape: FlowShape, stretch: Stretch) -> FlowShape:
        """The shape of a write when mirrors of the volume are written at the same time."""
        for mirror in self.mirrors:
            if mirror.follows:
                there = mirror.region.part(stretch.begin, stretch.size).streaming("write")
                shape = shape.plus(there.demands, there.moves, there.places)
        return shape


def first_write_shape(
    store: Store, position: float, stretch: Stretch, waiting: float = math.inf, *, own: bool = True
) -> FlowShape:
    """How a byte of sequential first writes loads the devices: read, copy, commit for each snapshot, then the write.

    The write itself may be left out, for a writer that counts it by itself.

    Distances and rates are those in the middle of the stretch, in the origin and in the areas. The requests of one
    group follow each other: the commit waits for the copies, the held writes for the commit, and one thread serves all
    (kcopyd.c, dm-snap.c), so that their times add up. Each device's head stands where the request before left it, so
    that a copy area on the same disk costs seeks and one on another disk does not.
    """
    heads: dict[str, float] = {}
    cycle = [
        request
        for request in _cycle(store, position, stretch, waiting)
        if own or request.activity is not Activity.OWN_WRITE
    ]
    for request in cycle:  # a first lap brings the heads to where a steady cycle leaves them
        heads[request.store.name] = request.position
    shape = FlowShape()
    parts: dict[tuple[str, str], float] = {}
    for activity, on, at, size, times, group in cycle:
        service = on.request("read" if activity is Activity.COPY_READ else "write", heads[on.name], at, size)
        heads[on.name] = at
        parts[on.name, activity] = parts.get((on.name, activity), 0.0) + times * service.latency / group
        place = Place(at, writes=activity is not Activity.COPY_READ)
        shape = shape.plus({on.link: times * service.busy / group}, {on.link: times * size / group}, {on.link: place})
        shape = shape.over(on.path, times * size / group)
    return shape.cycle(parts)


class _Request(NamedTuple):
    """One request of the cycle of a group: where it goes, its bytes, how many times, and the bytes of the group."""

    activity: Activity
    store: Store
    position: float
    size: float
    times: float
    group: float


def _cycle(store: Store, begin: float, stretch: Stretch, waiting: float) -> Iterator[_Request]:
    """The requests that one group of first writes makes, in their order, half-way through a stretch."""
    fresh, ahead = stretch.fresh, stretch.size / 2.0
    own = max(equations.group_size(snapshot.parameters, waiting) * snapshot.parameters.chunk for snapshot in fresh)
    position = _inside(store, begin + ahead, own)
    for snapshot in fresh:
        cow, area = snapshot.parameters, snapshot.area.store
        group = equations.group_size(cow, waiting) * cow.chunk
        at = _inside(area, snapshot.position(ahead), group)
        metadata = max(at - equations.commit_distance(cow), snapshot.area.begin)
        yield _Request(Activity.COPY_READ, store, position, group, 1.0, group)
        yield _Request(Activity.COPY_WRITE, area, at, group, 1.0, group)
        yield _Request(
            Activity.METADATA_COMMIT, area, metadata, cow.chunk, equations.commits_per_group(cow, waiting), group
        )
    yield _Request(Activity.OWN_WRITE, store, position, own, 1.0, own)


def _inside(store: Store, position: float, size: float) -> float:
    """A position at which so many bytes are still on the device."""
    return max(min(position, store.size - size), 0.0)
