"""Backup to a tape library: blocks in sequence, or file by file."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import simpy

from simbackup.components.shape import FlowShape
from simbackup.components.tape import Cartridge, Drive, Library
from simbackup.equations import files as equations
from simbackup.jobs.catalogue import Extent, SaveSet
from simbackup.jobs.job import Moved, Steps
from simbackup.jobs.system import DataSet, JobFailedError, System


@dataclass(frozen=True, slots=True)
class TapeBackup:
    """A save set from a data set to cartridges of a pool."""

    host: str
    data: str
    library: str
    networks: tuple[str, ...]
    method: str

    def run(self, system: System, job: str) -> Steps:
        """Mount a cartridge, append to it, and go on to the next when it is full; then enter the catalogue."""
        library, data = system.libraries[self.library], system.data[self.data]
        saved = SaveSet(
            job, self.data, self.method, self.library, data.size, data.files, data.compression, system.env.now
        )
        drive = yield from library.take_drive(job)
        try:
            while saved.done < data.size:
                cartridge = yield from _mount_scratch(library, job, drive)
                yield from library.locate(job, drive, cartridge.end)
                yield from self._append(system, drive, cartridge, saved)
                yield from library.dismount(job, drive)
        finally:
            library.give_drive(drive)
        system.catalogue.save_sets.append(saved)
        return Moved(data.size, float(data.files))

    def _append(
        self, system: System, drive: Drive, cartridge: Cartridge, saved: SaveSet
    ) -> Generator[simpy.Event, Any, None]:
        """Write on a cartridge as much as fits, and note where it lies."""
        data, done = system.data[self.data], saved.done
        room = (cartridge.capacity - cartridge.end) * data.compression
        fits = data.size - done <= room
        size = data.size - done if fits else room
        shape = self._shape(system, data, drive)
        flow = system.network.start(
            saved.job, "transfer", size, shape.demands, cap=shape.cap, cap_cause=shape.cause, moves=shape.moves
        )
        yield flow.done
        system.account(saved.job, flow)
        saved.extents.append(Extent(done, data.size - done if fits else size, cartridge.name, cartridge.end))
        cartridge.end = cartridge.end + size / data.compression if fits else cartridge.capacity
        drive.position = cartridge.end

    def _shape(self, system: System, data: DataSet, drive: Drive) -> FlowShape:
        """How a byte of the save set loads disk, host, networks and drive."""
        host, region = system.hosts[self.host], data.volume.region
        links = {system.networks[name].link: 1.0 for name in self.networks}
        demands = {drive.link: 1.0 / drive.rate(data.compression), host.cpu: 1.0 / host.copy_rate, **links}
        moves = {drive.link: 1.0, region.store.link: 1.0, **links}
        if self.method == "image" or data.filesystem is None:
            demands[region.store.link] = region.store.stream("read", region.begin + data.begin, data.size)
            return FlowShape(demands, moves, host.copy_rate, host.cpu.name)
        each = data.size / data.files
        begin = region.begin + data.begin
        # Files lie anywhere in the data set: two places drawn at random are a third of it apart in the mean.
        piece = min(each, data.filesystem.fragment, data.size - data.size / 3.0)
        move = region.store.request("read", begin, begin + data.size / 3.0, piece)
        reads = equations.positioned_reads(each, data.filesystem.fragment, data.filesystem.reads)
        demands[region.store.link] = reads * move.busy / each
        demands[host.cpu] += data.filesystem.cpu / each
        serial = (reads * move.latency + data.filesystem.cpu) / each
        return FlowShape(demands, moves, 1.0 / serial, f"data.{data.name}.files")


def _mount_scratch(library: Library, job: str, drive: Drive) -> Generator[simpy.Event, Any, Cartridge]:
    """A cartridge with room, mounted."""
    cartridge = yield from library.take_scratch(job)
    if cartridge is None:
        raise JobFailedError(f"the pool of '{library.name}' is full")
    yield from library.mount(job, drive, cartridge)
    return cartridge
