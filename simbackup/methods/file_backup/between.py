"""Checks of file-level and image backups: reduction, spool, level, share, and the chain of a restore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup import units
from simbackup.data.change import change_of
from simbackup.equations.change import differs
from simbackup.errors import choices
from simbackup.methods.database.spec import check_logs, logs_of_data
from simbackup.methods.reduction.make import Changed
from simbackup.methods.share.spec import check_share
from simbackup.schema.capability import BackupTarget, BlockDevice, MediaLibrary, ObjectTarget, Sink
from simbackup.schema.origin import Unknown
from simbackup.schema.part import Path
from simbackup.schema.quantity import Frozen, PositiveSize, Text, si_or

if TYPE_CHECKING:
    from simbackup.data.spec import DataSpec
    from simbackup.methods.file_backup.spec import FileBackupSpec
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec
    from simbackup.schema.job import FilesSaving, Restoring


MOST_TURNS = 10_000
"""Times that a spool may fill up in a backup; each is simulated, and takes milliseconds."""


class SpoolSpec(Frozen):
    """A disk that takes what is saved before it goes to tape."""

    on: Text
    """The volume or device of a host that takes it. Jobs that find no space there wait until others release theirs."""
    size: PositiveSize
    """Space there for this job; when it is full, its contents go to tape."""
    overlapped: bool = False
    """Whether one half of the space is filled while the other half goes to tape; otherwise filling and emptying take
    turns.
    """


def check_reduction(checks: Checks, path: Path, job: FileBackupSpec) -> None:
    """Report what is wrong with compression and deduplication."""
    target, compressor = checks.spec.devices.get(job.to), job.compressor
    if compressor is not None and not isinstance(compressor, Unknown):
        remote = isinstance(target, BackupTarget) and not isinstance(target, MediaLibrary | ObjectTarget)
        compressor.check(checks, (*path, "compressor"), job.data, remote=remote or target is None)
    if job.deduplication is None or isinstance(job.deduplication, Unknown):
        return
    if isinstance(target, MediaLibrary):
        message = "chunks are scattered, and a tape cannot be read in so many places"
        checks.report((*path, "deduplication"), message, "deduplicate on disk, and copy the save set to tape")
    if isinstance(target, ObjectTarget) and job.deduplication.at != "client":
        message = f"only the client deduplicates for an object store, not the {job.deduplication.at}"
        checks.report((*path, "deduplication", "at"), message, "write 'client'")
    known = compressor if compressor is not None and not isinstance(compressor, Unknown) else None
    job.deduplication.check(checks, (*path, "deduplication"), known)
    job.deduplication.check_change(checks, (*path, "deduplication"), job.data, whole=job.level == "full")


def check_reader(checks: Checks, path: Path, job: FileBackupSpec) -> None:
    """Report a share of the reading host itself, or one from which no way leads to the target."""
    spec, share = checks.spec, job.share
    if share is None or isinstance(share, Unknown) or job.data not in spec.data:
        return
    reader = spec.owner_of(spec.read_at(job.data, job.source))
    check_share(checks, path, share, reader, (job.to, spec.way_to(share.host, job.to)))


def check_maker(checks: Checks, path: Path, job: Restoring, saved: FilesSaving, source: str) -> None:
    """Report a share to which nothing is restored, or one to which no way leads from the copy."""
    if job.discards(checks.spec):
        checks.report((*path, "share"), f"'{job.to}' keeps nothing, so no file is created", "leave it out")
        return
    data = checks.spec.data.get(job.to or saved.data)
    if data is not None:
        way = checks.spec.way_from(job.share.host, source)
        check_share(checks, path, job.share, checks.spec.owner_of(data.on), (source, way))


def check_spool(checks: Checks, path: Path, job: FileBackupSpec) -> None:
    """A spool is on a disk with room, on the way to a library, and takes one stream."""
    spool, here = job.spool, (*path, "spool", "on")
    if spool is None or not isinstance(checks.spec.devices.get(job.to), MediaLibrary):
        return
    if not checks.name(here, spool.on, checks.block_devices(), "device"):
        if spool.on in checks.spec.devices:
            message = f"'{spool.on}' is not a disk, array or volume"
            checks.report(here, message, choices(spool.on, checks.block_devices()))
        return
    for key in ("streams", "multiplexing"):
        if job.states(key):
            checks.report((*path, key), "has no effect with 'spool': a spooled backup is one stream", "leave it out")
    checks.free((*path, "spool", "size"), spool.on, spool.size, "a spool")
    if job.data in checks.spec.data:
        least = checks.spec.data[job.data].size.si / MOST_TURNS
        if spool.size.si < least:
            message = f"fills up more than {MOST_TURNS:,} times in a backup"
            checks.report((*path, "spool", "size"), message, f"write at least {units.show_short(least, 'B')}")
        checks.connected(here, checks.spec.read_at(job.data, job.source), spool.on)
    checks.connected(here, spool.on, job.to)


def check_level(checks: Checks, path: Path, job: FileBackupSpec) -> None:
    """Report a base of a full backup, a level without one, and data that do not say how they change."""
    data = checks.spec.data.get(job.data)
    if job.level == "full":
        if job.since is not None:
            checks.report(
                (*path, "since"),
                "has no effect on a full backup",
                "write 'level: incremental' next to it, or leave it out",
            )
        return
    if job.level == "reverse":
        _check_reverse(checks, path, job)
    if job.base_age() is None:
        message = f"a backup with level '{job.level}' needs the age of the backup it is based on"
        checks.report((*path, "level"), message, "write for example 'since: 24 h'")
    if data is not None and data.change is None:
        message = f"'{job.data}' does not say how it changes"
        remedy = f"write 'change: {{daily: 2 %}}' under data.{job.data}, or name a datasheet 'change/...'"
        checks.report((*path, "level"), message, remedy)
    elif job.method == "image" and data and data.change and data.change.run is None and not job.searches():
        message = f"an incremental image needs the runs of bytes in which '{job.data}' changes"
        checks.report((*path, "level"), message, f"write 'run: 256 KiB' under data.{job.data}.change")


def why_not_inline(job: FileBackupSpec) -> str | None:
    """Why a backup cannot write further copies while it saves: what is spooled, or shares a drive, is written apart."""
    if job.level == "reverse":
        return "it goes into a full backup ('reverse')"
    if job.spool is not None:
        return "it goes to a disk first ('spool')"
    return "its streams share drives ('multiplexing')" if job.multiplexing.si > 1.0 else None


def _check_reverse(checks: Checks, path: Path, job: FileBackupSpec) -> None:
    """Report a reverse incremental onto something other than a disk, in several streams, or of chunks."""
    target = checks.spec.devices.get(job.to)
    if target is not None and not isinstance(target, BlockDevice):
        message = f"nothing can be replaced in a save set on '{job.to}'"
        checks.report((*path, "level"), message, "back up to a disk, array or volume, or write 'incremental'")
    if job.states("streams"):
        checks.report((*path, "streams"), "has no effect: a reverse incremental is one stream", "leave it out")
    if job.deduplication is not None:
        message = "a store of chunks replaces nothing, and so moves nothing aside"
        checks.report((*path, "level"), message, "write 'incremental', and 'consolidate' the save sets")


def check_restored(checks: Checks, path: Path, job: Restoring, saved: FilesSaving) -> None:
    """Report a restore that cannot reach its target or does not fit there."""
    source = checks.spec.read_by(job)
    library = checks.spec.devices.get(source)
    with checks.about(*path):
        check_chain(checks, path, job, saved)
    with checks.about(*path):
        if isinstance(library, Sink):
            checks.report((*path, "restore"), f"'{source}' keeps nothing", "restore what another job saved")
        if isinstance(library, BackupTarget):
            library.check_restore(checks, path, job)
    with checks.about(*path):
        check_way_back(checks, path, job, saved, source)
    if saved.data in checks.spec.data:
        by_file = isinstance(library, MediaLibrary) or mounts(checks.spec, job, saved)
        checks.extent(path, job, checks.spec.data[saved.data], whole=not (saved.by_file() or by_file))


def mounts(spec: Spec, job: Restoring, saved: FilesSaving) -> bool:
    """Whether a restore takes selected files from an image, which its program mounts where it lies on a disk."""
    device = spec.devices.get(spec.read_by(job))
    able = not saved.by_file() and saved.gives_single_files()
    return able and job.select is not None and isinstance(device, BlockDevice)


def check_way_back(checks: Checks, path: Path, job: Restoring, saved: FilesSaving, source: str) -> None:
    """Report a restore from whose source no way leads to where its files go."""
    target = checks.spec.data.get(job.to or "")
    if job.share is not None and not isinstance(job.share, Unknown):
        check_maker(checks, path, job, saved, source)
    elif target is not None:
        checks.owned(path, target.on, "to")
        checks.connected((*path, "to"), target.on, source)
    elif job.discards(checks.spec) and saved.data in checks.spec.data:
        own = checks.spec.owner_of(str(job.to)) is not None
        checks.connected((*path, "to"), str(job.to) if own else checks.spec.data[saved.data].on, source)
    elif job.copied_by is not None and job.to is None and saved.data in checks.spec.data:
        checks.connected((*path, "copied_by"), checks.spec.data[saved.data].on, source)


def check_chain(checks: Checks, path: Path, job: Restoring, saved: FilesSaving) -> None:
    """Report a chain that begins with an incremental, or goes on with something else, and images without files."""
    if mounts(checks.spec, job, saved):
        _check_mounted(checks, path, saved)
    if not job.replay:
        return
    if job.select is not None:
        message = "has no effect on a restore of selected files, which are all in one save set"
        checks.report((*path, "replay"), message, "leave it out")
    jobs = checks.spec.jobs
    legal = [
        name for name, other in jobs.items()
        if type(other) is type(saved) and other.level_of() not in {"full", "reverse"} and other.data == saved.data
    ]  # fmt: skip
    legal += logs_of_data(checks.spec, saved.data)
    for name in job.replay:
        if checks.name((*path, "replay"), name, legal, "job") or name not in jobs:
            continue
        message = f"'{name}' makes no save sets that are based on those of '{job.restore}'"
        checks.report((*path, "replay"), message, choices(name, legal))
    check_logs(checks, path, job, saved.data)


def _check_mounted(checks: Checks, path: Path, saved: FilesSaving) -> None:
    """Report an image in which there are no files to be found."""
    data = checks.spec.data.get(saved.data)
    if saved.level_of() not in {"full", "reverse"}:
        message = f"'{saved.level_of()}' images hold only some blocks of a file"
        checks.report((*path, "select"), message, "select files of a full backup, or 'consolidate' the images first")
    elif data is not None and data.filesystem is None:
        message = f"files of an image can only be found with the file system of '{saved.data}'"
        checks.report((*path, "select"), message, f"write 'filesystem: filesystem/...' under data.{saved.data}")


def changed_by(job: FileBackupSpec, data: DataSpec, last: float | None = None) -> Changed | None:
    """How data have changed since the backup on which this one is based, or since the store got them, if that is later.

    The store got them so many seconds ago; unless given, what the backup says of it counts. None if nothing is known.
    """
    age, change, said = job.base_age(), change_of(data.change), job.deduplication
    if last is None and said is not None and said.last is not None:
        last = said.last.si
    ages = [each for each in (age, last) if each is not None]
    if change is None or data.change is None or not ages:
        return None
    size = max(data.size.si, 1.0)
    least = 1.0 / size  # a byte, as `portion` has it
    files = change_of(data.change, size / data.number) or change
    share = max(differs(change, min(ages)), least)
    sent = 1.0 if age is None else max(differs(files if job.method == "file_level" else change, age), least)
    return Changed(change, si_or(data.change.run, size), sent, share)
