"""Backups of a database to disk, and restores of them: logical dump, hot copy, snapshot copy, binary log."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import simpy

from simbackup.catalogue import Copy, Extent, SaveSet, first_copy
from simbackup.data.live import Database, DataSet
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.image import FrozenImage
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region
from simbackup.equations.database import log_beside_files, phases
from simbackup.late import Late, late
from simbackup.methods.database.spec import BinaryLogSpec, DatabaseBackupSpec
from simbackup.methods.database.way import Coming, Section, Way, copying, of_workers
from simbackup.methods.frozen_image.live import create
from simbackup.methods.job import Moved, Steps, passing
from simbackup.methods.reduction.make import reduction_of
from simbackup.methods.tape_reader import scaled
from simbackup.methods.tool.live import Tool, tool_of
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

if TYPE_CHECKING:
    from simbackup.methods.restore.spec import RestoreSpec
    from simbackup.scenario.spec import Spec
    from simbackup.schema.quantity import Quantity


@dataclass(slots=True)
class ReadLock:
    """Seconds for which a job has held the read lock."""

    held: float = 0.0


@contextmanager
def read_lock(system: System, job: str, data: DataSet, lock: ReadLock) -> Generator[None]:
    """Hold the read lock inside: users may read and must not write."""
    begin = system.env.now
    system.trace.event(begin, f"data.{data.name}", "read lock", job=job)
    waiting = [users for users in system.users if users.data == data.name]
    for users in waiting:
        users.lock()

    def unlock() -> None:
        lock.held += system.env.now - begin
        for users in waiting:
            users.unlock()
        system.trace.event(system.env.now, f"data.{data.name}", "unlock", job=job, held=system.env.now - begin)

    try:
        yield
    except Exception:  # not the end of a run that is abandoned, in which nothing happens any more
        unlock()
        raise
    unlock()


@dataclass(frozen=True, slots=True)
class DatabaseBackup(Late):
    """A full backup of a database to a volume or an object store."""

    way: Way
    """Hosts and networks that the bytes pass, and the program."""
    data: str
    """The data set."""
    to: str
    """The volume or object store."""
    method: str
    """`logical_dump`, `hot_copy` or `snapshot_copy`."""
    snapshot: str | None = None
    """The snapshot of a snapshot copy."""
    locked: bool = True
    """Whether it holds the read lock."""
    log_rate: float = 0.0
    """Bytes of log that users write in a second; a program that `copies_log` saves those written meanwhile, too."""

    def run(self, system: System, job: str) -> Steps:
        """Start, do what the method does (under the read lock, or most of it outside), then check what was written."""
        data, lock = system.data[self.data], ReadLock()
        engine = _engine(data)
        yield from passing(system, job, f"data.{self.data}", Activity.START, self.way.tool.start_time)
        saved = self._begun(system, job, system.env.now)
        if self.method == "snapshot_copy":
            yield from self._by_snapshot(system, job, data, saved, lock)
        else:
            with read_lock(system, job, data, lock) if self.locked else nullcontext():
                if self.locked or self.method == "hot_copy":
                    yield from passing(system, job, f"data.{self.data}", Activity.FLUSH, engine.flush_time)
                if self.method == "logical_dump":
                    yield from self._dump(system, job, data, saved)
                else:
                    yield from self._hot(system, job, data, saved)
        yield from self.way.check(system, job, saved.size)
        system.catalogue.add(saved)
        return Moved(saved.size, float(data.files), lock.held)

    def place(self, system: System, job: str, time: float) -> None:
        """Put the backup in its place, as if written at a time; the log of a hot copy is not known."""
        system.catalogue.add(self._begun(system, job, time))

    def _begun(self, system: System, job: str, time: float) -> SaveSet:
        """The save set, with space reserved for it."""
        data = system.data[self.data]
        size = data.dump(_engine(data)) if self.method == "logical_dump" else data.size
        return self.way.reserve(system, SaveSet(job, self.data, self.method, size, data.files, time), self.to)

    def _dump(self, system: System, job: str, data: DataSet, saved: SaveSet) -> Process:
        """Read rows that are not in memory, and write text; indexes are not read.

        Each worker goes at the pace of one core, that of the server or that of the program, if both work side by side.
        """
        engine, host = _engine(data), system.hosts[self.way.host]
        rows = data.size - data.indexes
        reading, seconds = host.reading(_rows(data), cached=data.cached), host.seconds(engine.dump_cpu)
        paced = seconds * max(engine.dump_client, 1.0 - engine.dump_client)
        shape = host.working(host.then(reading.times(rows / saved.size), paced), seconds - paced)
        yield from self.way.write(system, (job, Activity.DUMP), shape, saved, data.largest)

    def _hot(self, system: System, job: str, data: DataSet, saved: SaveSet) -> Process:
        """Copy the files and the log of the time, where the program does so.

        The log comes beside the files, but here after them, in two parts: what is written while the files are copied
        alone, and what is written because both share the way.
        """
        begin = float(system.env.now)
        yield from self._files(system, job, data, saved)
        files = float(system.env.now) - begin
        log = self.log_rate * files if self.way.tool.copies_log else 0.0
        if log > 0.0:
            yield from self._log(system, job, data, saved, log)
            share = (float(system.env.now) - begin - files) / files
            more = log * log_beside_files(share)
            if more >= 1.0:
                yield from self._log(system, job, data, saved, more)

    def _log(self, system: System, job: str, data: DataSet, saved: SaveSet, log: float) -> Process:
        """Copy so many bytes of log, and add them to the save set."""
        part = SaveSet(job, self.data, self.method, log, 1.0, saved.time)
        self.way.reserve(system, part, self.to)
        source = data.volume.region.part(data.begin, min(log, data.size))
        shape = copying(system.hosts[self.way.host], source, self.way.tool)
        yield from self.way.write(system, (job, Activity.COPY), shape, part)
        there = part.copies[0].extents[0]
        saved.copies[0].extents.append(Extent(saved.size, log, there.medium, there.position))
        saved.size, saved.log = saved.size + log, saved.log + log

    def _files(self, system: System, job: str, data: DataSet, saved: SaveSet, image: str | None = None) -> Process:
        """Copy the files, or those of a frozen image of them."""
        host, origin = system.hosts[self.way.host], system.origin(data, image)
        shape = origin.found(copying(host, origin.region, self.way.tool), host.machine)
        yield from self.way.write(system, (job, Activity.COPY), shape, saved, data.largest)

    def _by_snapshot(self, system: System, job: str, data: DataSet, saved: SaveSet, lock: ReadLock) -> Process:
        """Lock only to create the snapshot; mount it, copy from it, remove it."""
        name, engine = self.snapshot or "", _engine(data)
        snapshot = system.of(FrozenImage)[name]
        if snapshot.hindrance is not None:
            raise JobFailedError(f"snapshot '{name}' {snapshot.hindrance}")
        if engine.locks_for_snapshot:
            with read_lock(system, job, data, lock):
                yield from passing(system, job, f"data.{self.data}", Activity.FLUSH, engine.flush_time)
                yield from create(system, job, name)
        else:
            yield from create(system, job, name)
        yield from passing(system, job, snapshot.name, Activity.MOUNT, self.way.tool.mount_time)
        yield from self._files(system, job, data, saved, name)
        yield from passing(system, job, snapshot.name, Activity.REMOVE, snapshot.remove_time)
        snapshot.remove()


@dataclass(frozen=True, slots=True)
class BinaryLog:
    """An incremental backup: the log of the changes since the last backup."""

    way: Way
    """Hosts and networks that the bytes pass, and the program."""
    data: str
    """The data set."""
    to: str
    """The volume or object store."""
    changed: float
    """Bytes of the log."""
    method: str = "binary_log"

    def run(self, system: System, job: str) -> Steps:
        """Close the log, and copy it."""
        data, size = system.data[self.data], self.changed
        saved = self._begun(system, job, system.env.now)
        yield from passing(system, job, f"data.{self.data}", Activity.START, self.way.tool.start_time)
        yield from passing(system, job, f"data.{self.data}", Activity.FLUSH, _engine(data).flush_time)
        source = data.volume.region.part(data.begin, size)
        shape = copying(system.hosts[self.way.host], source, self.way.tool)
        yield from self.way.write(system, (job, Activity.COPY), shape, saved)
        yield from self.way.check(system, job, size)
        system.catalogue.add(saved)
        return Moved(size, 1.0)

    def place(self, system: System, job: str, time: float) -> None:
        """Put the log in its place, as if written at a time."""
        system.catalogue.add(self._begun(system, job, time))

    def _begun(self, system: System, job: str, time: float) -> SaveSet:
        """The save set, with space reserved for it."""
        files = system.data[self.data].files
        saved = SaveSet(job, self.data, self.method, self.changed, files, time, log=self.changed)
        return self.way.reserve(system, saved, self.to)


@dataclass(frozen=True, slots=True)
class DatabaseRestore:
    """A restore of a database: files are copied back or a dump is loaded, and logs are replayed."""

    tool: Tool
    """The program."""
    ways: Mapping[str, Way]
    """Hosts and networks that the bytes pass, by the device that has the copy of a full backup or log."""
    backup: str
    """The job of the full backup."""
    to: str
    """The data set that is written."""
    replay: tuple[str, ...] = ()
    """Jobs whose logs since then are replayed."""
    copied_by: str | None = None
    """The job whose copy is read; None for the backup itself."""
    method: str = "restore"

    def run(self, system: System, job: str) -> Steps:
        """Restore the last full backup, then the changes since; users are kept out meanwhile."""
        full, copy = system.saved(self.backup, self.copied_by)
        yield from passing(system, job, f"data.{self.to}", Activity.START, self.tool.start_time)
        logs = self.logs(system, full, copy.target)
        with system.shut_out(self.to):
            yield from self.ways[copy.target].retrieved(system, job, [copy, *(read for _, read in logs)])
            for saved, read in ((full, copy), *logs):
                if saved.method == "logical_dump":
                    yield from self._load(system, job, saved, read)
                else:
                    yield from self.copy_back(system, job, saved, read)
        return Moved(full.size + sum(log.size for log, _ in logs), full.files)

    def logs(self, system: System, full: SaveSet, target: str) -> list[tuple[SaveSet, Copy]]:
        """The logs since a full backup that it replays, oldest first, each with the copy to be read.

        That is the copy on the same `target` as the full backup, or else the first.
        """
        found = [log for name in self.replay for log in system.catalogue.since(f"jobs.{name}", full.time)]
        found.sort(key=lambda log: log.time)
        return [(log, next((c for c in log.copies if c.target == target), first_copy(log))) for log in found]

    def replayed(self, system: System, job: str, since: SaveSet, target: str) -> Generator[simpy.Event, Any, float]:
        """Replay the logs since a save set that another method has restored from `target`; returns their bytes."""
        logs = self.logs(system, since, target)
        with system.shut_out(self.to):
            for source in dict.fromkeys(read.target for _, read in logs):
                yield from self.ways[source].retrieved(system, job, [read for _, read in logs if read.target == source])
            for log, read in logs:
                yield from self.copy_back(system, job, log, read)
        return sum(log.size for log, _ in logs)

    def copy_back(self, system: System, job: str, saved: SaveSet, copy: Copy) -> Process:
        """Copy files from a copy into the database; a log is replayed, also one that a hot copy contains."""
        target, way = system.data[self.to], self.ways[copy.target]
        host, engine, files = system.hosts[way.host], _engine(target), saved.size - saved.log
        sections = [Section(0.0, files, way.workers, target.largest)] if files > 0.0 else []
        if saved.log > 0.0:
            sections.append(Section(files, saved.log))

        def take(section: Section, done: float, size: float, comes: Coming) -> Process:
            logs = section.begin >= files
            shape = comes.worked(host.seconds(engine.replay_cpu) if logs else way.tool.copying_back(host))
            place = VolumeRange(target.volume, target.begin + done, min(size, target.size))
            units, activity = size / place.size, Activity.REPLAY if logs else Activity.COPY
            law = scaled(comes.law, units) if comes.law is not None else None
            yield from system.write(job, way.host, place, shape.times(units), activity, law=law)

        yield from way.bring(system, job, copy, sections, take)

    def _load(self, system: System, job: str, saved: SaveSet, copy: Copy) -> Process:
        """Load a dump: rows, and then indexes where the engine builds them afterwards."""
        target, way = system.data[self.to], self.ways[copy.target]
        host, engine = system.hosts[way.host], _engine(target)
        apart = target.indexes if target.indexes > 0.0 and engine.index_cpu is not None else 0.0
        rows, seconds = target.size - apart, host.seconds(engine.load_cpu)

        def take(section: Section, done: float, size: float, comes: Coming) -> Process:
            del section
            shape, units = comes.worked(seconds), saved.size / rows
            begin, written = target.begin + rows * done / saved.size, rows * size / saved.size
            place = VolumeRange(target.volume, begin, written, _logged(target))
            law = scaled(comes.law, units) if comes.law is not None else None
            yield from system.write(job, way.host, place, shape.times(units), Activity.LOAD, law=law)

        yield from way.bring(system, job, copy, [Section(0.0, saved.size, way.workers, target.largest)], take)
        if apart > 0.0:
            yield from self._build(system, job, target, way)

    @staticmethod
    def _build(system: System, job: str, target: DataSet, way: Way) -> Process:
        """Read rows and write indexes, by several workers at once."""
        host, engine, done = system.hosts[way.host], _engine(target), target.size - target.indexes
        seconds = host.seconds(engine.index_cpu or 0.0)
        for size, workers in phases(target.indexes, way.workers, target.largest):
            read = host.reading(_rows(target)).times(engine.index_reads) if engine.index_reads else FlowShape()
            shape = of_workers(host.then(read, seconds), workers)
            place = VolumeRange(target.volume, target.begin + done, size, _logged(target))
            yield from system.write(job, way.host, place, shape, Activity.INDEX)
            done += size


def _rows(data: DataSet) -> Region:
    """The region of the rows of a database, before its indexes."""
    return data.volume.region.part(data.begin, data.size - data.indexes)


def _logged(data: DataSet) -> FlowShape:
    """What each byte that a load writes also loads on the volume, for the engine's own log."""
    logged, store = _engine(data).load_log, data.volume.region.store
    if logged <= 0.0:
        return FlowShape()
    busy = logged * store.stream("write", data.volume.region.begin + data.begin, data.size)
    return FlowShape({store.link: busy}, {store.link: logged}).through(store.path, logged)


