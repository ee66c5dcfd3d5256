"""What has to agree between a database, its backups and its restores."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol

from simbackup import units
from simbackup.errors import choices
from simbackup.schema.devices import BLOCK_KINDS, Volume
from simbackup.schema.frozen_images import FrozenImage
from simbackup.schema.jobs import BinaryLog, Data, DatabaseBackup, Restore
from simbackup.schema.scenario import Spec

Path = tuple[str | int, ...]


class Reporter(Protocol):
    """What collects the problems of a scenario."""

    spec: Spec

    def report(self, path: Path, message: str, remedy: str) -> None:
        """Note a problem at a path."""
        ...

    def named(self, section: str) -> Iterable[str]:
        """The names of a section, also those of parts that are wrong in themselves."""
        ...

    def pending(self, path: Path, section: str, name: str) -> bool:
        """Whether a name is, or may be, that of a part that cannot be told before something else is right."""
        ...

    def about(self, *path: str | int) -> AbstractContextManager[None]:
        """Check the part on a path as far as what is asked for is known."""
        ...


def _copied_hot(checks: Reporter, path: Path, job: DatabaseBackup, data: Data | None) -> None:
    """A hot copy takes files that stand still under the read lock."""
    engine = data.database if data is not None else None
    if job.method == "hot_copy" and engine is not None and not engine.hot_copy:
        message = f"the files of '{job.data}' change even under a read lock"
        checks.report((*path, "method"), message, "choose snapshot_copy or logical_dump")


def database_backup(checks: Reporter, path: Path, job: DatabaseBackup | BinaryLog) -> None:
    """A backup of a database: there is one, its target is a volume, and its snapshot freezes it."""
    spec = checks.spec
    data, target = spec.data.get(job.data), spec.devices.get(job.to)
    if data is not None and data.database is None:
        message = f"'{job.data}' is no database"
        checks.report((*path, "data"), message, f"write 'database: database/...' under data.{job.data}")
    if not isinstance(target, BLOCK_KINDS) and not checks.pending((*path, "to"), "devices", job.to):
        legal = [n for n, d in spec.devices.items() if isinstance(d, BLOCK_KINDS)]
        what = "is no disk, array or volume" if job.to in spec.devices else "is not among the devices"
        checks.report((*path, "to"), f"'{job.to}' {what}", choices(job.to, legal))
    if isinstance(job, BinaryLog):
        return
    with checks.about(*path):
        _copied_hot(checks, path, job, data)
    with checks.about(*path):
        if data is not None and isinstance(target, Volume):
            _room(checks, path, job, data, target.size.si)
    _copied_snapshot(checks, path, job, data)


def _copied_snapshot(checks: Reporter, path: Path, job: DatabaseBackup, data: Data | None) -> None:
    """A snapshot copy, and no other, has a snapshot, which freezes the data."""
    spec = checks.spec
    snapshots = [n for n, d in spec.devices.items() if isinstance(d, FrozenImage)]
    if job.method != "snapshot_copy":
        if job.snapshot is not None:
            checks.report((*path, "snapshot"), f"says nothing of a {job.method}", "leave it out")
        return
    frozen = spec.devices.get(job.snapshot or "")
    if job.snapshot is None:
        checks.report(
            path, "a snapshot copy needs the snapshot that it creates", f"write 'snapshot:', {choices('', snapshots)}"
        )
    elif checks.pending((*path, "snapshot"), "devices", job.snapshot):
        return
    elif not isinstance(frozen, FrozenImage):
        checks.report((*path, "snapshot"), f"there is no snapshot '{job.snapshot}'", choices(job.snapshot, snapshots))
    elif data is not None and frozen.of != data.on:
        message = f"'{job.snapshot}' freezes '{frozen.of}', and '{job.data}' lies on '{data.on}'"
        checks.report((*path, "snapshot"), message, f"take a snapshot of '{data.on}'")


def _room(checks: Reporter, path: Path, job: DatabaseBackup, data: Data, room: float) -> None:
    """The volume holds what lies on it and one backup."""
    size = data.size.si
    if job.method == "logical_dump" and data.database is not None:
        size = (data.content or data.size).si * data.database.dump_ratio.si
    there = sum(other.size.si for other in checks.spec.data.values() if other.on == job.to)
    if there + size > room:
        message = f"'{job.to}' has no room for a backup of {units.show_short(size, 'B')}"
        checks.report((*path, "to"), message, f"{units.show_short(max(room - there, 0.0), 'B')} of it are free")


def database_restore(checks: Reporter, path: Path, job: Restore, saved: DatabaseBackup | BinaryLog) -> None:
    """A restore of a database: from a full backup, replaying incrementals of the same database."""
    spec = checks.spec
    full = [n for n, j in spec.jobs.items() if isinstance(j, DatabaseBackup)]
    if isinstance(saved, BinaryLog):
        message = f"'{job.restore}' holds only what was changed"
        checks.report(
            (*path, "restore"), message, f"restore a full backup and 'replay: {job.restore}'; {choices('', full)}"
        )
    if job.select is not None:
        checks.report((*path, "select"), "a database is restored whole", "leave it out")
    target = spec.data.get(job.to or "")
    if target is not None and target.database is None:
        checks.report((*path, "to"), f"'{job.to}' is no database", "restore to a data set with 'database:'")
    logs = [n for n, j in spec.jobs.items() if isinstance(j, BinaryLog) and j.data == saved.data]
    for name in job.replay:
        if name not in logs and not checks.pending((*path, "replay"), "jobs", name):
            checks.report(
                (*path, "replay"), f"'{name}' is no incremental backup of '{saved.data}'", choices(name, logs)
            )
