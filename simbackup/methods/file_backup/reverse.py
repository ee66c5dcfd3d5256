"""Reverse incrementals: the newest full backup is kept current, and what is replaced in it is moved aside."""

from __future__ import annotations

from dataclasses import dataclass, replace

from simbackup.catalogue import Copy, Extent, SaveSet
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.volume.live import Volume
from simbackup.late import changed
from simbackup.methods.file_backup.backup import Backup
from simbackup.methods.file_backup.portion import Portion, changed_blocks, scattered_writes
from simbackup.methods.file_backup.reader import Reads
from simbackup.methods.job import Moved, Steps
from simbackup.system import System
from simbackup.trace.activity import Activity

MOVED_ASIDE = 2.0
"""Copies in memory of a replaced byte, which is read and written."""


@dataclass(frozen=True, slots=True)
class ReverseBackup(Reads):
    """An incremental backup to a disk that is written into the newest full backup of its data there.

    The first one is a full backup. For each changed run the host of the disk reads the old run, writes that elsewhere,
    and writes the new run in its place. A restore of an earlier save set needs what was moved.
    """

    def expected(self, system: System) -> float:
        """Bytes that it saves."""
        return (self if self._newest(system) is not None else self._first).reader.expected(system)

    def run(self, system: System, job: str) -> Steps:
        """Find the full backup, bring it up to date, and enter it in the catalogue as of now."""
        it, newest, time = self.reader, self._newest(system), system.env.now
        if newest is None:
            return (yield from self._first.run(system, job))
        data, (_, full) = system.data[it.data], newest
        part, stored = it.begin(system, data), full.fetched
        position = system.reserve(it.to, part.size / stored)
        yield from it.start(system, job, part)
        yield from self._replace(system, job, part, full, position)
        self._enter(system, job, part, newest, (time, position))
        return Moved(part.size, part.files)

    def place(self, system: System, job: str, time: float) -> None:
        """Put what it moved, or the first full backup, where it would have been written at a time."""
        newest = self._newest(system)
        if newest is None:
            self._first.place(system, job, time)
            return
        part = self.reader.part(system.data[self.reader.data])
        position = system.reserve(self.reader.to, part.size / newest[1].fetched)
        self._enter(system, job, part, newest, (time, position))

    @property
    def _first(self) -> Backup:
        return Backup(changed(self.reader, since=None, level="full"))

    def _newest(self, system: System) -> tuple[SaveSet, Copy] | None:
        """The newest full backup of the data on the disk, and its copy there."""
        it = self.reader
        for saved in reversed(system.catalogue.save_sets):
            if (saved.data, saved.method, saved.level) == (it.data, it.method, "full"):
                copy = next((copy for copy in saved.copies if copy.target == it.to and not copy.undone), None)
                if copy is not None:
                    return saved, copy
        return None

    def _replace(self, system: System, job: str, part: Portion, full: Copy, position: float) -> Steps:
        """Write the changes into the full backup while the old data are read and written elsewhere."""
        it, stored, volume = self.reader, full.fetched, system.of(Volume)[self.reader.to]
        server, data = system.hosts[it.server], system.data[it.data]
        begin, whole = full.extents[0].position, data.size / stored
        run = (data.run if it.method == "image" else part.size / max(part.files, 1.0)) / stored
        run, share, ahead = min(run, part.size / stored), min(part.share, 1.0), server.machine.read_ahead or 0.0
        old = changed_blocks(volume.region.part(begin, whole), share, run, ahead).times(1.0 / stored)
        further = MOVED_ASIDE / stored
        away = it.server != it.host
        tool = changed(it.tool, **{"further_served" if away else "further": further})
        shape = changed(it, tool=tool).arriving(system, job)
        shape = shape.in_parallel_with(old, max(shape.workers, 1))
        size = part.size / stored
        into = VolumeRange(volume, begin, size, scattered_writes(volume, (begin, whole), share, run))
        flow = system.bounded(job, shape).start(system.network, job, Activity.SAVE, part.size)
        places = VolumeRange(volume, position, size), into
        pending = [system.fill(job, it.server, place, flow, 1.0 / stored) for place in places]
        yield flow.done
        system.account(job, flow)
        yield from system.written_back(job, pending)
        return Moved(part.size, part.files)

    def _enter(
        self, system: System, job: str, part: Portion, newest: tuple[SaveSet, Copy], when: tuple[float, float]
    ) -> None:
        """Enter the full backup as of a time, and note in earlier save sets what was moved now."""
        it, (before, full), (time, position) = self.reader, newest, when
        aside = Copy(job, it.to, full.compression, time, [Extent(0.0, part.size, it.to, position)], full.reduction)
        undone = SaveSet(job, it.data, it.method, part.size, part.files, time, [aside], "incremental")
        made = replace(full, job=job, time=time, extents=list(full.extents), undone=[])
        for saved in system.catalogue.save_sets:
            for copy in saved.copies:
                if copy.target == it.to and copy.extents == full.extents:
                    copy.undone.insert(0, undone)
        system.catalogue.add(replace(before, job=job, time=time, copies=[made]))
