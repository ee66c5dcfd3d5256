"""Backups that write several copies at once: the data are read once, and the slowest target sets the pace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simbackup.catalogue import Copy, Extent, SaveSet
from simbackup.devices.library import Library
from simbackup.devices.network.live import command_travel
from simbackup.devices.object_store.live import ObjectStore
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.engine.limit import Use
from simbackup.methods.file_backup.disk import DiskBackup
from simbackup.methods.file_backup.objects import ObjectBackup, objects_of
from simbackup.methods.file_backup.portion import Portion
from simbackup.methods.file_backup.receivers import OntoDisk, OntoTape, Receiver
from simbackup.methods.file_backup.staging import handing_over
from simbackup.methods.file_backup.tape import TapeBackup
from simbackup.methods.file_backup.tape_writer import marks
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.new_copy import begun, shared
from simbackup.methods.tape_reader import slower
from simbackup.methods.tool.live import Tool
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

ROUNDING = 1e-9
"""Share of a stream that may be missing because sums of its parts are rounded."""


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
class InlineBackup:
    """A backup that writes its save set to its own target and to others at the same time.

    Each stream writes to all targets at once, in pieces that fit on every cartridge. The program waits until all
    targets are ready.
    """

    backup: DiskBackup | ObjectBackup | TapeBackup
    """The backup to its own target."""
    twins: tuple[Twin, ...]
    """The other targets."""

    @property
    def method(self) -> str:
        """How it reads."""
        return self.backup.method

    @property
    def _reader(self) -> DiskBackup:
        return self.backup if isinstance(self.backup, DiskBackup) else self.backup.backup

    def expected(self, system: System) -> float:
        """Bytes that it saves."""
        return self.backup.expected(system)

    def run(self, system: System, job: str) -> Steps:
        """Prepare, write all copies at once, and enter them in the catalogue."""
        it, data = self._reader, system.data[self._reader.data]
        part = it.begin(system, data)
        saved = SaveSet(job, it.data, it.method, part.size, part.files, system.env.now, level=it.level)
        saved.copies = self._begun(system, job, saved)
        yield from it.start(system, job, part)
        streams = [self._stream(system, saved, part, number) for number in range(it.streams)]
        yield from side_by_side(system, streams)
        for copy in saved.copies:
            copy.extents.sort(key=lambda extent: extent.begin)
        system.catalogue.add(saved)
        return Moved(part.size, part.files)

    def _begun(self, system: System, job: str, saved: SaveSet) -> list[Copy]:
        """The copies, still empty, with space reserved on volumes for all of them or none."""
        it, run = self._reader, job.removeprefix("jobs.").partition(".")
        to_tape = isinstance(self.backup, TapeBackup)
        compression = system.data[it.data].compression if to_tape else it.reduction.stored
        own = Copy(job, it.to, compression, saved.time, reduction=it.reduction)
        how = shared(it.reduction)
        names = [f"jobs.{twin.job}{run[1]}{run[2]}" for twin in self.twins]
        others = [
            begun(system, name, twin.to, saved, how, time=saved.time)
            for name, twin in zip(names, self.twins, strict=True)
        ]  # fmt: skip
        before = dict(system.used)
        for copy in (own, *others):
            if copy.target in system.of(Volume):
                try:
                    position = system.reserve(copy.target, saved.size / copy.compression)
                except JobFailedError:
                    system.used = before
                    raise
                copy.extents.append(Extent(0.0, saved.size, copy.target, position))
            elif copy.target in system.of(ObjectStore) and not copy.extents:
                copy.extents.append(Extent(0.0, saved.size, copy.target, 0.0))
        return [own, *others]

    def _stream(self, system: System, saved: SaveSet, part: Portion, number: int) -> Process:
        """Write one of the equal parts of the save set to all targets, in pieces that fit on their cartridges."""
        it, job = self._reader, saved.job
        begin, size = number * part.size / it.streams, part.size / it.streams
        ends = [self._receiver(system, saved, copy, twin) for copy, twin in self._targets(saved)]
        done = 0.0
        try:
            yield from _opened(system, job, ends)
            while done < size * (1.0 - ROUNDING):
                yield from _readied(system, ends)
                rooms = [end.room(begin + done, size - done) for end in ends]
                now = min(rooms)
                shape = self._shape(system, (saved, part, ends), number, (begin + done, now))
                laws = [end.law for end in ends]
                flow = shape.start(system.network, job, self._activity, now, law=_all(laws))
                for end in ends:
                    end.take(flow, begin + done, now)
                yield flow.done
                system.account(job, flow)
                took = [
                    end.took(begin + done, now, full=room <= now < size - done)
                    for end, room in zip(ends, rooms, strict=True)
                ]
                yield from side_by_side(system, took)
                done += now
            yield from side_by_side(system, [end.put_away() for end in ends])
        except JobFailedError:
            yield from side_by_side(system, [end.put_away() for end in ends])
            raise
        finally:
            for end in ends:
                end.close()
        yield from system.written_back(
            job, [dirty for end in ends if isinstance(end, OntoDisk) for dirty in end.pending]
        )

    @property
    def _activity(self) -> str:
        return Activity.TRANSFER if isinstance(self.backup, TapeBackup) else Activity.SAVE

    def _targets(self, saved: SaveSet) -> list[tuple[Copy, Twin | None]]:
        """The copies with their targets; None is the backup's own target, the first one."""
        return list(zip(saved.copies, (None, *self.twins), strict=True))

    def _receiver(self, system: System, saved: SaveSet, copy: Copy, twin: Twin | None) -> Receiver:
        """The receiver of one stream of a copy."""
        it = self._reader
        if copy.target in system.of(Library):
            own = self.backup.pool if isinstance(self.backup, TapeBackup) else None
            pool = twin.pool if twin is not None else own
            networks = [system.networks[name] for name in (it if twin is None else twin).networks]
            away = command_travel(networks, reading=False)
            each = marks(it.tool, system.data[it.data], saved.method, saved.size, saved.files)
            return OntoTape(system, saved.job, copy, pool, it.tool.block, it.tool.unload_after, each, away)
        if copy.target in system.of(ObjectStore):
            return Receiver(system, saved.job, copy)
        server = twin.server if twin is not None else it.server
        return OntoDisk(system, saved.job, copy, server, copy.extents[0].position)

    def _shape(
        self,
        system: System,
        what: tuple[SaveSet, Portion, Sequence[Receiver]],
        number: int,
        where: tuple[float, float],
    ) -> FlowShape:
        """What a byte of a part of a stream loads on what reads it, and on all targets."""
        saved, part, ends = what
        if isinstance(self.backup, TapeBackup):
            (first, *_), (begin, size) = ends, where
            crossing = first.crossing if isinstance(first, OntoTape) else (FlowShape(), 0.0)
            shape = self.backup.arriving(system, crossing, part, (begin / part.size, size / part.size))
        elif isinstance(self.backup, ObjectBackup):
            shape = self.backup.arriving(system, saved.job, part)
        else:
            shape = self.backup.arriving(system, saved.job, part, number)
        sent = shape.sent
        for end, twin in zip(ends[1:], self.twins, strict=True):
            shape = self._beside(system, saved, shape, (end, twin))
        return system.bounded(saved.job, shape._replace(sent=sent))

    def _beside(self, system: System, saved: SaveSet, shape: FlowShape, to: tuple[Receiver, Twin]) -> FlowShape:
        """The shape of bytes that also go to another target."""
        (end, twin), it = to, self._reader
        how, tool, networks = end.copy.reduction, twin.tool, [system.networks[name] for name in twin.networks]
        if isinstance(end, OntoTape):
            towards, waits = end.crossing
            if networks:
                towards = towards.over(networks, 1.0 / how.sent, twin.connections, tool.window)
            shape = shape.plus(towards.demands, towards.moves, towards.places)
            shape = handing_over(shape, (towards, waits), (networks, 1.0 / how.sent), tool)
        elif twin.to in system.of(ObjectStore):
            store, stored = system.of(ObjectStore)[twin.to], how.stored
            objects = objects_of(saved.size / stored, saved.files, saved.method, twin.object_size, tool)
            objects = objects._replace(by_turns=tool.alternates)
            shape = store.carrying(
                shape.times(stored), "write", objects, networks, twin.connections, drawn=system.drawn(saved.job)
            )  # fmt: skip
            shape = shape.times(1.0 / stored)
        else:
            shape = tool.sending(shape, networks, twin.connections, share=1.0 / how.sent)
        if twin.passed_on or twin.server in {"", it.host}:
            return shape
        files = saved.files / saved.size if saved.method == "file_level" else 0.0
        return tool.serving(shape, system.hosts[twin.server], files, how.handled())


