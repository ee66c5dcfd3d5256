"""Copies of save sets that are on tape: to other cartridges, drive to drive, or back to a disk."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

import simpy

from simbackup.catalogue import Copy, Extent, SaveSet
from simbackup.devices.host.page_cache import Dirty, VolumeRange
from simbackup.devices.library import LEAST_ROOM, Cartridge, Drive, DriveLoad, Library, no_room
from simbackup.devices.network.live import Network, command_travel
from simbackup.devices.object_store.live import Objects, ObjectStore
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.engine.limit import Use
from simbackup.methods.file_backup.passes import Pass
from simbackup.methods.job import side_by_side
from simbackup.methods.tape_reader import Cartridges, TapeReader, scaled, slower
from simbackup.methods.tool.live import Tool
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

_Take = Callable[[FlowShape, Use, float, float], Process]
"""Takes bytes of a save set: how they are read and under which law, where they begin in it, and how many they are."""


@dataclass(slots=True)
class WritingDrive:
    """The library to which a save set is copied, the pool, and the drive that writes, empty until it is needed."""

    library: Library
    pool: str | None
    drive: Drive

    def put_away(self, copy: Copy, stay: float | None) -> Process:
        """Release the cartridge in the drive, if there is one."""
        if self.drive.cartridge is not None and self.drive.cartridge.in_use:
            yield from self.library.release(copy.job, self.drive, stay)

    def ready(self, copy: Copy, stay: float | None) -> Generator[simpy.Event, Any, Cartridge]:
        """A cartridge with room, at whose end the tape is; another one if that in the drive is full."""
        loaded = self.drive.cartridge
        if loaded is not None and loaded.in_use and loaded.room >= LEAST_ROOM:
            return loaded
        yield from self.put_away(copy, stay)
        found = yield from self.library.take_scratch(copy.job, self.pool, self.drive)
        if found is None:
            raise JobFailedError(no_room(self.library.name, self.pool))
        self.drive = yield from self.library.mount(copy.job, self.drive, found)
        yield from self.library.locate(copy.job, self.drive, found.end)
        return found


@dataclass(frozen=True, slots=True)
class FromTape:
    """A copy of a save set that is on tape.

    Runs that are interleaved on tape are read together, and stay interleaved.
    """

    host: str
    """The host that copies."""
    lies: Copy
    """The copy that is read."""
    back: tuple[str, ...]
    """The links from the library to the host."""
    there: tuple[str, ...]
    """The links from the host to the target."""
    tool: Tool
    """The program."""
    connections: int = 1
    """Network connections."""

    def to_tape(self, system: System, saved: SaveSet, copy: Copy, streams: int, pool: str | None) -> Process:
        """Copy cartridges, each with a drive that reads it and one that writes; the longest first."""
        on = self._reader.cartridges(0.0, saved.size)
        names = sorted(on, key=lambda name: -sum(run.size for run in on[name])) if streams > 1 else list(on)
        pairs = [self._pair(system, copy, (names, on), pool) for _ in range(min(streams, len(names)))]
        yield from side_by_side(system, pairs)
        copy.extents.sort(key=lambda extent: extent.begin)

    def to_disk(self, system: System, saved: SaveSet, copy: Copy, volume: str, server: str) -> Process:
        """Copy the save set to a volume; done when all is on disk."""
        position, less = system.reserve(volume, saved.size / copy.compression), copy.compression
        pending: list[Dirty] = []

        def write(shape: FlowShape, law: Use, begin: float, size: float) -> Process:
            place = VolumeRange(system.of(Volume)[volume], position + begin / less, size / less)
            shape = self._sent(system, shape, 1.0 / less).times(less)
            pending.append((yield from system.write(copy.job, server, place, shape, Activity.COPY, law=law)))

        yield from self._in_turn(system, saved, copy, write)
        yield from system.written_back(copy.job, pending)
        copy.extents.append(Extent(0.0, saved.size, volume, position))

    def to_objects(self, system: System, saved: SaveSet, copy: Copy, objects: Objects) -> Process:
        """Copy the save set to an object store."""
        store, networks = system.of(ObjectStore)[copy.target], self._networks(system, self.there)

        def send(shape: FlowShape, law: Use, begin: float, size: float) -> Process:
            del begin
            shape = store.carrying(
                shape.times(copy.compression), "write", objects, networks, self.connections,
                drawn=system.drawn(copy.job),
            )  # fmt: skip
            shape = system.bounded(copy.job, shape)
            flow = shape.start(system.network, copy.job, Activity.COPY, size / copy.compression, law=law)
            yield flow.done
            system.account(copy.job, flow)

        yield from self._in_turn(system, saved, copy, send)

    @property
    def _reader(self) -> TapeReader:
        return TapeReader(self.lies, self.back, self.tool, self.connections)

    def _in_turn(self, system: System, saved: SaveSet, copy: Copy, take: _Take) -> Process:
        """Read one cartridge after the other in one drive, and let what each pass over the tape brings be taken."""
        on = self._reader.cartridges(0.0, saved.size)

        def taken(drive: Drive, each: Pass) -> Process:
            shape, stream = self._reading(system, drive, each)
            law = scaled(drive.law(stream), copy.compression)
            yield from take(shape, law, each[0].begin, sum(run.size for run in each))

        yield from self._reader.in_turn(system, copy.job, (list(on), on), taken)

    def _pair(self, system: System, copy: Copy, runs: tuple[list[str], Cartridges], pool: str | None) -> Process:
        """Read one cartridge after the other in a drive, while another one writes."""
        library, (names, on) = system.of(Library)[self.lies.target], runs
        stay, to = self.tool.unload_after, system.of(Library)[copy.target]
        needs = 2 if to is library else 1
        library.need(needs)
        turn: Any = system.pairs.request()
        with system.clock.span(copy.job, library.name, Activity.WAIT_FOR_DRIVE):
            yield from system.clock.wait(copy.job, turn)
        reading = writing = None
        try:
            try:
                reading = yield from library.take_drive(copy.job, needs=needs)
                writing = WritingDrive(to, pool, (yield from to.take_drive(copy.job, needs=needs)))
            finally:
                system.pairs.release(turn)
            while names:
                name = names.pop(0)
                if any(each.in_use and each.name == name for each in library.cartridges):
                    yield from writing.put_away(copy, stay)  # who uses it may need the one that is written
                reading = yield from self._reader.load(library, copy.job, reading, name)
                for each in self._reader.passes(on[name]):
                    yield from library.locate(copy.job, reading, each[0].position)
                    yield from self._pass(system, copy, reading, writing, each)
                yield from library.release(copy.job, reading, stay)
            yield from writing.put_away(copy, stay)
        finally:
            if reading is not None:
                library.give_drive(reading)
            if writing is not None:
                to.give_drive(writing.drive)

    def _pass(self, system: System, copy: Copy, reading: Drive, writing: WritingDrive, each: Pass) -> Process:
        """Copy what is read in one pass, on one cartridge after the other."""
        total, done, wide = sum(run.size for run in each), 0.0, self._reader.width(each)
        while done < total * (1.0 - 1e-9):
            cartridge = yield from writing.ready(copy, self.tool.unload_after)
            room = cartridge.room * copy.compression
            size = total - done if total - done < room + LEAST_ROOM else room
            shape, read = self._reading(system, reading, each)
            stored = copy.reduction.stored
            away = command_travel(self._networks(system, self.there), reading=False)
            written = DriveLoad(copy.compression / stored, self.tool.block, spread=1.0 / stored, away=away)
            towards = writing.drive.crossing(written)
            shape = self._sent(system, shape, 1.0 / stored).in_parallel_with(towards)
            law = slower(reading.law(read), writing.drive.law(written))
            flow = system.bounded(copy.job, shape).start(system.network, copy.job, Activity.COPY, size, law=law)
            yield flow.done
            system.account(copy.job, flow)
            for run in each:
                part = run.size / total
                copy.extents.append(
                    Extent(run.begin + done * part, size * part, cartridge.name, cartridge.end, 1.0 / part)
                )
            cartridge.end = min(cartridge.end + size / copy.compression, cartridge.capacity)
            done += size
            writing.drive.position = cartridge.end
            reading.position = each[0].position + wide * done / total

    def _reading(self, system: System, drive: Drive, each: Pass) -> tuple[FlowShape, DriveLoad]:
        """How a byte of the save set that is read in a pass loads the drive, and the host that copies it."""
        host, stored = system.hosts[self.host], self.lies.reduction.stored
        stream = self._reader.stream(system, each)
        worker = (host, self.tool.copying(host, copies=1.0) / stored)
        return self._reader.reading(system, drive, stream, worker), stream

    def _sent(self, system: System, shape: FlowShape, share: float) -> FlowShape:
        """The shape of bytes that go on to the target, too."""
        return shape.over(self._networks(system, self.there), share, self.connections)._replace(sent=share)

    @staticmethod
    def _networks(system: System, names: Sequence[str]) -> list[Network]:
        return [system.networks[name] for name in names]
