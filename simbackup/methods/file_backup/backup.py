"""Backups to disk, tape, object stores or `nul`, and to several of these at once: the slowest sets the pace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simbackup.catalogue import NO_REDUCTION, Copy, Extent, SaveSet
from simbackup.devices.library import Library
from simbackup.devices.network.live import command_travel
from simbackup.devices.object_store.live import Objects, ObjectStore
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.methods.copies import OnTape, begun, shared
from simbackup.methods.file_backup.portion import Portion
from simbackup.methods.file_backup.reader import Reader, Reads
from simbackup.methods.file_backup.receivers import (
    Crossing,
    OntoDisk,
    OntoObjects,
    OntoTape,
    Receiver,
    TapeWriter,
    handing_over,
    sent,
)
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.reduction.live import compressed, ingested
from simbackup.methods.tool.live import Tool
from simbackup.system import Attempt, JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process


def objects_of(size: float, files: float, method: str, each: float | None, tool: Tool) -> Objects:
    """The objects of a save set: of `each` bytes if stated, else one for each file, or one for an image."""
    own = each if each is not None else size / files if method == "file_level" else size
    return Objects(min(own, size), max(size / own, 1.0), tool.part)


@dataclass(frozen=True, slots=True)
class Twin:
    """A further target of a backup."""

    job: str
    """The job that stands for the copy there."""
    to: str
    """The device."""
    server: str
    """The host of the device; empty for a service."""
    networks: tuple[str, ...]
    """The links that bytes cross only for this target."""
    tool: Tool
    """The program, with the costs of this target's server."""
    pool: str | None = None
    """The pool; None in a library without pools."""
    connections: int = 1
    """Network connections of each stream."""
    object_size: float | None = None
    """Bytes of an object; None for one of each file, or one for an image."""
    passed_on: bool = False
    """Whether the server has the bytes already, because it also serves another target and is not the host that reads.
    """


