"""The work of database backups, and of their restores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.compression.make import reduction_of
from simbackup.methods.database.live import BinaryLog, DatabaseBackup, DatabaseRestore
from simbackup.methods.database.spec import BinaryLogSpec, DatabaseBackupSpec
from simbackup.methods.database.way import Way
from simbackup.methods.restore.spec import RestoreSpec
from simbackup.methods.tool.make import tool_of
from simbackup.schema.quantity import Quantity, si_or

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make_backup(job: DatabaseBackupSpec, spec: Spec) -> DatabaseBackup:
    """The full backup."""
    return DatabaseBackup(
        _there(job, spec, int(si_or(job.workers, 1.0)), _count(job.connections)), job.data, job.to, job.method,
        job.snapshot, job.locks(spec), si_or(job.log_rate, 0.0),
    )  # fmt: skip


def make_log(job: BinaryLogSpec, spec: Spec) -> BinaryLog:
    """The backup of the log of changes."""
    changed = job.changed.si * spec.data[job.data].size.si
    return BinaryLog(_there(job, spec), job.data, job.to, changed)


def restore(job: RestoreSpec, saved: DatabaseBackupSpec | BinaryLogSpec, spec: Spec) -> DatabaseRestore:
    """The restore, with the logs that are replayed."""
    to = job.to or saved.data
    way = (spec.read_by(job), spec.host_of(to))
    back = _back(saved, spec, way, int(si_or(job.workers, 1.0)), _count(job.connections))
    return DatabaseRestore(back, job.restore, to, job.replay, job.copied_by)


def replaying(job: RestoreSpec, data: str, spec: Spec) -> DatabaseRestore | None:
    """What replays the logs of a restore of some other method; None where it replays none."""
    log = spec.jobs[job.replay[0]] if job.replay else None
    if not isinstance(log, BinaryLogSpec):
        return None
    return DatabaseRestore(_back(log, spec, (log.to, spec.host_of(data))), job.restore, data, job.replay)


def _back(
    saved: DatabaseBackupSpec | BinaryLogSpec, spec: Spec, way: tuple[str, str], workers: int = 1,
    connections: int | None = None,
) -> Way:  # fmt: skip
    """The way back from the device on which a copy lies to a host."""
    source, host = way
    links = spec.way_from(host, source) or ()
    return Way(host, spec.owner_of(source) or "", links, tool_of(saved.tool), workers, connections=connections)


def _there(
    job: DatabaseBackupSpec | BinaryLogSpec, spec: Spec, workers: int = 1, connections: int | None = None
) -> Way:
    """The way to its target."""
    host, data = spec.host_of(job.data), spec.data[job.data]
    how = reduction_of(job.compressor, None, si_or(data.compression, 1.0), overlapped=True)
    way = spec.way_to(host, job.to) or ()
    return Way(host, spec.owner_of(job.to) or host, way, tool_of(job.tool), workers, how, connections)


def _count(said: Quantity | None) -> int | None:
    """A number, if it is stated."""
    return None if said is None else int(said.si)
