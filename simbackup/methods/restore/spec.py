"""What a file may say about restores, and about the copy of a save set that a job reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from simbackup.errors import choices
from simbackup.methods.share.spec import ShareSpec
from simbackup.schema.capability import Device, Sink
from simbackup.schema.job import BackupJob, Copying, Names, Restoring, Saving
from simbackup.schema.origin import Unknown
from simbackup.schema.part import Facts, Path, Refers, amount, number, of_class
from simbackup.schema.quantity import Frozen, Pieces, PositiveSize, Share, Text, usual
from simbackup.schema.registry import Look, MethodKind

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


def copy_is_known(checks: Checks, path: Path, name: str, backup: str) -> bool:
    """Whether `copied_by` is a backup or another job that copies it; reports it if not, unless that job is wrong."""
    jobs, own = checks.spec.jobs, str(path[1])
    here, job = (*path, "copied_by"), jobs.get(name)
    if not checks.name(here, name, jobs, "job"):
        return False
    if name == backup or (isinstance(job, Copying) and job.save_set == backup and name != own):
        return True
    if isinstance(job, Copying) and not isinstance(jobs.get(job.save_set), BackupJob):
        checks.wait(path, f"jobs.{name}.save_set")
        return False
    known = {n: j for n, j in jobs.items() if isinstance(j, Copying) and not isinstance(j.save_set, Unknown)}
    copies = [n for n, j in known.items() if j.save_set == backup and n != own]
    message = f"'{name}' does not copy the save sets of '{backup}'" if name != own else "a job cannot copy its own copy"
    checks.report(here, message, f"choose from: {', '.join([backup, *copies])}")
    return False


UNSTATED_PLACE = {
    "value": "50 %", "basis": "assumed", "range": ["0 %", "100 %"],
    "why": "not stated: a single file may lie anywhere in the save set",
}  # fmt: skip
"""Where one file lies of which a scenario does not say it, as it would say it."""


class SelectSpec(Frozen):
    """The part of a save set that is restored."""

    files: Pieces
    """Number of files; each is located separately."""
    size: PositiveSize
    """Bytes of all these files together, such as `40 MB` for ten files of 4 MB."""
    at: Share | None = None
    """Where they are in the save set. By default, several files are spread over it, and the place of a single file is
    assumed, with the whole save set as its range.
    """

    @classmethod
    def unstated(cls, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """Where a single file lies."""
        return {"at": UNSTATED_PLACE} if said.get("files") == 1 else {}


class RestoreSpec(Restoring):
    """Restore of the last copy that a backup job made."""

    restore: Annotated[Text, Refers("restores", "jobs")]
    """The backup job whose save set is restored."""
    select: SelectSpec | None = None
    """The files to restore; the whole save set by default."""
    to: Annotated[Text, Refers("writes", "data", "devices")] | None = None
    """The data set to overwrite; where the data came from by default. Or a device of kind `nul`, to check the save set:
    the host that owns it, or else that of the data, reads all bytes, makes no files, and keeps nothing.
    """
    streams: Pieces = usual("1")
    """Number of parts that are restored from a disk at the same time, or of drives that read from tape at the same
    time, each from its own cartridge. More streams than cartridges with wanted data are of no use.
    """
    workers: Pieces = usual("1")
    """Number of workers that create files, load tables or copy files at the same time."""
    connections: Pieces | None = None
    """Number of network connections over which each stream spreads its bytes; by default, as many as the backup or copy
    states that it reads. If that states none, one for each worker where each file comes from an object of its own, or
    else one.
    """
    share: ShareSpec | None = None
    """Another host, which creates the files, or writes the blocks of an image, as on a share, with a datasheet
    `share/name` as `model`; by default, the host of the data does.
    """
    replay: Annotated[Names, Refers("replays", "jobs")] = ()
    """Incremental backups to apply after it, and logs of a database (`binary_log`) since the last of these. Logs that
    have a copy on the device from which the backup before them is read come from there.
    """
    copied_by: Annotated[Text, Refers("uses", "jobs")] | None = None
    """The job whose copy is read: the backup itself, or a job that copies it; by default, the first copy."""

    def own_facts(self) -> Facts:
        """What is selected."""
        if self.select is not None:
            yield from number(self.select.files, "file")
            yield from amount(self.select.size, "together")

    def tool_of(self) -> str | None:
        """The backup, whose program does the restore."""
        return self.restore

    def check(self, checks: Checks, path: Path) -> None:
        """Report a restore of something other than a backup, or to unknown data."""
        spec = checks.spec
        legal = of_class(spec.jobs, BackupJob)
        if not checks.name((*path, "restore"), self.restore, legal, "job"):
            if self.restore in spec.jobs:
                checks.report((*path, "restore"), f"'{self.restore}' is not a backup", choices(self.restore, legal))
            return
        saved = spec.jobs[self.restore]
        with checks.about(*path):
            sinks: Mapping[str, Device] = spec.devices_with(Sink) if isinstance(saved, Saving) else {}
            if self.to is not None and (self.to in spec.data or self.to not in sinks):
                checks.name((*path, "to"), self.to, {**spec.data, **sinks}, "data set")
        if self.copied_by is not None and not copy_is_known(checks, path, self.copied_by, self.restore):
            return
        if isinstance(saved, BackupJob):
            saved.check_restore(checks, path, self)


KINDS = (MethodKind(("restore",), RestoreSpec, "simbackup.methods.selection:make"),)
LOOKS = {"job": Look("M4 2.5l9 5.5-9 5.5z", "#f3effc", "#6d4fc2")}
