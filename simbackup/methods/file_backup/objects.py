"""Backup to object stores, block by block or file by file, and restores from there."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.catalogue import Copy, Extent, SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.object_store.live import Objects, ObjectStore
from simbackup.devices.shape import FlowShape
from simbackup.late import Late
from simbackup.methods.compression.live import compressed, expanded
from simbackup.methods.deduplication.live import given_back, ingested
from simbackup.methods.file_backup.arriving import Arrival
from simbackup.methods.file_backup.disk import ReadsLikeDisk
from simbackup.methods.file_backup.portion import Portion, applied
from simbackup.methods.job import Moved, Steps
from simbackup.methods.making import FilesMade, beside
from simbackup.methods.selection import Selection, wanted
from simbackup.methods.share.live import Share, making
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare
from simbackup.system import Attempt, System
from simbackup.trace.activity import Activity


def objects_of(size: float, files: float, method: str, each: float | None, tool: Tool) -> Objects:
    """The objects of a save set: of `each` bytes if stated, else one for each file, or one for an image."""
    own = each if each is not None else size / files if method == "file_level" else size
    return Objects(min(own, size), max(size / own, 1.0), tool.part)


@dataclass(frozen=True, slots=True)
class ObjectBackup(ReadsLikeDisk):
    """A backup that reads like one to disk, and writes objects."""

    object_size: float | None = None
    """Bytes of an object; None for one of each file, or one for an image."""

    def run(self, system: System, job: str) -> Steps:
        """Prepare, read blocks or files and write them as objects; then enter the catalogue."""
        it, time = self.backup, system.env.now
        data = system.data[it.data]
        part = it.begin(system, data)
        yield from it.start(system, job, part)
        stored = it.reduction.stored
        attempt = system.attempts.setdefault(job, Attempt())
        there = attempt.in_objects if it.tool.resumes else 0.0
        if there > 0.0:
            yield from it.read_again(system, job, there * stored)
        shape = system.bounded(job, self.arriving(system, job, part).times(stored))
        flow = shape.start(system.network, job, Activity.SAVE, part.size / stored - there)
        yield flow.done
        attempt.in_objects = there + flow.completed
        system.account(job, flow)
        del system.attempts[job]
        it.enter(system, job, part, time, Extent(0.0, part.size, it.to, 0.0))
        return Moved(part.size, part.files)

    def arriving(self, system: System, job: str, part: Portion) -> FlowShape:
        """How a byte of the save set loads all on its way into the store."""
        it, stored = self.backup, self.backup.reduction.stored
        store, networks = system.of(ObjectStore)[it.to], [system.networks[name] for name in it.networks]
        objects = objects_of(part.size / stored, part.files, it.method, self.object_size, it.tool)
        objects = objects._replace(by_turns=it.tool.alternates)
        shape = compressed(it.reading(system, system.data[it.data]), system.hosts[it.host], None, it.reduction)
        shape = shape.times(stored)
        shape = store.carrying(shape, "write", objects, networks, it.connections, drawn=system.drawn(job))
        shape = it.serving(system, shape.times(1.0 / stored), part)
        return ingested(shape, system, job, it.to, it.reduction)

    def place(self, system: System, job: str, time: float) -> None:
        """Put the objects in the store, as if written at a time."""
        part = self.backup.part(system.data[self.backup.data])
        self.backup.enter(system, job, part, time, Extent(0.0, part.size, self.backup.to, 0.0))


@dataclass(frozen=True, slots=True)
class ObjectRestore(Late):
    """A restore from objects to the place of a data set; files can be selected from a file-level backup."""

    host: str
    """The host of the data set."""
    to: str
    """The data set."""
    networks: tuple[str, ...]
    """The links from the object store to the host."""
    selection: Selection | None
    """The files that are wanted; None for all."""
    tool: Tool = NO_TOOL
    """The program."""
    workers: int = 1
    """Workers that create files."""
    connections: int = 1
    """Network connections."""
    object_size: float | None = None
    """Bytes of an object, if the backup states them."""
    server: str | None = None
    """The host of the object store, if that is another; None otherwise."""
    share: Share | None = None
    """The share over which files are written; None to write them locally."""
    kept: bool = True
    """Whether data are written; otherwise they are only read."""

    @property
    def _arrival(self) -> Arrival:
        return Arrival(self.host, self.to, self.kept)

    def bring_back(self, system: System, job: str, saved: SaveSet, copy: Copy) -> Steps:
        """Request the wanted files, and write them as they come; done when they are on disk."""
        target, chosen = system.data[self.to], self.selection if saved.method == "file_level" else None
        files, pieces = wanted(saved, chosen)
        total = sum(size for _, size in pieces)
        if self.selection is not None and chosen is None:
            system.trace.note(system.env.now, job, "ignores 'select': an image can only be restored as a whole")
        made = self.tool.made(files / total if self.kept and saved.method == "file_level" else 0.0)
        yield from prepare(system, job, target, self.tool, files)
        begin, size = pieces[0] if chosen is None else (pieces[0][0], total)  # selected files come side by side
        there, chunk = copy.fetched, copy.reduction.together
        if chunk is not None:  # a piece of an object for each run of chunks
            each = min(chunk, self.object_size or chunk, total / there)
            objects = Objects(each, total / there / each, self.tool.part)
        elif chosen is None:
            objects = objects_of(size / there, saved.files, saved.method, self.object_size, self.tool)
        else:
            objects = Objects(total / files / there, files, self.tool.part)
        asked = objects.number if chunk is None else total / there / (self.object_size or objects.size)
        with self._arrival.shut_out(system):
            yield from system.of(ObjectStore)[copy.target].retrieve(system.clock, job, asked)
            shape = self._copying(system, copy, objects, target, made, job=job)
            place = VolumeRange(target.volume, target.begin + min(begin, max(target.size - size, 0.0)), size)
            place = place._replace(beside=applied(saved, target) if saved.method == "image" else beside(target, made))
            dirty = yield from self._arrival.take(system, job, place, shape, Activity.RESTORE)
            yield from system.written_back(job, self.tool.awaited(dirty))
        return Moved(total, float(files))

    def _copying(
        self, system: System, copy: Copy, objects: Objects, target: DataSet, made: FilesMade, *, job: str
    ) -> FlowShape:
        """What a restored byte loads: the store, the way, and the processor of the host that writes it."""
        host = system.hosts[self.share.host if self.share else self.host]
        networks = [system.networks[name] for name in self.networks]
        shape = host.then(FlowShape(), self.tool.restoring(host, self._arrival.copies))
        shape = making(shape, system, (host, self.share), target, made)
        if made.per_byte:
            shape = shape._replace(workers=self.workers)
        shape = expanded(shape, host, None, copy.reduction).times(copy.fetched)
        store, objects = system.of(ObjectStore)[copy.target], objects._replace(by_turns=self.tool.alternates)
        shape = store.carrying(shape, "read", objects, networks, self.connections, drawn=system.drawn(job))
        shape = shape.times(1.0 / copy.fetched)
        if self.server is not None:
            shape = self.tool.serving(
                shape, system.hosts[self.server], made.per_byte, copy.reduction.handled(written=False)
            )
        return given_back(shape, system, copy.target, copy.reduction)
