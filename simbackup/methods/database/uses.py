"""The keys that backups of databases use, and their restores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simbackup.schema.capability import MediaLibrary, ObjectTarget

if TYPE_CHECKING:
    from simbackup.methods.database.spec import BinaryLogSpec, DatabaseBackupSpec
    from simbackup.scenario.spec import Spec
    from simbackup.schema.job import Restoring


def backup_uses(spec: Spec, name: str, job: DatabaseBackupSpec | BinaryLogSpec) -> Iterator[str]:
    """The keys of the engine, of reading, of the program, of a server elsewhere, and of compression."""
    yield f"data.{job.data}.database.flush_time"
    yield f"hosts.{spec.host_of(job.data)}.read_ahead"
    yield from (f"jobs.{name}.tool.{key}" for key in ("start_time", "check_cpu"))
    if isinstance(spec.devices[job.to], ObjectTarget):
        yield from (f"jobs.{name}.tool.{key}" for key in ("part", "part_buffers"))
    elif spec.owner_of(job.to) != spec.host_of(job.data):
        yield from (f"jobs.{name}.tool.server_cpu", f"jobs.{name}.tool.window")
    if job.compressor is not None:
        yield from (f"data.{job.data}.compression", f"jobs.{name}.tool.shares_threads")
    yield from coded(name, job)


def reading_uses(spec: Spec, names: tuple[str, str], job: Restoring, saved: DatabaseBackupSpec) -> Iterator[str]:
    """The keys of reading the copy that a restore reads; the names are those of backup and restore."""
    (name, restore), source = names, spec.read_by(job)
    if isinstance(spec.devices[source], ObjectTarget):
        yield f"jobs.{restore}.connections"
    elif not isinstance(spec.devices[source], MediaLibrary):
        yield f"hosts.{spec.owner_of(source)}.read_ahead"
    elif spec.way_from(spec.host_of(job.to or saved.data), source):
        yield from (f"jobs.{restore}.connections", f"jobs.{name}.tool.window", f"jobs.{name}.tool.server_cpu")


def coded(name: str, job: DatabaseBackupSpec | BinaryLogSpec, *, restore: bool = False) -> Iterator[str]:
    """The keys of compressing or expanding."""
    if job.compressor is not None:
        yield from job.compressor.used(f"jobs.{name}.compressor", restore=restore)


def building(spec: Spec, data: str, *, several: bool) -> Iterator[str]:
    """The keys of a load by several workers, and of building indexes after it."""
    there = spec.data[data]
    if several:
        yield f"data.{data}.database.in_turn"
    if there.indexes is not None:
        yield f"data.{data}.database.index_cpu"
    if there.database is not None and there.database.index_cpu is not None:
        yield from (f"data.{data}.indexes", f"data.{data}.database.index_reads")
