"""Copy-on-write: the first write to a chunk first copies the old chunk and commits that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, Service, Store, bus
from simbackup.engine.limit import Spot
from simbackup.equations import snapshot as equations
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.devices.snapshot.live import Snapshot
    from simbackup.devices.volume.live import Stretch


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
    """Mean number of such runs that share a commit."""


def first_write_shape(
    store: Store, position: float, stretch: Stretch, waiting: float | None = None, *, own: bool = True
) -> FlowShape:
    """How each byte of sequential first writes loads the devices: copies and commits for each snapshot, then the write.

    The write itself may be left out, for a writer that counts it by itself.

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