def _engine(data: DataSet) -> Database:
    """The database engine of a data set."""
    if data.database is None:
        raise JobFailedError(f"'{data.name}' is not a database")  # the checks exclude it
    return data.database


def make_backup(job: DatabaseBackupSpec, spec: Spec) -> DatabaseBackup:
    """The full backup."""
    workers = int(job.workers.si)
    return late(
        DatabaseBackup, way=_there(job, spec, workers, lambda: _count(job.connections)), data=job.data, to=job.to,
        method=job.method, snapshot=job.snapshot, locked=job.locks(spec), log_rate=lambda: job.log_rate.si,
    )  # fmt: skip


def make_log(job: BinaryLogSpec, spec: Spec) -> BinaryLog:
    """The backup of the log of changes."""
    changed = job.changed.si * spec.data[job.data].size.si
    return BinaryLog(_there(job, spec), job.data, job.to, changed)


def restore(job: RestoreSpec, saved: DatabaseBackupSpec | BinaryLogSpec, spec: Spec) -> DatabaseRestore:
    """The restore, with the logs that are replayed."""
    to = job.to or saved.data
    devices = [saved.to, *(copy.to for copy in spec.copies_of(job.restore)), *(log.to for log in logs_of(job, spec))]
    ways = {device: _back(job, saved, spec, (device, spec.host_of(to))) for device in devices}
    return DatabaseRestore(tool_of(saved.tool), ways, job.restore, to, job.replay, job.copied_by)


