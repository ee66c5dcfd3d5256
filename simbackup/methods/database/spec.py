"""What a file may say about backups of a database to a volume."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from simbackup import units
from simbackup.errors import choices
from simbackup.methods.reduction.spec import CompressionSpec
from simbackup.methods.tool.spec import BackupToolSpec
from simbackup.schema.capability import ImageDevice, MediaLibrary, ObjectTarget, VolumeDevice
from simbackup.schema.job import Lasting, SharedOut, Streamed
from simbackup.schema.part import OF_DATA, ONTO_DEVICE, Chosen, Facts, Path, Refers, amount, of_class
from simbackup.schema.quantity import Pieces, PositiveShare, Rate, Text, usual
from simbackup.schema.registry import MethodKind

if TYPE_CHECKING:
    from simbackup.data.spec import DataSpec
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec
    from simbackup.schema.job import Restoring


def logs_of_data(spec: Spec, data: str) -> Chosen:
    """The jobs that save the log of a database."""
    return Chosen(spec.jobs, lambda job: getattr(job, "method", "") == "binary_log" and job.data == data)


def check_replay(checks: Checks, path: Path, job: Restoring, data: str) -> None:
    """Report replays of what is no log of a database."""
    logs = logs_of_data(checks.spec, data)
    for name in job.replay:
        if name not in logs and not checks.pending((*path, "replay"), "jobs", name):
            message = f"'{name}' is not an incremental backup of '{data}'"
            checks.report((*path, "replay"), message, choices(name, logs))


def check_logs(checks: Checks, path: Path, job: Restoring, data: str) -> None:
    """Report logs that cannot be replayed where a save set of their database comes back, or do not reach it."""
    logs, spec = logs_of_data(checks.spec, data), checks.spec
    devices = dict.fromkeys(str(getattr(spec.jobs[name], "to", "")) for name in job.replay if name in logs)
    target = spec.data.get(job.to or data)
    if not devices or (target is None and not job.discards(spec)):
        return
    if target is None or target.database is None:
        message = f"'{job.to}' is not a database, into which logs could be replayed"
        checks.report((*path, "replay"), message, "leave out the logs, or restore to a data set with 'database:'")
        return
    for device in devices if job.to is not None else ():
        if device in spec.devices:
            checks.connected((*path, "to"), target.on, device)


class DatabaseBackupSpec(Streamed, Lasting, SharedOut):
    """Full backup of a database to a volume or an object store."""

    method: Literal["logical_dump", "hot_copy", "snapshot_copy"]
    """`logical_dump` writes text under a read lock, `hot_copy` copies files under a read lock, and `snapshot_copy`
    copies a snapshot.
    """
    data: Annotated[Text, OF_DATA]
    """The data set of the database: a name of `data:` with `database:`."""
    to: Annotated[Text, ONTO_DEVICE]
    """The volume or device that takes the backup, after the data that it already holds, or the object store."""
    snapshot: Annotated[Text, Refers("changes", "devices")] | None = None
    """The snapshot that a `snapshot_copy` creates and removes."""
    workers: Pieces = usual("1")
    """Number of workers that dump tables or copy files at once, each on a core, as with mysqldump."""
    connections: Pieces | None = None
    """Number of connections to an object store, which all workers share; by default, one for each worker."""
    log_rate: Rate = usual("0 B/s", "B/s")
    """Bytes of log that users write per second during a `hot_copy`, and its program copies, too."""
    compressor: CompressionSpec | None = None
    """How it is compressed on its way: a datasheet `compressor/name`, or a mapping; not compressed by default."""
    tool: BackupToolSpec | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none by default."""

    def creates(self) -> str | None:
        """The snapshot of a snapshot copy."""
        return self.snapshot

    def copies_log(self) -> bool:
        """Whether its program copies the log of the time."""
        return self.tool is not None and self.tool.copies_log

    def locks(self, spec: Spec) -> bool:
        """Whether it holds the read lock while it dumps, or copies files."""
        if self.method != "logical_dump":
            return not self.copies_log()
        engine = spec.data[self.data].database
        return engine is None or engine.locks_for_dump

    def check(self, checks: Checks, path: Path) -> None:
        """Report what is wrong with the database, its target, the room there, or its snapshot."""
        with checks.about(*path):
            self.check_existing(checks, path)
        _check_places(checks, path, self)

    def check_copy(self, checks: Checks, path: Path) -> None:
        """Report a hot copy of files that change, a target without room, and a wrong snapshot."""
        spec = checks.spec
        data, target = spec.data.get(self.data), spec.devices.get(self.to)
        engine = data.database if data is not None else None
        with checks.about(*path):
            if self.method == "hot_copy" and engine is not None and not (engine.hot_copy or self.copies_log()):
                message = f"the files of '{self.data}' change even under a read lock"
                remedy = "write snapshot_copy or logical_dump, or name a program that has 'copies_log: true'"
                checks.report((*path, "method"), message, remedy)
        with checks.about(*path):
            if data is not None and isinstance(target, VolumeDevice):
                self._check_room(checks, path, data, target.size.si)
        if self.method == "snapshot_copy":
            self._check_snapshot(checks, path, data)
        elif self.snapshot is not None:
            checks.report((*path, "snapshot"), f"has no effect on a {self.method}", "leave it out")

    def _check_room(self, checks: Checks, path: Path, data: DataSpec, room: float) -> None:
        """Report a volume without room for one backup."""
        size = data.size.si
        if self.method == "logical_dump" and data.database is not None:
            size = data.dump_size()
        if self.compressor is not None and self.compressor.at != "wire":
            size /= data.compression.si
        there = sum(checks.spec.data[name].size.si for name in checks.spec.data_on(self.to))
        if there + size > room:
            message = f"'{self.to}' has no room for a backup of {units.show_short(size, 'B')}"
            checks.report((*path, "to"), message, f"{units.show_short(max(room - there, 0.0), 'B')} are free")

    def _check_snapshot(self, checks: Checks, path: Path, data: DataSpec | None) -> None:
        """Report a snapshot copy without a snapshot of the database's volume."""
        snapshots = checks.spec.devices_with(ImageDevice)
        frozen = checks.spec.devices.get(self.snapshot or "")
        if self.snapshot is None:
            message, remedy = "a snapshot copy needs the snapshot that it creates", choices("", snapshots)
            checks.report(path, message, f"write 'snapshot:', {remedy}")
        elif checks.pending((*path, "snapshot"), "devices", self.snapshot):
            return
        elif not isinstance(frozen, ImageDevice):
            message = f"there is no snapshot '{self.snapshot}'"
            checks.report((*path, "snapshot"), message, choices(self.snapshot, snapshots))
        elif data is not None and frozen.of != data.on:
            message = f"'{self.snapshot}' is an image of '{frozen.of}', but '{self.data}' is on '{data.on}'"
            checks.report((*path, "snapshot"), message, f"take a snapshot of '{data.on}'")

    def check_restore(self, checks: Checks, path: Path, job: Restoring) -> None:
        """Report restores of parts, and replays of other databases' logs."""
        _check_restore(checks, path, job, self)


