"""Backups of a database to disk, and restores of them: logical dump, hot copy, snapshot copy, binary log."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import simpy

from simbackup.catalogue import Copy, Extent, SaveSet
from simbackup.data.live import Database, DataSet
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.shape import FlowShape
from simbackup.engine.activity import Activity
from simbackup.methods.job import Moved, Steps
from simbackup.methods.snapshot.live import create
from simbackup.methods.tool.live import Tool
from simbackup.system import JobFailedError, System

Wait = Generator[simpy.Event, Any, None]


@dataclass(slots=True)
class _Lock:
    """Seconds for which a job has held the read lock."""

    held: float = 0.0


@contextmanager
def _read_lock(system: System, job: str, data: DataSet, lock: _Lock) -> Generator[None]:
    """Hold the read lock inside: users may read and must not write."""
    begin = system.env.now
    system.trace.event(begin, f"data.{data.name}", "read lock", job=job)
    waiting = [users for users in system.users if users.data == data.name]
    for users in waiting:
        users.lock()
    try:
        yield
    finally:
        lock.held += system.env.now - begin
        for users in waiting:
            users.unlock()
        system.trace.event(system.env.now, f"data.{data.name}", "unlock", job=job, held=system.env.now - begin)


@dataclass(frozen=True, slots=True)
class DatabaseBackup:
    """A full backup of a database to a volume."""

    host: str
    data: str
    to: str
    tool: Tool
    method: str
    snapshot: str | None = None
    workers: int = 1

    def run(self, system: System, job: str) -> Steps:
        """Start, do what the method does (under the read lock, or most of it outside), then check what was written."""
        data, lock = system.data[self.data], _Lock()
        engine = _engine(data)
        yield from _pass(system, job, f"data.{self.data}", Activity.START, self.tool.start_time)
        size = data.content * engine.dump_ratio if self.method == "logical_dump" else data.size
        saved = _reserve(system, SaveSet(job, self.data, self.method, size, data.files, system.env.now), self.to)
        if self.method == "snapshot_copy":
            yield from self._by_snapshot(system, job, data, saved, lock)
        else:
            with _read_lock(system, job, data, lock):
                yield from _pass(system, job, f"data.{self.data}", Activity.FLUSH, engine.flush_time)
                if self.method == "logical_dump":
                    yield from self._dump(system, job, data, saved)
                else:
                    host, origin = system.hosts[self.host], system.origin(data, None)
                    shape = origin.found(host.copying(origin.region), host.machine.read_ahead)
                    yield from _copy(system, job, self.host, shape, saved)
        yield from _check(system, job, self.host, size, self.tool)
        system.catalogue.add(saved)
        return Moved(size, float(data.files), lock.held)

    def _dump(self, system: System, job: str, data: DataSet, saved: SaveSet) -> Wait:
        """Read rows and write text, each worker at the pace of one core."""
        engine, host = _engine(data), system.hosts[self.host]
        reading = host.reading(data.volume.region.part(data.begin, data.size))
        seconds = host.seconds(engine.dump_cpu)
        shape = _by_workers(host.then(reading.times(data.size / saved.size), seconds), self.workers, engine, seconds)
        yield from _copy(system, job, self.host, shape, saved)

    def _by_snapshot(self, system: System, job: str, data: DataSet, saved: SaveSet, lock: _Lock) -> Wait:
        """Lock only to create the snapshot; mount it, copy from it, remove it."""
        name, engine = self.snapshot or "", _engine(data)
        snapshot = system.images[name]
        if snapshot.hindrance is not None:
            raise JobFailedError(f"snapshot '{name}' {snapshot.hindrance}")
        if engine.locks_for_snapshot:
            with _read_lock(system, job, data, lock):
                yield from _pass(system, job, f"data.{self.data}", Activity.FLUSH, engine.flush_time)
                yield from create(system, job, name)
        else:
            yield from create(system, job, name)
        yield from _pass(system, job, snapshot.name, Activity.MOUNT, self.tool.mount_time)
        host, origin = system.hosts[self.host], system.origin(data, name)
        shape = origin.found(host.copying(origin.region), host.machine.read_ahead)
        yield from _copy(system, job, self.host, shape, saved)
        system.require_image(name)
        yield from _pass(system, job, snapshot.name, Activity.REMOVE, snapshot.remove_time)
        snapshot.remove()


@dataclass(frozen=True, slots=True)
class BinaryLog:
    """An incremental backup: the log of what was changed since the backup before."""

    host: str
    data: str
    to: str
    tool: Tool
    changed: float
    method: str = "binary_log"

    def run(self, system: System, job: str) -> Steps:
        """Close the log, and copy it."""
        data, size = system.data[self.data], self.changed
        saved = _reserve(system, SaveSet(job, self.data, self.method, size, data.files, system.env.now), self.to)
        yield from _pass(system, job, f"data.{self.data}", Activity.START, self.tool.start_time)
        yield from _pass(system, job, f"data.{self.data}", Activity.FLUSH, _engine(data).flush_time)
        source = data.volume.region.part(data.begin, size)
        yield from _copy(system, job, self.host, system.hosts[self.host].copying(source), saved)
        yield from _check(system, job, self.host, size, self.tool)
        system.catalogue.add(saved)
        return Moved(size, 1.0)


@dataclass(frozen=True, slots=True)
class DatabaseRestore:
    """A restore of a database from a volume: files are copied back, a dump is loaded, logs are replayed."""

    host: str
    backup: str
    to: str
    tool: Tool
    replay: tuple[str, ...] = ()
    workers: int = 1
    method: str = "restore"

    def run(self, system: System, job: str) -> Steps:
        """Restore the last full backup, then the changes since; users are kept out meanwhile."""
        full, _ = system.saved(self.backup)
        yield from _pass(system, job, f"data.{self.to}", Activity.START, self.tool.start_time)
        logs = [log for name in self.replay for log in system.catalogue.since(f"jobs.{name}", full.time)]
        with system.shut_out(self.to):
            for saved in (full, *sorted(logs, key=lambda log: log.time)):
                yield from self._bring_back(system, job, saved)
        return Moved(sum(saved.size for saved in (full, *logs)), full.files)

    def _bring_back(self, system: System, job: str, saved: SaveSet) -> Wait:
        """One save set from its volume into the database."""
        host, target, engine = system.hosts[self.host], system.data[self.to], _engine(system.data[self.to])
        place = saved.copies[0].extents[0]
        source = system.volumes[place.medium].region.part(place.position, saved.size)
        shape, size = host.copying(source), saved.size
        if saved.method == "logical_dump":
            size = target.size
            seconds = host.seconds(engine.load_cpu)
            shape = _by_workers(host.then(host.reading(source), seconds), self.workers, engine, seconds)
            shape = shape.times(saved.size / size)
        elif saved.method == "binary_log":
            shape = host.then(host.reading(source), host.seconds(engine.replay_cpu))
        activity = {"logical_dump": Activity.LOAD, "binary_log": Activity.REPLAY}.get(saved.method, Activity.COPY)
        yield from system.write(job, self.host, VolumeRange(target.volume, target.begin, size), shape, activity)


def _by_workers(shape: FlowShape, workers: int, engine: Database, seconds: float) -> FlowShape:
    """The shape of text that several workers write or load, who take a share of the core seconds in turn."""
    return replace(shape, workers=workers, serial=seconds * engine.in_turn) if workers > 1 else shape


def _engine(data: DataSet) -> Database:
    """The database engine of a data set."""
    if data.database is None:
        raise JobFailedError(f"'{data.name}' is not a database")  # the checks exclude it
    return data.database


def _pass(system: System, job: str, cause: str, activity: str, seconds: float) -> Wait:
    """Wait, and record the time."""
    with system.clock.span(job, cause, activity):
        yield system.env.timeout(seconds)


def _reserve(system: System, saved: SaveSet, to: str) -> SaveSet:
    """The save set, with room for its copy on a volume."""
    extent = Extent(0.0, saved.size, to, system.reserve(to, saved.size))
    saved.copies.append(Copy(saved.job, to, 1.0, saved.time, [extent]))
    return saved


def _copy(system: System, job: str, host: str, shape: FlowShape, saved: SaveSet) -> Wait:
    """Write a save set to its volume through the page cache."""
    place = saved.copies[0].extents[0]
    activity = Activity.DUMP if saved.method == "logical_dump" else Activity.COPY
    target = VolumeRange(system.volumes[place.medium], place.position, saved.size)
    yield from system.write(job, host, target, shape, activity)


def _check(system: System, job: str, host: str, size: float, tool: Tool) -> Wait:
    """Read the finished backup once more, at the pace of one core."""
    if tool.check_cpu > 0.0:
        machine = system.hosts[host]
        flow = machine.then(FlowShape(), machine.seconds(tool.check_cpu)).start(
            system.network, job, Activity.CHECK, size
        )
        yield flow.done
        system.account(job, flow)
