"""The work of image and file-level backups, and of their restores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simbackup.catalogue import Reduction
from simbackup.methods.compression.make import reduction_of
from simbackup.methods.database.make import replaying
from simbackup.methods.deduplication.make import chunks_of
from simbackup.methods.file_backup.changed import changed_by
from simbackup.methods.file_backup.disk import DiskBackup, DiskRestore
from simbackup.methods.file_backup.inline_make import inline
from simbackup.methods.file_backup.null import NullBackup
from simbackup.methods.file_backup.objects import ObjectBackup, ObjectRestore
from simbackup.methods.file_backup.restore import Restore, Way
from simbackup.methods.file_backup.reverse import ReverseBackup
from simbackup.methods.file_backup.spec import FileBackupSpec, SpoolSpec
from simbackup.methods.file_backup.spool import SpooledBackup
from simbackup.methods.file_backup.tape import TapeBackup
from simbackup.methods.file_backup.tape_restore import TapeRestore
from simbackup.methods.job import Work
from simbackup.methods.restore.make import selection_of
from simbackup.methods.restore.spec import RestoreSpec
from simbackup.methods.share.live import Share
from simbackup.methods.share.make import share_of
from simbackup.methods.tool.make import tool_of
from simbackup.schema.capability import MediaLibrary, ObjectTarget, Sink
from simbackup.schema.job import Storing
from simbackup.schema.quantity import Pieces, si_or

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make(job: FileBackupSpec, spec: Spec) -> Work:
    """The backup, with the copies that it writes at the same time."""
    work, copies = _alone(job, spec), spec.inline_copies_of(job)
    if copies and isinstance(work, DiskBackup | ObjectBackup | TapeBackup):
        return inline(work, copies, spec)
    return work


def _alone(job: FileBackupSpec, spec: Spec) -> Work:
    """The backup, to the drives of a library or to a disk of any host."""
    keeper, tool = spec.reader_of(job.data, job.source), tool_of(job.tool)
    host, share = job.share.host if job.share else keeper, share_of(job.share, spec, keeper)
    way = spec.way_to(host, job.to) or ()
    workers = _workers(job, spec)
    own = workers if _file_by_file(job, job, spec, job.to) else 1
    connections = int(si_or(job.connections, float(own)))
    how = _reduction(job, spec)
    if isinstance(spec.devices[job.to], MediaLibrary) and job.spool is not None:
        return _spooled(job, job.spool, spec, (host, share))
    if isinstance(spec.devices[job.to], MediaLibrary):
        streams = int(si_or(job.streams, 1.0))
        shared = int(si_or(job.multiplexing, 1.0))
        return TapeBackup(
            host, job.data, job.to, way, job.method, tool, job.source, streams, job.pool, shared, workers, share,
            connections, job.base_age(), job.level, _server(spec, job.to, host), how,
        )  # fmt: skip
    owner = spec.owner_of(job.to) or ""
    backup = DiskBackup(
        host, job.data, job.to, owner, way, job.method, tool, job.source, workers, share, connections, job.base_age(),
        job.level, how, int(si_or(job.streams, 1.0)),
    )  # fmt: skip
    if isinstance(spec.devices[job.to], ObjectTarget):
        return ObjectBackup(backup, _object_size(job))
    if isinstance(spec.devices[job.to], Sink):
        return NullBackup(backup)
    return ReverseBackup(backup) if job.level == "reverse" else backup


def _spooled(job: FileBackupSpec, spool: SpoolSpec, spec: Spec, reader: tuple[str, Share | None]) -> SpooledBackup:
    """The backup over a disk of some host."""
    (host, share), server = reader, spec.owner_of(spool.on) or ""
    backup = DiskBackup(
        host, job.data, spool.on, server, spec.way_to(host, spool.on) or (), job.method, tool_of(job.tool), job.source,
        _workers(job, spec), share, int(si_or(job.connections, 1.0)), job.base_age(), job.level, _reduction(job, spec),
    )  # fmt: skip
    return SpooledBackup(backup, spool.size.si, spool.overlapped, job.to, spec.way_to(server, job.to) or (), job.pool)


def _reduction(job: FileBackupSpec, spec: Spec) -> Reduction:
    """How it deduplicates and compresses its data."""
    data, chunks = spec.data[job.data], job.deduplication
    lies = None if chunks is None else chunks_of(chunks, changed_by(job, data), whole=job.level == "full")
    how = reduction_of(job.compressor, chunks, si_or(data.compression, 1.0), lies)
    return tool_of(job.tool).coding(how, int(si_or(job.streams, 1.0)) * _workers(job, spec))


def restore(job: RestoreSpec, saved: FileBackupSpec, spec: Spec) -> Work:
    """The restore, from the backup or a copy of it."""
    above = {name: other for name in job.replay if isinstance(other := spec.jobs[name], FileBackupSpec)}
    copies = [other.to for other in (*spec.copies_of(job.restore), *above.values())]
    ways = {device: _way_back(job, saved, spec, device) for device in (saved.to, *copies)}
    return Restore(job.restore, job.copied_by, ways, (*above,), replaying(job, job.to or saved.data, spec))


def _workers(job: FileBackupSpec, spec: Spec) -> int:
    """How many workers walk the files of a stream at once: as many as the job says, or its program, or one.

    Each takes whole files, so that there are no more of them than files.
    """
    own = job.tool.workers if job.tool is not None else None
    return min(round(si_or(job.workers, si_or(own, 1.0))), _of_stream(_files(job, spec), job.streams))


def _server(spec: Spec, library: str, host: str) -> str | None:
    """The host that a library belongs to, if that is another."""
    owner = spec.owner_of(library)
    return owner if owner != host else None


def _file_by_file(saved: FileBackupSpec, written: Storing, spec: Spec, device: str) -> bool:
    """Whether each file of a backup is an object of its own, as written by it or by what copied it."""
    objects = isinstance(spec.devices[device], ObjectTarget)
    return objects and saved.method == "file_level" and written.object_size is None and saved.deduplication is None


def _files(saved: FileBackupSpec, spec: Spec) -> int:
    """How many files there are, each of which one worker takes."""
    return int(si_or(spec.data[saved.data].files, 1.0))


def _of_stream(files: int, streams: Pieces | None) -> int:
    """How many of some files a stream has."""
    return math.ceil(files / si_or(streams, 1.0))


def _object_size(job: Storing) -> float | None:
    """Bytes of each object of a save set, if the job says how many."""
    return job.object_size.si if job.object_size is not None else None


def _way_back(job: RestoreSpec, saved: FileBackupSpec, spec: Spec, device: str) -> Way:
    """How a copy is restored from the drives of a library, from a disk of any host, or from objects."""
    kept, host = not job.discards(spec), job.host_of(spec, saved.data)
    to, selection, tool = (job.to or saved.data) if kept else saved.data, selection_of(job), tool_of(saved.tool)
    share, runs = share_of(job.share, spec, host, makes=True), job.share.host if job.share else host
    way = spec.way_from(runs, device) or ()
    written = next((other for other in spec.copies_of(job.restore) if other.to == device), saved)
    files = selection.files if selection is not None else _files(saved, spec)
    workers = min(int(si_or(job.workers, 1.0)), _of_stream(files, job.streams))  # each makes whole files
    own = workers if _file_by_file(saved, written, spec, device) else 1
    connections = int(si_or(job.connections, si_or(written.connections, float(own))))
    if isinstance(spec.devices[device], MediaLibrary):
        return TapeRestore(
            host,
            to,
            way,
            selection,
            tool,
            int(si_or(job.streams, 1.0)),
            workers,
            connections,
            _server(spec, device, runs),
            share,
            kept,
        )
    if isinstance(spec.devices[device], ObjectTarget):
        size = _object_size(written)
        return ObjectRestore(host, to, way, selection, tool, workers, connections, size, share, kept)
    streams = int(si_or(job.streams, 1.0))
    server = spec.owner_of(device) or ""
    return DiskRestore(host, to, server, way, selection, tool, workers, connections, streams, share, kept)