def _opened(system: System, job: str, ends: Sequence[Receiver]) -> Process:
    """Take the drives that a stream needs; while a job takes several, no other such job takes any."""
    drives = [end for end in ends if isinstance(end, OntoTape)]
    if len(drives) < 2:  # noqa: PLR2004 (one drive cannot wait for another)
        yield from side_by_side(system, [end.open() for end in drives])
        return
    for end in drives:
        end.needs = sum(other.library is end.library for other in drives)
        end.library.need(end.needs)
    turn: Any = system.pairs.request()
    with system.clock.span(job, drives[0].library.name, Activity.WAIT_FOR_DRIVE):
        yield from system.clock.wait(job, turn)
    try:
        for end in drives:
            yield from end.open()
    finally:
        system.pairs.release(turn)


def _readied(system: System, ends: Sequence[Receiver]) -> Process:
    """Get all targets of a stream ready at once; none keeps its cartridge while another waits for other jobs."""
    late = [end for end in ends if not end.ready]
    yield from side_by_side(system, [end.put_away() for end in late])
    if not all(end.at_hand for end in late):
        late = list(ends)
        yield from side_by_side(system, [end.put_away() for end in late])
    for end in sorted(late, key=lambda end: end.order):
        yield from end.reserve()
    yield from side_by_side(system, [end.load() for end in late])


def _all(laws: Sequence[Use | None]) -> Use | None:
    """The law that slows a stream down most; None without any."""
    found: Use | None = None
    for law in laws:
        found = law if found is None else slower(found, law) if law is not None else found
    return found
