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
"""How a save set comes back."""
INCREMENTAL = "incremental"
ORDER = {"full": 0, "differential": 1, "cumulative": 2, INCREMENTAL: 3}
"""How near the full backup each level begins: a later one makes those of its own and of higher order superfluous."""


@dataclass(frozen=True, slots=True)
class Restore:
    """A restore of the newest save set of a backup, in the way that its copy needs.

    `copy` names the job whose copy is read; the first that is still there unless named. `ways` are by device. The save
    sets of `replay` that are based on it follow, oldest first: all incrementals since, the newest of other levels. A
    full backup among them, as a target makes one of incrementals, takes the place of all before it. Of a full backup
    into which others were written, what they replaced follows. Selected files are found in one of these places. Then
    the `logs` of a database are replayed.
    """

    backup: str
    copy: str | None
    ways: Mapping[str, Way]
    replay: tuple[str, ...] = ()
    logs: DatabaseRestore | None = None
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
        """The save sets of the chain, without those that a later one of the same or a lower level holds, too."""
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
