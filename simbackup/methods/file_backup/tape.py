"""Backup to a tape library: blocks in sequence or file by file, on one drive or on several at once."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import simpy

from simbackup.catalogue import Extent, SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.network.live import Network
from simbackup.devices.shape import FlowShape
from simbackup.devices.tape.live import LEAST_ROOM, Cartridge, Drive, Library
from simbackup.methods.file_backup.share import Share, walkers
from simbackup.methods.file_backup.walk import walking
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare
from simbackup.system import JobFailedError, System

Wait = Generator[simpy.Event, Any, None]
ROUNDING = 1e-9
"""Share of a save set that may be missing because sums of its parts are rounded."""


@dataclass(frozen=True, slots=True)
class TapeBackup:
    """A save set from a data set, or from a frozen image of it, to cartridges of a pool."""

    host: str
    data: str
    library: str
    networks: tuple[str, ...]
    method: str
    tool: Tool = NO_TOOL
    source: str | None = None
    streams: int = 1
    pool: str | None = None
    workers: int = 1
    share: Share | None = None

    def run(self, system: System, job: str) -> Steps:
        """Prepare, save all parts at once, each on a drive of its own, then enter the catalogue."""
        data = system.data[self.data]
        saved = SaveSet(
            job, self.data, self.method, self.library, data.size, data.files, data.compression, system.env.now
        )
        yield from prepare(system, job, data, self.tool, data.files)
        size = data.size / self.streams
        yield from side_by_side(system, [self._part(system, saved, i * size, size) for i in range(self.streams)])
        saved.extents.sort(key=lambda extent: extent.begin)
        system.catalogue.save_sets.append(saved)
        return Moved(data.size, float(data.files))

    def _part(self, system: System, saved: SaveSet, begin: float, size: float) -> Wait:
        """Mount a cartridge, append to it, and go on to the next when it is full."""
        library, done = system.libraries[self.library], 0.0
        drive = yield from library.take_drive(saved.job)
        try:
            while done < size * (1.0 - ROUNDING):
                cartridge = yield from self._scratch(library, saved.job, drive)
                drive = yield from library.mount(saved.job, drive, cartridge)
                yield from library.locate(saved.job, drive, cartridge.end)
                try:
                    done += yield from self._append(system, library, drive, saved, (begin + done, size - done))
                except JobFailedError:
                    yield from library.release(saved.job, drive)
                    raise
                yield from library.release(saved.job, drive)
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
        self, system: System, library: Library, drive: Drive, saved: SaveSet, rest: tuple[float, float]
    ) -> Generator[simpy.Event, Any, float]:
        """Write on a cartridge as much as fits, and note where it lies; the bytes written."""
        data, (begin, left) = system.data[self.data], rest
        cartridge = drive.cartridge
        if cartridge is None:
            raise JobFailedError(f"'{drive.name}' is empty")  # it was mounted a moment ago
        room = cartridge.room * data.compression
        fits = left < room + LEAST_ROOM  # what is left over by rounding needs no cartridge of its own
        size = left if fits else room
        shape = self._shape(system, data, drive)
        flow = shape.start(system.network, saved.job, "transfer", size, law=drive.law(data.compression))
        yield flow.done
        system.account(saved.job, flow)
        system.require_image(self.source)
        yield from library.mark(saved.job, drive, self.tool.file_marks * data.files * size / data.size)
        saved.extents.append(Extent(begin, size, cartridge.name, cartridge.end))
        cartridge.end = _end(cartridge, size / data.compression, full=not fits)
        drive.position = cartridge.end
        return size

    def _shape(self, system: System, data: DataSet, drive: Drive) -> FlowShape:
        """How a byte of the save set loads disk, host, networks and drive."""
        host, origin = system.hosts[self.host], system.origin(data, self.source)
        networks: list[Network] = [system.networks[name] for name in self.networks]
        towards = FlowShape().plus({drive.link: 1.0 / drive.rate(data.compression)}, {drive.link: 1.0}).over(networks)
        copy = self.tool.copying(host, copies=1.0)
        towards = host.working(towards, copy)
        if self.method == "image" or data.filesystem is None:
            shape = origin.region.streaming("read").part(1.0 - origin.cached).at_most(1.0 / copy, host.cpu.name)
        else:
            who = walkers(system, self.tool, self.workers, self.share)
            shape = walking(host, data, origin.region, who)
        shape = shape.plus(towards.demands, towards.moves)
        shape = origin.found(shape)
        if self.tool.alternates:
            shape = shape.after(1.0 / drive.rate(data.compression), drive.name, "write")
            return self.tool.sending(shape, networks, loaded=True)
        return shape.cycle(towards.parts, towards.cap)


def _end(cartridge: Cartridge, written: float, *, full: bool) -> float:
    """Where the next save set begins on a cartridge; a full one has no room lost to rounding."""
    return cartridge.capacity if full else min(cartridge.end + written, cartridge.capacity)
