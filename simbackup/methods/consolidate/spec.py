"""What a file may say about synthetic full backups and merges."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from simbackup.errors import choices
from simbackup.schema.job import Copying, JobSpec, Saving, Storing
from simbackup.schema.part import Path
from simbackup.schema.quantity import PositiveSize, Text, Word
from simbackup.schema.refers import Refers

if TYPE_CHECKING:
    from simbackup.data.spec import DataSpec
    from simbackup.scenario.checks import Checks


class ConsolidateSpec(JobSpec):
    """A host combines the newest save set on its disk with older ones there, without the client."""

    method: Literal["consolidate"]
    save_set: Annotated[Text, Refers("works on", "jobs")]
    """The backup or copy on a disk whose newest save set is the last one to be included."""
    into: Annotated[Literal["full", "older"], Word()] = "full"
    """`full` makes a synthetic full backup that replaces the newest save set; `older` merges the changes into an older
    save set, as in incremental-forever backups, and writes each changed run where it belongs.
    """
    size: PositiveSize | None = None
    """Bytes that are read, and also the bytes that are written; by default, the size of the data for a full backup, the
    size of the newest save set for a merge, and none if the save set is deduplicated.
    """

    def tool_of(self) -> str | None:
        """The backup, whose program does it."""
        return self.save_set

    def check(self, checks: Checks, path: Path) -> None:
        """Report a save set that is not on disk, and a disk without room for a full one."""
        jobs, disks = checks.spec.jobs, checks.block_devices()
        legal = [name for name, job in jobs.items() if isinstance(job, (Saving, Copying)) and job.to in disks]
        if not checks.name((*path, "save_set"), self.save_set, legal, "job"):
            if self.save_set in jobs:
                message = f"'{self.save_set}' makes no save set on a disk"
                checks.report((*path, "save_set"), message, choices(self.save_set, legal))
            return
        by = jobs[self.save_set]
        saved = jobs.get(by.save_set, by) if isinstance(by, Copying) else by
        if isinstance(by, Saving | Copying) and isinstance(saved, Saving) and self.into == "full":
            self._check_room(checks, path, by, checks.spec.data.get(saved.data))

    def _check_room(self, checks: Checks, path: Path, by: Storing, data: DataSpec | None) -> None:
        """Report a disk without room for a full backup, which is compressed as the save set and shares its chunks."""
        size = self.size or (data.size if data is not None and not by.shares_chunks() else None)
        if size is not None:
            kept = replace(size, si=size.si / by.kept_ratio(checks.spec))
            checks.free((*path, "save_set"), by.to, kept, "a full backup")
