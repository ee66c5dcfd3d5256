"""Backups to disk, tape, object stores or `nul`."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.catalogue import Copy, Extent, SaveSet
from simbackup.devices.host.page_cache import Dirty, VolumeRange
from simbackup.devices.library import Library
from simbackup.devices.network.live import command_travel
from simbackup.devices.object_store.live import Objects, ObjectStore
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.methods.copies import OnTape
from simbackup.methods.file_backup.portion import Portion
from simbackup.methods.file_backup.reader import Reader, Reads
from simbackup.methods.file_backup.receivers import ROUNDING, Crossing, TapeWriter, handing_over
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.reduction.live import compressed, ingested
from simbackup.methods.tool.live import Tool
from simbackup.system import System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process


def objects_of(size: float, files: float, method: str, each: float | None, tool: Tool) -> Objects:
    """The objects of a save set: of `each` bytes if stated, else one for each file, or one for an image."""
    own = each if each is not None else size / files if method == "file_level" else size
    return Objects(min(own, size), max(size / own, 1.0), tool.part)


@dataclass(frozen=True, slots=True)
class Backup(Reads):
    """A backup that writes its save set in one or several streams."""

    pool: str | None = None
    """The pool; None in a library without pools."""
    multiplexing: int = 1
    """Greatest number of streams on a drive."""
    object_size: float | None = None
    """Bytes of an object; None for one of each file, or one for an image."""

    def run(self, system: System, job: str) -> Steps:
        """Prepare, write the save set, and enter it in the catalogue; `nul` keeps nothing."""
        it, data = self.reader, system.data[self.reader.data]
        part, time = it.begin(system, data), system.env.now
        saved = it.saved(job, part, time)
        saved.copies = [self._begun(system, saved)]
        yield from it.start(system, job, part)
        if it.to in system.of(Library):
            yield from self._to_tape(system, saved, part)
        else:
            yield from side_by_side(system, [self._stream(system, saved, part, n) for n in range(it.streams)])
        self._enter(system, saved)
        return Moved(part.size, part.files)

    def place(self, system: System, job: str, time: float) -> None:
        """Put the save set where it would have been written at a time."""
        part = self.reader.part(system.data[self.reader.data])
        saved = self.reader.saved(job, part, time)
        saved.copies = [self._begun(system, saved)]
        if saved.copies[0].target in system.of(Library):
            tape = OnTape(part.size, 0.0, self.reader.streams, self.pool, self.multiplexing)
            tape.place(system, saved.copies[0])
        self._enter(system, saved)

    def _enter(self, system: System, saved: SaveSet) -> None:
        system.begins.pop(saved.job, None)
        saved.copies[0].extents.sort(key=lambda extent: extent.begin)
        if _keeps(system, saved.copies[0].target):
            system.catalogue.add(saved)

    def _begun(self, system: System, saved: SaveSet) -> Copy:
        """The copy, still empty, with space reserved on a volume, which another attempt writes to again."""
        it = self.reader
        compression = system.data[it.data].compression if it.to in system.of(Library) else it.reduction.stored
        copy = Copy(saved.job, it.to, compression, saved.time, reduction=it.reduction)
        if it.to in system.of(Volume):
            if saved.job not in system.begins:
                system.begins[saved.job] = system.reserve(it.to, saved.size / copy.compression)
            copy.extents.append(Extent(0.0, saved.size, it.to, system.begins[saved.job]))
        elif it.to in system.of(ObjectStore):
            copy.extents.append(Extent(0.0, saved.size, it.to, 0.0))
        return copy

    def _to_tape(self, system: System, saved: SaveSet, part: Portion) -> Process:
        """Write each stream to a drive, of its own or a shared one."""
        it = self.reader

        def shape(crossing: Crossing, begin: float, size: float) -> FlowShape:
            return system.bounded(saved.job, self._crossing(system, crossing, part, (begin, size)))

        away = command_travel(it.networks_of(system), reading=False)
        yield from TapeWriter(
            part.size, shape, it.tool, it.streams, self.pool, self.multiplexing, it.marks(system, part), away=away
        ).write(system, saved.copies[0])

    def _stream(self, system: System, saved: SaveSet, part: Portion, number: int) -> Process:
        """Write one of the equal parts of the save set to a disk, an object store or `nul`."""
        it, job, volume, copy = self.reader, saved.job, system.of(Volume).get(self.reader.to), saved.copies[0]
        counted = volume is not None or it.to in system.of(ObjectStore)
        unit = it.reduction.stored if counted else 1.0  # bytes of the save set for each of the flow
        stored, size, done, pending = copy.compression / unit, part.size / unit / it.streams, 0.0, list[Dirty]()
        while done < size * (1.0 - ROUNDING):
            now, place = size - done, None
            if volume is not None:
                begin = copy.extents[0].position + (number * size + done) / stored
                now = system.fits(VolumeRange(volume, begin, now / stored)) * stored
                place = VolumeRange(volume, begin, now / stored)
            shape = self._shape(system, job, part, number)
            shape = system.bounded(job, shape if unit == 1.0 else shape.times(unit))
            flow = shape.start(system.network, job, Activity.SAVE, now)
            if place is not None:
                pending.append(system.fill(job, it.server, place, flow, 1.0 / stored))
            yield flow.done
            system.account(job, flow)
            done += now
        yield from system.written_back(job, pending)

    def _shape(self, system: System, job: str, part: Portion, number: int) -> FlowShape:
        """What a byte of a stream loads on what reads it, and on the target."""
        it = self.reader
        if it.to in system.of(ObjectStore):
            return self._requested(system, job, part)
        if it.to in system.of(Volume):
            return it.arriving(system, job, number)
        return it.going(system, system.data[it.data], copies=1.0, number=number)  # nothing is copied to be written

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


def _keeps(system: System, device: str) -> bool:
    """Whether a device keeps what is written, as all but `nul` do."""
    return any(device in system.of(kind) for kind in (Volume, Library, ObjectStore))


def _stored(system: System, job: str, shape: FlowShape, to: Reader, objects: Objects) -> FlowShape:
    """The shape of bytes that also go into objects of a store."""
    networks = [system.networks[name] for name in to.networks]
    objects = objects._replace(by_turns=to.tool.alternates)
    return system.of(ObjectStore)[to.to].carrying(
        shape, "write", objects, networks, to.connections, drawn=system.drawn(job)
    )
