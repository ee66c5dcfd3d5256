"""The targets of a backup that writes several copies at once: disk, tape, object store."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import simpy

from simbackup.catalogue import Copy, Extent
from simbackup.devices.host.page_cache import LEAST, Dirty, VolumeRange
from simbackup.devices.network.live import Travel
from simbackup.devices.tape.cartridge import LEAST_ROOM, Cartridge, no_room
from simbackup.devices.tape.drive import Drive, Stream
from simbackup.devices.tape.live import Library
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Use
from simbackup.methods.file_backup.staging import Crossing
from simbackup.system import JobFailedError, System

Wait = Generator[simpy.Event, Any, None]


@dataclass(slots=True)
class Receiver:
    """One end of a stream of a job; this one takes all that comes, as an object store does."""

    system: System
    job: str
    copy: Copy

    @property
    def order(self) -> tuple[str, ...]:
        """In which order those of a job take what they may have to wait for."""
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
        """What holds up a stream that it takes, besides what the stream loads."""
        return None

    def open(self) -> Wait:
        """Take what it needs for the whole stream."""
        yield from ()

    def reserve(self) -> Wait:
        """Take what it needs to get ready."""
        yield from ()

    def load(self) -> Wait:
        """Get ready."""
        yield from ()

    def room(self, begin: float, size: float) -> float:
        """Bytes of the save set that it takes at once of those from a byte on; fails if that is none."""
        del begin
        return size

    def take(self, flow: Flow, begin: float, size: float) -> None:
        """Take the bytes of a flow, each of which is one of the save set."""

    def took(self, begin: float, size: float, *, full: bool) -> Wait:
        """Note that it has taken bytes, and whether it has no room for more."""
        del begin, size, full
        yield from ()

    def put_away(self) -> Wait:
        """Give back what it had reserved."""
        yield from ()

    def close(self) -> None:
        """Give back what it had taken for the whole stream."""


@dataclass(slots=True)
class OntoDisk(Receiver):
    """Takes bytes into the page cache of a host, from which they go to their place on a volume.

    `begin` is where the first byte of the save set goes.
    """

    server: str
    begin: float
    pending: list[Dirty] = field(default_factory=list[Dirty])

    def room(self, begin: float, size: float) -> float:
        """As many bytes as the volume has room for."""
        stored, volume = self.copy.compression, self.system.volumes[self.copy.target]
        fits = volume.fits(self.begin + begin / stored, size / stored)
        if fits < min(LEAST, size / stored):
            raise JobFailedError(f"no space left on '{volume.name}'")
        return fits * stored

    def take(self, flow: Flow, begin: float, size: float) -> None:
        """Let them fill the cache."""
        stored, volume = self.copy.compression, self.system.volumes[self.copy.target]
        place = VolumeRange(volume, self.begin + begin / stored, size / stored)
        volume.expect(place.begin, place.size)
        cache = self.system.hosts[self.server].cache(volume.region.store)
        dirty = cache.take(self.job, place, flow, 1.0 / stored)
        self.system.note_dirty(dirty.on_disk)
        self.pending.append(dirty)


@dataclass(slots=True)
class OntoTape(Receiver):
    """Takes bytes onto cartridges of a pool, one after the other, in a drive.

    `marks` are tape marks for each byte, `block` the bytes of a command and `away` how these travel; an idle drive
    stays loaded for some seconds.
    """

    pool: str | None
    block: float | None
    stay: float | None
    marks: float
    away: Travel
    drive: Drive | None = None
    cartridge: Cartridge | None = None
    loaded: bool = False

    @property
    def library(self) -> Library:
        """The library."""
        return self.system.libraries[self.copy.target]

    @property
    def order(self) -> tuple[str, ...]:
        """Libraries and pools by name."""
        return self.copy.target, self.pool or ""

    @property
    def ready(self) -> bool:
        """Whether a cartridge with room is in the drive."""
        return self.loaded and self.cartridge is not None and self.cartridge.room >= LEAST_ROOM

    @property
    def at_hand(self) -> bool:
        """Whether its pool has such a cartridge that nobody uses."""
        return self.library.scratch(self.pool) is not None

    @property
    def _stream(self) -> Stream:
        stored = self.copy.reduction.stored  # the drive compresses what is left
        return Stream(self.copy.compression / stored, self.block, spread=1.0 / stored, away=self.away)

    @property
    def crossing(self) -> Crossing:
        """How a byte of the save set loads the drive, and what its host waits when it hands the byte over."""
        drive, stored = self._in_use, self.copy.reduction.stored
        return drive.crossing(self._stream), drive.waits(self._stream) / stored

    @property
    def law(self) -> Use | None:
        """If the stream is too slow, the tape stops and starts."""
        return self._in_use.law(self._stream)

    @property
    def _in_use(self) -> Drive:
        if self.drive is None:
            raise JobFailedError(f"'{self.library.name}' has given no drive")  # it was taken before
        return self.drive

    def open(self) -> Wait:
        """Take a drive."""
        self.drive = yield from self.library.take_drive(self.job)

    def reserve(self) -> Wait:
        """Take a cartridge with room."""
        self.cartridge = yield from self.library.take_scratch(self.job, self.pool, self.drive)
        if self.cartridge is None:
            raise JobFailedError(no_room(self.library.name, self.pool))

    def load(self) -> Wait:
        """Mount it, and go to its end."""
        if self.cartridge is not None:
            self.drive = yield from self.library.mount(self.job, self._in_use, self.cartridge)
            self.loaded = True
            yield from self.library.locate(self.job, self.drive, self.cartridge.end)

    def room(self, begin: float, size: float) -> float:
        """What fits on the cartridge; what is left over by rounding needs no other."""
        del begin
        left = (self.cartridge.room if self.cartridge is not None else 0.0) * self.copy.compression
        return size if size < left + LEAST_ROOM else left

    def took(self, begin: float, size: float, *, full: bool) -> Wait:
        """Note where they are; a full cartridge has no room lost to rounding."""
        drive, cartridge = self._in_use, self.cartridge
        yield from self.library.mark(self.job, drive, self.marks * size)
        if cartridge is None:
            return
        self.copy.extents.append(Extent(begin, size, cartridge.name, cartridge.end))
        end = math.inf if full else cartridge.end + size / self.copy.compression
        cartridge.end = drive.position = min(end, cartridge.capacity)

    def put_away(self) -> Wait:
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
