"""Synthetic full backups and merges: a host reads save sets on its disk, and writes them there again."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.catalogue import Copy, Extent, SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.late import changed
from simbackup.methods.copies import in_one_piece
from simbackup.methods.file_backup.disk import fetching, seek
from simbackup.methods.file_backup.portion import scattered_writes
from simbackup.methods.job import Moved, Steps
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare
from simbackup.system import System
from simbackup.trace.activity import Activity


@dataclass(frozen=True, slots=True)
class Consolidation:
    """A synthetic full backup or a merge, on a disk of a host.

    Older save sets are assumed to be on the disk before the newest one, and are read in sequence. A synthetic full
    backup is written behind all of them. A merge writes into the full backup, each run where the one is that it
    replaces. A store that deduplicates has all chunks already, so that only its lists change. The result has the
    compression of the newest save set, but not its deduplication ratio, which says nothing of the chunks of others.
    """

    backup: str
    """The backup job."""
    by: str
    """The job that wrote the newest save set there: the backup, or one that copies it."""
    on: str
    """The volume."""
    host: str
    """The host of the volume."""
    full: bool
    """Whether it makes a synthetic full backup; otherwise it merges."""
    size: float | None = None
    """Bytes of save sets that are read and written; None for those of the data (full) or of the newest save set
    (merge).
    """
    tool: Tool = NO_TOOL
    """The program."""
    method: str = "consolidate"

    def expected(self, system: System) -> float:
        """Bytes of save sets that it reads and writes."""
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
        data, host, volume = system.data[saved.data], system.hosts[self.host], system.of(Volume)[self.on]
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
        """What each byte of a merge loads in addition to sequential access, as its runs replace others in place.

        The full backup ends where the newest save set begins; `lies` is this place, and the bytes of a save set for
        each byte on the disk. In a file-level backup, a run is a file.
        """
        share, (there, stored) = saved.size / data.size, lies
        run = data.run if saved.method == "image" else saved.size / max(saved.files, 1.0)
        whole = min(data.size / stored, volume.region.size)
        return scattered_writes(volume, (max(there - whole, 0.0), whole), share, min(run, saved.size) / stored)