class BinaryLogSpec(Streamed, Lasting):
    """Incremental backup of a database: the binary log of its changes."""

    method: Literal["binary_log"]
    data: Annotated[Text, OF_DATA]
    """The data set of the database: a name of `data:` with `database:`."""
    to: Annotated[Text, ONTO_DEVICE]
    """The volume, device or object store that takes the backup."""
    changed: PositiveShare
    """Bytes of log since the previous backup, as a share of the database."""
    compressor: CompressionSpec | None = None
    """How it is compressed on its way: a datasheet `compressor/name`, or a mapping; not compressed by default."""
    tool: BackupToolSpec | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none by default."""

    def own_facts(self) -> Facts:
        """How much was changed."""
        yield from amount(self.changed, "changed")

    def check(self, checks: Checks, path: Path) -> None:
        """Report what is wrong with the database or its target."""
        with checks.about(*path):
            self.check_existing(checks, path)
        _check_places(checks, path, self)

    def check_restore(self, checks: Checks, path: Path, job: Restoring) -> None:
        """Report the restore of a log without its full backup."""
        full = of_class(checks.spec.jobs, DatabaseBackupSpec)
        message = f"'{job.restore}' holds only changes"
        remedy = f"restore a full backup with 'replay: {job.restore}'; {choices('', full)}"
        checks.report((*path, "restore"), message, remedy)
        _check_restore(checks, path, job, self)


def _check_places(checks: Checks, path: Path, job: DatabaseBackupSpec | BinaryLogSpec) -> None:
    """Report data that are not a database, and a target that cannot take it."""
    known = checks.data_set(path, job.data, owned=False)
    data = checks.spec.data.get(job.data)
    if data is not None and data.database is None:
        message = f"'{job.data}' is not a database"
        checks.report((*path, "data"), message, f"write 'database: database/...' under data.{job.data}")
    with checks.about(*path):
        _check_target(checks, path, job)
    with checks.about(*path):
        if known and job.to in checks.spec.devices:
            checks.connected((*path, "to"), checks.spec.data[job.data].on, job.to)
            checks.owned(path, job.to, "to")
    with checks.about(*path):
        if job.compressor is not None:
            remote = not isinstance(checks.spec.devices.get(job.to), ObjectTarget)
            job.compressor.check(checks, (*path, "compressor"), job.data, remote=remote)
    if known:
        checks.owned(path, checks.spec.data[job.data].on)


def _check_target(checks: Checks, path: Path, job: DatabaseBackupSpec | BinaryLogSpec) -> None:
    """Report a target that is neither a block device nor an object store."""
    legal = {**checks.block_devices(), **checks.spec.devices_with(ObjectTarget)}
    if job.to not in legal and not checks.pending((*path, "to"), "devices", job.to):
        there = job.to in checks.spec.devices
        message = (
            f"'{job.to}' is not a disk, array, volume or object store" if there else f"there is no device '{job.to}'"
        )
        checks.report((*path, "to"), message, choices(job.to, legal))
    if isinstance(job, DatabaseBackupSpec):
        job.check_copy(checks, path)


def _check_restore(checks: Checks, path: Path, job: Restoring, saved: DatabaseBackupSpec | BinaryLogSpec) -> None:
    """Report restores of parts, to other data, without room, or with replays of other databases' logs."""
    spec = checks.spec
    if job.select is not None:
        checks.report((*path, "select"), "a database can only be restored as a whole", "leave it out")
    target, data = spec.data.get(job.to or ""), spec.data.get(saved.data)
    if target is not None and target.database is None:
        checks.report((*path, "to"), f"'{job.to}' is not a database", "restore to a data set with 'database:'")
    check_replay(checks, path, job, saved.data)
    source = spec.read_by(job)
    _check_streams(checks, path, job, saved, source)
    here = "to" if job.to is not None else "copied_by" if job.copied_by is not None else None
    to = job.to or saved.data
    if here is not None and to in spec.data:
        logs = {name: str(getattr(spec.jobs.get(name), "to", "")) for name in job.replay if job.to is not None}
        for device in dict.fromkeys((source, *logs.values())):
            if device in spec.devices:
                checks.connected((*path, here), spec.data[to].on, device)
    if target is not None and data is not None:
        checks.owned(path, target.on, "to")
        checks.room(path, data.size, str(job.to))


