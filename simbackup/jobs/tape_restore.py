"""Restore from a tape library, by what the catalogue knows."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import simpy

from simbackup.components.page_cache import Place
from simbackup.components.shape import FlowShape
from simbackup.components.tape import Drive
from simbackup.jobs.catalogue import Extent, SaveSet
from simbackup.jobs.job import Moved, Steps
from simbackup.jobs.system import JobFailedError, System

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
"""Golden ratio: multiples of it, without their whole part, fill an interval evenly and in no simple rhythm."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The files that are wanted: how many, their bytes together, and where in the save set they begin."""

    files: int
    size: float
    at: float | None

    def pieces(self, saved: SaveSet) -> list[tuple[float, float]]:
        """Begin and size of each file in the save set: together at one place, or spread over it.

        Spread files lie one in each of equal parts, at a place that goes on by the golden ratio from part to part: even
        spacing would fall into step with the passes of the tape.
        """
        each = self.size / self.files
        if self.at is not None:
            begin = min(self.at * saved.size, saved.size - self.size)
            return [(begin + i * each, each) for i in range(self.files)]
        step = saved.size / self.files
        return [(i * step + (0.5 + i * GOLDEN) % 1.0 * (step - each), each) for i in range(self.files)]


@dataclass(frozen=True, slots=True)
class TapeRestore:
    """A restore of a save set, or of some of its files, onto the place of a data set."""

    host: str
    backup: str
    to: str
    networks: tuple[str, ...]
    selection: Selection | None
    method: str = "restore"

    def run(self, system: System, job: str) -> Steps:
        """Mount each cartridge that is needed, locate each run, transfer, and wait until all is on disk."""
        saved = system.catalogue.last(f"jobs.{self.backup}")
        if saved is None:
            raise JobFailedError(f"the catalogue has no save set of '{self.backup}'")
        library = system.libraries[saved.target]
        chosen = self.selection
        pieces = chosen.pieces(saved) if chosen else [(0.0, saved.size)]
        runs = [extent for begin, size in pieces for extent in saved.locate(begin, size)]
        drive = yield from library.take_drive(job)
        pending: list[simpy.Event] = []
        try:
            for cartridge in dict.fromkeys(extent.medium for extent in runs):
                medium = next(c for c in library.cartridges if c.name == cartridge)
                yield from library.reserve(job, medium)
                yield from library.mount(job, drive, medium)
                for extent in runs:
                    if extent.medium == cartridge:
                        on_disk = yield from self._read(system, job, drive, extent, saved)
                        pending.append(on_disk)
                yield from library.dismount(job, drive)
        finally:
            library.give_drive(drive)
        with system.clock.span(job, system.data[self.to].volume.region.store.name, "write-back"):
            yield system.env.all_of(pending)
        return Moved(sum(size for _, size in pieces), float(chosen.files if chosen else saved.files))

    def _read(
        self, system: System, job: str, drive: Drive, extent: Extent, saved: SaveSet
    ) -> Generator[simpy.Event, Any, simpy.Event]:
        """One run from tape into the page cache of the host; the event on which it is on disk."""
        library, host, target = system.libraries[saved.target], system.hosts[self.host], system.data[self.to]
        yield from library.locate(job, drive, extent.position)
        links = {system.networks[name].link: 1.0 for name in self.networks}
        demands = {drive.link: 1.0 / drive.rate(saved.compression), host.cpu: 1.0 / host.copy_rate, **links}
        fill = FlowShape(demands, {drive.link: 1.0, **links}, host.copy_rate, host.cpu.name)
        begin = target.begin + min(extent.begin, max(target.size - extent.size, 0.0))
        on_disk = yield from system.write(job, self.host, Place(target.volume, begin, extent.size), fill)
        drive.position = extent.position + extent.size / saved.compression
        return on_disk
