"""The work of database backups, and of their restores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.database.live import BinaryLog, DatabaseBackup, DatabaseRestore
from simbackup.methods.database.spec import BinaryLogSpec, DatabaseBackupSpec
from simbackup.methods.restore.spec import RestoreSpec
from simbackup.methods.tool.make import tool_of
from simbackup.schema.quantity import si_or

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make_backup(job: DatabaseBackupSpec, spec: Spec) -> DatabaseBackup:
    """The full backup."""
    return DatabaseBackup(
        spec.host_of(job.data),
        job.data,
        job.to,
        tool_of(job.tool),
        job.method,
        job.snapshot,
        int(si_or(job.workers, 1.0)),
    )


def make_log(job: BinaryLogSpec, spec: Spec) -> BinaryLog:
    """The backup of the log of changes."""
    changed = job.changed.si * spec.data[job.data].size.si
    return BinaryLog(spec.host_of(job.data), job.data, job.to, tool_of(job.tool), changed)


def restore(job: RestoreSpec, saved: DatabaseBackupSpec | BinaryLogSpec, spec: Spec) -> DatabaseRestore:
    """The restore, with the logs that are replayed."""
    to = job.to or saved.data
    return DatabaseRestore(
        spec.host_of(to), job.restore, to, tool_of(saved.tool), job.replay, int(si_or(job.workers, 1.0))
    )