def replaying(job: RestoreSpec, data: str, spec: Spec) -> DatabaseRestore | None:
    """What replays the logs of a restore of some other method; None where it replays none."""
    logs = logs_of(job, spec)
    if not logs:
        return None
    host = spec.host_of(data)
    names = tuple(name for name in job.replay if isinstance(spec.jobs[name], BinaryLogSpec))
    copied = {copy.to: log for name, log in zip(names, logs, strict=True) for copy in spec.copies_of(name)}
    there = copied | {log.to: log for log in logs}
    ways = {device: _back(None, log, spec, (device, host)) for device, log in there.items()}
    return DatabaseRestore(tool_of(logs[0].tool), ways, job.restore, data, names)


def logs_of(job: RestoreSpec, spec: Spec) -> list[BinaryLogSpec]:
    """The backups of logs that a restore replays."""
    return [log for name in job.replay if isinstance(log := spec.jobs[name], BinaryLogSpec)]


def _back(job: RestoreSpec | None, saved: DatabaseBackupSpec | BinaryLogSpec, spec: Spec, way: tuple[str, str]) -> Way:
    """The way back from the device on which a copy lies to a host, as wide as a restore makes it."""
    source, host = way
    links, tool, owner = spec.way_from(host, source) or (), tool_of(saved.tool), spec.owner_of(source) or ""
    if job is None:
        return Way(host, owner, links, tool)

    def connections() -> int | None:
        own = saved.connections if isinstance(saved, DatabaseBackupSpec) and source == saved.to else None
        return _count(job.connections or own)

    return late(
        Way, host=host, server=owner, networks=links, tool=tool,
        workers=lambda: int(job.workers.si),
        connections=connections, streams=lambda: int(job.streams.si),
    )  # fmt: skip


def _there(
    job: DatabaseBackupSpec | BinaryLogSpec,
    spec: Spec,
    workers: int = 1,
    connections: Callable[[], int | None] = lambda: None,
) -> Way:
    """The way to its target."""
    host, data = spec.host_of(job.data), spec.data[job.data]
    how = reduction_of(job.compressor, None, data, overlapped=True)
    return late(
        Way, host=host, server=spec.owner_of(job.to) or host, networks=spec.way_to(host, job.to) or (),
        tool=tool_of(job.tool), workers=workers, reduction=how, connections=connections,
    )  # fmt: skip


def _count(said: Quantity | None) -> int | None:
    """A number, if it is stated."""
    return None if said is None else int(said.si)
