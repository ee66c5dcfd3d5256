"""Writing a save set to cartridges of a pool: on one drive, or in parts on several at once."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import simpy

from simbackup.catalogue import Copy, Extent
from simbackup.devices.shape import FlowShape
from simbackup.devices.tape.live import LEAST_ROOM, Cartridge, Drive, Library
from simbackup.engine.activity import Activity
from simbackup.methods.job import side_by_side
from simbackup.system import JobFailedError, System

Wait = Generator[simpy.Event, Any, None]
ROUNDING = 1e-9
"""Share of a save set that may be missing because sums of its parts are rounded."""


@dataclass(frozen=True, slots=True)
class TapeWriter:
    """Writes a save set to tape.

    Bytes of the save set; what a byte of a part of it (begin, size) loads on its way to a drive; tape marks for each
    byte; and a check that fails if the source was lost meanwhile.
    """

    size: float
    shape: Callable[[Drive, float, float], FlowShape]
    streams: int = 1
    pool: str | None = None
    marks: float = 0.0
    intact: Callable[[], None] = lambda: None

    def write(self, system: System, copy: Copy) -> Wait:
        """Write all parts at once, each on a drive of its own, and note in the copy where they are."""
        size = self.size / self.streams
        yield from side_by_side(system, [self._part(system, copy, i * size, size) for i in range(self.streams)])
        copy.extents.sort(key=lambda extent: extent.begin)

    def _part(self, system: System, copy: Copy, begin: float, size: float) -> Wait:
        """Mount a cartridge, append to it, and go on to the next when it is full."""
        library, done = system.libraries[copy.target], 0.0
        drive = yield from library.take_drive(copy.job)
        try:
            while done < size * (1.0 - ROUNDING):
                cartridge = yield from self._scratch(library, copy.job, drive)
                drive = yield from library.mount(copy.job, drive, cartridge)
                yield from library.locate(copy.job, drive, cartridge.end)
                try:
                    done += yield from self._append(system, library, drive, copy, (begin + done, size - done))
                except JobFailedError:
                    yield from library.release(copy.job, drive)
                    raise
                yield from library.release(copy.job, drive)
        finally:
            library.give_drive(drive)

    def _scratch(self, library: Library, job: str, drive: Drive) -> Generator[simpy.Event, Any, Cartridge]:
        """A cartridge of the pool with room."""
        cartridge = yield from library.take_scratch(job, self.pool, drive)
        if cartridge is None:
            pool = f"the pool '{self.pool}'" if self.pool else "the pool"
            raise JobFailedError(f"{pool} of '{library.name}' is full")
        return cartridge

    def _append(
        self, system: System, library: Library, drive: Drive, copy: Copy, rest: tuple[float, float]
    ) -> Generator[simpy.Event, Any, float]:
        """Write as much as fits on a cartridge, and note where it is; the bytes written."""
        begin, left = rest
        cartridge = drive.cartridge
        if cartridge is None:
            raise JobFailedError(f"'{drive.name}' is empty")  # it was mounted a moment ago
        room = cartridge.room * copy.compression
        fits = left < room + LEAST_ROOM  # what is left over by rounding needs no cartridge of its own
        size = left if fits else room
        law = drive.law(copy.compression)
        flow = self.shape(drive, begin, size).start(system.network, copy.job, Activity.TRANSFER, size, law=law)
        yield flow.done
        system.account(copy.job, flow)
        self.intact()
        yield from library.mark(copy.job, drive, self.marks * size)
        copy.extents.append(Extent(begin, size, cartridge.name, cartridge.end))
        cartridge.end = _end(cartridge, size / copy.compression, full=not fits)
        drive.position = cartridge.end
        return size


def _end(cartridge: Cartridge, written: float, *, full: bool) -> float:
    """Where the next save set begins on a cartridge; a full one has no room lost to rounding."""
    return cartridge.capacity if full else min(cartridge.end + written, cartridge.capacity)
