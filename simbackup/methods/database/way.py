"""How a backup of a database goes to its target and comes back: over which links, compressed, by how many workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simbackup.catalogue import NO_REDUCTION, Copy, Extent, Reduction, SaveSet
from simbackup.devices.host.live import Host
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.library import Drive, Library
from simbackup.devices.object_store.live import Objects, ObjectStore
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, Region
from simbackup.devices.volume.live import Volume
from simbackup.engine.limit import Use
from simbackup.equations.database import phases
from simbackup.late import Late
from simbackup.methods.job import side_by_side
from simbackup.methods.reduction.live import compressed, expanded
from simbackup.methods.tape_reader import Cartridges, Pass, TapeReader
from simbackup.methods.tool.live import Tool
from simbackup.system import System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process


class Section(NamedTuple):
    """A range of a save set that is restored in one manner."""

    begin: float
    """Byte of the save set at which it begins."""
    size: float
    """Bytes."""
    workers: int = 1
    """Workers that restore it at once."""
    largest: float = 0.0
    """Share (0 to 1) that only one of them can take, because it is one table or file."""


class Coming(NamedTuple):
    """How bytes come back in a restore."""

    worked: Callable[[float], FlowShape]
    """Their shape, given the core seconds that the host spends on each byte."""
    law: Use | None = None
    """What slows a tape down if the rate is too low; None for other devices."""


Take = Callable[[Section, float, float, Coming], Process]
"""Takes bytes of a section: the byte of the section at which they begin, their number, and how they come."""


@dataclass(frozen=True, slots=True)
class Way(Late):
    """The path of a database backup between its host and its target, and the program that takes it.

    A restore expands as the copy states.
    """

    host: str
    """The host of the database."""
    server: str
    """The host of the target."""
    networks: tuple[str, ...]
    """The links between the two."""
    tool: Tool
    """The program."""
    workers: int = 1
    """Its workers, which run at once."""
    reduction: Reduction = NO_REDUCTION
    """How a backup is compressed."""
    connections: int | None = None
    """Connections to an object store; None for one of each worker."""
    streams: int = 1
    """Tape drives that a restore reads from at once."""

    def reserve(self, system: System, saved: SaveSet, to: str) -> SaveSet:
        """The save set, with space reserved for its copy on a volume; an object store always has space."""
        stored = self.reduction.stored
        position = 0.0 if to in system.of(ObjectStore) else system.reserve(to, saved.size / stored)
        extent = Extent(0.0, saved.size, to, position)
        saved.copies.append(Copy(saved.job, to, stored, saved.time, [extent], self.reduction))
        return saved

    def write(
        self, system: System, doing: tuple[str, str], shape: FlowShape, saved: SaveSet, largest: float = 0.0
    ) -> Process:
        """Write a save set to its volume, through the page cache of the host there, or to an object store.

        `doing` are job and activity, `shape` loads host and devices for each byte by one worker; `largest` is the share
        of the bytes that only one of them can take.
        """
        (job, activity), copy = doing, saved.copies[0]
        there, server, done = copy.extents[0], system.hosts[self.server], 0.0
        for size, workers in phases(saved.size, self.workers, largest):
            reduction = self.tool.coding(self.reduction, lambda workers=workers: workers)
            going = compressed(of_workers(shape, workers), system.hosts[self.host], server, reduction)
            networks = [system.networks[name] for name in self.networks]
            if there.medium in system.of(ObjectStore):
                if self.server != self.host:
                    going = self.tool.serving(going, server, self.reduction.handled())
                yield from self._upload(system, doing, going, copy, (size, workers))
                continue
            going = self.tool.sending(going, networks, workers, share=1.0 / self.reduction.sent)
            if self.server != self.host:
                going = self.tool.serving(going, server, self.reduction.handled())
            stored = copy.compression
            place = VolumeRange(system.of(Volume)[there.medium], there.position + done / stored, size / stored)
            yield from system.write(job, self.server, place, going.times(stored), activity)
            done += size

    def _upload(
        self, system: System, doing: tuple[str, str], shape: FlowShape, copy: Copy, part: tuple[float, int]
    ) -> Process:
        """Write so many bytes by some workers to an object store, as one object of each of them."""
        (job, activity), (size, workers) = doing, part
        sent = size / copy.compression
        shape = self._carried(system, shape.times(copy.compression), "write", copy, (sent, workers))
        yield from system.transfer(job, system.bounded(job, shape), activity, sent)

    def _carried(
        self, system: System, shape: FlowShape, direction: Direction, copy: Copy, part: tuple[float, int]
    ) -> FlowShape:
        """The shape of so many bytes that some workers write to objects, or read from there."""
        store, networks = system.of(ObjectStore)[copy.target], [system.networks[name] for name in self.networks]
        (size, workers), tool = part, self.tool
        objects = Objects(size / workers, float(workers), tool.part)
        connections = self.connections or workers
        return store.carrying(shape, direction, objects, networks, connections, drawn=system.drawn(copy.job))

    def retrieved(self, system: System, job: str, copies: Sequence[Copy]) -> Process:
        """Wait until the objects of all copies that are in an archive can be read."""
        of_worker = self.workers * sum(copy.target in system.of(ObjectStore) for copy in copies)
        for store in dict.fromkeys(copy.target for copy in copies if copy.target in system.of(ObjectStore)):
            yield from system.of(ObjectStore)[store].retrieve(system.clock, job, float(of_worker))

    def bring(self, system: System, job: str, copy: Copy, sections: Sequence[Section], take: Take) -> Process:
        """Read sections of a copy one after the other, and let what comes be taken."""
        if copy.target in system.of(Library):
            # one drive keeps its cartridge from one section to the next; several begin the next when all have ended
            for group in [sections] if self.streams == 1 else [[section] for section in sections]:
                yield from self._from_tape(system, job, copy, group, take)
            return
        host = system.hosts[self.host]
        for section in sections:
            for place in copy.locate(section.begin, section.size):
                done = 0.0
                for size, many in phases(place.size, section.workers, section.largest):
                    back = self.reading(system, copy, (place, done, size), many)

                    def worked(seconds: float, back: FlowShape = back, many: int = many) -> FlowShape:
                        return of_workers(host.then(back, seconds), many)

                    yield from take(section, done, size, Coming(worked))
                    done += size

    def _from_tape(self, system: System, job: str, copy: Copy, sections: Sequence[Section], take: Take) -> Process:
        """Mount the cartridges that have sections, and let what each run brings be taken while the drive reads on."""
        reader = TapeReader(copy, self.networks, self.tool, self.connections or 1)
        host, server, reduction = system.hosts[self.host], system.hosts.get(self.server), copy.reduction
        on: Cartridges = {}
        for section in sections:
            for name, runs in reader.cartridges(section.begin, section.size).items():
                on.setdefault(name, []).extend(runs)

        def taken(drive: Drive, each: Pass) -> Process:
            stream, begin = reader.stream(system, each), each[0].begin
            section = max((one for one in sections if one.begin <= begin), key=lambda one: one.begin)

            def worked(seconds: float) -> FlowShape:
                shape = expanded(reader.reading(system, drive, stream, (host, seconds)), host, server, reduction)
                if server is not None and server is not host:
                    shape = self.tool.serving(shape, server, reduction.handled())
                return shape._replace(sent=1.0 / reduction.sent)

            size = sum(run.size for run in each)
            yield from take(section, begin - section.begin, size, Coming(worked, law=drive.law(stream)))

        names = sorted(on, key=lambda name: -sum(run.size for run in on[name])) if self.streams > 1 else list(on)
        parts = [reader.in_turn(system, job, (names, on), taken) for _ in range(min(self.streams, len(names)))]
        yield from side_by_side(system, parts)

    def reading(self, system: System, copy: Copy, part: tuple[Extent, float, float], workers: int = 1) -> FlowShape:
        """What a byte of a part of a copy loads until a worker on the database's host has it.

        The part is an extent, the byte of it at which the part begins, and its bytes.
        """
        (place, begin, size), reduction, host = part, copy.reduction, system.hosts[self.host]
        if place.medium in system.of(ObjectStore):
            shape = expanded(of_workers(FlowShape(), workers), host, None, reduction).times(reduction.fetched)
            shape = self._carried(system, shape, "read", copy, (size / copy.compression, workers))
            shape, server = shape.times(1.0 / reduction.fetched), system.hosts.get(self.server, host)
            return shape if server is host else self.tool.serving(shape, server, reduction.handled(written=False))
        server = system.hosts[self.server]
        region = system.of(Volume)[place.medium].region
        source = region.part(place.position + begin / copy.compression, size / copy.compression)
        shape = server.reading(source).times(1.0 / reduction.fetched)
        if server is host or self.tool.alternates:
            shape = expanded(shape, host, server, reduction)
        else:  # the host takes what has come while the server reads on
            shape = expanded(FlowShape(), host, None, reduction).in_parallel_with(
                expanded(shape, None, server, reduction)
            )
        networks = [system.networks[name] for name in self.networks]
        shape = self.tool.sending(shape, networks, self.workers, share=1.0 / reduction.returned)
        return shape if server is host else self.tool.serving(shape, server, reduction.handled(written=False))

    def check(self, system: System, job: str, size: float) -> Process:
        """Read the finished backup once more, at the pace of one core."""
        if self.tool.check_cpu > 0.0:
            machine = system.hosts[self.host]
            shape = machine.then(FlowShape(), machine.seconds(self.tool.check_cpu))
            yield from system.transfer(job, shape, Activity.CHECK, size)


def of_workers(shape: FlowShape, workers: int) -> FlowShape:
    """The shape of so many workers at once, each of which does what `shape` describes."""
    return shape._replace(workers=workers) if workers > 1 else shape


def copying(host: Host, region: Region, tool: Tool) -> FlowShape:
    """How a byte of files that a program copies loads device and core."""
    if tool.copy_cpu is None:
        return host.copying(region)
    return host.reading(region, tool.copying(host), request=tool.request)
