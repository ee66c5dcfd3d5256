"""Spooled backups: bytes go to a disk of a server, and from there to tape, in turns or side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simbackup.catalogue import Copy
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.network.live import command_travel
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.late import changed
from simbackup.methods.copies import OnTape
from simbackup.methods.file_backup.reader import Reads
from simbackup.methods.file_backup.receivers import Crossing, TapeWriter, staged
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.reduction.live import compressed
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

HALVES = 2
"""Parts of the spool space, of which one is filled while the other goes to tape."""


@dataclass(frozen=True, slots=True)
class Pass:
    """A piece of a save set that is spooled at once."""

    begin: float
    """Byte of the save set at which it begins."""
    size: float
    """Bytes."""
    place: float
    """Byte of the volume at which it is spooled."""
    last: bool
    """Whether it is the last piece."""


@dataclass(frozen=True, slots=True)
class SpooledBackup(Reads):
    """A backup to a disk in pieces, each of which then goes to tape; the cartridge stays mounted between them."""

    room: float
    """Bytes of spool space."""
    overlapped: bool
    """Whether the next piece is spooled while one goes to tape, each in half of the space."""
    library: str
    """The tape library."""
    networks: tuple[str, ...]
    """The links from the disk's host to the library."""
    pool: str | None = None
    """The pool; None in a library without pools."""

    def run(self, system: System, job: str) -> Steps:
        """Prepare, spool and write all pieces; then enter the catalogue."""
        it = self.reader
        data = system.data[it.data]
        part, stored = it.begin(system, data), it.reduction.stored
        copy = Copy(job, self.library, data.compression, system.env.now, reduction=it.reduction)
        yield from it.start(system, job, part)
        spool, room = system.spool(it.to), min(self.room, part.size / stored)
        place = yield from spool.take(job, room)
        if place is None:
            raise JobFailedError(f"'{it.to}' is full")
        passes = self._passes(part.size, place)
        try:
            if self.overlapped:
                yield from self._side_by_side(system, copy, passes)
            else:
                for each in passes:
                    yield from self._take(system, job, each)
                    yield from self._drain(system, copy, each)
        finally:
            spool.give_back(place, room)
        system.catalogue.add(it.saved(job, part, copy.time, [copy]))
        return Moved(part.size, part.files)

    def place(self, system: System, job: str, time: float) -> None:
        """Put the save set on cartridges, as if written at a time."""
        it, data = self.reader, system.data[self.reader.data]
        part, copy = it.part(data), Copy(job, self.library, data.compression, time, reduction=it.reduction)
        OnTape(part.size, pool=self.pool).place(system, copy)
        system.catalogue.add(it.saved(job, part, time, [copy]))

    def _passes(self, size: float, place: float) -> list[Pass]:
        """The pieces of a save set in order."""
        room = self.room / HALVES if self.overlapped else self.room
        most = room * self.reader.reduction.stored
        number = max(math.ceil(size / most), 1)
        found: list[Pass] = []
        for i in range(number):
            there = place + (i % HALVES * room if self.overlapped else 0.0)
            found.append(Pass(i * most, min(most, size - i * most), there, last=i + 1 == number))
        return found

    def _side_by_side(self, system: System, copy: Copy, passes: list[Pass]) -> Process:
        """Spool the next piece while the one before goes to tape, as long as there is space."""
        full = [system.env.event() for _ in passes]
        empty = [system.env.event() for _ in passes]

        def take() -> Process:
            for i, each in enumerate(passes):
                if i >= HALVES:
                    with system.clock.span(copy.job, f"devices.{self.reader.to}", Activity.WAIT_FOR_ROOM):
                        yield empty[i - HALVES]
                yield from self._take(system, copy.job, each)
                full[i].succeed()

        def drain() -> Process:
            for i, each in enumerate(passes):
                yield full[i]
                yield from self._drain(system, copy, each)
                empty[i].succeed()

        yield from side_by_side(system, [take(), drain()])

    def _take(self, system: System, job: str, each: Pass) -> Process:
        """Write a piece to the disk of the server; its tape copy reads it from there, not from memory."""
        it, data = self.reader, system.data[self.reader.data]
        how, networks = it.reduction, [system.networks[name] for name in it.networks]
        shape = compressed(it.reading(system, data), system.hosts[it.host], system.hosts[it.server], how)
        if networks:
            shape = shape.over(networks, 1.0 / how.sent, it.connections)
        shape = shape._replace(sent=1.0 / how.sent)
        shape = it.serving(system, shape)
        place = VolumeRange(system.of(Volume)[it.to], each.place, each.size / how.stored)
        yield from system.write_through(job, it.server, place, shape.times(how.stored), Activity.SAVE)

    def _drain(self, system: System, copy: Copy, each: Pass) -> Process:
        """Write a piece to tape."""
        it = self.reader
        server, networks = system.hosts[it.server], [system.networks[name] for name in self.networks]
        stored = it.reduction.stored
        source = system.of(Volume)[it.to].region.part(each.place, each.size / stored)

        def shape(crossing: Crossing, begin: float, size: float) -> FlowShape:
            towards = (crossing[0].over(networks, 1.0 / stored), crossing[1])
            there = source.part((begin - each.begin) / stored, size / stored)
            return staged((server, there, stored), towards, (networks, 1.0 / stored), it.tool)

        tool = it.tool if each.last else changed(it.tool, unload_after=math.inf)
        away = command_travel(networks, reading=False)
        marks = it.marks(system, it.part(system.data[it.data]))
        yield from TapeWriter(
            each.size, shape, tool, pool=self.pool, marks=marks, begin=each.begin, away=away,
        ).write(system, copy)  # fmt: skip
