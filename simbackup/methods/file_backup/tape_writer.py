"""Writing a save set to cartridges of a pool: on one drive or on several, alone or in turns with other streams."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, NoReturn

import simpy

from simbackup.catalogue import Copy, Extent
from simbackup.data.live import DataSet
from simbackup.devices.library import LEAST_ROOM, Cartridge, Drive, DriveLoad, Library, no_room
from simbackup.devices.multiplexing import Seat, take_seat
from simbackup.devices.network.live import NEAR, Travel
from simbackup.devices.shape import FlowShape
from simbackup.engine.flow import Flow
from simbackup.methods.file_backup.staging import Crossing
from simbackup.methods.job import side_by_side
from simbackup.methods.tool.live import NO_TOOL, Tool
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

ROUNDING = 1e-9
"""Share of a save set that may be missing because sums of its parts are rounded."""


def marks(tool: Tool, data: DataSet, method: str, size: float, files: float) -> float:
    """Tape marks for each byte of a save set of so many bytes and files: some for each file that the program sees.

    The image of a file system is one file. Files without a file system, such as those of a database on raw volumes, are
    saved one by one.
    """
    return tool.file_marks * (1.0 if method == "image" and data.filesystem is not None else files) / size


@dataclass(frozen=True, slots=True)
class TapeWriter:
    """Writes a save set to tape, in one or several streams."""

    size: float
    """Bytes of the save set that it writes."""
    shape: Callable[[Crossing, float, float], FlowShape]
    """What a byte of a part of the save set loads, given what it loads on the drive, the begin of the part, and its
    size.
    """
    tool: Tool = NO_TOOL
    """The program."""
    streams: int = 1
    """Equal parts that are written at once."""
    pool: str | None = None
    """The pool; None in a library without pools."""
    multiplexing: int = 1
    """Greatest number of streams on a drive."""
    marks: float = 0.0
    """Tape marks for each byte."""
    begin: float = 0.0
    """Byte of the save set at which it begins."""
    away: Travel = NEAR
    """How long commands to the drives travel."""
    begun: Callable[[Flow], None] | None = None
    """Called with each flow that begins on a cartridge."""
    before: tuple[float, float] = (math.inf, 0.0)
    """Bytes a second that come to each part at most from others who read for it, and bytes that may wait in between."""

    def write(self, system: System, copy: Copy) -> Process:
        """Write all parts at once, each on a drive of its own or a shared one, and note in the copy where they are."""
        size, part = self.size / self.streams, self._part if self.multiplexing == 1 else self._shared_part
        yield from side_by_side(system, [part(system, copy, self.begin + i * size, size) for i in range(self.streams)])
        copy.extents.sort(key=lambda extent: extent.begin)

    def _part(self, system: System, copy: Copy, begin: float, size: float) -> Process:
        """Mount a cartridge, append to it, and go on to the next when it is full."""
        library, done = system.of(Library)[copy.target], 0.0
        drive = yield from library.take_drive(copy.job)
        try:
            while done < size * (1.0 - ROUNDING):
                cartridge = yield from self._scratch(library, copy.job, drive)
                drive = yield from library.mount(copy.job, drive, cartridge)
                yield from library.locate(copy.job, drive, cartridge.end)
                try:
                    done += yield from self._append(system, library, drive, copy, (begin + done, size - done))
                except JobFailedError:
                    yield from library.release(copy.job, drive, self.tool.unload_after)
                    raise
                yield from library.release(copy.job, drive, self.tool.unload_after)
        finally:
            library.give_drive(drive)

    def _shared_part(self, system: System, copy: Copy, begin: float, size: float) -> Process:
        """Write to a drive that other streams use, too, on one cartridge after the other."""
        library, done, noted = system.of(Library)[copy.target], 0.0, 0.0

        def keep(came: float, medium: str, position: float, width: float) -> None:
            nonlocal noted
            copy.extents.append(Extent(begin + noted, came, medium, position, width * copy.compression / came))
            noted += came

        seat = Seat(copy.job, copy.compression, keep)
        room = (self.pool, self.multiplexing, self.tool.unload_after)
        session = yield from take_seat(system.network, library, seat, room)
        try:
            while done < size * (1.0 - ROUNDING):
                if not (yield from session.ready(copy.job)):
                    self._fail(library)
                flow = self._start(system, session.drive, copy, (begin + done, size - done))
                session.begin(seat, flow)
                yield flow.done
                came = session.end(seat)
                done += came
                session.marks += self.marks * came
                system.account(copy.job, flow)
        except Exception:  # not the end of a run that is abandoned, in which no time passes any more
            yield from session.leave(seat)
            raise
        yield from session.leave(seat)

    def _scratch(self, library: Library, job: str, drive: Drive) -> Generator[simpy.Event, Any, Cartridge]:
        """Wait for a cartridge of the pool with free space."""
        cartridge = yield from library.take_scratch(job, self.pool, drive)
        if cartridge is None:
            self._fail(library)
        return cartridge

    def _fail(self, library: Library) -> NoReturn:
        raise JobFailedError(no_room(library.name, self.pool))

    def _start(self, system: System, drive: Drive, copy: Copy, part: tuple[float, float]) -> Flow:
        """Start the flow of a part (begin, size) of the save set to the tape in a drive."""
        done = copy.reduction.stored  # the drive compresses what is left
        shares, spread = self.multiplexing > 1, 1.0 / done
        stream = DriveLoad(copy.compression / done, self.tool.block, spread=spread, shares=shares, away=self.away)
        stream = stream._replace(comes=self.before[0], waiting=self.before[1])
        waits = drive.waits(stream) / done
        shape = self.shape((drive.crossing(stream), waits), *part)
        flow = shape.start(system.network, copy.job, Activity.TRANSFER, part[1], law=drive.law(stream))
        if self.begun is not None:
            self.begun(flow)
        return flow

    def _append(
        self, system: System, library: Library, drive: Drive, copy: Copy, rest: tuple[float, float]
    ) -> Generator[simpy.Event, Any, float]:
        """Write as much as fits on a cartridge, and note where it is; return the bytes that were written."""
        begin, left = rest
        cartridge = drive.cartridge
        if cartridge is None:
            raise JobFailedError(f"'{drive.name}' is empty")  # it was mounted a moment ago
        room = cartridge.room * copy.compression
        fits = left < room + LEAST_ROOM  # what is left over by rounding needs no cartridge of its own
        size = left if fits else room
        flow = self._start(system, drive, copy, (begin, size))
        yield flow.done
        system.account(copy.job, flow)
        yield from library.mark(copy.job, drive, self.marks * size)
        copy.extents.append(Extent(begin, size, cartridge.name, cartridge.end))
        cartridge.end = _end(cartridge, size / copy.compression, full=not fits)
        drive.position = cartridge.end
        return size


def _end(cartridge: Cartridge, written: float, *, full: bool) -> float:
    """The byte of a cartridge at which the next save set begins; a full one is full to the last byte."""
    return cartridge.capacity if full else min(cartridge.end + written, cartridge.capacity)
