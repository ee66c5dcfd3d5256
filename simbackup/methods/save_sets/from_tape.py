"""Copies of save sets that are on tape: to other cartridges, drive to drive, or back to a disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from simbackup.catalogue import Copy, SaveSet
from simbackup.devices.library import Drive, DriveLoad, Library
from simbackup.devices.network.live import Network, command_travel
from simbackup.devices.shape import FlowShape
from simbackup.engine.limit import Use
from simbackup.methods.file_backup.receivers import OntoTape, readied
from simbackup.methods.job import side_by_side
from simbackup.methods.tape_reader import Cartridges, Pass, TapeReader, scaled, slower
from simbackup.methods.tool.live import Tool
from simbackup.system import System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

Send = Callable[[FlowShape, float, float, Use | None], Process]
"""Sends bytes of a save set: how each is read, where they begin in it, how many they are, and what slows reading."""


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

    def to(self, system: System, saved: SaveSet, copy: Copy, send: Send) -> Process:
        """Read one cartridge after the other, and send what each pass brings to a disk or objects."""
        on = self._reader.cartridges(0.0, saved.size)

        def taken(drive: Drive, each: Pass) -> Process:
            shape, stream = self._reading(system, drive, each)
            law = scaled(drive.law(stream), copy.compression)
            yield from send(shape, each[0].begin, sum(run.size for run in each), law)

        yield from self._reader.in_turn(system, copy.job, (list(on), on), taken)

    @property
    def _reader(self) -> TapeReader:
        return TapeReader(self.lies, self.back, self.tool, self.connections)

    def _pair(self, system: System, copy: Copy, runs: tuple[list[str], Cartridges], pool: str | None) -> Process:
        """Read one cartridge after the other in a drive, while another one writes."""
        library, (names, on) = system.of(Library)[self.lies.target], runs
        to, away = system.of(Library)[copy.target], command_travel(self._networks(system, self.there), reading=False)
        needs = 2 if to is library else 1
        stay = self.tool.unload_after
        writing = OntoTape(system, copy.job, copy, pool, self.tool.block, stay, 0.0, away, needs=needs)
        library.need(needs)
        turn: Any = system.pairs.request()
        with system.clock.span(copy.job, library.name, Activity.WAIT_FOR_DRIVE):
            yield from system.clock.wait(copy.job, turn)
        reading = None
        try:
            try:
                reading = yield from library.take_drive(copy.job, needs=needs)
                yield from writing.open()
            finally:
                system.pairs.release(turn)
            while names:
                name = names.pop(0)
                if any(each.in_use and each.name == name for each in library.cartridges):
                    yield from writing.put_away()  # who uses it may need the one that is written
                reading = yield from self._reader.load(library, copy.job, reading, name)
                for each in self._reader.passes(on[name]):
                    yield from library.locate(copy.job, reading, each[0].position)
                    yield from self._pass(system, copy, reading, writing, each)
                yield from library.release(copy.job, reading, stay)
            yield from writing.put_away()
        finally:
            if reading is not None:
                library.give_drive(reading)
            writing.close()

    def _pass(self, system: System, copy: Copy, reading: Drive, writing: OntoTape, each: Pass) -> Process:
        """Copy what is read in one pass, on one cartridge after the other."""
        total, done, wide = sum(run.size for run in each), 0.0, self._reader.width(each)
        while done < total * (1.0 - 1e-9):
            yield from readied(system, [writing])
            size = writing.room(done, total - done)
            shape, read = self._reading(system, reading, each)
            shape = self._sent(system, shape, 1.0 / copy.reduction.stored).in_parallel_with(writing.crossing[0])
            law = slower(reading.law(read), writing.law)
            flow = system.bounded(copy.job, shape).start(system.network, copy.job, Activity.COPY, size, law=law)
            yield flow.done
            system.account(copy.job, flow)
            for run in each:
                part = run.size / total
                writing.note(run.begin + done * part, size * part, 1.0 / part)
            writing.moved(size)
            done += size
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
