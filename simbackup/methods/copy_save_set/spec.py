"""What a file may say about a copy of a save set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from simbackup.devices.network.spec import command_keys
from simbackup.errors import choices
from simbackup.methods.deduplication.spec import RATE_KEYS, READ_KEYS
from simbackup.schema.capability import BackupTarget, MediaLibrary, ObjectTarget
from simbackup.schema.chosen import Chosen
from simbackup.schema.job import Copying, JobSpec, Saving, Streamed
from simbackup.schema.part import Path
from simbackup.schema.quantity import Pieces, PositiveSize, Quantity, Text, si_or
from simbackup.schema.refers import ONTO_DEVICE, Refers
from simbackup.schema.unknown import Unknown

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec


class CopySaveSetSpec(Copying):
    """Copy of the newest save set of a backup: from disk, tape or objects to tape, to objects or to another disk.

    If the target already has that save set, the job ends at once and copies nothing. The host that owns the source
    copies; if none does, that which owns the target of a copy from objects, or else the host of the backup.
    """

    method: Literal["copy_save_set"]
    save_set: Annotated[Text, Refers("copies", "jobs")]
    """The backup, by `image` or `file_level`, or a dump, a copy or a log of a database, whose newest complete save set
    is copied.
    """
    to: Annotated[Text, ONTO_DEVICE]
    """The tape library, the object store, or the volume or device of any host, that takes the copy. From tape to tape,
    one drive reads while another one writes; within a library the copy goes to another `pool`.
    """
    streams: Pieces | None = None
    """Number of parts that are copied at the same time, each on its own drive, or from tape to tape on its own two; one
    by default.
    """
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

    conditional: ClassVar[Mapping[str, str]] = {"object_size": "in copies to an object store"}

    def tool_of(self) -> str | None:
        """The backup, whose program makes the copy."""
        return self.save_set

    def uses(self, spec: Spec, name: str) -> Iterator[str]:
        """The keys of read-ahead at the disk's host, and of compression on tape."""
        if isinstance(spec.devices[self.to], ObjectTarget):
            yield f"jobs.{name}.object_size"
            yield from (f"jobs.{self.save_set}.tool.{key}" for key in ("part", "part_buffers"))
        saved = spec.jobs[self.save_set]
        yield from (f"jobs.{self.save_set}.tool.{key}" for key in ("start_time", "copy_cpu"))
        yield from (f"jobs.{self.save_set}.deduplication.{key}" for key in (*READ_KEYS, *RATE_KEYS))
        if isinstance(saved, Streamed):
            yield f"hosts.{spec.owner_of(saved.to)}.read_ahead"
            if isinstance(spec.devices[self.to], MediaLibrary):
                tool = f"jobs.{self.save_set}.tool"
                yield from (f"data.{_data(saved)}.compression", f"{tool}.block", f"{tool}.unload_after")
                if self.block_size(spec) is not None:
                    yield f"devices.{self.to}.drive.command_time"
                    yield from command_keys(spec, self.copying_host(spec), self.to)

    def block_size(self, spec: Spec) -> Quantity | None:
        """Bytes of a command of the program of the backup, which copies."""
        saved = spec.jobs[self.save_set]
        if isinstance(saved, Saving):
            return saved.block_size(spec)
        tool = getattr(saved, "tool", None)
        return tool.block if tool is not None else None

    def copying_host(self, spec: Spec) -> str:
        """The host that owns what the save set lies on, or the target of objects, or that the backup runs on."""
        saved = spec.jobs[self.save_set]
        if not isinstance(saved, Streamed):
            return ""
        share, objects = getattr(saved, "share", None), isinstance(spec.devices.get(saved.to), ObjectTarget)
        owner = spec.owner_of(saved.to) or (spec.owner_of(self.to) if objects else None)
        return owner or (share.host if share is not None else spec.host_of(_data(saved)))

    def check(self, checks: Checks, path: Path) -> None:
        """Report a save set that cannot be copied, and a target without a way or room."""
        spec = checks.spec
        with checks.about(*path):
            self.check_existing(checks, path)
        legal = Chosen(spec.jobs, lambda job: isinstance(job, Streamed) and self._readable(checks, job))
        if not checks.name((*path, "save_set"), self.save_set, legal, "job"):
            if self.save_set in spec.jobs and self._target_known(checks, path, spec.jobs[self.save_set]):
                message = f"'{self.save_set}' makes no save set that can be copied: one stream of bytes on one target"
                checks.report((*path, "save_set"), message, choices(self.save_set, legal))
            return
        saved, targets = spec.jobs[self.save_set], spec.devices_with(BackupTarget)
        if not checks.name((*path, "to"), self.to, targets, "device"):
            if self.to in spec.devices:
                checks.report((*path, "to"), f"'{self.to}' cannot take backups", choices(self.to, targets))
            return
        target = spec.devices[self.to]
        if self.exists and not getattr(saved, "exists", False):
            message = f"a copy cannot exist before the save set of '{self.save_set}'"
            checks.report((*path, "exists"), message, f"write 'exists: true' under jobs.{self.save_set}, too")
        if isinstance(saved, Streamed) and isinstance(target, BackupTarget):
            self._check_chunks(checks, path, saved, target)
            source = spec.devices[saved.to]
            if isinstance(source, ObjectTarget):
                self._check_objects(checks, path, saved)
            if saved.to == self.to and not isinstance(source, MediaLibrary):
                checks.report((*path, "to"), f"'{self.save_set}' already saves to '{self.to}'", "name another device")
            if isinstance(source, MediaLibrary) and isinstance(saved, Saving):
                self._check_tape(checks, path, saved, target)
            with checks.about(*path):
                target.check_backup(checks, path, self, _data(saved))
            checks.connected((*path, "to"), saved.to, self.to)

    def _check_objects(self, checks: Checks, path: Path, saved: Streamed) -> None:
        """Report objects that hold chunks, and those that the host which copies cannot reach."""
        host = self.copying_host(checks.spec)
        if _shares_chunks(saved):
            message = f"the objects of '{self.save_set}' hold chunks of several save sets, not one stream of bytes"
            checks.report((*path, "save_set"), message, "copy a backup that is not deduplicated")
        for device in (saved.to, self.to):
            if host and checks.spec.way_to(host, device) is None and checks.sound(path, "hosts", "devices", "links"):
                remedy = f"let a link join '{host}' and '{device}'"
                checks.report(
                    (*path, "to"), f"there is no connection from '{host}', which copies, to '{device}'", remedy
                )

    def _check_chunks(self, checks: Checks, path: Path, saved: Streamed, target: BackupTarget) -> None:
        """Report new chunks of what has none, or that go to tape."""
        if self.new_chunks and not _shares_chunks(saved):
            message = f"'{self.save_set}' is not deduplicated"
            checks.report((*path, "new_chunks"), message, "leave it out, or give that backup a 'deduplication:'")
        if self.new_chunks and isinstance(target, MediaLibrary):
            message = "a tape cannot be read at so many places"
            checks.report((*path, "new_chunks"), message, "leave it out, so that the whole save set is copied")

    def _check_tape(self, checks: Checks, path: Path, saved: Saving, target: BackupTarget) -> None:
        """Report what prevents a copy of what is on tape."""
        spec = checks.spec
        if saved.to == self.to and self.pool == saved.pool:
            message = f"the cartridges of a copy in '{self.to}' need a pool of their own"
            checks.report((*path, "pool"), message, f"give '{self.to}' another pool, and name it here")
        if saved.to == self.to and isinstance(target, MediaLibrary):
            most, wanted = int(target.drive_count()), 2 * int(si_or(self.streams, 1.0))
            if wanted > most:
                message = f"copies within '{self.to}' need two drives each, {wanted} in all, and it has {most}"
                remedy = f"write 'streams: {most // 2}'" if most > 1 else "add a drive, or copy to a disk"
                checks.report((*path, "streams"), message, remedy)
        if spec.owner_of(saved.to) is None and saved.data in spec.data:
            checks.connected((*path, "to"), spec.data[saved.data].on, self.to)

    @staticmethod
    def _readable(checks: Checks, job: Streamed) -> bool:
        """Whether a backup leaves its save sets on a disk, on tape or in objects."""
        if isinstance(job.to, Unknown):
            return False
        kinds = (MediaLibrary, ObjectTarget)
        return job.to in checks.block_devices() or any(job.to in checks.spec.devices_with(kind) for kind in kinds)

    def _target_known(self, checks: Checks, path: Path, job: JobSpec) -> bool:
        """Whether the target of a job is known; if not, the check of the copy waits for it."""
        if not isinstance(job, Streamed) or job.to in checks.spec.devices:
            return True
        if not checks.pending(path, "devices", job.to):
            checks.wait(path, f"jobs.{self.save_set}.to")
        return False


def _data(saved: Streamed) -> str:
    """The data set that a backup saves."""
    return str(saved.data)


def _shares_chunks(saved: Streamed) -> bool:
    """Whether its save sets are kept as chunks that several of them share."""
    return isinstance(saved, Saving) and saved.shares_chunks()
