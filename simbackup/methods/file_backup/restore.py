"""Restores of image and file-level backups from a chosen copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simbackup.catalogue import SaveSet
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
    sets of `replay` that are based on it follow, oldest first: all incrementals since, the newest of other levels.
    """

    backup: str
    copy: str | None
    ways: Mapping[str, Way]
    replay: tuple[str, ...] = ()
    method: str = "restore"

    def expected(self, system: System) -> float:
        """Bytes of the newest save set and of those above it."""
        saved, _ = system.saved(self.backup, self.copy)
        return saved.size + sum(above.size for above in self._above(system, saved))

    def run(self, system: System, job: str) -> Steps:
        """Look the copy up in the catalogue, and restore it."""
        saved, copy = system.saved(self.backup, self.copy)
        moved = yield from self.ways[copy.target].bring_back(system, job, saved, copy)
        for above in self._above(system, saved):
            later = yield from self.ways[above.copies[0].target].bring_back(system, job, above, above.copies[0])
            moved = Moved(moved.bytes + later.bytes, moved.files + later.files)
        return moved

    def _above(self, system: System, saved: SaveSet) -> list[SaveSet]:
        """The save sets of the chain, without those that a later one of a lower level holds, too."""
        since = [system.catalogue.since(f"jobs.{name}", saved.time) for name in self.replay]
        chain: list[SaveSet] = []
        for above in sorted((one for sets in since for one in sets), key=lambda one: one.time):
            chain = [one for one in chain if ORDER[one.level] < ORDER[above.level] or above.level == INCREMENTAL]
            chain.append(above)
        return chain
