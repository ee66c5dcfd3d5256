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
from simbackup.equations import streaming
from simbackup.methods.compression.live import expanded
from simbackup.methods.file_backup.passes import Pass, passes, width
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.methods.making import FilesMade, beside
from simbackup.methods.selection import Selection, wanted
from simbackup.methods.share.live import Share, making
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare
from simbackup.system import System

Wait = Generator[simpy.Event, Any, None]


@dataclass(frozen=True, slots=True)
class _UnderWay:
    """A restore under way: its job, the copy that it reads, files that it makes, and what is on its way to disk."""

    system: System
    job: str
    copy: Copy
    made: FilesMade
    pending: list[Dirty]


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
    share: Share | None = None

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
        total = sum(size for _, size in pieces)
        made = self.tool.made(files / total if saved.method == "file_level" else 0.0)
        under_way = _UnderWay(system, job, copy, made, pending)
        parts = [self._part(under_way, (cartridges, on_medium)) for _ in range(streams)]
        with system.shut_out(self.to):
            yield from side_by_side(system, parts)
            yield from system.written_back(job, pending)
        return Moved(total, float(files))

    def _part(self, it: _UnderWay, runs: tuple[list[str], dict[str, list[Extent]]]) -> Wait:
        """Mount one cartridge after the other, locate what is wanted of it, and transfer it."""
        library = it.system.libraries[it.copy.target]
        by_name = {cartridge.name: cartridge for cartridge in library.cartridges}
        cartridges, on_medium = runs
        if not cartridges:
            return
        drive = yield from library.take_drive(it.job, by_name[cartridges[0]])
        try:
            while cartridges:
                medium = by_name[cartridges.pop(0)]
                yield from library.reserve(it.job, medium, drive)
                drive = yield from library.mount(it.job, drive, medium)
                for each in passes(on_medium[medium.name], it.copy.compression, together=self.tool.one_pass):
                    yield from self._pass(it, drive, each)
                yield from library.release(it.job, drive, self.tool.unload_after)
        finally:
            library.give_drive(drive)

    def _pass(self, it: _UnderWay, drive: Drive, runs: Pass) -> Wait:
        """Read some runs in one pass over the tape; each is a flow, and they go on in proportion to their bytes."""
        begin, long, total = runs[0].position, width(runs, it.copy.compression), sum(run.size for run in runs)
        yield from it.system.libraries[it.copy.target].locate(it.job, drive, begin)
        spread = long * it.copy.compression / total
        parts = [self._read(it, drive, run._replace(spread=spread), run.size / total) for run in runs]
        yield from side_by_side(it.system, parts)
        drive.position = begin + long

    def _read(self, it: _UnderWay, drive: Drive, extent: Extent, share: float) -> Wait:
        """One run from tape into the page cache of the host, a share of what a pass reads; it goes on to disk."""
        system, copy, made = it.system, it.copy, it.made
        host, target = system.hosts[self.share.host if self.share else self.host], system.data[self.to]
        how, ratio = copy.reduction, copy.reduction.stored
        stream = Stream(
            copy.compression / ratio, self.tool.block, reading=True, spread=extent.spread / ratio, shares=share < 1.0
        )
        networks = [system.networks[name] for name in self.networks]
        cost = self.tool.restore_cpu
        each = 1.0 / host.copy_rate if cost is None else host.seconds(cost)
        fill = host.on_threads(drive.crossing(stream), each).over(networks, 1.0 / how.sent, self.connections)
        if self.tool.alternates:  # it waits for what it reads, and then writes it
            taken = streaming.handing_over(drive.parameters, stream.compression, stream.block) / ratio
            fill = self.tool.sending(
                fill.after(taken, drive.link.name, Activity.READ), networks, loaded=True, share=1.0 / how.sent
            )
        fill = expanded(fill, host, None, how)
        if self.server is not None:
            fill = self.tool.serving(fill, system.hosts[self.server], made.per_byte, how.handled())
        if made.per_byte:
            fill = making(fill, system, (host, self.share), target, made)
            serial = host.seconds(made.file_cpu) * made.per_byte * self.tool.in_turn
            fill = replace(fill, workers=self.workers, serial=serial)
        begin = target.begin + min(extent.begin, max(target.size - extent.size, 0.0))
        place = VolumeRange(target.volume, begin, extent.size, beside(target, made))
        fill = replace(fill, share=share)
        it.pending.append(
            (yield from system.write(it.job, self.host, place, fill, Activity.TRANSFER, law=drive.law(stream)))
        )
