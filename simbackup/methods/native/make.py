"""The work of backups by a database's own server, and of their restores."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simbackup.equations.buffers import default_buffers
from simbackup.methods.database.make import replaying
from simbackup.methods.native.live import BufferLoop, Engine, File, NativeBackup, NativeRestore
from simbackup.methods.native.spec import NativeBackupSpec
from simbackup.methods.restore.spec import RestoreSpec
from simbackup.parameters import parameters_of
from simbackup.schema.capability import Sink

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec

Way = Callable[[str, str], tuple[str, ...] | None]
"""The links between a host and a device, in one direction."""


def make(job: NativeBackupSpec, spec: Spec) -> NativeBackup:
    """The backup."""
    host = spec.host_of(job.data[0])
    engine = parameters_of(Engine, job.engine)
    return NativeBackup(host, job.data, _files(job, spec, host, spec.way_to), engine, _loop(job))


def restore(job: RestoreSpec, saved: NativeBackupSpec, spec: Spec) -> NativeRestore:
    """The restore, with the buffers of the backup."""
    host = spec.host_of(saved.data[0])
    engine, loop = parameters_of(Engine, saved.engine), _loop(saved)
    files, replay = _files(saved, spec, host, spec.way_from), replaying(job, saved.data[0], spec)
    if job.copied_by not in {None, job.restore}:
        device = spec.read_by(job)
        files = (File(device, spec.way_from(host, device) or ()),) * len(files)
    return NativeRestore(host, job.restore, saved.data, files, engine, loop, replay, job.copied_by)


def _files(job: NativeBackupSpec, spec: Spec, host: str, way: Way) -> tuple[File, ...]:
    """The volumes of the backup files, and the way there or back."""
    sinks = {to for to in job.to if isinstance(spec.devices[to], Sink)}
    return tuple(File(None, ()) if to in sinks else File(to, way(host, to) or ()) for to in job.to)


def _loop(job: NativeBackupSpec) -> BufferLoop:
    def buffers(files: int) -> int:
        if job.buffers is not None:
            return int(job.buffers.si)
        return default_buffers(files, len(job.data), int(job.engine.io_depth.si))

    size = (job.transfer_size or job.engine.transfer_size).si
    return BufferLoop(buffers(len(job.to)), buffers(1), size, job.compress)
