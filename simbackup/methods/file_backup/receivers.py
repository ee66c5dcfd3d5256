"""Writes save sets to tape: drives, cartridges, and what each byte takes of the way there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from simbackup.catalogue import Copy, Extent
from simbackup.devices.host.live import Host
from simbackup.devices.library import LEAST_ROOM, Cartridge, Drive, DriveLoad, Library, no_room
from simbackup.devices.multiplexing import Seat, take_seat
from simbackup.devices.network.live import NEAR, Network, Travel, commanded
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Use
from simbackup.methods.job import side_by_side
from simbackup.methods.tool.live import NO_TOOL, Tool
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

Crossing = tuple[FlowShape, float]
"""What a byte loads on a drive, and the seconds that its host waits with each byte that it hands over."""
ROUNDING = 1e-9
"""Share of a stream that may be missing because sums of its parts are rounded."""


@dataclass(slots=True)
class OntoTape:
    """Writes the bytes of one stream of a job to cartridges of a pool in one drive, one cartridge after the other."""

    system: System
    job: str
    """The address of the job."""
    copy: Copy
    """The copy that it writes."""
    pool: str | None
    """The pool; None in a library without pools."""
    block: float | None
    """Bytes of a command to the drive; None if that does not limit."""
    stay: float | None
    """Seconds for which the drive stays loaded when idle; None to unload it at once."""
    marks: float
    """Tape marks for each byte of the save set."""
    away: Travel
    """How long commands to the drive travel."""
    drive: Drive | None = None
    """The drive, while it has one."""
    cartridge: Cartridge | None = None
    """The cartridge that it has reserved."""
    loaded: bool = False
    """Whether that is mounted, with the tape at its end."""
    needs: int = 1
    """Drives of its library that the stream needs at once."""
    before: tuple[float, float] = (math.inf, 0.0)
    """Bytes a second that come at most from others who read for the stream, and bytes that may wait in between."""
    shares: bool = False
    """Whether other streams may use the drive, too."""

    @property
    def library(self) -> Library:
        """The library."""
        return self.system.of(Library)[self.copy.target]

    @property
    def ready(self) -> bool:
        """Whether a cartridge with free space is in the drive."""
        return self.loaded and self.cartridge is not None and self.cartridge.room >= LEAST_ROOM

    @property
    def _stream(self) -> DriveLoad:
        stored = self.copy.reduction.stored  # the drive compresses what is left
        stream = DriveLoad(self.copy.compression / stored, self.block, spread=1.0 / stored, away=self.away)
        return stream._replace(shares=self.shares, comes=self.before[0], waiting=self.before[1])

    @property
    def crossing(self) -> Crossing:
        """What a byte of the save set loads on the drive, and the seconds that the host waits with it."""
        drive, stored = self._in_use, self.copy.reduction.stored
        return drive.crossing(self._stream), drive.waits(self._stream) / stored

    @property
    def law(self) -> Use:
        """A drive stops and starts if the stream is too slow."""
        return self._in_use.law(self._stream)

    @property
    def _in_use(self) -> Drive:
        if self.drive is None:
            raise JobFailedError(f"'{self.library.name}' has given no drive")  # it was taken before
        return self.drive

    def open(self) -> Process:
        """Take a drive."""
        self.drive = yield from self.library.take_drive(self.job, needs=self.needs)

    def load(self) -> Process:
        """Take a cartridge with free space, mount it, and wind the tape to its end, unless one is in the drive."""
        if self.ready:
            return
        yield from self.put_away()
        self.cartridge = yield from self.library.take_scratch(self.job, self.pool, self.drive)
        if self.cartridge is None:
            _fail(self.library, self.pool)
        self.drive = yield from self.library.mount(self.job, self._in_use, self.cartridge)
        self.loaded = True
        yield from self.library.locate(self.job, self.drive, self.cartridge.end)

    def room(self, size: float) -> float:
        """Bytes that fit on the cartridge; a rest that is a rounding error does not need another."""
        left = (self.cartridge.room if self.cartridge is not None else 0.0) * self.copy.compression
        return size if size < left + LEAST_ROOM else left

    def took(self, begin: float, size: float, *, full: bool) -> Process:
        """Note where they are; a full cartridge counts as full to the last byte."""
        yield from self.library.mark(self.job, self._in_use, self.marks * size)
        self.note(begin, size)
        self.moved(math.inf if full else size)

    def note(self, begin: float, size: float, spread: float = 1.0) -> None:
        """Note bytes of the save set that are on the cartridge, where the tape was; a byte takes so many there."""
        if self.cartridge is not None:
            self.copy.extents.append(Extent(begin, size, self.cartridge.name, self.cartridge.end, spread))

    def moved(self, size: float) -> None:
        """Note that the tape has moved by so many bytes of the save set."""
        if self.cartridge is not None:
            end = self.cartridge.end + size / self.copy.compression
            self.cartridge.end = self._in_use.position = min(end, self.cartridge.capacity)

    def put_away(self) -> Process:
        """Release the cartridge."""
        cartridge, loaded = self.cartridge, self.loaded
        self.cartridge, self.loaded = None, False
        if loaded:
            yield from self.library.release(self.job, self._in_use, self.stay)
        elif cartridge is not None:
            cartridge.in_use = False

    def close(self) -> None:
        """Return the drive."""
        if self.drive is not None:
            self.library.give_drive(self.drive)
            self.drive = None


def handing_over(
    shape: FlowShape, crossing: Crossing, networks: tuple[Sequence[Network], float], tool: Tool
) -> FlowShape:
    """The shape of bytes that are read and that a drive takes: while the next are read, or by turns with reading.

    `shape` loads the drive and the networks already; so many bytes cross these for each byte.
    """
    (towards, waits), (crossed, share) = crossing, networks
    if not tool.alternates:
        bound = towards._replace(demands={}, moves={}, places={})
        return shape.in_parallel_with(bound, max(shape.workers, 1))._replace(sent=share)  # workers share it
    address = max(towards.demands, key=lambda link: towards.demands[link]).name
    handed, far = shape.after(waits, address, Activity.WRITE, idle=True), commanded(crossed)
    handed = tool.sending(handed, crossed, loaded=True, share=share, travelled=far)
    if shape.workers <= 1:
        return handed
    turn = tool.sending(FlowShape().after(waits, address), crossed, loaded=True, share=share, travelled=far)
    # others read while one of them writes
    return handed.at_most(turn.cap / shape.workers, turn.cause or address, alone=turn.cap)


def staged(
    source: tuple[Host, Region, float], crossing: Crossing, networks: tuple[Sequence[Network], float], tool: Tool
) -> FlowShape:
    """How a byte on a disk of a server loads its way to a drive, which is `crossing` with the networks.

    A byte on the disk stands for so many of the save set, which are those of the drive.
    """
    server, region, stored = source
    reading = server.reading(region, tool.copying(server, copies=1.0) * stored, request=tool.request or tool.block)
    reading = reading.times(1.0 / stored).plus(crossing[0].demands, crossing[0].moves, crossing[0].places)
    return handing_over(reading, crossing, networks, tool)


def _fail(library: Library, pool: str | None) -> NoReturn:
    raise JobFailedError(no_room(library.name, pool))


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

    def _onto(self, system: System, copy: Copy) -> OntoTape:
        return OntoTape(
            system, copy.job, copy, self.pool, self.tool.block, self.tool.unload_after, self.marks, self.away,
            before=self.before, shares=self.multiplexing > 1,
        )  # fmt: skip

    def _part(self, system: System, copy: Copy, begin: float, size: float) -> Process:
        """Write to a drive of its own, in pieces that fit on each cartridge."""
        end, done = self._onto(system, copy), 0.0
        try:
            yield from end.open()
            while done < size * (1.0 - ROUNDING):
                yield from end.load()
                now = end.room(size - done)
                loads = self.shape(end.crossing, begin + done, now)
                flow = loads.start(system.network, copy.job, Activity.TRANSFER, now, law=end.law)
                if self.begun is not None:
                    self.begun(flow)
                yield flow.done
                system.account(copy.job, flow)
                yield from end.took(begin + done, now, full=now < size - done)
                done += now
        except JobFailedError:
            yield from end.put_away()
            raise
        else:
            yield from end.put_away()
        finally:
            end.close()

    def _shared_part(self, system: System, copy: Copy, begin: float, size: float) -> Process:
        """Write to a drive that other streams use, too, on one cartridge after the other."""
        library, done, noted = system.of(Library)[copy.target], 0.0, 0.0

        def keep(came: float, medium: str, position: float, width: float) -> None:
            nonlocal noted
            copy.extents.append(Extent(begin + noted, came, medium, position, width * copy.compression / came))
            noted += came

        seat, end = Seat(copy.job, copy.compression, keep), self._onto(system, copy)
        room = (self.pool, self.multiplexing, self.tool.unload_after)
        session = yield from take_seat(system.network, library, seat, room)
        try:
            while done < size * (1.0 - ROUNDING):
                if not (yield from session.ready(copy.job)):
                    _fail(library, self.pool)
                end.drive = session.drive
                flow = self.shape(end.crossing, begin + done, size - done).start(
                    system.network, copy.job, Activity.TRANSFER, size - done, law=end.law
                )
                if self.begun is not None:
                    self.begun(flow)
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
