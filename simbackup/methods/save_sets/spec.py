"""What a file may say about jobs on save sets: copies, synthetic full backups and merges."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from simbackup.errors import choices
from simbackup.methods.restore.spec import copy_is_known
from simbackup.schema.capability import BackupTarget, MediaLibrary, ObjectTarget
from simbackup.schema.job import NOT_OF_EXISTING, BackupJob, Copying, JobSpec, Lasting, Saving, Storing
from simbackup.schema.part import ONTO_DEVICE, Chosen, Path, Refers
from simbackup.schema.quantity import Pieces, PositiveDuration, PositiveSize, Quantity, Text, Word, si_or, usual
from simbackup.schema.registry import MethodKind

if TYPE_CHECKING:
    from simbackup.data.spec import DataSpec
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec


NOT_INLINE = (*NOT_OF_EXISTING, "streams", "copied_by", "new_chunks", "new_since")
"""Keys of copies that are jobs of their own."""
REMEDY = "leave 'inline' out: the copy is then made from the finished save set"


def check_inline(checks: Checks, path: Path, copy: Copying) -> None:
    """Report a backup that cannot write further copies, keys without effect, and a target without a way."""
    saved = checks.spec.jobs[copy.save_set]
    said = [key for key in NOT_INLINE if copy.states(key) and getattr(copy, key) not in {(), False}]
    for key in said:
        message = f"has no effect on an inline copy, which '{copy.save_set}' writes while it runs"
        checks.report((*path, key), message, f"leave it out, or write it in '{copy.save_set}'")
    if not isinstance(saved, BackupJob):
        return
    exists = copy.exists or (isinstance(saved, Lasting) and saved.exists)
    why = f"'{copy.save_set}' does not run, as its save set exists" if exists else saved.takes_inline()
    if why is not None:
        checks.report((*path, "inline"), f"cannot be written inline: {why}", REMEDY)
    host = reading_host(checks.spec, saved)
    if host and copy.to in checks.spec.devices and checks.spec.way_to(host, copy.to) is None:
        remedy = f"let a link join '{host}' and '{copy.to}'"
        checks.report((*path, "to"), f"there is no connection from '{host}', which reads, to '{copy.to}'", remedy)


def check_drives(checks: Checks, path: Path, copy: Copying, library: MediaLibrary) -> None:
    """Report a library with fewer drives than a backup and all its inline copies there take at once."""
    saved = checks.spec.jobs[copy.save_set]
    here = [saved, *checks.spec.inline_copies_of(saved).values()]
    many = sum(getattr(job, "to", None) == copy.to for job in here)
    wanted, most = many * int(si_or(getattr(saved, "streams", None), 1.0)), int(library.drive_count())
    if wanted > most:
        message = (
            f"'{copy.save_set}' and its inline copies take {wanted} drives of '{copy.to}' at once, but it has {most}"
        )
        checks.report((*path, "to"), message, "add drives, write fewer streams, or leave 'inline' out")


def reading_host(spec: Spec, saved: BackupJob) -> str:
    """The host that reads what a backup saves, empty if that is not known."""
    share: Any = getattr(saved, "share", None)
    data: str | tuple[str, ...] = saved.data
    name = data if isinstance(data, str) else data[0]
    if share is not None:
        return str(share.host)
    return spec.reader_of(name, getattr(saved, "source", None)) if name in spec.data else ""


class CopySaveSetSpec(Copying):
    """Copy of the newest save set of a backup: from disk, tape or objects to tape, to objects or to another disk.

    If the target already has that save set, the job ends at once and copies nothing. The host that owns the source
    copies; if none does, that which owns the target of a copy from objects, or else the host of the backup. For an
    `inline` copy, the host that reads the data sends them to all targets, once to those of one other host.
    """

    method: Literal["copy_save_set"]
    save_set: Annotated[Text, Refers("copies", "jobs")]
    """The backup, by `image`, `file_level` or a `program` that leaves a save set, or a dump, a copy or a log of a
    database, whose newest complete save set is copied; or by `database_native` with all its files on one device, or on
    disks of one host, which are read one after the other.
    """
    copied_by: Annotated[Text, Refers("uses", "jobs")] | None = None
    """The job whose copy is read: the backup itself by default, or another job that copies it, so that a copy is copied
    once more, or comes back from tape to a disk. That is done even if the target has a copy by other jobs.
    """
    to: Annotated[Text, ONTO_DEVICE]
    """The tape library, the object store, or the volume or device of any host, that takes the copy. From tape to tape,
    one drive reads while another one writes; within a library the copy goes to another `pool`.
    """
    streams: Pieces = usual("1")
    """Number of parts that are copied at the same time, each on its own drive, or from tape to tape on its own two."""
    pool: Text | None = None
    """The pool whose cartridges are written; by default, cartridges that belong to no pool."""
    object_size: PositiveSize | None = None
    """Bytes of each object in an object store; by default, one object for each file of a file-level backup, or else a
    single object.
    """
    connections: Pieces | None = None
    """Number of network connections over which each stream spreads its bytes; one by default."""

    new_chunks: bool = False
    """Whether only the chunks are copied that were new to the store of the backup, as between deduplicating stores that
    replicate; by default, the whole save set is copied, in one piece.
    """

    new_since: PositiveDuration | None = None
    """With `new_chunks`: how long before this copy the target got the previous one, if that is longer ago than the
    previous backup. The chunks are copied that are new since then.
    """
    inline: Annotated[bool, Word()] = False
    """Whether the backup itself writes the copy, from the bytes of its own: it reads the data once, and the slowest
    target sets the pace. This job then does nothing else, and begins and ends with the backup.
    """

    def tool_of(self) -> str | None:
        """The backup, whose program makes the copy."""
        return self.save_set

    def block_size(self, spec: Spec) -> Quantity | None:
        """Bytes of a command of the program of the backup, which copies."""
        saved = spec.jobs[self.save_set]
        if isinstance(saved, Saving):
            return saved.block_size(spec)
        tool = getattr(saved, "tool", None)
        return tool.block if tool is not None else None

    def read_job(self, spec: Spec) -> JobSpec | None:
        """The job whose copy is read, the backup or one that copies it."""
        return spec.jobs.get(self.copied_by or self.save_set)

    def source(self, spec: Spec) -> str:
        """The device on which the copy that is read lies, empty if it is not known or not one."""
        by = self.read_job(spec)
        device = by.to if isinstance(by, Copying) else by.stream_on() if isinstance(by, BackupJob) else None
        return device if isinstance(device, str) else ""

    def copying_host(self, spec: Spec) -> str:
        """The host that owns what the save set lies on, or the target of objects, or that the backup runs on.

        Inline copies are written by the host that reads the data.
        """
        saved, source = spec.jobs[self.save_set], self.source(spec)
        if not isinstance(saved, BackupJob) or not source:
            return ""
        if self.inline:
            return reading_host(spec, saved)
        share, objects = getattr(saved, "share", None), isinstance(spec.devices.get(source), ObjectTarget)
        owner = spec.owner_of(source) or (spec.owner_of(self.to) if objects else None)
        return owner or (share.host if share is not None else spec.host_of(_data(saved)))

    def check(self, checks: Checks, path: Path) -> None:
        """Report a save set that cannot be copied, and what is wrong with its target."""
        spec = checks.spec
        with checks.about(*path):
            self.check_existing(checks, path)
        legal = Chosen(spec.jobs, lambda job: isinstance(job, BackupJob) and self._readable(checks, job))
        if not checks.name((*path, "save_set"), self.save_set, legal, "job"):
            if self.save_set in spec.jobs and self._target_known(checks, path, spec.jobs[self.save_set]):
                message = f"'{self.save_set}' cannot be copied: it saves neither to one target nor to disks of one host"
                checks.report((*path, "save_set"), message, choices(self.save_set, legal))
            return
        if self.inline:
            with checks.about(*path):
                check_inline(checks, path, self)
        if self.copied_by is None or copy_is_known(checks, path, self.copied_by, self.save_set):
            self._check_target(checks, path)

    def _check_target(self, checks: Checks, path: Path) -> None:
        """Report a target without a way or room, or that cannot take what is read."""
        spec = checks.spec
        saved, targets, by = spec.jobs[self.save_set], spec.devices_with(BackupTarget), self.read_job(spec)
        if not checks.name((*path, "to"), self.to, targets, "device"):
            if self.to in spec.devices:
                checks.report((*path, "to"), f"'{self.to}' cannot take backups", choices(self.to, targets))
            return
        target = spec.devices[self.to]
        read, there = self.copied_by or self.save_set, self.source(spec)
        if self.exists and not getattr(by, "exists", False):
            message = f"a copy cannot exist before the save set of '{read}'"
            checks.report((*path, "exists"), message, f"write 'exists: true' under jobs.{read}, too")
        if isinstance(saved, BackupJob) and isinstance(target, BackupTarget) and there in spec.devices:
            self._check_chunks(checks, path, saved, target)
            source = spec.devices[there]
            if isinstance(source, ObjectTarget) and not self.inline:
                self._check_objects(checks, path, saved)
            if self.inline and isinstance(target, MediaLibrary):
                check_drives(checks, path, self, target)
            if self.to in {there, *saved.goes_on_at()} and not isinstance(source, MediaLibrary):
                checks.report((*path, "to"), f"'{read}' already saves to '{self.to}'", "name another device")
            if isinstance(source, MediaLibrary):
                self._check_tape(checks, path, saved, target)
            with checks.about(*path):
                target.check_backup(checks, path, self, _data(saved))
            if not self.inline:
                checks.connected((*path, "to"), there, self.to)

    def _check_objects(self, checks: Checks, path: Path, saved: BackupJob) -> None:
        """Report objects that hold chunks, and those that the host which copies cannot reach."""
        host = self.copying_host(checks.spec)
        if _shares_chunks(saved) and self.copied_by in {None, self.save_set}:
            message = f"the objects of '{self.save_set}' hold chunks of several save sets, not one stream of bytes"
            checks.report((*path, "save_set"), message, "copy a backup that is not deduplicated")
        for device in (self.source(checks.spec), self.to):
            if host and checks.spec.way_to(host, device) is None and checks.sound(path, "hosts", "devices", "links"):
                remedy = f"let a link join '{host}' and '{device}'"
                checks.report(
                    (*path, "to"), f"there is no connection from '{host}', which copies, to '{device}'", remedy
                )

    def _check_chunks(self, checks: Checks, path: Path, saved: BackupJob, target: BackupTarget) -> None:
        """Report new chunks of what has none, or that go to tape, or come from a copy."""
        if self.new_chunks and self.copied_by not in {None, self.save_set}:
            message = f"only the store of '{self.save_set}' itself knows which of its chunks were new"
            checks.report((*path, "new_chunks"), message, "leave it out, or leave out 'copied_by'")
        if self.new_chunks and not _shares_chunks(saved):
            message = f"'{self.save_set}' is not deduplicated"
            checks.report((*path, "new_chunks"), message, "leave it out, or give that backup a 'deduplication:'")
        data = _data(saved)
        if self.new_since is not None and not self.new_chunks:
            message = "does not matter to a copy of the whole save set"
            checks.report((*path, "new_since"), message, "leave it out, or write 'new_chunks: true'")
        elif self.new_since is not None and data in checks.spec.data and self.new_to_target(checks.spec) is None:
            message = f"'{data}' does not say how it changes and in what runs of bytes"
            remedy = f"write 'change: {{daily: 2 %, run: 64 KiB}}' under data.{data}"
            checks.report((*path, "new_since"), message, remedy)
        if self.new_chunks and isinstance(target, MediaLibrary):
            message = "chunks are scattered, and a tape cannot be read in so many places"
            checks.report((*path, "new_chunks"), message, "leave it out, so that the whole save set is copied")

    def new_to_target(self, spec: Spec) -> float | None:
        """Bytes of the save set for each of chunks that are `new_since`; None without that, or if not known."""
        saved, since = spec.jobs[self.save_set], self.new_since
        return saved.new_chunks(spec, since.si) if since is not None and isinstance(saved, Saving) else None

    def _check_tape(self, checks: Checks, path: Path, saved: BackupJob, target: BackupTarget) -> None:
        """Report what prevents a copy of what is on tape."""
        spec = checks.spec
        by, source = self.read_job(spec), self.source(spec)
        if source == self.to and isinstance(by, Storing) and self.pool == getattr(by, "pool", None):
            message = f"the cartridges of a copy in '{self.to}' need a pool of their own"
            checks.report((*path, "pool"), message, f"give '{self.to}' another pool, and name it here")
        if source == self.to and isinstance(target, MediaLibrary) and not self.inline:
            most, wanted = int(target.drive_count()), 2 * int(self.streams.si)
            if wanted > most:
                message = f"copies within '{self.to}' need two drives each, {wanted} in all, but it has {most}"
                remedy = f"write 'streams: {most // 2}'" if most > 1 else "add a drive, or copy to a disk"
                checks.report((*path, "streams"), message, remedy)
        if spec.owner_of(source) is None and _data(saved) in spec.data and not self.inline:
            checks.connected((*path, "to"), spec.data[_data(saved)].on, self.to)

    @staticmethod
    def _readable(checks: Checks, job: BackupJob) -> bool:
        """Whether a backup leaves its save sets on a disk, a library or an object store, or on disks of one host."""
        spec, disks, device, others = checks.spec, checks.block_devices(), job.stream_on(), job.goes_on_at()
        if device is None or (others and device not in disks):
            return False
        if any(other not in disks or spec.owner_of(other) != spec.owner_of(device) for other in others):
            return False
        return device in disks or any(device in spec.devices_with(kind) for kind in (MediaLibrary, ObjectTarget))

    def _target_known(self, checks: Checks, path: Path, job: JobSpec) -> bool:
        """Whether the target of a job is known; if not, the check of the copy waits for it."""
        to: Any = getattr(job, "to", None)
        if not isinstance(job, BackupJob) or to is None or isinstance(to, tuple) or to in checks.spec.devices:
            return True
        if not checks.pending(path, "devices", to):
            checks.wait(path, f"jobs.{self.save_set}.to")
        return False


def _data(saved: BackupJob) -> str:
    """The data set that a backup saves, the first of several."""
    names: str | tuple[str, ...] = saved.data
    return names if isinstance(names, str) else names[0]


def _shares_chunks(saved: BackupJob) -> bool:
    """Whether its save sets are kept as chunks that several of them share."""
    return isinstance(saved, Saving) and saved.shares_chunks()


class ConsolidateSpec(JobSpec):
    """A host combines the newest save set on its disk with older ones there, without the client."""

    method: Literal["consolidate"]
    save_set: Annotated[Text, Refers("works on", "jobs")]
    """The job whose save sets are combined, a backup to a disk or a copy there; the newest is the last of them."""
    into: Annotated[Literal["full", "older"], Word()] = "full"
    """`full` makes a synthetic full backup that replaces the newest save set; `older` merges the changes into an older
    save set, as in incremental-forever backups, and writes each changed run where it belongs.
    """
    size: PositiveSize | None = None
    """Bytes that are read, and also the bytes that are written; by default, the size of the data for a full backup, the
    size of the newest save set for a merge, and none if the save set is deduplicated.
    """

    def tool_of(self) -> str | None:
        """The backup, whose program does it."""
        return self.save_set

    def check(self, checks: Checks, path: Path) -> None:
        """Report a save set that is not on disk, and a disk without room for a full one."""
        jobs, disks = checks.spec.jobs, checks.block_devices()
        legal = [name for name, job in jobs.items() if isinstance(job, (Saving, Copying)) and job.to in disks]
        if not checks.name((*path, "save_set"), self.save_set, legal, "job"):
            if self.save_set in jobs:
                message = f"'{self.save_set}' makes no save set on a disk"
                checks.report((*path, "save_set"), message, choices(self.save_set, legal))
            return
        by = jobs[self.save_set]
        saved = jobs.get(by.save_set, by) if isinstance(by, Copying) else by
        if isinstance(by, Saving | Copying) and isinstance(saved, Saving) and self.into == "full":
            self._check_room(checks, path, by, checks.spec.data.get(saved.data))

    def _check_room(self, checks: Checks, path: Path, by: Storing, data: DataSpec | None) -> None:
        """Report a disk without room for a full backup, which is compressed as the save set and shares its chunks."""
        size = self.size or (data.size if data is not None and not by.shares_chunks() else None)
        if size is not None:
            kept = replace(size, si=size.si / by.kept_ratio(checks.spec))
            checks.free((*path, "save_set"), by.to, kept, "a full backup")


MAKE = "simbackup.methods.save_sets.live"
KINDS = (
    MethodKind(("copy_save_set",), CopySaveSetSpec, f"{MAKE}:make"),
    MethodKind(("consolidate",), ConsolidateSpec, f"{MAKE}:make_consolidation"),
)
