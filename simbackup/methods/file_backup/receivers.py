"""What takes the bytes of a save set (disk, tape, object store), and the loop that sends them to all at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from simbackup.catalogue import Copy, Extent
from simbackup.devices.host.live import Host
from simbackup.devices.host.page_cache import Dirty, VolumeRange
from simbackup.devices.library import LEAST_ROOM, Cartridge, Drive, DriveLoad, Library, no_room
from simbackup.devices.multiplexing import Seat, take_seat
from simbackup.devices.network.live import NEAR, Network, Travel, commanded
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region
from simbackup.devices.volume.live import Volume
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Use
from simbackup.methods.job import side_by_side
from simbackup.methods.tape_reader import slower
from simbackup.methods.tool.live import NO_TOOL, Tool
from simbackup.system import Attempt, JobFailedError, System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

Crossing = tuple[FlowShape, float]
"""What a byte loads on a drive, and the seconds that its host waits with each byte that it hands over."""
ROUNDING = 1e-9
"""Share of a stream that may be missing because sums of its parts are rounded."""


@dataclass(slots=True)
class Receiver:
    """A target of one stream of a job; this class accepts everything, as a service or `nul` does."""

    system: System
    job: str
    """The address of the job."""
    copy: Copy
    """The copy that it writes."""

    @property
    def order(self) -> tuple[str, ...]:
        """Sort key of the order in which the targets of a job take what they may have to wait for."""
        return ()

    @property
    def ready(self) -> bool:
        """Whether it can take bytes now."""
        return True

    @property
    def at_hand(self) -> bool:
        """Whether it can get ready without waiting for other jobs."""
        return True

    @property
    def law(self) -> Use | None:
        """What slows down a stream to it, in addition to what the stream loads; None if nothing does."""
        return None

    def open(self) -> Process:
        """Take what it needs for the whole stream."""
        yield from ()

    def reserve(self) -> Process:
        """Take what it needs to get ready."""
        yield from ()

    def load(self) -> Process:
        """Get ready."""
        yield from ()

    def room(self, begin: float, size: float) -> float:
        """Bytes, of `size` from a byte of the save set on, that it can take at once; fails if there are none."""
        del begin
        return size

    def take(self, flow: Flow, begin: float, size: float) -> None:
        """Receive the bytes of a flow, which has one unit for each byte of the save set."""

    def ended(self, flow: Flow) -> None:
        """Note that a flow has ended, even if it could not go on."""

    def there(self, begin: float, size: float) -> float:
        """Bytes, of `size` from a byte of the save set on, that an earlier attempt has left there."""
        del begin, size
        return 0.0

    def took(self, begin: float, size: float, *, full: bool) -> Process:
        """Note bytes that it has received, and whether it is `full`."""
        del begin, size, full
        yield from ()

    def put_away(self) -> Process:
        """Return what it has reserved."""
        yield from ()

    def close(self) -> None:
        """Return what it has taken for the whole stream."""


@dataclass(slots=True)
class OntoObjects(Receiver):
    """Sends bytes to an object store, where complete objects outlive a failure."""

    attempt: Attempt

    def there(self, begin: float, size: float) -> float:
        """Bytes of complete objects."""
        del begin, size
        return self.attempt.in_objects

    def ended(self, flow: Flow) -> None:
        """Count what has come."""
        self.attempt.in_objects += flow.completed


@dataclass(slots=True)
class OntoDisk(Receiver):
    """Writes bytes to a volume through the page cache of a host."""

    server: str
    """The host."""
    begin: float
    """Byte of the volume for the first byte of the save set."""
    stored: float
    """Units of a flow for each byte of the volume."""
    attempt: Attempt
    """What this run has written there."""
    pending: list[Dirty] = field(default_factory=list[Dirty])
    """Writes that may not be on disk yet."""

    @property
    def _volume(self) -> Volume:
        return self.system.of(Volume)[self.copy.target]

    def there(self, begin: float, size: float) -> float:
        """What was written, whether it is on disk or still in memory."""
        stored = self.stored
        return self.attempt.stored(self._volume, self.begin + begin / stored, size / stored) * stored

    def _place(self, begin: float, size: float) -> VolumeRange:
        return VolumeRange(self._volume, self.begin + begin / self.stored, size / self.stored)

    def room(self, begin: float, size: float) -> float:
        """Bytes for which the volume has space."""
        return self.system.fits(self._place(begin, size)) * self.stored

    def take(self, flow: Flow, begin: float, size: float) -> None:
        """Let them fill the cache."""
        dirty = self.system.fill(self.job, self.server, self._place(begin, size), flow, 1.0 / self.stored)
        self.attempt.written.append(dirty)
        self.pending.append(dirty)


@dataclass(slots=True)
class OntoTape(Receiver):
    """Writes bytes to cartridges of a pool in one drive, one cartridge after the other."""

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
    def order(self) -> tuple[str, ...]:
        """Libraries, and pools in them, by name."""
        return self.copy.target, self.pool or ""

    @property
    def ready(self) -> bool:
        """Whether a cartridge with free space is in the drive."""
        return self.loaded and self.cartridge is not None and self.cartridge.room >= LEAST_ROOM

    @property
    def at_hand(self) -> bool:
        """Whether its pool has a cartridge with free space that no job has reserved."""
        return self.library.scratch(self.pool) is not None

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

    def reserve(self) -> Process:
        """Take a cartridge with free space."""
        self.cartridge = yield from self.library.take_scratch(self.job, self.pool, self.drive)
        if self.cartridge is None:
            _fail(self.library, self.pool)

    def load(self) -> Process:
        """Mount it, and wind the tape to its end."""
        if self.cartridge is not None:
            self.drive = yield from self.library.mount(self.job, self._in_use, self.cartridge)
            self.loaded = True
            yield from self.library.locate(self.job, self.drive, self.cartridge.end)

    def room(self, begin: float, size: float) -> float:
        """Bytes that fit on the cartridge; a rest that is a rounding error does not need another."""
        del begin
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


def sent(
    receivers: Sequence[Receiver],
    part: tuple[float, float],
    shape: Callable[[float, float], FlowShape],
    activity: str,
    begun: Callable[[Flow], None] | None = None,
) -> Process:
    """Send a part of a save set to all targets of a stream at once, in pieces that fit on every cartridge.

    Parameters
    ----------
    receivers
        The targets of one stream of a job. All are ready before a piece is sent.
    part
        Where it begins, and its size, in units of the flow: bytes, unless all targets count others.
    shape
        What a unit of a piece loads, given where that begins, and its size.
    activity
        What the job does meanwhile.
    begun
        Called with each flow.
    """
    (begin, size), done = part, 0.0
    system, job = receivers[0].system, receivers[0].job
    try:
        yield from _opened(system, job, receivers)
        while done < size * (1.0 - ROUNDING):
            yield from readied(system, receivers)
            rooms = [each.room(begin + done, size - done) for each in receivers]
            now = min(rooms)
            loads = shape(begin + done, now)
            flow = loads.start(system.network, job, activity, now, law=_slowest([each.law for each in receivers]))
            for each in receivers:
                each.take(flow, begin + done, now)
            if begun is not None:
                begun(flow)
            yield flow.done
            for each in receivers:
                each.ended(flow)
            system.account(job, flow)
            took = [
                each.took(begin + done, now, full=room <= now < size - done)
                for each, room in zip(receivers, rooms, strict=True)
            ]
            yield from side_by_side(system, took)
            done += now
    except JobFailedError:
        yield from side_by_side(system, [each.put_away() for each in receivers])
        raise
    else:
        yield from side_by_side(system, [each.put_away() for each in receivers])
    finally:
        for each in receivers:
            each.close()
    pending = [dirty for each in receivers if isinstance(each, OntoDisk) for dirty in each.pending]
    yield from system.written_back(job, pending)


def _opened(system: System, job: str, receivers: Sequence[Receiver]) -> Process:
    """Take the drives that a stream needs; while a job takes several, no other such job takes any."""
    drives = [each for each in receivers if isinstance(each, OntoTape)]
    if len(drives) < 2:  # noqa: PLR2004 (one drive cannot wait for another)
        for each in drives:
            yield from each.open()
        return
    for each in drives:
        each.needs = sum(other.library is each.library for other in drives)
        each.library.need(each.needs)
    turn: Any = system.pairs.request()
    with system.clock.span(job, drives[0].library.name, Activity.WAIT_FOR_DRIVE):
        yield from system.clock.wait(job, turn)
    try:
        for each in drives:
            yield from each.open()
    finally:
        system.pairs.release(turn)


def readied(system: System, receivers: Sequence[Receiver]) -> Process:
    """Get all targets of a stream ready at once; none keeps its cartridge while another waits for other jobs."""
    late = [each for each in receivers if not each.ready]
    yield from side_by_side(system, [each.put_away() for each in late])
    if not all(each.at_hand for each in late):
        late = list(receivers)
        yield from side_by_side(system, [each.put_away() for each in late])
    for each in sorted(late, key=lambda each: each.order):
        yield from each.reserve()
    yield from side_by_side(system, [each.load() for each in late])


def _slowest(laws: Sequence[Use | None]) -> Use | None:
    """The law that slows a stream down most; None without any."""
    found: Use | None = None
    for law in laws:
        found = law if found is None else slower(found, law) if law is not None else found
    return found


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
        """Write to a drive of its own, on one cartridge after the other."""
        end = self._onto(system, copy)

        def shape(begin: float, size: float) -> FlowShape:
            return self.shape(end.crossing, begin, size)

        yield from sent([end], (begin, size), shape, Activity.TRANSFER, self.begun)

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
