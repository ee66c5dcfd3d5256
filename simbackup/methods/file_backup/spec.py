"""What a file may say about image and file-level backups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from simbackup.errors import choices
from simbackup.methods.file_backup.between import (
    SpoolSpec,
    changed_by,
    check_level,
    check_reader,
    check_reduction,
    check_restored,
    check_spool,
    why_not_inline,
)
from simbackup.methods.reduction.make import new_since
from simbackup.methods.reduction.spec import CompressionSpec, DeduplicationSpec
from simbackup.methods.share.spec import ShareSpec
from simbackup.methods.tool.spec import BackupToolSpec
from simbackup.schema.capability import BackupTarget, Sink
from simbackup.schema.job import FilesSaving, SharedOut
from simbackup.schema.part import OF_DATA, ONTO_DEVICE, Path, Refers
from simbackup.schema.quantity import Pieces, PositiveDuration, PositiveSize, Quantity, Text, Word, si_or, usual
from simbackup.schema.registry import MethodKind

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec
    from simbackup.schema.job import Restoring


class FileBackupSpec(FilesSaving, SharedOut):
    """Backup of a data set to a tape library, a disk or an object store."""

    method: Literal["image", "file_level"]
    """`image` reads the blocks in sequence, `file_level` walks the files."""
    data: Annotated[Text, OF_DATA]
    """The data set that is saved."""
    to: Annotated[Text, ONTO_DEVICE]
    """The tape library, object store, volume or device that takes the save set; or `nul`, which keeps nothing."""
    source: Annotated[Text, Refers("reads", "devices", "data")] | None = None
    """The frozen image that is read; the data themselves by default. The host that owns the image reads it, if one is
    stated under `owns`; otherwise the host of the data does.
    """
    level: Annotated[Literal["full", "differential", "cumulative", "incremental", "reverse"], Word()] = "full"
    """How much is saved: everything, or what has changed since the last full backup (`differential`), the last full or
    differential one (`cumulative`), or the last of any level (`incremental`). A `reverse` incremental goes into the
    newest full backup on its disk, whose replaced blocks or files are read and written aside; the first is full."""
    since: PositiveDuration | None = None
    """How long ago the backup that this one builds on was made; by default, `every` for incrementals."""
    streams: Pieces = usual("1")
    """Number of equal parts that are saved at the same time: to disk by as many threads, to tape on as many drives, or
    on fewer with `multiplexing`.
    """
    multiplexing: Pieces = usual("1")
    """Number of streams that a drive takes at once, interleaved block by block: those of this job and of other jobs of
    its pool that allow as many. A stream joins a drive that already has one before it takes another drive.
    """
    workers: Pieces | None = None
    """Number of workers that walk the files of each stream at the same time, one request each; by default, as many as
    the program has, or one.
    """
    connections: Pieces | None = None
    """Number of network connections over which each stream spreads its bytes; by default, one for each worker where
    each file becomes an object of an object store, or else one.
    """
    object_size: PositiveSize | None = None
    """Bytes of each object in an object store; by default, one object for each file of a file-level backup, or else a
    single object.
    """
    spool: SpoolSpec | None = None
    """A disk on the way to tape; none by default."""
    share: ShareSpec | None = None
    """Another host, which requests the files or blocks as from a share, with a datasheet `share/name` as `model`; by
    default, the host of the data reads them.
    """
    pool: Text | None = None
    """The pool whose cartridges are written; by default, cartridges that belong to no pool."""
    compressor: CompressionSpec | None = None
    """How it is compressed before it is written: a datasheet `compressor/name`, or a mapping; not compressed by
    default.
    """
    deduplication: DeduplicationSpec | None = None
    """How it is deduplicated before it is written: a `ratio`, and a datasheet as `model`; not deduplicated by default.
    """
    tool: BackupToolSpec | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none by default."""

    pieces: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **SharedOut.pieces,
        "ingest": ("deduplication.stream_ingest", "deduplication.ingest"),
        "restore_rate": ("deduplication.stream_restore_rate", "deduplication.restore_rate"),
    }
    of_drives: ClassVar[tuple[str, ...]] = ("streams", "multiplexing", "pool")
    not_on_disk: ClassVar[tuple[str, ...]] = ("multiplexing", "pool")

    def kept_ratio(self, spec: Spec) -> float:
        """Bytes that it saves for each byte that a disk keeps."""
        repeated = si_or(self.deduplication.ratio, 1.0) if self.deduplication is not None else 1.0
        plain = self.compressor is None or self.compressor.at == "wire" or self.data not in spec.data
        return repeated if plain else repeated * spec.data[self.data].compression.si

    def gives_single_files(self) -> bool:
        """Whether a restore takes selected files from a save set on a disk, and nothing else of it."""
        return self.by_file() or (self.tool is not None and self.tool.mounts_images)

    def takes_inline(self) -> str | None:
        """Why it cannot write further copies while it saves, None if it can."""
        return why_not_inline(self)

    def by_file(self) -> bool:
        """As its method says."""
        return self.method == "file_level"

    def level_of(self) -> str:
        """Its level."""
        return self.level

    def searches(self) -> bool:
        """Whether an incremental image reads all to find what has changed."""
        return self.tool is not None and self.tool.scan_cpu is not None

    def shares_chunks(self) -> bool:
        """Whether it deduplicates."""
        return self.deduplication is not None

    def new_chunks(self, spec: Spec, last: float) -> float | None:
        """Bytes of a save set for each of new chunks, in a store whose newest one is so many seconds older."""
        said, data = self.deduplication, spec.data.get(self.data)
        changed = changed_by(self, data, last) if said is not None and data is not None else None
        return None if said is None or changed is None else new_since(said, changed)

    def block_size(self, spec: Spec) -> Quantity | None:
        """Bytes that its program writes to tape with each command, None if it says nothing of them."""
        del spec
        return self.tool.block if self.tool is not None else None

    def check(self, checks: Checks, path: Path) -> None:
        """Report what is wrong with its target, the way there, the room, or its source."""
        spec = checks.spec
        checks.data_set(path, self.data, owned=False)
        with checks.about(*path):
            self.check_existing(checks, path)
        with checks.about(*path):
            if self._check_target(checks, path):
                self._check_way(checks, path)
        if self.data in spec.data:
            checks.owned(path, spec.data[self.data].on)
        for between in (check_reader, check_reduction, check_spool, check_level):
            with checks.about(*path):
                between(checks, path, self)

    def base_age(self) -> float | None:
        """Seconds since the backup that it is based on, None if it is based on none."""
        if self.level == "full":
            return None
        age = self.since or (self.every if self.level in {"incremental", "reverse"} else None)
        return age.si if age is not None else None

    def _check_target(self, checks: Checks, path: Path) -> bool:
        legal = {**checks.spec.devices_with(BackupTarget), **checks.spec.devices_with(Sink)}
        known = checks.name((*path, "to"), self.to, legal, "device")
        if not known and self.to in checks.spec.devices:
            checks.report((*path, "to"), f"'{self.to}' cannot take backups", choices(self.to, legal))
        return known

    def _check_way(self, checks: Checks, path: Path) -> None:
        spec = checks.spec
        target, data = spec.devices[self.to], spec.data.get(self.data)
        with checks.about(*path):
            if isinstance(target, BackupTarget):
                target.check_backup(checks, path, self, self.data)
        with checks.about(*path):
            if data is not None and self.share is None:
                checks.connected((*path, "to"), spec.read_at(self.data, self.source), self.to)
        with checks.about(*path):
            if self.source is not None and checks.frozen_image((*path, "source"), self.source) and data is not None:
                checks.freezes((*path, "source"), self.source, self.data)
        if self.method == "file_level" and data is not None and data.filesystem is None:
            message = f"a file-level backup needs the file system of '{self.data}'"
            checks.report((*path, "method"), message, f"write 'filesystem: filesystem/...' under data.{self.data}")

    def check_restore(self, checks: Checks, path: Path, job: Restoring) -> None:
        """Report a restore that cannot reach its target or does not fit there."""
        check_restored(checks, path, job, self)


MAKE = "simbackup.methods.file_backup.make"
KINDS = (MethodKind(("image", "file_level"), FileBackupSpec, f"{MAKE}:make", f"{MAKE}:restore"),)