@dataclass(frozen=True, slots=True)
class Backup(Reads):
    """A backup that writes its save set to its own target and to others at the same time.

    Each stream writes to all targets at once, in pieces that fit on every cartridge. The program waits until all
    targets are ready.
    """

    pool: str | None = None
    """The pool of its own target; None in a library without pools."""
    multiplexing: int = 1
    """Greatest number of streams on a drive."""
    object_size: float | None = None
    """Bytes of an object in its own target; None for one of each file, or one for an image."""
    twins: tuple[Twin, ...] = ()
    """The other targets."""

    def run(self, system: System, job: str) -> Steps:
        """Prepare, write all copies at once, and enter them in the catalogue; `nul` keeps nothing."""
        it, data = self.reader, system.data[self.reader.data]
        part, time = it.begin(system, data), system.env.now
        attempt = system.attempts.setdefault(job, Attempt())
        saved = it.saved(job, part, time)
        saved.copies = self._begun(system, saved, attempt)
        yield from it.start(system, job, part)
        if it.to in system.of(Library) and not self.twins:
            yield from self._to_tape(system, saved, part)
        else:
            streams = [self._stream(system, saved, part, number, attempt) for number in range(it.streams)]
            yield from side_by_side(system, streams)
        system.attempts.pop(job)
        self._enter(system, saved)
        return Moved(part.size, part.files)

    def place(self, system: System, job: str, time: float) -> None:
        """Put the save set where it would have been written at a time."""
        part = self.reader.part(system.data[self.reader.data])
        saved = self.reader.saved(job, part, time)
        saved.copies = self._begun(system, saved, Attempt())
        if saved.copies[0].target in system.of(Library):
            tape = OnTape(part.size, 0.0, self.reader.streams, self.pool, self.multiplexing)
            tape.place(system, saved.copies[0])
        self._enter(system, saved)

    def _enter(self, system: System, saved: SaveSet) -> None:
        for copy in saved.copies:
            copy.extents.sort(key=lambda extent: extent.begin)
        if _keeps(system, saved.copies[0].target):
            system.catalogue.add(saved)

    def _begun(self, system: System, saved: SaveSet, attempt: Attempt) -> list[Copy]:
        """The copies, still empty, with space reserved on volumes for all of them or none.

        Another attempt writes to the same place.
        """
        it, run = self.reader, saved.job.removeprefix("jobs.").partition(".")
        to_tape = it.to in system.of(Library)
        compression = system.data[it.data].compression if to_tape else it.reduction.stored
        copies, how = [Copy(saved.job, it.to, compression, saved.time, reduction=it.reduction)], NO_REDUCTION
        if self.twins:
            how = shared(it.reduction)
        for twin in self.twins:
            name = f"jobs.{twin.job}{run[1]}{run[2]}"
            copies.append(begun(system, name, twin.to, saved, how, time=saved.time))
        before, reserved = dict(system.used), dict(attempt.positions)
        for copy in copies:
            if copy.target in system.of(Volume):
                try:
                    place = reserved.get(copy.job)
                    place = system.reserve(copy.target, saved.size / copy.compression) if place is None else place
                except JobFailedError:
                    system.used = before
                    raise
                reserved[copy.job] = place
                copy.extents.append(Extent(0.0, saved.size, copy.target, place))
            elif copy.target in system.of(ObjectStore) and not copy.extents:
                copy.extents.append(Extent(0.0, saved.size, copy.target, 0.0))
        attempt.positions = reserved
        return copies

    def _to_tape(self, system: System, saved: SaveSet, part: Portion) -> Process:
        """Write each stream to a drive, of its own or a shared one."""
        it = self.reader

        def shape(crossing: Crossing, begin: float, size: float) -> FlowShape:
            return system.bounded(saved.job, self._crossing(system, crossing, part, (begin, size)))

        away = command_travel(it.networks_of(system), reading=False)
        yield from TapeWriter(
            part.size, shape, it.tool, it.streams, self.pool, self.multiplexing, it.marks(system, part), away=away
        ).write(system, saved.copies[0])

    def _stream(self, system: System, saved: SaveSet, part: Portion, number: int, attempt: Attempt) -> Process:
        """Write one of the equal parts of the save set to all targets."""
        it, job, to = self.reader, saved.job, self.reader.to
        counted = not self.twins and (to in system.of(Volume) or to in system.of(ObjectStore))
        unit = it.reduction.stored if counted else 1.0  # bytes of the save set for each of the flow
        size = part.size / unit / it.streams
        begin = number * size
        receivers = [self._receiver(system, saved, part, to, (unit, attempt)) for to in self._targets(saved)]
        there = min(end.there(begin, size) for end in receivers) if it.tool.resumes else 0.0
        if there > 0.0:
            yield from it.read_again(system, job, there * unit, number)

        def shape(begin: float, size: float) -> FlowShape:
            own = self._shape(system, (saved, part, receivers), number, (begin, size))
            return system.bounded(job, own if unit == 1.0 else own.times(unit))

        activity = Activity.TRANSFER if to in system.of(Library) else Activity.SAVE
        yield from sent(receivers, (begin + there, size - there), shape, activity)

    def _targets(self, saved: SaveSet) -> list[tuple[Copy, Twin | None]]:
        """The copies with their targets; None is the backup's own target, the first one."""
        return list(zip(saved.copies, (None, *self.twins), strict=True))

    def _receiver(
        self, system: System, saved: SaveSet, part: Portion, to: tuple[Copy, Twin | None], has: tuple[float, Attempt]
    ) -> Receiver:
        """The receiver of one stream of a copy; it has so many bytes for each unit, and what attempts have left."""
        it, (copy, twin), (unit, attempt) = self.reader, to, has
        if copy.target in system.of(Library):
            networks = [system.networks[name] for name in (it if twin is None else twin).networks]
            away, pool = command_travel(networks, reading=False), (self if twin is None else twin).pool
            marks = it.marks(system, part)
            return OntoTape(system, saved.job, copy, pool, it.tool.block, it.tool.unload_after, marks, away)
        if copy.target in system.of(ObjectStore):
            return OntoObjects(system, saved.job, copy, attempt)
        if copy.target not in system.of(Volume):
            return Receiver(system, saved.job, copy)
        server, begin = twin.server if twin is not None else it.server, copy.extents[0].position
        return OntoDisk(system, saved.job, copy, server, begin, copy.compression / unit, attempt)

    def _shape(
        self,
        system: System,
        what: tuple[SaveSet, Portion, Sequence[Receiver]],
        number: int,
        where: tuple[float, float],
    ) -> FlowShape:
        """What a byte of a part of a stream loads on what reads it, and on all targets."""
        (saved, part, receivers), it = what, self.reader
        if isinstance(receivers[0], OntoTape):
            shape = self._crossing(system, receivers[0].crossing, part, where)
        elif it.to in system.of(ObjectStore):
            shape = self._requested(system, saved.job, part)
        elif it.to in system.of(Volume):
            shape = it.arriving(system, saved.job, number)
        else:  # nothing is copied to be written
            shape = it.going(system, system.data[it.data], copies=1.0, number=number)
        crossed = shape.sent
        for end, twin in zip(receivers[1:], self.twins, strict=True):
            shape = self._beside(system, saved, shape, (end, twin))
        return shape._replace(sent=crossed) if self.twins else shape

    def _requested(self, system: System, job: str, part: Portion) -> FlowShape:
        """What a byte of the save set loads on its way into an object store."""
        it, stored = self.reader, self.reader.reduction.stored
        objects = objects_of(part.size / stored, part.files, it.method, self.object_size, it.tool)
        shape = compressed(it.reading(system, system.data[it.data]), system.hosts[it.host], None, it.reduction)
        shape = _stored(system, job, shape.times(stored), it, objects).times(1.0 / stored)
        return ingested(it.serving(system, shape), system, job, it.to, it.reduction)

    def _crossing(self, system: System, crossing: Crossing, part: Portion, where: tuple[float, float]) -> FlowShape:
        """What a byte of a part of the save set loads on disk, host, networks, and the drive that it crosses.

        `where` is the byte of the save set at which the part begins, and its bytes: streams read different places.
        """
        it, (towards, waits) = self.reader, crossing
        host, data, how = system.hosts[it.host], system.data[it.data], it.reduction
        networks, (begin, size) = it.networks_of(system), where
        origin = system.origin(data, it.source, mounted=True).between(begin / part.size, size / part.size)
        if networks:
            towards = towards.over(networks, 1.0 / how.sent, it.connections)
        shape = compressed(it.taken(system, origin, 1.0, buffered=True), host, None, how)
        shape = it.serving(system, shape).plus(towards.demands, towards.moves, towards.places)
        if it.method == "image" or data.filesystem is None:
            shape = origin.found(shape, None, 1.0 if part.whole else 0.0)
        else:
            shape = origin.found(shape, host.machine, 1.0 - data.scattered)
        return handing_over(shape, (towards, waits), (networks, 1.0 / how.sent), it.tool)

    def _beside(self, system: System, saved: SaveSet, shape: FlowShape, to: tuple[Receiver, Twin]) -> FlowShape:
        """The shape of bytes that also go to another target."""
        (end, twin), it = to, self.reader
        how, tool, networks = end.copy.reduction, twin.tool, [system.networks[name] for name in twin.networks]
        if isinstance(end, OntoTape):
            towards, waits = end.crossing
            if networks:
                towards = towards.over(networks, 1.0 / how.sent, twin.connections)
            shape = shape.plus(towards.demands, towards.moves, towards.places)
            shape = handing_over(shape, (towards, waits), (networks, 1.0 / how.sent), tool)
        elif twin.to in system.of(ObjectStore):
            objects = objects_of(saved.size / how.stored, saved.files, saved.method, twin.object_size, tool)
            shape = _stored(system, saved.job, shape.times(how.stored), twin, objects).times(1.0 / how.stored)
        else:
            shape = tool.sending(shape, networks, twin.connections, share=1.0 / how.sent)
        if twin.passed_on or twin.server in {"", it.host}:
            return shape
        return tool.serving(shape, system.hosts[twin.server], how.handled())


def _keeps(system: System, device: str) -> bool:
    """Whether a device keeps what is written, as all but `nul` do."""
    return any(device in system.of(kind) for kind in (Volume, Library, ObjectStore))


def _stored(system: System, job: str, shape: FlowShape, to: Reader | Twin, objects: Objects) -> FlowShape:
    """The shape of bytes that also go into objects of a store."""
    networks = [system.networks[name] for name in to.networks]
    objects = objects._replace(by_turns=to.tool.alternates)
    return system.of(ObjectStore)[to.to].carrying(
        shape, "write", objects, networks, to.connections, drawn=system.drawn(job)
    )
