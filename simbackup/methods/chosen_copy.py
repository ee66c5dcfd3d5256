"""Checks of `copied_by:`, which names the copy of a save set that a job reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.schema.job import BackupJob, Copying
from simbackup.schema.part import Path
from simbackup.schema.unknown import Unknown

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
