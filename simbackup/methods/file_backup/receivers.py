"""The targets of a backup that writes several copies at once: disk, tape, object store."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from simbackup.catalogue import Copy, Extent
from simbackup.devices.host.page_cache import LEAST, Dirty, VolumeRange
from simbackup.devices.library import LEAST_ROOM, Cartridge, Drive, DriveLoad, Library, no_room
from simbackup.devices.network.live import Travel
from simbackup.devices.volume.live import Volume
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Use
from simbackup.methods.file_backup.staging import Crossing
from simbackup.system import JobFailedError, System
from simbackup.trace.clock import Process


@dataclass(slots=True)
class Receiver:
    """A target of one stream of a job; this class accepts everything, as an object store does."""

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
class OntoDisk(Receiver):
    """Writes bytes to a volume through the page cache of a host."""

    server: str
    """The host."""
    begin: float
    """Byte of the volume for the first byte of the save set."""
    pending: list[Dirty] = field(default_factory=list[Dirty])
    """Writes that may not be on disk yet."""

    def room(self, begin: float, size: float) -> float:
        """Bytes for which the volume has space."""
        stored, volume = self.copy.compression, self.system.of(Volume)[self.copy.target]
        fits = volume.fits(self.begin + begin / stored, size / stored)
        if fits < min(LEAST, size / stored):
            raise JobFailedError(f"no space left on '{volume.name}'")
        return fits * stored

    def take(self, flow: Flow, begin: float, size: float) -> None:
        """Let them fill the cache."""
        stored, volume = self.copy.compression, self.system.of(Volume)[self.copy.target]
        place = VolumeRange(volume, self.begin + begin / stored, size / stored)
        volume.expect(place.begin, place.size)
        cache = self.system.hosts[self.server].cache(volume.region.store)
        dirty = cache.take(self.job, place, flow, 1.0 / stored)
        self.system.note_dirty(dirty.on_disk)
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
        return DriveLoad(self.copy.compression / stored, self.block, spread=1.0 / stored, away=self.away)

    @property
    def crossing(self) -> Crossing:
        """What a byte of the save set loads on the drive, and the seconds that the host waits with it."""
        drive, stored = self._in_use, self.copy.reduction.stored
        return drive.crossing(self._stream), drive.waits(self._stream) / stored

    @property
    def law(self) -> Use | None:
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
            raise JobFailedError(no_room(self.library.name, self.pool))

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
        drive, cartridge = self._in_use, self.cartridge
        yield from self.library.mark(self.job, drive, self.marks * size)
        if cartridge is None:
            return
        self.copy.extents.append(Extent(begin, size, cartridge.name, cartridge.end))
        end = math.inf if full else cartridge.end + size / self.copy.compression
        cartridge.end = drive.position = min(end, cartridge.capacity)

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
