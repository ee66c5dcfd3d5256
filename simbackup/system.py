"""A live system: everything that jobs work with, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import simpy

from simbackup.catalogue import Catalogue, Copy, SaveSet, job_of
from simbackup.data.live import DataSet
from simbackup.devices.host.live import Host, Machine
from simbackup.devices.host.page_cache import LEAST, Dirty, VolumeRange
from simbackup.devices.image import FrozenImage, lost, reading
from simbackup.devices.network.adapter import Adapter, Adapters, ClosedLoop
from simbackup.devices.network.live import Networks
from simbackup.devices.shape import FlowShape
from simbackup.devices.space import Space, SpoolRoom
from simbackup.devices.store import Region, Store
from simbackup.devices.volume.live import Volume
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Law, Segment, limit_of
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.errors import JobFailedError
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Clock
from simbackup.trace.trace import Trace
from simbackup.workloads.live import UsersOfData, Workload

Offers = TypeVar("Offers")


@runtime_checkable
class Recorded(Protocol):
    """A live part that records more of a run than its link does."""

    def record(self, trace: Trace) -> None:
        """Record in the trace what it did, or its final state."""
        ...


class BackupSource(NamedTuple):
    """Where a backup reads."""

    region: Region
    """The bytes that it reads."""
    cached: float
    """Share (0 to 1) of them that is in memory."""
    volume: Volume
    """The volume whose layout decides how reads of the data spread over its device; of an image, its origin."""
    begin: float = 0.0
    """Byte of the volume at which the data begin."""
    image: FrozenImage | None = None
    """The frozen image that is read; None to read the data themselves."""

    def one_of(self, parts: int, number: int) -> BackupSource:
        """Part `number`, counted from 0, of so many equal parts."""
        return self.between(number / parts, 1.0 / parts)

    def between(self, begin: float, share: float) -> BackupSource:
        """The part that begins at one share (0 to 1) and has the size of another."""
        first, size = begin * self.region.size, share * self.region.size
        return self._replace(region=self.region.part(first, size), begin=self.begin + first)

    def found(self, shape: FlowShape, machine: Machine | None, together: float = 1.0) -> FlowShape:
        """The shape with what finding the data costs: lookups of an image, and reads from its copy area.

        A `machine` requests its read-ahead window at once, and then waits for it; `together` is the share that is read
        in sequence.
        """
        if self.image is None:
            return self.volume.mapped(shape)
        if self.image.lookup_time:
            shape = shape.after(self.image.lookup_time / self.image.lookup_size, self.image.name, Activity.LOOKUP)
        window = machine.read_ahead if machine is not None else None
        return reading(self.image, shape, (self.begin, self.region.size), window, together)


class Shares(dict[str, Link]):
    """Links of capacity 1, by address, which are made when first needed."""

    def __missing__(self, address: str) -> Link:
        link = self[address] = Link(address, 1.0)
        return link


@dataclass(slots=True)
class Attempt:
    """What the attempts of an unfinished run of a job have stored so far."""

    positions: dict[str, float] = field(default_factory=dict[str, float])
    """Bytes of the target volumes at which its save set begins."""
    written: list[Dirty] = field(default_factory=list[Dirty])
    """What it has written to them."""
    in_objects: float = 0.0
    """Bytes of the save set that are complete in an object store."""
    finished: float = 0.0
    """Share (0 to 1) of what a program sends that is complete at its target."""

    def stored(self, volume: Volume, begin: float, size: float) -> float:
        """Bytes that were written to a range of a volume, whether they are on disk or still in memory."""
        here = [dirty for dirty in self.written if dirty.volume is volume]
        return math.fsum(dirty.size for dirty in here if begin <= dirty.begin < begin + size)


@dataclass(slots=True)
class System:
    """A live system: the parts of a scenario by their names in it, and the state of its run."""

    clock: Clock
    network: FlowNetwork
    seed: int
    """Seed of all random numbers."""

    # Hosts, and what is between them and devices.
    hosts: dict[str, Host] = field(default_factory=dict[str, Host])
    networks: Networks = field(default_factory=Networks)
    """Directions of links, and ports of switches."""
    adapters: Adapters = field(default_factory=Adapters)
    """Queues of small requests in front of links, made when first needed."""

    # Devices.
    parts: dict[type, dict[str, Any]] = field(default_factory=dict[type, dict[str, Any]])
    """Devices by what they offer and by name; read them by `of`."""
    mounted: dict[str, Store] = field(default_factory=dict[str, Store])
    """The device below each frozen image that a host owns, as that host reaches it."""

    # Space on block devices.
    taken: dict[str, float] = field(default_factory=dict[str, float])
    """Bytes at the beginning of each device that volumes, copy areas and mirrors on it occupy."""
    used: dict[str, float] = field(default_factory=dict[str, float])
    """The byte at which free space begins on each volume to which a backup was written."""
    spaces: dict[str, Space] = field(default_factory=dict[str, Space])
    """Free space of each device with volumes, copy areas or mirrors."""
    spools: dict[str, SpoolRoom] = field(default_factory=dict[str, SpoolRoom])
    """Space that spooled backups borrow, by the name of the volume; made when first needed."""

    # Data, their users, and save sets.
    data: dict[str, DataSet] = field(default_factory=dict[str, DataSet])
    workloads: list[Workload] = field(default_factory=list[Workload])
    catalogue: Catalogue = field(default_factory=Catalogue)

    # Limits that are no part of a device.
    shares: Shares = field(default_factory=Shares)
    """Ingest and restore rates of deduplicating stores, and what hosts serve to others, by address."""
    most: dict[str, Link] = field(default_factory=dict[str, Link])
    """Greatest rates of jobs, by address, in bytes a second that are sent or copied."""
    serial: dict[str, Callable[[], float]] = field(default_factory=dict[str, Callable[[], float]])
    """Share (0 to 1) of the work of a job that one worker does while the others wait, by address of the job."""
    pairs: simpy.Resource = field(init=False)
    """Held by a job while it takes two drives, so that no two jobs hold one drive each and wait for the other."""

    # State of the run.
    begun: dict[str, simpy.Event] = field(default_factory=dict[str, simpy.Event])
    """Events of the first start of those jobs that failures wait for, by the name of the job."""
    running: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """The runs of jobs that work or wait for what they need, and the hosts without which they cannot go on."""
    attempts: dict[str, Attempt] = field(default_factory=dict[str, "Attempt"])
    """What earlier attempts of an unfinished run have stored, by the address of the run."""
    on_disk: list[simpy.Event] = field(default_factory=list[simpy.Event])
    """Events on which writes reach their disks; those that have happened are removed now and then."""
    looked_through: int = 1000
    """Length of `on_disk` from which on those that have happened are removed."""
    crossed: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])
    """Least seconds that the bytes of each finished run occupy each link, by the names of both."""

    def __post_init__(self) -> None:
        self.pairs = simpy.Resource(self.env)

    def of(self, offers: type[Offers]) -> dict[str, Offers]:
        """The devices that offer what a class declares, by name; each block device is also a volume, which spans it."""
        return self.parts.setdefault(offers, {})

    def add(self, name: str, live: object, offers: Iterable[type]) -> None:
        """Add a device that offers what some classes, and those that they derive from, declare."""
        for each in dict.fromkeys(base for one in (*offers, object) for base in one.__mro__):
            self.of(each)[name] = live

    @property
    def users(self) -> list[UsersOfData]:
        """The workloads that are users of data sets."""
        return [workload for workload in self.workloads if isinstance(workload, UsersOfData)]

    def queues(self, links: tuple[str, ...]) -> tuple[Adapter, ...]:
        """The queues in front of some links, made when first needed."""
        return tuple(self.adapters.setdefault(link, Adapter(self.networks[link])) for link in links)

    def bounded(self, job: str, shape: FlowShape) -> FlowShape:
        """The shape of a run of a job with the limits of the job: its greatest rate, and its serial share."""
        link = self.most.get(job_of(job))
        if link is not None:
            shape = shape.plus({link: shape.sent}, {link: shape.sent})
        return shape._replace(serial_share=self.serial_share(job)) if shape.shared_out else shape

    def serial_share(self, job: str) -> float:
        """The share (0 to 1) of the work of a run that one of several workers does while the others wait."""
        share = self.serial.get(job_of(job))
        return 0.0 if share is None else share()

    def spool(self, volume: str) -> SpoolRoom:
        """The space of a volume that spooled backups borrow; made when first needed."""
        return self.spools.setdefault(volume, SpoolRoom(self.clock, volume, self.used, self.room))

    def note_crossed(self, job: str) -> None:
        """Record, for a run that ends now, how many seconds its bytes have occupied each link at least."""
        there = self.network.least.pop(f"jobs.{job}", {})
        self.crossed[job] = {link.name: seconds for link, seconds in there.items()}

    def note_dirty(self, on_disk: simpy.Event) -> None:
        """Note a write that is on its way to disk, and now and then forget those that have arrived."""
        self.on_disk.append(on_disk)
        if len(self.on_disk) > self.looked_through:
            self.on_disk = [event for event in self.on_disk if not event.processed]
            self.looked_through = max(2 * len(self.on_disk), self.looked_through)

    def room(self, volume: str, size: float) -> float | None:
        """Allocate bytes at the end of a volume: the byte at which they begin, or None if it is full."""
        there = self.of(Volume)[volume]
        begin = self.used[volume] if volume in self.used else self._behind(volume)
        if begin + size > there.region.size:
            return None
        self.used[volume] = begin + size
        return begin

    def _behind(self, volume: str) -> float:
        """The byte at which the first backup on a volume begins: after its data sets and the volumes on it."""
        there = self.of(Volume)[volume]
        behind = max((d.begin + d.size for d in self.data.values() if d.volume is there), default=0.0)
        return max(behind, self.taken.get(volume, 0.0))

    def allocated(self, store: Store) -> tuple[float, float]:
        """Bytes on a device in data sets, backups and what snapshots keep, and the share (0 to 1) that is scattered."""
        total = scattered = 0.0
        for name, volume in self.of(Volume).items():
            if volume.region.store.link is not store.link:
                continue
            data = [each for each in self.data.values() if each.volume is volume]
            saved = self.used.get(name, self._behind(name)) - self._behind(name)
            total += volume.occupied(sum(each.size for each in data) + saved)
            scattered += sum(each.scattered * each.size for each in data if each.filesystem is not None)
        return total, min(scattered / total, 1.0) if total else 0.0

    @property
    def env(self) -> simpy.Environment:
        """The environment of the simulation."""
        return self.clock.env

    @property
    def trace(self) -> Trace:
        """The record of the run."""
        return self.clock.trace

    def drawn(self, job: str) -> Callable[[str, float], float]:
        """A function of an address and a number of times: the mean factor that `chance:` draws for durations there."""
        return lambda address, times: self.clock.drawn(address, job, times)

    def fits(self, place: VolumeRange) -> float:
        """Bytes from the beginning of a range on for which its volume has space; fails if there are none."""
        fits = place.volume.fits(place.begin, place.size)
        if fits < min(LEAST, place.size):
            raise JobFailedError(f"no space left on '{place.volume.name}'")
        return fits

    def fill(self, job: str, host: str, place: VolumeRange, flow: Flow, each: float = 1.0) -> Dirty:
        """Let a flow fill the page cache of a host, with so many bytes for each of its units, and note them."""
        place.volume.expect(place.begin, place.size)
        dirty = self.hosts[host].cache(place.volume.region.store).take(job, place, flow, each)
        self.note_dirty(dirty.on_disk)
        return dirty

    def transfer(
        self, job: str, shape: FlowShape, activity: str, amount: float, *, law: Law | None = None
    ) -> Generator[simpy.Event, Any, None]:
        """Move an amount of the units of a shape, and record what limited that; fails if it could not continue."""
        flow = shape.start(self.network, job, activity, amount, law=law)
        yield flow.done
        self.account(job, flow)

    def write(
        self,
        job: str,
        host: str,
        place: VolumeRange,
        fill: FlowShape,
        activity: str = Activity.WRITE,
        *,
        law: Law | None = None,
    ) -> Generator[simpy.Event, Any, Dirty]:
        """Write bytes of a volume through the page cache of a host, on record; what is then on its way to disk.

        Ends when the last of them is in memory; fails when the volume is full.
        """
        wanted, place = place.size, place._replace(size=self.fits(place))
        flow = self.bounded(job, fill).start(self.network, job, activity, place.size, law=law)
        dirty = self.fill(job, host, place, flow)
        yield flow.done
        self.account(job, flow)
        if wanted - place.size >= LEAST:
            raise JobFailedError(f"no space left on '{place.volume.name}'")
        return dirty

    def saved(self, backup: str, by: str | None = None, *, instead: bool = False) -> tuple[SaveSet, Copy]:
        """The newest save set of a backup job with its first copy, or with that of a job; fails if there is none.

        Another copy may be taken `instead` of one that is lost.
        """
        found = self.catalogue.last_copy(f"jobs.{backup}", None if by is None else f"jobs.{by}", instead=instead)
        if found is None:
            copied = f"copy of '{backup}' by '{by}'" if by not in {None, backup} else f"save set of '{backup}'"
            why = self.catalogue.why_lost(f"jobs.{backup}")
            raise JobFailedError(f"the catalogue has no {copied}" + (f": {why}" if why else ""))
        return found

    def reserve(self, volume: str, size: float) -> float:
        """Allocate bytes on a volume: the byte at which they begin; the job fails if it is full."""
        position = self.room(volume, size)
        if position is None:
            raise JobFailedError(f"'{volume}' is full")
        return position

    def origin(self, data: DataSet, image: str | None, *, mounted: bool = False) -> BackupSource:
        """Where data, or a frozen image of them, are read; fails if the image does not exist.

        A host that has `mounted` the image reads it on its own way; otherwise the host of the data does.
        """
        if image is None:
            return BackupSource(data.volume.region.part(data.begin, data.size), data.cached, data.volume)
        self.require_image(image)
        frozen = self.of(FrozenImage)[image]
        region = frozen.source(data.begin, data.size)
        store = self.mounted.get(image, region.store) if mounted else region.store
        seen = Region(store, region.begin, region.size)
        return BackupSource(seen, 0.0, frozen.origin, data.begin, frozen)

    def require_image(self, name: str | None) -> None:
        """Fail if a frozen image does not exist, or no longer exists; do nothing without one."""
        if name is not None and self.of(FrozenImage)[name].loss is not None:
            raise JobFailedError(lost(self.of(FrozenImage)[name]))

    @contextmanager
    def shut_out(self, data: str) -> Generator[None]:
        """While data are restored (the body of `with`), let none of their users make requests."""
        waiting = [users for users in self.users if users.data == data]
        for users in waiting:
            users.close()
        try:
            yield
        finally:
            for users in waiting:
                users.open()

    def write_through(
        self, job: str, host: str, place: VolumeRange, fill: FlowShape, activity: str = Activity.WRITE
    ) -> Generator[simpy.Event, Any, None]:
        """Write bytes of a volume as `write` does, and wait until they are on disk, on record."""
        dirty = yield from self.write(job, host, place, fill, activity)
        yield from self.written_back(job, [dirty])

    def written_back(self, job: str, pending: Sequence[Dirty]) -> Generator[simpy.Event, Any, None]:
        """Wait until all pending writes are on disk, and record what limited the last of them."""
        since = float(self.env.now)
        late = [dirty for dirty in pending if not dirty.on_disk.processed]
        if late:
            yield self.env.all_of([dirty.on_disk for dirty in late])
            last = max(late, key=lambda dirty: dirty.segments[-1].end if dirty.segments else since)
            for begin, end, cause, parts in last.limits(since):
                self.trace.span(begin, end, job, cause, Activity.WRITE_BACK, cycle=parts)
        for dirty in pending:
            if dirty.failure is not None:
                raise JobFailedError(dirty.failure)

    @contextmanager
    def standing(self, flow: Flow, loop: ClosedLoop) -> Generator[None]:
        """Within `with`, queue a closed loop at all adapters that it passes; the last one for a flow counts."""
        for adapter in self.adapters.values():
            adapter.loops[flow] = loop
        try:
            yield
        finally:
            for adapter in self.adapters.values():
                adapter.loops.pop(flow, None)

    def account(self, job: str, flow: Flow, leader: Callable[[Segment], Flow] | None = None) -> None:
        """Record how long a flow that has ended was limited by each of its bottlenecks; fails if it could not continue.

        Of flows with coupled rates, only one is recorded; at each time, its activity is that of their `leader`.
        """
        for segment in flow.segments:
            doing = flow if leader is None else leader(segment)
            begin, end, cause, parts = _waiting_for_one(job_of(job), doing, segment)
            for closed, opened in self.network.closed.get(cause, ()):
                if max(closed, begin) < min(opened, end):
                    if begin < closed:
                        self.trace.span(begin, closed, job, cause, doing.activity, cycle=parts)
                    self.trace.span(max(closed, begin), min(opened, end), job, cause, Activity.WAIT_FOR_REPAIR)
                    begin = min(opened, end)
            if begin < end or segment.begin == end:
                self.trace.span(begin, end, job, cause, doing.activity, cycle=parts)
        if flow.failure is not None:
            raise JobFailedError(flow.failure)


def _waiting_for_one(job: str, flow: Flow, segment: Segment) -> Segment:
    """A segment of a flow, with the seconds that pass while one worker works and the others wait for it.

    These are the seconds of a unit in excess of those that it took while all of them worked. A device that one worker
    saturates delays all of them as much.
    """
    if flow.phase_change is None or segment.begin < flow.phase_change[0] or not segment.parts:
        return segment
    seconds, together = math.fsum(segment.parts.values()), 1.0 / flow.phase_change[1]
    if seconds <= together:
        return segment
    parts = {part: each * together / seconds for part, each in segment.parts.items()}
    parts[f"{job}.serial_share", Activity.WAIT_FOR_ONE] = seconds - together
    return segment._replace(cause=limit_of(parts, 1.0 / seconds).cause, parts=parts)
