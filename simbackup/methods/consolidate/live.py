"""Synthetic full backups and merges: a host reads save sets on its disk, and writes them there again."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.catalogue import Copy, Extent, SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.late import changed
from simbackup.methods.file_backup.disk import fetching, seek
from simbackup.methods.file_backup.portion import scattered_writes
from simbackup.methods.job import Moved, Steps
from simbackup.methods.new_copy import in_one_piece
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare
from simbackup.system import System
from simbackup.trace.activity import Activity


@dataclass(frozen=True, slots=True)
class Consolidation:
    """A synthetic full backup or a merge, on a disk of a host.

    `by` is the job that wrote the newest save set there: the backup, or one that copies it. Older ones lie before it,
    and so many bytes of them are read in sequence. A synthetic full backup is written behind all, a merge goes into
    what was there, each run where that lies which it replaces. A store that deduplicates has all chunks already: only
    its lists change. Of the reduction of the newest save set only compression holds for others, as how many of its
    chunks were new says nothing of theirs.
    """

    backup: str
    by: str
    on: str
    host: str
    full: bool
    size: float | None = None
    tool: Tool = NO_TOOL
    method: str = "consolidate"

    def expected(self, system: System) -> float:
        """Bytes that it reads and writes."""
        saved, lies = system.saved(self.backup, self.by)
        if self.size is not None:
            return self.size
        if lies.reduction.together is not None:
            return 0.0
        return system.data[saved.data].size if self.full else saved.size

    def run(self, system: System, job: str) -> Steps:
        """Look the newest save set up, read and write, and enter a new full backup in the catalogue."""
        saved, lies = system.saved(self.backup, self.by)
        in_one_piece(saved, lies)
        data, host, volume = system.data[saved.data], system.hosts[self.host], system.volumes[self.on]
        moved, stored, time = self.expected(system), lies.fetched, system.env.now
        size, there = moved / stored, lies.extents[0].position
        before = max(min(there, volume.region.size - size) - size, 0.0)
        position = system.reserve(self.on, size) if self.full else before
        yield from prepare(system, job, data, self.tool, 0.0)
        beside = FlowShape() if self.full else self._scattered(volume, saved, data, (there, stored))
        if size > 0.0:
            source = volume.region.part(before, size)
            yield from seek(system, job, source, ())
            shape = fetching((host, host), source, self.tool.copying(host), self.tool)
            place = VolumeRange(volume, position, size, beside)
            yield from system.write_through(job, self.host, place, shape, Activity.COPY)
        if self.full:
            begin = max(position + size - data.size / stored, 0.0)
            how = changed(lies.reduction, repeated=1.0)
            copy = Copy(lies.job, self.on, stored, time, [Extent(0.0, data.size, self.on, begin)], how)
            made = SaveSet(saved.job, saved.data, saved.method, data.size, float(data.files), time, [copy])
            system.catalogue.add(made)
        return Moved(moved, 0.0)

    def _scattered(self, volume: Volume, saved: SaveSet, data: DataSet, lies: tuple[float, float]) -> FlowShape:
        """How a byte of a merge loads the disk beside a stream, as its runs replace others all over a full backup.

        The full backup ends where the newest save set begins; the save set has so many bytes for each on the disk. A
        run of a file-level backup is a file.
        """
        share, (there, stored) = saved.size / data.size, lies
        run = data.run if saved.method == "image" else saved.size / max(saved.files, 1.0)
        whole = min(data.size / stored, volume.region.size)
        return scattered_writes(volume, (max(there - whole, 0.0), whole), share, min(run, saved.size) / stored)