def _check_streams(
    checks: Checks, path: Path, job: Restoring, saved: DatabaseBackupSpec | BinaryLogSpec, source: str
) -> None:
    """Report streams of what is not on tape, of a dump, or more than the drives; and workers that share a drive."""
    library = checks.spec.devices.get(source)
    if not isinstance(library, MediaLibrary):
        if job.states("streams") and library is not None:
            message = "has no effect on a database that comes back from a disk or from objects"
            checks.report((*path, "streams"), message, "write 'workers'")
        return
    if job.states("workers"):
        message = "each drive that reads a database from tape serves one worker"
        remedy = "leave it out" if saved.method == "logical_dump" else "write 'streams', the number of drives"
        checks.report((*path, "workers"), message, remedy)
    if job.streams.si > 1.0 and saved.method == "logical_dump":
        checks.report((*path, "streams"), "a dump is loaded from tape in one stream", "leave it out")
    else:
        library.check_restore(checks, path, job)


MAKE = "simbackup.methods.database.live"
KINDS = (
    MethodKind(
        ("logical_dump", "hot_copy", "snapshot_copy"), DatabaseBackupSpec, f"{MAKE}:make_backup", f"{MAKE}:restore"
    ),
    MethodKind(("binary_log",), BinaryLogSpec, f"{MAKE}:make_log", f"{MAKE}:restore"),
)
