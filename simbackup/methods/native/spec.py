"""What a file may say about backups by a database's own server, and of its backup engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from simbackup import units
from simbackup.errors import choices
from simbackup.methods.database.spec import check_replay
from simbackup.schema.capability import MediaLibrary, ObjectTarget, Sink
from simbackup.schema.job import BackupJob, Lasting, Names, SharedOut
from simbackup.schema.origin import Unknown
from simbackup.schema.part import OF_DATA, ONTO_DEVICE, Fact, Facts, Figures, Modelled, Path, amount, number
from simbackup.schema.quantity import Duration, Frozen, Pieces, PositiveSize, TimePerByte
from simbackup.schema.registry import MethodKind

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks
    from simbackup.schema.job import Restoring


class BackupEngineSheet(Frozen):
    """The backup engine of a database server: a closed loop of buffers between readers and writers."""

    transfer_size: PositiveSize
    """Bytes of a buffer, which one read fills and one write empties; a job can override it."""
    io_depth: Pieces
    """Requests in flight for each backup file, from which the default number of buffers is calculated."""
    request_latency: Duration
    """Time that a request takes in the engine and the operating system, in addition to the time of its device and of
    the way there.
    """
    compress_cpu: TimePerByte
    """Time of the reference core for each byte of the database that is compressed."""
    expand_cpu: TimePerByte
    """Time of the reference core for each byte of the database that is expanded in a restore."""
    buffer_sets: Pieces
    """Number of buffer sets that a compressed backup uses: if there are several, read and written data have sets of
    their own.
    """
    memory_limit: PositiveSize
    """Memory for all buffers; a backup that needs more fails."""
    compress_threads: Pieces | None = None
    """Number of threads that compress or expand, each on a core, for any number of files; by default, as many as there
    are cores.
    """
    fills_files: bool = False
    """Whether a restore first writes zeros to all files of the database, as it does for new files without instant file
    initialisation.
    """


class BackupEngineSpec(Modelled, BackupEngineSheet):
    """The backup engine that runs a job."""


STEP = 64 * 1024
MOST = 4 * 1024 * 1024
MOST_OF_OBJECTS = 20 * 1024 * 1024
"""Bytes of which a transfer size is a multiple, and that it is at most, where all files are objects or not."""


class NativeBackupSpec(BackupJob, Lasting, SharedOut):
    """Full backup of a database by its own server, like SQL Server's BACKUP: a loop of buffers."""

    method: Literal["database_native"]
    data: Annotated[Names, OF_DATA]
    """The data sets of the database, one for each volume that is read."""
    to: Annotated[Names, ONTO_DEVICE]
    """The volumes, devices, object stores or `nul` that take the backup files, one for each file. Each buffer that goes
    to an object store is a request on a connection of its own.
    """
    engine: BackupEngineSpec
    """The backup engine: a datasheet `backup_engine/name`, or a mapping."""
    buffers: Pieces | None = None
    """Number of buffers (BUFFERCOUNT); by default, `io_depth` plus one for each file, and two for each volume."""
    transfer_size: PositiveSize | None = None
    """Bytes of a buffer (MAXTRANSFERSIZE); that of the engine by default."""
    compress: bool = False
    """Whether the backup is compressed, with the ratio that the `compression` of its data states."""
    pieces: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **SharedOut.pieces,
        "buffers": ("buffers", "engine.io_depth", "engine.memory_limit"),
    }
    """Buffers that wait for the answers to requests: more of them take memory, and each a request in flight."""

    def stream_on(self) -> str | None:
        """The device of its first file."""
        return self.to[0] if not isinstance(self.to, Unknown) and self.to else None

    def goes_on_at(self) -> tuple[str, ...]:
        """The devices of its other files."""
        return () if isinstance(self.to, Unknown) else tuple(dict.fromkeys(to for to in self.to if to != self.to[0]))

    def own_facts(self) -> Facts:
        """Its buffers, and whether it compresses."""
        yield from number(self.buffers, "buffer")
        yield from amount(self.transfer_size, "transfers")
        if self.compress:
            yield Fact("compressed")

    def figures(self) -> Figures:
        """Also the buffers that it took."""
        return {"": (*super().figures()[""], "buffers")}

    def check(self, checks: Checks, path: Path) -> None:
        """Report data of several hosts, unreachable files, illegal buffer sizes, and compression below 1."""
        with checks.about(*path):
            self.check_existing(checks, path)
        with checks.about(*path):
            self._check_places(checks, path)
        with checks.about(*path):
            self._check_sizes(checks, path)

    def _check_places(self, checks: Checks, path: Path) -> None:
        """Report data of several hosts, and files that cannot be reached."""
        spec = checks.spec
        if not self.data or not self.to:
            checks.report((*path, "to" if self.data else "data"), "is empty", "name at least one")
        for name in dict.fromkeys(name for name in self.data if self.data.count(name) > 1):
            checks.report((*path, "data"), f"names '{name}' more than once", "leave it out")
        known = [name for name in self.data if checks.data_set(path, name, owned=False)]
        for name in known:
            checks.owned(path, spec.data[name].on)
            with checks.about(*path):
                self._check_compression(checks, path, name)
        hosts = list({owner: None for name in known if (owner := spec.owner_of(spec.data[name].on)) is not None})
        if len(hosts) > 1:
            checks.report((*path, "data"), "the data sets belong to several hosts", "name data sets of one host")
        self._check_files(checks, path, hosts[0] if len(hosts) == 1 else None)

    def _check_compression(self, checks: Checks, path: Path, data: str) -> None:
        """Report compression that makes data larger."""
        ratio = checks.spec.data[data].compression
        if self.compress and ratio.si < 1.0:
            message = f"'{data}' would grow: its compression is below 1"
            checks.report((*path, "compress"), message, f"correct data.{data}.compression")

    def _check_sizes(self, checks: Checks, path: Path) -> None:
        """Report buffers of an illegal size."""
        objects = bool(self.to) and all(isinstance(checks.spec.devices.get(to), ObjectTarget) for to in self.to)
        most = MOST_OF_OBJECTS if objects else MOST
        for size, key in ((self.transfer_size, "transfer_size"), (self.engine.transfer_size, "engine.transfer_size")):
            if size is not None and (size.si % STEP or size.si > most):
                message = f"{units.show_short(size.si, 'B')} is not a multiple of 64 KiB up to {most // 2**20} MiB"
                checks.report((*path, *key.split(".")), message, "write for example 1 MiB")

    def _check_files(self, checks: Checks, path: Path, host: str | None) -> None:
        """Report a backup file on something other than a reachable disk, an object store or nul."""
        spec = checks.spec
        legal = {**spec.block_devices(), **spec.devices_with(Sink), **spec.devices_with(ObjectTarget)}
        for name in self.to:
            if checks.pending((*path, "to"), "devices", name):
                continue
            if name not in legal:
                there = name in checks.named("devices")
                message = f"'{name}' cannot take backup files" if there else f"there is no device '{name}'"
                remedy = "write 'nul: {kind: nul}' under devices" if name.lower() == "nul" else choices(name, legal)
                checks.report((*path, "to"), message, remedy)
            elif host is not None and not isinstance(spec.devices[name], Sink) and spec.way_to(host, name) is None:
                remedy = f"let a link join '{host}' and the host of '{name}'"
                checks.report((*path, "to"), f"there is no connection from '{host}' to '{name}'", remedy)

    def check_restore(self, checks: Checks, path: Path, job: Restoring) -> None:
        """Report restores of parts, or to other data."""
        for key in ("select", "to", "streams"):
            if job.states(key):
                message = "has no effect on a database_native restore"
                checks.report((*path, key), message, "leave it out")
        if job.copied_by not in {None, job.restore}:
            self._check_copy(checks, path, job)
        if job.replay and self.data:
            check_replay(checks, path, job, self.data[0])

    def _check_copy(self, checks: Checks, path: Path, job: Restoring) -> None:
        """Report several files on one tape, and a copy that the host does not reach."""
        source = checks.spec.read_by(job)
        if source not in checks.spec.devices:
            return
        tape = isinstance(checks.spec.devices[source], MediaLibrary)
        if tape and len(self.to) > 1:
            copy = f"{{method: copy_save_set, save_set: {job.restore}, copied_by: {job.copied_by}, to: ...}}"
            message = f"the engine reads all {len(self.to)} files at once, and on tape they lie one behind the other"
            checks.report((*path, "copied_by"), message, f"copy them to a disk first, with {copy}, and name that job")
        elif self.data and self.data[0] in checks.spec.data:
            checks.connected((*path, "copied_by"), checks.spec.data[self.data[0]].on, source)


MAKE = "simbackup.methods.native.live"
KINDS = (MethodKind(("database_native",), NativeBackupSpec, f"{MAKE}:make", f"{MAKE}:restore"),)
SHEETS = {"backup_engine": BackupEngineSheet}
