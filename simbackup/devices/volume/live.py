"""A logical volume: where it is written in place, where a snapshot makes a write dearer, and whose copies fit.

Copy-on-write: the first write to a chunk first copies the old chunk and commits that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import simpy

from simbackup.devices.changes import Spread
from simbackup.devices.mirror.live import Mirror
from simbackup.devices.shape import FlowShape
from simbackup.devices.snapshot.live import Snapshot
from simbackup.devices.store import Direction, Region, Service, Store, bus
from simbackup.engine.events import LAST, Call
from simbackup.engine.limit import Spot
from simbackup.equations import snapshot as equations
from simbackup.trace.activity import Activity
from simbackup.trace.trace import Trace

if TYPE_CHECKING:
    from simbackup.devices.site import Site
    from simbackup.devices.volume.spec import LogicalVolumeSpec


class Request(NamedTuple):
    """One kind of request in the cycle of first writes to chunks."""

    activity: Activity
    """What it is for; this also decides whether it reads or writes."""
    store: Store
    """The device."""
    position: float
    """Byte of the device at which it begins."""
    size: float
    """Bytes."""
    times: float
    """How often it occurs in a cycle."""
    delay: float = 0.0
    """Seconds before each in an idle queue of the block layer, in which no device is busy."""
    destaged: float = 1.0
    """Share (0 to 1) that a write cache passes to the disks, as it gathers repeated writes to one place."""

    @property
    def direction(self) -> Direction:
        """Whether it reads or writes."""
        return "read" if self.activity is Activity.COPY_READ else "write"


class ChunkRun(NamedTuple):
    """A contiguous run of chunks that are copied together."""

    size: float
    """Bytes."""
    together: float = 1.0
    """Mean number of such runs that one commit covers."""


def first_write_shape(
    store: Store, position: float, stretch: Stretch, waiting: float | None = None, *, own: bool = True
) -> FlowShape:
    """The shape of a byte of sequential first writes: copies and commits for each snapshot, then the write.

    Without `own`, the write itself is left out, for a writer that counts it by itself.

    Distances and rates are those in the middle of the stretch, in the origin and in the areas. The requests of one
    group are in series: the commit waits for the copies, the held writes wait for the commit, and one thread serves all
    (kcopyd.c, dm-snap.c), so that their times add up. Each request begins with the head of its device where the one
    before left it, so that a copy area on the same disk costs seeks and one on another disk does not.
    """
    ahead, parts, shape = stretch.size / 2.0, dict[tuple[str, str], float](), FlowShape()
    sheets = {image: image.parameters for image in stretch.fresh}
    groups = {
        image: min(equations.group_size(cow, waiting) * cow.chunk, max(image.area.size, cow.chunk))  # all copies fit in
        for image, cow in sheets.items()
    }
    largest = max(groups.values())
    cycle: list[tuple[Request, float]] = []
    for image, group in groups.items():
        cycle += [(request, group) for request in copying(image, store, position + ahead, ChunkRun(group), ahead)]
    held = largest if waiting is None else min(waiting, largest)
    delay, queue = max((equations.unplug_time(cow), image.name) for image, cow in sheets.items())
    cycle.append((Request(Activity.OWN_WRITE, store, inside(store, position + ahead, held), held, 1.0, delay), largest))
    heads = {request.store.name: request.position for request, _ in cycle}  # as a steady cycle leaves them
    for request, group in cycle:
        on, size = request.store, request.size
        service = served(request, heads)
        if request.activity is Activity.OWN_WRITE:
            if not own:
                break
            shape, parts = _streaming(shape, parts, request, group)
        for part, seconds in (((on.name, request.activity), service.latency), ((queue, Activity.QUEUE), request.delay)):
            parts[part] = parts.get(part, 0.0) + request.times * seconds / group
        shape = shape.plus(
            {on.link: request.times * service.busy / group},
            {on.link: request.times * size / group},
            {on.link: Spot(request.position, writes=request.direction == "write")},
        ).through(bus(on, request.direction), request.times * size / group)
    return shape.cycle(parts)


def _streaming(
    shape: FlowShape, parts: dict[tuple[str, str], float], held: Request, group: float
) -> tuple[FlowShape, dict[tuple[str, str], float]]:
    """The shape with the rest of a chunk that is larger than the write that waited; the writer continues in series."""
    rest = group - held.size
    if rest <= 0.0:
        return shape, parts
    on, one = held.store, held.store.append(held.position, held.size)
    times = rest / held.size / group
    shape = shape.plus({on.link: times * one.busy}, {on.link: rest / group}).through(on.path, rest / group)
    return shape, parts | {(on.name, held.activity): times * one.latency}


def copying(image: Snapshot, store: Store, position: float, run: ChunkRun, ahead: float = 0.0) -> Iterator[Request]:
    """The requests that copy a run of chunks at a position of a device, and record the copies, in their order.

    If the memory for copies does not hold the run, reads and writes alternate. A commit is sent to the device at once;
    reads and copies stay in an idle queue for a while.
    """
    cow, area = image.parameters, image.area.store
    at, origin = inside(area, image.position(ahead), run.size), inside(store, position, run.size)
    rounds, delay = equations.copy_rounds(cow, run.size), equations.unplug_time(cow, run.together)
    size, writes = run.size / rounds, equations.copy_writes(cow, run.together)
    for times in (1.0, rounds - 1.0):
        if times > 0.0:
            yield Request(Activity.COPY_READ, store, origin, size, times, delay)
            yield Request(
                Activity.COPY_WRITE, area, inside(area, at, size / writes), size / writes, times * writes, delay
            )
    commits = equations.commits(cow, run.size / cow.chunk, run.together)
    if not commits:
        return
    metadata = max(at - equations.commit_distance(cow), image.area.begin)
    destaged = equations.destaged_commits(cow, run.size / cow.chunk, run.together, area.gathers) / commits
    yield Request(Activity.METADATA_COMMIT, area, metadata, cow.chunk, commits, destaged=destaged)


def served(request: Request, heads: dict[str, float]) -> Service:
    """The time of a request that begins where the last one left the head of its device; moves the head.

    A cache gathers copies and records, which are written to the disks in parallel; the head then stays where it is.
    """
    on = request.store
    if request.direction == "write" and on.gathers >= request.size:
        gathered = on.append(request.position, request.size)
        return gathered._replace(busy=gathered.busy * request.destaged)
    head = heads.get(on.name, request.position)
    heads[on.name] = request.position
    return on.request(request.direction, head, request.position, request.size)


def inside(store: Store, position: float, size: float) -> float:
    """The position, moved down if needed so that `size` bytes from it are still on the device."""
    return max(min(position, store.size - size), 0.0)


class Claims:
    """How much of each copy area each writer of a volume may fill before it claims again.

    A writer claims space, writes, and reports what it has written. All claims together never exceed the free space:
    each gets at most an equal share. If others have claimed too much, they first report what they have written.
    """

    def __init__(self, volume: Volume) -> None:
        self.volume = volume
        self.held: dict[Hashable, Mapping[Snapshot, float]] = {}

    def take(
        self, writer: Hashable, wanted: Mapping[Snapshot, float]
    ) -> Generator[simpy.Event, Any, dict[Snapshot, float]]:
        """Bytes of each snapshot's chunks that a writer may copy now; a snapshot without space becomes invalid."""
        self.held[writer] = {}
        if len(self.held) > 1 and wanted:
            yield self._reported()
            if any(self._must_ask(writer, snapshot, size) for snapshot, size in wanted.items()):
                self.volume.announce()
                yield self._reported()
        granted: dict[Snapshot, float] = {}
        for snapshot, size in wanted.items():
            free = self._free(writer, snapshot)
            if free < snapshot.parameters.chunk:
                if snapshot.active:
                    snapshot.invalidate(float(self.volume.env.now))
            else:
                granted[snapshot] = min(free, self._share(snapshot, size))
        self.held[writer] = granted
        return granted

    def leave(self, writer: Hashable) -> None:
        """Withdraw the claims of a writer that is done."""
        self.held.pop(writer, None)

    def _reported(self) -> simpy.Event:
        """The end of the instant, when all interrupted writers have reported what they wrote."""
        return Call(self.volume.env, lambda _: None, priority=LAST)

    def _must_ask(self, writer: Hashable, snapshot: Snapshot, size: float) -> bool:
        """Whether others have claimed so much that too little is free, though there is a chunk for each."""
        enough = snapshot.room >= len(self.held) * snapshot.parameters.chunk
        return enough and self._free(writer, snapshot) < self._share(snapshot, size)

    def _free(self, writer: Hashable, snapshot: Snapshot) -> float:
        """Bytes that no other writer has claimed."""
        return snapshot.room - sum(held.get(snapshot, 0.0) for who, held in self.held.items() if who != writer)

    def _share(self, snapshot: Snapshot, size: float) -> float:
        """Bytes that one writer may claim at most, in whole chunks if there are several writers."""
        if len(self.held) == 1:
            return min(size, snapshot.room)
        chunk = snapshot.parameters.chunk
        return min(size, max(snapshot.room // len(self.held) // chunk, 1.0) * chunk)


class Stretch(NamedTuple):
    """A range of bytes of a volume."""

    begin: float
    """Byte of the volume at which it begins."""
    size: float
    """Bytes."""
    fresh: tuple[Snapshot, ...]
    """Snapshots that still need a copy of it."""


class Volume:
    """A part of a device that is written and frozen: a logical volume, or a whole device."""

    in_place = True
    """Whether new data go where the old ones lie."""

    def __init__(self, env: simpy.Environment, name: str, region: Region) -> None:
        self.env = env
        self.name = name
        self.region = region
        self.snapshots: list[Snapshot] = []
        self.mirrors: list[Mirror] = []
        self.claims = Claims(self)
        self.changed = env.event()
        self.readers: list[Callable[[], None]] = []

    def taken(self) -> float:
        """Bytes that it takes on its device."""
        return self.region.size

    def occupied(self, written: float) -> float:
        """Bytes that are in use, if data sets and backups have written so many."""
        return written

    def record(self, trace: Trace) -> None:
        """Record its state in the trace; nothing if it overwrites in place."""

    @property
    def full(self) -> bool:
        """Whether updates fail for lack of space; never if it overwrites in place."""
        return False

    def fits(self, begin: float, size: float) -> float:
        """Bytes of a sequential write for which there is space: all if it overwrites in place."""
        return size

    def expect(self, begin: float, size: float) -> None:
        """Reserve space for a write that begins now; nothing to reserve if it overwrites in place."""

    def forgo(self, begin: float, end: float) -> None:
        """Release space that a write had reserved for bytes that will not come; nothing to release in place."""

    def lay(self, data: str, place: tuple[float, float], spread: Spread | None, updates: float) -> None:
        """Place data at the start, as earlier updates have left them; in place nothing moves."""

    def updated(self, users: str, place: tuple[float, float], spread: Spread, updates: float) -> None:
        """Note the total of updates of some users; nothing moves if it overwrites in place."""

    def until_next(self, users: str, place: tuple[float, float], spread: Spread, change: float) -> float:
        """Number of updates until their cost has changed by a share; infinite if it overwrites in place."""
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
        """The longest range from a byte on with a constant cost of writing; snapshots without space become invalid."""
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
        # at large offsets, rounding must neither exceed `size` nor leave nothing of it
        return Stretch(begin, min(end - begin, size) or size, tuple(fresh))

    def claim(self, writer: Hashable, begin: float, size: float) -> Generator[simpy.Event, Any, Stretch]:
        """Wait for the longest range from a byte on with a constant cost of writing, until the writer claims again."""
        while True:
            stretch = self.stretch(begin, size)
            granted = yield from self.claims.take(writer, dict.fromkeys(stretch.fresh, stretch.size))
            if len(granted) == len(stretch.fresh):
                return stretch._replace(size=min(stretch.size, *granted.values())) if granted else stretch

    def wrote(self, stretch: Stretch, size: float) -> None:
        """Note that the first `size` bytes of a stretch are on disk."""
        for snapshot in stretch.fresh:
            if snapshot.active:
                snapshot.wrote(stretch.begin, size)
        for mirror in self.mirrors:
            mirror.wrote(stretch.begin, size)
        self.moved()

    def moved(self) -> None:
        """Notify readers of frozen images that more of these is in copy areas now."""
        for reader in list(self.readers):
            reader()

    def write_shape(self, stretch: Stretch, waiting: float | None = None, run: float = 0.0) -> FlowShape:
        """What each byte of sequential writing loads on the devices, with at most `waiting` bytes outstanding.

        Of each stream, `run` bytes are written out at once.
        """
        store = self.region.store
        position = self.region.begin + stretch.begin
        if stretch.fresh:
            shape = first_write_shape(store, position, stretch, waiting)
        else:
            shape = self.mapped(Region(store, position, stretch.size).streaming("write", run))
        return self.mirrored(shape, stretch, run).ahead(run)

    @property
    def map_time(self) -> float:
        """Seconds for each byte to divide requests into chunks of snapshots and look these up; 0 without snapshots."""
        return sum(snapshot.parameters.map_time / snapshot.parameters.chunk for snapshot in self.snapshots)

    def mapped(self, shape: FlowShape) -> FlowShape:
        """The shape of sequential requests with the time to divide them into chunks of snapshots."""
        seconds = self.map_time
        return shape.after(seconds, self.snapshots[0].name, Activity.LOOKUP) if seconds else shape

    def mirrored(self, shape: FlowShape, stretch: Stretch, run: float = 0.0) -> FlowShape:
        """The shape of a write when mirrors of the volume are written at the same time."""
        for mirror in self.mirrors:
            if mirror.follows:
                there = mirror.region.part(stretch.begin, stretch.size).streaming("write", run)
                shape = shape.plus(there.demands, there.moves, there.places)
        return shape


def make(site: Site, volume: LogicalVolumeSpec) -> Volume:
    """The volume, in its region."""
    del volume
    return Volume(site.system.env, site.address, site.room)
