"""Restores of image and file-level backups from a chosen copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simbackup.methods.file_backup.disk import DiskRestore
from simbackup.methods.file_backup.tape_restore import TapeRestore
from simbackup.methods.job import Steps
from simbackup.system import System


@dataclass(frozen=True, slots=True)
class Restore:
    """A restore of the newest save set of a backup, in the way that its copy needs.

    `copy` names the job whose copy is read; the first that is still there unless named. `ways` are by device.
    """

    backup: str
    copy: str | None
    ways: Mapping[str, TapeRestore | DiskRestore]
    method: str = "restore"

    def run(self, system: System, job: str) -> Steps:
        """Look the copy up in the catalogue, and restore it."""
        saved, copy = system.saved(self.backup, self.copy)
        return (yield from self.ways[copy.target].bring_back(system, job, saved, copy))
