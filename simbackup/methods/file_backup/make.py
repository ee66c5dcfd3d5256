"""The work of image and file-level backups, and of their restores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from simbackup.catalogue import Reduction
from simbackup.late import changed, late
from simbackup.methods.copies import shared
from simbackup.methods.database.live import replaying
from simbackup.methods.file_backup.backup import Backup, Twin
from simbackup.methods.file_backup.between import changed_by
from simbackup.methods.file_backup.reader import Reader
from simbackup.methods.file_backup.restore import DiskRestore, ObjectRestore, Restore, Way
from simbackup.methods.file_backup.reverse import ReverseBackup
from simbackup.methods.file_backup.spec import FileBackupSpec
from simbackup.methods.file_backup.spool import SpooledBackup
from simbackup.methods.file_backup.tape_restore import TapeRestore
from simbackup.methods.job import Work
from simbackup.methods.reduction.make import reduction_of
from simbackup.methods.restore.spec import RestoreSpec
from simbackup.methods.selection import selection_of
from simbackup.methods.share.live import Share, share_of
from simbackup.methods.tool.live import tool_of
from simbackup.schema.capability import MediaLibrary, ObjectTarget
from simbackup.schema.job import FilesSaving, Storing
from simbackup.schema.quantity import Pieces, si_or

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec
    from simbackup.schema.job import Copying


def make(job: FileBackupSpec, spec: Spec) -> Work:
    """The backup, to the drives of a library or to a disk of any host, with the copies that it writes meanwhile."""
    keeper = spec.reader_of(job.data, job.source)
    host, share = job.share.host if job.share else keeper, share_of(job.share, spec, keeper)
    if isinstance(spec.devices[job.to], MediaLibrary) and job.spool is not None:
        spool, server = job.spool, spec.owner_of(job.spool.on) or ""
        reader = _reader(job, spec, (host, share), spool.on, server)
        way = spec.way_to(server, job.to) or ()
        return SpooledBackup(reader, spool.size.si, spool.overlapped, job.to, way, job.pool)
    reader, copies = _reader(job, spec, (host, share), job.to, spec.owner_of(job.to) or ""), spec.inline_copies_of(job)
    if job.level == "reverse":
        return ReverseBackup(reader)
    size = _object_size(job) if isinstance(spec.devices[job.to], ObjectTarget) else None
    backup = Backup(reader, job.pool, int(job.multiplexing.si), size)
    return _inline(backup, copies, spec) if copies else backup


def _inline(backup: Backup, copies: Mapping[str, Copying], spec: Spec) -> Backup:
    """The backup, with the other targets that it writes at the same time.

    The host that reads sends each target its bytes. Targets of one other host get them once, and it passes them on. A
    drive takes them from the buffer into which they were read; for other targets they are copied once more.
    """
    reader = backup.reader
    first, stored = spec.owner_of(reader.to) or "", shared(reader.reduction).stored
    servers = [spec.owner_of(copy.to) or "" for copy in copies.values()]
    crossed: dict[str, set[str]] = {first: set(reader.networks)}
    twins: list[Twin] = []
    for (name, copy), server in zip(copies.items(), servers, strict=True):
        way = spec.way_to(reader.host, copy.to) or ()
        passed_on = server in crossed and server not in {"", reader.host}
        there = crossed.setdefault(server, set())
        networks = tuple(link for link in way if not (passed_on and link in there))
        there.update(way)
        each = copy.object_size.si if copy.object_size else None
        tool = changed(reader.tool, further_served=(servers.count(server) - 1) / stored)
        connections = int(si_or(copy.connections, 1.0))
        twins.append(Twin(name, copy.to, server, networks, tool, copy.pool, connections, each, passed_on=passed_on))
    sent = [not (twin.passed_on or isinstance(spec.devices[twin.to], MediaLibrary)) for twin in twins]
    passed = [twin.passed_on and twin.server == first for twin in twins]
    tool = changed(reader.tool, further=sum(sent) / stored, further_served=sum(passed) / stored)
    return replace(backup, reader=changed(reader, tool=tool), twins=tuple(twins))


def _reader(job: FileBackupSpec, spec: Spec, reader: tuple[str, Share | None], to: str, server: str) -> Reader:
    """What is read, and how it comes to a server."""

    def connections() -> int:
        own = _workers(job, spec) if _file_by_file(job, job, spec, to) else 1
        return int(si_or(job.connections, float(own)))

    host, share = reader
    return late(
        Reader, host=host, data=job.data, to=to, server=server, networks=spec.way_to(host, to) or (),
        method=job.method, tool=tool_of(job.tool), source=job.source, workers=lambda: _workers(job, spec), share=share,
        connections=connections, since=job.base_age, level=job.level, reduction=_reduction(job, spec),
        streams=lambda: int(job.streams.si),
    )  # fmt: skip


def _reduction(job: FileBackupSpec, spec: Spec) -> Reduction:
    """How it deduplicates and compresses its data."""
    data = spec.data[job.data]
    changes = cache(lambda: changed_by(job, data))
    how = reduction_of(job.compressor, job.deduplication, data, changes, whole=job.level == "full")

    def parts() -> int:  # an image has no files that workers could share out
        return int(job.streams.si) * (_workers(job, spec) if job.method == "file_level" else 1)

    return tool_of(job.tool).coding(how, parts)


def restore(job: RestoreSpec, saved: FilesSaving, spec: Spec) -> Work:
    """The restore, from the backup or a copy of it."""
    above = {name: other for name in job.replay if isinstance(other := spec.jobs[name], FilesSaving)}
    copies = [other.to for other in (*spec.copies_of(job.restore), *above.values())]
    ways = {device: _way_back(job, saved, spec, device) for device in (saved.to, *copies)}
    return Restore(job.restore, job.copied_by, ways, (*above,), replaying(job, job.to or saved.data, spec))


def _workers(job: FileBackupSpec, spec: Spec) -> int:
    """How many workers walk the files of a stream at once: as many as the job says, or its program, or one.

    Each takes whole files, so that there are no more of them than files.
    """
    own = job.tool.workers if job.tool is not None else None
    return min(round(si_or(job.workers, si_or(own, 1.0))), _of_stream(_files(job, spec), job.streams))


def _file_by_file(saved: FilesSaving, written: Storing, spec: Spec, device: str) -> bool:
    """Whether each file of a backup is an object of its own, as written by it or by what copied it."""
    objects = isinstance(spec.devices[device], ObjectTarget)
    return objects and saved.by_file() and written.object_size is None


def _files(saved: FilesSaving, spec: Spec) -> int:
    """How many files there are, each of which one worker takes."""
    return int(spec.data[saved.data].number)


def _of_stream(files: int, streams: Pieces) -> int:
    """How many of some files a stream has."""
    return math.ceil(files / streams.si)


def _object_size(job: Storing) -> float | None:
    """Bytes of each object of a save set, if the job says how many."""
    return job.object_size.si if job.object_size is not None else None


def _way_back(job: RestoreSpec, saved: FilesSaving, spec: Spec, device: str) -> Way:
    """How a copy is restored from the drives of a library, from a disk of any host, or from objects."""
    kept, host = not job.discards(spec), job.host_of(spec, saved.data)
    to = (job.to or saved.data) if kept else saved.data
    share, runs = share_of(job.share, spec, host, makes=True), job.share.host if job.share else host
    written = next((other for other in spec.copies_of(job.restore) if other.to == device), saved)

    def workers() -> int:  # each makes whole files
        files = int(job.select.files.si) if job.select is not None else _files(saved, spec)
        return min(int(job.workers.si), _of_stream(files, job.streams))

    def connections() -> int:
        own = workers() if _file_by_file(saved, written, spec, device) else 1
        return int(si_or(job.connections, si_or(written.connections, float(own))))

    common: dict[str, Any] = {
        "host": host, "to": to, "networks": spec.way_from(runs, device) or (), "selection": lambda: selection_of(job),
        "tool": tool_of(saved.tool), "workers": workers, "connections": connections, "share": share, "kept": kept,
        "server": spec.owner_of(device) or "",
    }  # fmt: skip
    if isinstance(spec.devices[device], ObjectTarget):
        return late(ObjectRestore, **common, object_size=lambda: _object_size(written))
    made = TapeRestore if isinstance(spec.devices[device], MediaLibrary) else DiskRestore
    return late(made, **common, streams=lambda: int(job.streams.si))
