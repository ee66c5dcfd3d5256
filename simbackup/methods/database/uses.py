"""The keys that backups of databases use, and their restores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simbackup.schema.capability import ObjectTarget

if TYPE_CHECKING:
    from simbackup.methods.database.spec import BinaryLogSpec, DatabaseBackupSpec
    from simbackup.scenario.spec import Spec


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
