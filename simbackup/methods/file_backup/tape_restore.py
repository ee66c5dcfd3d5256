"""Restore from a tape library, by the catalogue."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import simpy

from simbackup.catalogue import Copy, Extent, SaveSet
from simbackup.devices.host.page_cache import Dirty, VolumeRange
from simbackup.devices.tape.live import Drive, Stream
from simbackup.engine.activity import Activity
from simbackup.methods.compression.live import expanded
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.making import FilesMade, beside, filling
from simbackup.methods.selection import Selection, wanted
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare
from simbackup.system import System

Wait = Generator[simpy.Event, Any, None]


@dataclass(frozen=True, slots=True)
class TapeRestore:
    """A restore of a save set, or of some of its files, to the place of a data set."""

    host: str
    to: str
    networks: tuple[str, ...]
    selection: Selection | None
    tool: Tool = NO_TOOL
    streams: int = 1
    workers: int = 1
    connections: int = 1
    server: str | None = None

    def bring_back(self, system: System, job: str, saved: SaveSet, copy: Copy) -> Steps:
        """Share the needed cartridges among the drives, and wait until all data are on disk."""
        target = system.data[self.to]
        files, pieces = wanted(saved, self.selection)
        runs = [extent for begin, size in pieces for extent in copy.locate(begin, size)]
        yield from prepare(system, job, target, self.tool, files)
        pending: list[Dirty] = []
        on_medium: dict[str, list[Extent]] = {}
        for extent in runs:
            on_medium.setdefault(extent.medium, []).append(extent)
        cartridges = list(on_medium)
        streams = min(self.streams, len(cartridges))
        if streams > 1:  # the longest first, so that all drives end at about the same time
            cartridges.sort(key=lambda name: -sum(run.size for run in on_medium[name]))
        made = self.tool.made(saved.files / saved.size if saved.method == "file_level" else 0.0)
        parts = [self._part(system, job, copy, (cartridges, on_medium), pending, made=made) for _ in range(streams)]
        with system.shut_out(self.to):
            yield from side_by_side(system, parts)
            yield from system.written_back(job, pending)
        return Moved(sum(size for _, size in pieces), float(files))

    def _part(
        self,
        system: System,
        job: str,
        copy: Copy,
        runs: tuple[list[str], dict[str, list[Extent]]],
        pending: list[Dirty],
        *,
        made: FilesMade,
    ) -> Wait:
        """Mount one cartridge after the other, locate each run on it, and transfer it."""
        library = system.libraries[copy.target]
        by_name = {cartridge.name: cartridge for cartridge in library.cartridges}
        cartridges, on_medium = runs
        if not cartridges:
            return
        drive = yield from library.take_drive(job, by_name[cartridges[0]])
        try:
            while cartridges:
                medium = by_name[cartridges.pop(0)]
                yield from library.reserve(job, medium, drive)
                drive = yield from library.mount(job, drive, medium)
                for extent in on_medium[medium.name]:
                    dirty = yield from self._read(system, job, drive, extent, copy, made=made)
                    pending.append(dirty)
                yield from library.release(job, drive, self.tool.unload_after)
        finally:
            library.give_drive(drive)

    def _read(
        self, system: System, job: str, drive: Drive, extent: Extent, copy: Copy, *, made: FilesMade
    ) -> Generator[simpy.Event, Any, Dirty]:
        """One run from tape into the page cache of the host; what is then on its way to disk."""
        library, host, target = system.libraries[copy.target], system.hosts[self.host], system.data[self.to]
        yield from library.locate(job, drive, extent.position)
        how, ratio = copy.reduction, copy.reduction.stored
        stream = Stream(copy.compression / ratio, self.tool.block, reading=True, spread=extent.spread / ratio)
        told = self.tool.restore_cpu
        each = 1.0 / host.copy_rate if told is None else host.seconds(told)
        fill = (
            host.working(drive.crossing(stream), each)
            .at_most(1.0 / each, host.cpu.name)
            .over([system.networks[name] for name in self.networks], 1.0 / how.sent, self.connections)
        )
        fill = expanded(fill, host, None, how)
        if self.server is not None:
            fill = self.tool.serving(fill, system.hosts[self.server], made.per_byte, how.handled())
        if made.per_byte:
            fill = filling(fill, host, target, made)
            serial = host.seconds(made.file_cpu) * made.per_byte * self.tool.in_turn
            fill = replace(fill, workers=self.workers, serial=serial)
        begin = target.begin + min(extent.begin, max(target.size - extent.size, 0.0))
        place = VolumeRange(target.volume, begin, extent.size, beside(target, made))
        dirty = yield from system.write(job, self.host, place, fill, Activity.TRANSFER, law=drive.law(stream))
        drive.position = extent.position + extent.size * extent.spread / copy.compression
        return dirty
