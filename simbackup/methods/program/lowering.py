"""A group of workers as the shape of one flow: the steps of its list as parts of a cycle and demands of links."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from simbackup.catalogue import Copy, Reduction, SaveSet
from simbackup.data.live import DataSet, Files
from simbackup.devices.host.live import Host
from simbackup.devices.library import Library
from simbackup.devices.network.live import Network, connection_rate, travel_time, travelling
from simbackup.devices.object_store.live import ObjectStore
from simbackup.devices.service.live import Operations
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, Region, Service, bus
from simbackup.devices.volume.live import Volume
from simbackup.engine.link import Link
from simbackup.late import Late, changed
from simbackup.methods.file_backup.disk import lying
from simbackup.methods.file_backup.portion import Portion, asked_blocks
from simbackup.methods.file_backup.walk import Walkers, remote, walking
from simbackup.methods.making import FilesMade, beside, filling
from simbackup.methods.program.sheet import Portions
from simbackup.methods.reduction.live import coding
from simbackup.methods.share.live import Share, asked, created, sending, written
from simbackup.methods.tool.live import NO_TOOL
from simbackup.system import BackupSource, System
from simbackup.trace.activity import Activity


@dataclass(frozen=True, slots=True)
class Step(Late):
    """A step that a worker does with each item, bound to the parts of a system. Empty text stands for none."""

    name: str
    """Its name in the list."""
    place: str
    """`cpu` or `network`; empty if it works with a device or with data."""
    device: str
    """The device that it works with."""
    data: str
    """The data set on that device, if the role is that of one."""
    host: str
    """The host whose cores work, or that owns the device."""
    ways: tuple[tuple[str, ...], tuple[str, ...]]
    """The networks from the host of the program to the device, and back."""
    crosses: bool
    """Whether the bytes that it moves at the device cross these networks, as no other step moves them there."""
    do: str
    """What it does there."""
    item: float
    """Seconds of the reference core for each item."""
    byte: float
    """Seconds of the reference core for each byte."""
    codec: str
    """`compress` or `expand`, if the codec of the job works on each byte."""
    of: str
    """The portion of the data whose bytes it passes."""
    bytes: float
    """Bytes that it moves for each byte of the portion."""
    size: float
    """Bytes that it moves for each item besides."""
    times: float | None
    """Requests, files or operations for each item; None if bytes are moved in sequence."""
    request: float | None
    """Bytes of each request, instead of `times`."""
    in_order: bool
    """Whether each request continues the one before."""
    trips: float
    """Round trips for each item."""
    wait: float
    """Seconds for each item that use nothing."""
    items: float | None
    """Bytes of what it repeats on, `FILES` or `DIRECTORIES`; None for the items of its group."""
    every: float
    """How many items share it."""
    lock: str
    """The lock that it holds."""

    @property
    def streams(self) -> bool:
        """Whether it moves bytes in sequence, and not in requests."""
        return self.times is None and self.request is None

    @property
    def fills_cache(self) -> bool:
        """Whether its bytes go to a page cache, if there is one, and the worker goes on."""
        return self.do == "put" or (self.do == "write" and self.streams)

    def requests(self, moved: float) -> tuple[float, float] | None:
        """How many requests move so many bytes, and the bytes of one; None if they are moved in sequence."""
        if self.request is not None:  # none holds bytes of two items
            number = max(moved / self.request, 1.0)
            return number, moved / number if moved > 0.0 else self.request
        return None if self.times is None else (self.times, moved / self.times if self.times > 0.0 else 0.0)


@dataclass(frozen=True, slots=True)
class Group:
    """A group of workers, each of whom takes an item, does all steps in their order, and takes the next."""

    name: str
    workers: int
    """How many there are."""
    item: float
    """Bytes of an item, `FILES` or `DIRECTORIES`."""
    of: str
    """The portion of the data that passes through the group."""
    buffer: tuple[float, bool]
    """The room of the buffer to the next group, and whether that is in bytes; otherwise it is in items."""
    steps: tuple[Step, ...]
    """What a worker does with an item."""


@dataclass(slots=True)
class Room:
    """The bytes of a device that a save set takes, of which some have been given out to the groups that write it."""

    device: str
    begin: float
    size: float
    given: float = 0.0

    def give(self, size: float) -> float:
        """Where the next bytes of the save set go."""
        self.given += size
        return self.begin + self.given - size


@dataclass(frozen=True, slots=True)
class Running(Late):
    """Where a program runs, how it reaches disks of other hosts, and what its objects are on a disk.

    `shares` are those of each host that keeps disks, to read and to write; `filesystem` has the objects as files.
    """

    host: str
    shares: Mapping[str, tuple[Share, Share]]
    filesystem: Files | None = None
    image: str | None = None


@dataclass(frozen=True, slots=True)
class TapeTarget(Late):
    """How a program writes to tape: the library, networks on the way, bytes of a block, and drives and their pool."""

    library: str
    networks: tuple[str, ...]
    block: float | None
    streams: int
    multiplexing: int
    pool: str | None


@dataclass(frozen=True, slots=True)
class Taping:
    """What a run of a program writes to tape: the copy in the catalogue, bytes that are saved, and how."""

    copy: Copy
    size: float
    how: TapeTarget


@dataclass(frozen=True, slots=True)
class Context:
    """What the groups of a job have in common: its address, its data, the portions of them, its codec, its locks.

    Also where the program runs, the copy of a save set that they read, and where on a disk or on tape they write one.
    """

    system: System
    job: str
    data: DataSet
    portions: Portions
    codec: Reduction
    runs: Running
    read: tuple[SaveSet, Copy] | None = None
    room: Room | None = None
    tape: Taping | None = None
    locks: dict[str, Link] = field(default_factory=dict[str, Link])

    def place(self, step: Step) -> BackupSource:
        """Where the bytes of a step lie: in the data, in a save set, or where a device has what was written last."""
        if step.data:
            image = self.runs.image if step.data == self.data.name else None
            return self.system.origin(self.system.data[step.data], image, mounted=True)
        if self.read is not None and self.read[1].target == step.device and step.do in {"read", "get", "ask"}:
            (saved, copy), volume = self.read, self.system.of(Volume)[step.device]
            return BackupSource(lying(self.system, copy, 0.0, saved.size), 0.0, volume, copy.extents[0].position)
        if self.room is not None and self.room.device == step.device:
            volume = self.system.of(Volume)[step.device]
            return BackupSource(volume.region.part(self.room.begin, self.room.size), 0.0, volume, self.room.begin)
        volume, size = self.system.of(Volume)[step.device], max(self.portions.bytes[step.of], 1.0)
        size = min(size, volume.region.size)
        begin = min(max(self.system.used.get(step.device, 0.0) - size, 0.0), volume.region.size - size)
        return BackupSource(volume.region.part(begin, size), 0.0, volume, begin)

    def shared(self, step: Step) -> tuple[Host, Share, Share] | None:
        """The host that does a step on a share of another one, and that share to read and to write; None if on none."""
        found = self.runs.shares.get(step.host)
        return None if found is None else (self.system.hosts[self.runs.host], *found)

    def objects(self, step: Step, size: float) -> DataSet:
        """The objects where a step is done, each of so many bytes, as files of a disk that lie anywhere."""
        if step.data:
            data = self.system.data[step.data]
            begin, room, files = data.begin, data.size, data.filesystem
        else:
            place, files = self.place(step), self.runs.filesystem
            begin, room = place.begin, place.region.size
        number = max(int(room / size), 1) if size > 0.0 else 1
        return DataSet(
            self.data.name, self.system.of(Volume)[step.device], begin, room, number, filesystem=files, scattered=1.0
        )

    def lock(self, name: str) -> Link:
        """A lock of the job; made when first needed."""
        return self.locks.setdefault(name, Link(f"{self.job}.locks.{name}", 1.0))


class Written(NamedTuple):
    """What a page cache takes: bytes of each item, for a device, or for the place of a data set on it, of a host.

    `beside` is how each byte loads the device besides itself, as files are made of them.
    """

    device: str
    data: str
    host: str
    size: float
    beside: FlowShape


@dataclass(frozen=True, slots=True)
class Lowered:
    """A group as a flow: its shape for each item, its items, and what caches take of each; files that it makes.

    Also the bytes of each item that go to tape, which are not in the shape.
    """

    group: Group
    items: float
    shape: FlowShape
    written: tuple[Written, ...]
    made: float
    taped: float = 0.0

    @property
    def takes_time(self) -> bool:
        """Whether its items take any time; they do not where they only go to `nul`, or to the same host."""
        return (
            any(self.shape.demands.values())
            or bool(self.written)
            or self.taped > 0.0
            or math.isfinite(self.shape.bound.rate)
        )

    @property
    def fastest(self) -> float:
        """Items a second at most if it had all that it uses for itself."""
        links = [link.capacity / demand for link, demand in self.shape.demands.items() if demand > 0.0]
        return min(self.shape.limited()[0].rate, *links, math.inf)


def lowered(context: Context, group: Group) -> Lowered:
    """A group as the shape of one flow whose unit is an item: workers, parts of their cycle, demands.

    Its workers do the steps one after the other, so that the parts of all steps make up the cycle; each also demands
    what it takes of links. How workers wait for each other there is for the network of flows to know.
    """
    items = context.portions.items(group.of, group.item)
    shapes, written, made, taped = list[FlowShape](), list[Written](), 0.0, 0.0
    for step in group.steps:
        own, moved = repeated(context.portions, group, step)
        if own <= 0.0:
            continue
        each = own / items / step.every
        if step.device in context.system.of(Library) and not step.place:
            taped += moved * each
            continue
        shape = _locked(context, step, _named(_step(context, group, step, moved), f"{group.name}: {step.name}"))
        shapes.append(shape.times(each))
        if step.do == "create":
            made += (1.0 if step.times is None else step.times) * each
        if step.fills_cache and step.device in context.system.of(Volume):
            made_of = FlowShape()
            if step.do == "put" and moved > 0.0:
                number, size = step.requests(moved) or (1.0, moved)
                made_of = beside(context.objects(step, size), FilesMade(number / moved))
            written.append(Written(step.device, step.data, step.host, moved * each, made_of))
    shape = reduce(_then, shapes, FlowShape())
    sent, workers = context.portions.each(group.of, group.item, items) or 1.0, min(group.workers, math.ceil(items))
    return Lowered(group, items, shape._replace(workers=workers, sent=sent), tuple(written), made, taped)


def repeated(portions: Portions, group: Group, step: Step) -> tuple[float, float]:
    """How often a step is repeated, if it is on every item, and the bytes that it moves each time."""
    if step.items is None:
        items, item = portions.items(group.of, group.item), group.item
    else:
        items, item = portions.items(step.of, step.items), step.items
    return items, portions.each(step.of, item, items) * step.bytes + step.size if items > 0.0 else 0.0


def _then(shape: FlowShape, step: FlowShape) -> FlowShape:
    """The shape of steps with one more in the cycle; what is read ahead is so while all others are done."""
    if step.early is not None or step.among is not None:
        shape, step = step, shape
    both = shape.plus(step.demands, step.moves, step.places).following(step.parts)
    visits = {
        link: shape.visits.get(link, 0.0) + step.visits.get(link, 0.0) for link in {**shape.visits, **step.visits}
    }
    limits = ((shape.parallel, step.parallel), (shape.parallel_alone, step.parallel_alone))
    most, one = (min(pair, key=lambda bound: bound.rate) for pair in limits)
    return both._replace(
        visits=visits,
        parallel=most,
        parallel_alone=one,
        sequential=min(shape.sequential, step.sequential),
        afar=shape.afar | step.afar,
    )


def _named(shape: FlowShape, name: str) -> FlowShape:
    """The shape of a step whose seconds are those of a name; travel stays what it is, for which nobody queues."""

    def parts(found: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
        named: dict[tuple[str, str], float] = {}
        for (address, activity), seconds in found.items():
            key = (address, activity if activity == Activity.TRAVEL.value else name)
            named[key] = named.get(key, 0.0) + seconds
        return named

    early = shape.early._replace(parts=parts(shape.early.parts)) if shape.early is not None else None
    return shape._replace(parts=parts(shape.parts), early=early)


def _locked(context: Context, step: Step, shape: FlowShape) -> FlowShape:
    """The shape of a step under a lock, for which its workers wait instead of what they use while they hold it."""
    if not step.lock or not shape.parts:
        return shape
    lock, total = context.lock(step.lock), sum(shape.parts.values())
    (_, name), *_ = shape.parts
    held = shape._replace(parts={}, cap=FlowShape().cap, early=None)
    return held.after(total, lock, name)._replace(visits={lock: 1.0})


def _step(context: Context, group: Group, step: Step, moved: float) -> FlowShape:
    """What one item takes of the place where a step is done."""
    system = context.system
    if step.wait:
        return FlowShape().after(step.wait, f"{context.job}.{group.name}")
    ways = [[system.networks[name] for name in way] for way in step.ways]
    if step.place == "network":
        return _crossing(ways[1 if step.do == "receive" else 0], moved if step.do else 0.0, step.trips)
    if step.place == "cpu" or not step.device:
        return _working(context, step, moved)
    if step.device in system.of(ObjectStore):
        return _requested(context, step, moved, ways)
    if step.device in system.of(Volume):
        found = next((lower for deeds, lower in _AT_DISKS.items() if step.do in deeds), _moving)
        return _over(found(context, group, step, moved), ways, step, moved)
    service = system.of(Operations).get(step.device)
    return FlowShape() if service is None else service.asked(1.0 if step.times is None else step.times)


def _requested(context: Context, step: Step, moved: float, ways: Sequence[Sequence[Network]]) -> FlowShape:
    """Requests of an object store; what it has answered, it keeps."""
    if step.do == "flush":
        return FlowShape()
    direction: Direction = "write" if step.do in {"write", "put"} else "read"
    number, size = step.requests(0.0 if step.do == "ask" else moved) or (1.0, 0.0 if step.do == "ask" else moved)
    store = context.system.of(ObjectStore)[step.device]
    return store.asked(direction, ways[direction == "read"], size).times(number)


def _working(context: Context, step: Step, moved: float) -> FlowShape:
    """Seconds of a core; under a lock of no place, they pass without one.

    A worker hands what a codec does to the threads of that, and waits until they have done it side by side.
    """
    host, codec = context.system.hosts[step.host], context.codec
    seconds, coded, threads = host.seconds(step.item + step.byte * moved), 0.0, 1.0
    if step.codec:
        coded = coding(host, codec, step.codec) * moved
        threads = min(codec.threads if step.codec == "compress" else codec.expanders, host.machine.cores)
    waited = seconds + coded / threads
    if step.place != "cpu":
        return FlowShape().after(waited, context.job)
    shape = host.then(FlowShape(), waited)
    return host.working(shape, seconds + coded - waited) if threads > 1.0 else shape


def _over(shape: FlowShape, ways: Sequence[Sequence[Network]], step: Step, moved: float) -> FlowShape:
    """The shape of a step at a disk of another host, whose bytes cross the way, and whose requests wait for trips."""
    if not step.crosses or step.do == "look":
        return shape
    way, (number, size) = ways[step.do in {"read", "open", "get"}], step.requests(moved) or (0.0, 0.0)
    return shape.over(way, number * size or moved).following(travelling(way, number))


def _crossing(networks: list[Network], moved: float, trips: float) -> FlowShape:
    """Round trips over networks, one behind the other, and bytes on one connection that is waited for."""
    shape = FlowShape().following(travelling(networks, trips))
    if not networks or moved <= 0.0:
        return shape
    demands = {link: moved for network in networks for link in network.links}
    shape, slowest = shape.plus(demands, demands), min(networks, key=lambda network: network.rate)
    bound = connection_rate(networks)
    if bound < slowest.rate:
        return shape.following(travelling(networks, moved / bound / travel_time(networks)))
    return shape.after(moved / slowest.rate, slowest.link.name)


def _with_files(context: Context, group: Group, step: Step, moved: float) -> FlowShape:
    """Files of the data that are opened and read, only looked at, or made, as their file system has it."""
    del moved  # those of whole files
    system, data = context.system, context.system.data[step.data]
    host, shared = system.hosts[step.host], context.shared(step)
    times = 1.0 if step.times is None else step.times
    if step.do == "create":
        made = filling(FlowShape(), host, data, FilesMade(times))
        return made if shared is None else created(system, shared[2], data, times)
    share = context.portions.files[step.of] / context.portions.files["all"] if step.do == "open" else 0.0
    return _walked(context, group, step, data, share).times(times)


def _with_objects(context: Context, group: Group, step: Step, moved: float) -> FlowShape:
    """Objects that are files on a disk: put there, fetched, or looked for, here or over a share."""
    system, host, shared = context.system, context.system.hosts[step.host], context.shared(step)
    number, size = step.requests(moved) or (1.0, moved)
    objects = context.objects(step, size)
    if step.do != "put":
        return _walked(context, group, step, objects, 1.0 if step.do == "get" else 0.0).times(number)
    if shared is None:
        made = filling(FlowShape(), host, objects, FilesMade(number))
        return host.then(made, moved / host.copy_rate)
    reader, _, share = shared
    copied = reader.then(FlowShape(), 1.0 / reader.copy_rate)
    return _then(created(system, share, objects, number), sending(copied, system, (reader, share), size).times(moved))


def _walked(context: Context, group: Group, step: Step, data: DataSet, share: float) -> FlowShape:
    """A file of some data, a share of which is read and the others are looked at, by their host or over a share."""
    host, shared, source = context.system.hosts[step.host], context.shared(step), context.place(step)
    reader, far = (host, None) if shared is None else (shared[0], remote(context.system, shared[1]))
    if far is not None and step.do == "ask":  # a listing would bring many
        far = changed(far, look_calls=max(far.look_calls, 1.0))
    who = Walkers(workers=group.workers, remote=far, tracked=step.do == "open")
    walk = walking(reader, data, source.region, who, share)
    walk = reader.then(walk, 1.0 / reader.copy_rate, Activity.READ) if share > 0.0 else walk
    walk = source.found(walk, reader.machine, 1.0 - data.scattered)
    return walk.times(max(data.size * share, 1.0) / data.files / (share or 1.0))  # as a walk has it


def _moving(context: Context, group: Group, step: Step, moved: float) -> FlowShape:
    """Bytes that a block device reads or writes, in sequence or in positioned requests, and copies in memory."""
    host, shared = context.system.hosts[step.host], context.shared(step)
    place, requests = context.place(step), step.requests(moved)
    if step.do == "flush":
        requests = 1.0 if step.times is None else step.times, step.request or 1.0
    if requests is not None:
        return _positioned(context, (group, step), place, requests)
    if moved <= 0.0:
        return FlowShape()
    if step.do == "write":  # a cache takes them
        maker = None if shared is None else (shared[0], shared[2])
        copied = host.then(FlowShape(), 1.0 / host.copy_rate)
        return (copied if maker is None else written(context.system, maker, context.data)).times(moved)
    if shared is None:
        return place.found(host.reading(place.region, cached=place.cached), host.machine).times(moved)
    (reader, share, _), data = shared, context.data
    part = Portion(data.size, float(data.files))
    shape = asked_blocks(
        context.system, reader, place, data, part, tool=NO_TOOL, copy=1.0 / reader.copy_rate, share=share
    )
    return place.found(shape, reader.machine).times(moved)


def _positioned(
    context: Context, what: tuple[Group, Step], place: BackupSource, requests: tuple[float, float]
) -> FlowShape:
    """So many requests of so many bytes each somewhere in a place, one after the other, and their copies in memory."""
    group, step = what
    (number, size), region, host = requests, place.region, context.system.hosts[step.host]
    direction: Direction = "read" if step.do == "read" else "write"
    path, shared = bus(region.store, direction), context.shared(step)
    shape, each = FlowShape(sequential=0.0), max(min(size, region.size), 1.0)
    one = region.store.scattered(direction, region.begin, region.size, each, group.workers)
    if step.in_order:
        stream = region.store.stream(direction, region.begin, region.size)
        one = _following(context, step, each, (one, _next(region, direction, each, group.workers)), stream)
        shape = FlowShape(places=region.streaming(direction, each * group.workers).places)
    shape = shape.plus({region.store.link: number * one.busy}, {region.store.link: number * size})
    shape = shape.through(path, number * size).following(travelling(path, number))
    shape = shape.after(number * one.latency, region.store.name)
    if direction == "read":
        shape = shape.part(1.0 - place.cached)
        if step.in_order and step.data and number * size > 0.0:
            shape = place.found(shape.times(1.0 / (number * size)), host.machine).times(number * size)
    if shared is not None and number > 0.0 and size > 0.0:
        host, share = shared[0], shared[1] if direction == "read" else shared[2]
        trips = max(1.0 / share.request, 1.0 / size)
        shape = asked(shape.times(1.0 / (number * size)), context.system, share, trips).times(number * size)
    copied = host.then(FlowShape(), 0.0 if step.do == "flush" else number * size / host.copy_rate)
    return _then(shape, copied)


def _following(context: Context, step: Step, size: float, services: tuple[Service, Service], stream: float) -> Service:
    """The mean time of requests in order, of which those go on elsewhere that begin a run of what has changed.

    What lies between two runs is passed over, or read, at `stream` seconds a byte, where that takes less.
    """
    sizes = context.portions.bytes
    if step.do != "read" or not step.data:
        return services[1]
    changed = min(sizes[step.of] / max(sizes["all"], 1.0), 1.0)
    if changed <= 0.0:
        return services[1]
    run = max(context.system.data[step.data].run, size, 1.0)
    skipped, gap = (1.0 - changed) * size / run, run / changed  # all gaps together are what is unchanged
    return Service(
        *(near + skipped * min(max(far - near, 0.0), gap * stream) for far, near in zip(*services, strict=True))
    )


def _next(region: Region, direction: Direction, size: float, workers: int) -> Service:
    """The time of a request behind the one before; where others wait, the device goes on with their bytes at once."""
    store, middle = region.store, region.begin + max(region.size - size, 0.0) / 2.0
    one = store.continued(middle, size) if direction == "read" else store.append(middle, size)
    gone = size * store.stream(direction, region.begin, region.size)
    return one if workers < 2 else Service(one.latency, gone)  # noqa: PLR2004 (one waits for itself)


_AT_DISKS: Mapping[tuple[str, ...], Callable[[Context, Group, Step, float], FlowShape]] = {
    ("open", "look", "create"): _with_files, ("put", "get", "ask"): _with_objects,
}  # fmt: skip
"""What steps with files and with objects take of a disk; others move bytes."""
