"""The work of database backups, and of their restores."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simbackup.late import late
from simbackup.methods.database.live import BinaryLog, DatabaseBackup, DatabaseRestore
from simbackup.methods.database.spec import BinaryLogSpec, DatabaseBackupSpec
from simbackup.methods.database.way import Way
from simbackup.methods.reduction.make import reduction_of
from simbackup.methods.restore.spec import RestoreSpec
from simbackup.methods.tool.live import tool_of
from simbackup.schema.quantity import Quantity

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make_backup(job: DatabaseBackupSpec, spec: Spec) -> DatabaseBackup:
    """The full backup."""
    workers = int(job.workers.si)
    return late(
        DatabaseBackup, way=_there(job, spec, workers, lambda: _count(job.connections)), data=job.data, to=job.to,
        method=job.method, snapshot=job.snapshot, locked=job.locks(spec), log_rate=lambda: job.log_rate.si,
    )  # fmt: skip


def make_log(job: BinaryLogSpec, spec: Spec) -> BinaryLog:
    """The backup of the log of changes."""
    changed = job.changed.si * spec.data[job.data].size.si
    return BinaryLog(_there(job, spec), job.data, job.to, changed)


def restore(job: RestoreSpec, saved: DatabaseBackupSpec | BinaryLogSpec, spec: Spec) -> DatabaseRestore:
    """The restore, with the logs that are replayed."""
    to = job.to or saved.data
    devices = [saved.to, *(copy.to for copy in spec.copies_of(job.restore)), *(log.to for log in logs_of(job, spec))]
    ways = {device: _back(job, saved, spec, (device, spec.host_of(to))) for device in devices}
    return DatabaseRestore(tool_of(saved.tool), ways, job.restore, to, job.replay, job.copied_by)


def replaying(job: RestoreSpec, data: str, spec: Spec) -> DatabaseRestore | None:
    """What replays the logs of a restore of some other method; None where it replays none."""
    logs = logs_of(job, spec)
    if not logs:
        return None
    host = spec.host_of(data)
    names = tuple(name for name in job.replay if isinstance(spec.jobs[name], BinaryLogSpec))
    copied = {copy.to: log for name, log in zip(names, logs, strict=True) for copy in spec.copies_of(name)}
    there = copied | {log.to: log for log in logs}
    ways = {device: _back(None, log, spec, (device, host)) for device, log in there.items()}
    return DatabaseRestore(tool_of(logs[0].tool), ways, job.restore, data, names)


def logs_of(job: RestoreSpec, spec: Spec) -> list[BinaryLogSpec]:
    """The backups of logs that a restore replays."""
    return [log for name in job.replay if isinstance(log := spec.jobs[name], BinaryLogSpec)]


def _back(job: RestoreSpec | None, saved: DatabaseBackupSpec | BinaryLogSpec, spec: Spec, way: tuple[str, str]) -> Way:
    """The way back from the device on which a copy lies to a host, as wide as a restore makes it."""
    source, host = way
    links, tool, owner = spec.way_from(host, source) or (), tool_of(saved.tool), spec.owner_of(source) or ""
    if job is None:
        return Way(host, owner, links, tool)

    def connections() -> int | None:
        own = saved.connections if isinstance(saved, DatabaseBackupSpec) and source == saved.to else None
        return _count(job.connections or own)

    return late(
        Way, host=host, server=owner, networks=links, tool=tool, workers=lambda: int(job.workers.si),
        connections=connections, streams=lambda: int(job.streams.si),
    )  # fmt: skip


def _there(
    job: DatabaseBackupSpec | BinaryLogSpec,
    spec: Spec,
    workers: int = 1,
    connections: Callable[[], int | None] = lambda: None,
) -> Way:
    """The way to its target."""
    host, data = spec.host_of(job.data), spec.data[job.data]
    how = reduction_of(job.compressor, None, data, overlapped=True)
    return late(
        Way, host=host, server=spec.owner_of(job.to) or host, networks=spec.way_to(host, job.to) or (),
        tool=tool_of(job.tool), workers=workers, reduction=how, connections=connections,
    )  # fmt: skip


def _count(said: Quantity | None) -> int | None:
    """A number, if it is stated."""
    return None if said is None else int(said.si)
