"""The work of image and file-level backups, and of their restores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.file_backup.disk import DiskBackup, DiskRestore
from simbackup.methods.file_backup.null import NullBackup
from simbackup.methods.file_backup.restore import Restore
from simbackup.methods.file_backup.share import Share
from simbackup.methods.file_backup.spec import FileBackupSpec
from simbackup.methods.file_backup.tape import TapeBackup
from simbackup.methods.file_backup.tape_restore import TapeRestore
from simbackup.methods.job import Work
from simbackup.methods.restore.make import selection_of
from simbackup.methods.restore.spec import RestoreSpec
from simbackup.methods.tool.make import tool_of
from simbackup.schema.capability import MediaLibrary, Sink
from simbackup.schema.job import Copying
from simbackup.schema.quantity import si_or

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make(job: FileBackupSpec, spec: Spec) -> Work:
    """The backup, to the drives of a library or to a disk of any host."""
    keeper, tool = spec.host_of(job.data), tool_of(job.tool)
    host, share = keeper, None
    if job.share is not None:
        host = job.share.host
        share = Share(keeper, spec.route(host, keeper) or (), job.share.calls.si, job.share.request.si)
    way = spec.way_to(host, job.to) or ()
    workers = int(si_or(job.workers, 1.0))
    if isinstance(spec.devices[job.to], MediaLibrary):
        streams = int(si_or(job.streams, 1.0))
        shared = int(si_or(job.multiplexing, 1.0))
        return TapeBackup(
            host,
            job.data,
            job.to,
            way,
            job.method,
            tool,
            job.source,
            streams,
            job.pool,
            shared,
            workers,
            share,
            job.base_age(),
            job.level,
        )
    owner = spec.owner_of(job.to) or ""
    backup = DiskBackup(
        host, job.data, job.to, owner, way, job.method, tool, job.source, workers, share, job.base_age(), job.level
    )
    return NullBackup(backup) if isinstance(spec.devices[job.to], Sink) else backup


def restore(job: RestoreSpec, saved: FileBackupSpec, spec: Spec) -> Work:
    """The restore, from the backup or a copy of it."""
    copies = (other.to for other in spec.jobs.values() if isinstance(other, Copying) and other.save_set == job.restore)
    above = [other for name in job.replay if isinstance(other := spec.jobs[name], FileBackupSpec)]
    copies = (*copies, *(other.to for other in above))
    ways = {device: _way_back(job, saved, spec, device) for device in (saved.to, *copies)}
    return Restore(job.restore, job.copied_by, ways, job.replay)


def _way_back(job: RestoreSpec, saved: FileBackupSpec, spec: Spec, device: str) -> TapeRestore | DiskRestore:
    """How a copy is restored from the drives of a library, or from a disk of any host."""
    to = job.to or saved.data
    host, selection, tool = spec.host_of(to), selection_of(job), tool_of(saved.tool)
    way, workers = spec.way_to(host, device) or (), int(si_or(job.workers, 1.0))
    if isinstance(spec.devices[device], MediaLibrary):
        return TapeRestore(host, to, way, selection, tool, int(si_or(job.streams, 1.0)), workers)
    return DiskRestore(host, to, spec.owner_of(device) or "", way, selection, tool, workers)
