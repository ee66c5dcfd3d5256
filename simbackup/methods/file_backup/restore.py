"""Restores of image and file-level backups from a chosen copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simbackup import units
from simbackup.catalogue import Copy, SaveSet, first_copy
from simbackup.methods.database.live import DatabaseRestore
from simbackup.methods.file_backup.disk import DiskRestore
from simbackup.methods.file_backup.objects import ObjectRestore
from simbackup.methods.file_backup.tape_restore import TapeRestore
from simbackup.methods.job import Moved, Steps
from simbackup.system import System

Way = TapeRestore | DiskRestore | ObjectRestore
"""How a save set is restored from a device."""
INCREMENTAL = "incremental"
ORDER = {"full": 0, "differential": 1, "cumulative": 2, INCREMENTAL: 3}
"""Order of levels: a save set replaces earlier ones of its own or a higher order, except among incrementals."""


@dataclass(frozen=True, slots=True)
class Restore:
    """A restore of the newest save set of a backup, with those based on it.

    Save sets of `replay` follow, oldest first: all incrementals since, and the newest of other levels. A full backup
    among them, as a target makes it of incrementals, replaces all before it. After a full backup into which later ones
    were written, what they replaced is applied. Selected files are found in one of these save sets.
    """

    backup: str
    """The job of the backup."""
    copy: str | None
    """The job whose copy is read; None for the first copy that still exists."""
    ways: Mapping[str, Way]
    """How to restore from each device."""
    replay: tuple[str, ...] = ()
    """Jobs whose save sets follow."""
    logs: DatabaseRestore | None = None
    """How to replay logs of a database at the end; None to replay none."""
    method: str = "restore"

    def expected(self, system: System) -> float:
        """Bytes of all save sets that it reads."""
        return sum(saved.size for saved, _ in self._chain(system))

    def run(self, system: System, job: str) -> Steps:
        """Look the copies up in the catalogue, and restore them."""
        moved, chain = Moved(0.0, 0.0), self._chain(system)
        for saved, copy in chain:
            way = self.ways[copy.target]
            some = saved.method == "file_level" or isinstance(way, TapeRestore)
            chosen = way.selection if some or (isinstance(way, DiskRestore) and way.tool.mounts_images) else None
            if chosen is not None and chosen.within(saved) != chosen:
                what = f"{units.show_short(saved.size, 'B')} in {max(int(saved.files), 1):,} files"
                system.trace.note(system.env.now, job, f"finds less than 'select' asks for, as only {what} were saved")
            later = yield from way.bring_back(system, job, saved, copy)
            moved = Moved(moved.bytes + later.bytes, moved.files + later.files)
        if self.logs is None:
            return moved
        newest, read = chain[-1]
        more = yield from self.logs.replayed(system, job, newest, read.target)
        return moved._replace(bytes=moved.bytes + more)

    def _chain(self, system: System) -> list[tuple[SaveSet, Copy]]:
        """The save sets to read with their copies, without those that a later one replaces."""
        first, copy = system.saved(self.backup, self.copy, instead=True)
        since = [system.catalogue.since(f"jobs.{name}", first.time) for name in self.replay]
        chain = [first]
        for above in sorted((one for sets in since for one in sets), key=lambda one: one.time):
            chain = [one for one in chain if ORDER[one.level] < ORDER[above.level] or above.level == INCREMENTAL]
            chain.append(above)
        read = [(saved, copy if saved is first else first_copy(saved)) for saved in chain]
        if read[0][0] is first and self.ways[copy.target].selection is None:
            read[1:1] = [(aside, aside.copies[0]) for aside in copy.undone]
        return read
