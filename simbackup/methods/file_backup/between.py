"""What lies between data and target: a share, a disk before tape, and the backup that another one is based on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup import units
from simbackup.errors import choices
from simbackup.schema.capability import MediaLibrary
from simbackup.schema.part import Path
from simbackup.schema.quantity import Count, Frozen, Multiple, PositiveSize, Text

if TYPE_CHECKING:
    from simbackup.methods.file_backup.spec import FileBackupSpec
    from simbackup.scenario.checks import Checks


MOST_TURNS = 10_000
"""Times that a spool may fill up in a backup; each is simulated, and takes milliseconds."""


class ShareSpec(Frozen):
    """How another host reads files or blocks over the network, one request at a time for each worker or stream."""

    host: Text
    """The host that reads them, and runs the backup."""
    calls: Count | None = None
    """Requests for each file besides those for its data: look-up, attributes, open, close; about 3 over NFS, which
    opens nothing, and 5 or more over SMB. A file-level backup needs it; an image has none."""
    request: PositiveSize
    """Bytes of one request for data; where the host reads ahead, of all that are under way, such as 256 KiB."""
    look_calls: Multiple | None = None
    """Requests for each file that is only looked at, below one where a request lists many; `calls` unless stated."""


class SpoolSpec(Frozen):
    """A disk that takes what is saved before it goes to tape."""

    on: Text
    """The volume or device of a host that takes it."""
    size: PositiveSize
    """Room there; when it is full, what it holds goes to tape."""
    overlapped: bool = False
    """Whether one half of the room is filled while the other goes to tape; else both take turns."""


def check_share(checks: Checks, path: Path, job: FileBackupSpec) -> None:
    """The host that reads from a share is another one, and reaches the data and the target."""
    spec, here = checks.spec, (*path, "share", "host")
    if job.share is None or job.data not in spec.data:
        return
    for key, said in (("calls", job.share.calls), ("look_calls", job.share.look_calls)):
        if job.method == "image" and said is not None:
            checks.report((*path, "share", key), "has no effect on an image, which opens no files", "leave it out")
    if job.method == "file_level" and job.share.calls is None:
        checks.report((*path, "share"), "needs 'calls' in a file-level backup", "write 'calls: 3', as of NFS")
    reader, keeper = job.share.host, spec.owner_of(spec.data[job.data].on)
    others = [name for name in checks.named("hosts") if name != keeper]
    if reader == keeper:
        checks.report(here, f"'{reader}' keeps the data itself", choices(reader, others))
    elif checks.name(here, reader, others, "host") and checks.sound(path, "hosts", "devices", "links"):
        ends = ((keeper, spec.route(reader, keeper or "")), (job.to, spec.way_to(reader, job.to)))
        for end, way in ends:
            if way is None:
                message = f"there is no way from '{reader}' to '{end}'"
                checks.report(here, message, f"let a link join '{reader}' and '{end}'")


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
        if getattr(job, key) is not None:
            checks.report((*path, key), "has no effect with 'spool': a spooled backup is one stream", "leave it out")
    checks.free((*path, "spool", "size"), spool.on, spool.size, "a spool")
    if job.data in checks.spec.data:
        least = checks.spec.data[job.data].size.si / MOST_TURNS
        if spool.size.si < least:
            message = f"fills up more than {MOST_TURNS:,} times in a backup"
            checks.report((*path, "spool", "size"), message, f"write at least {units.show_short(least, 'B')}")
        checks.connected(here, checks.spec.data[job.data].on, spool.on)
    checks.connected(here, spool.on, job.to)


def check_level(checks: Checks, path: Path, job: FileBackupSpec) -> None:
    """Report a base of a full backup, a level without one, and data that do not say how they change."""
    data = checks.spec.data.get(job.data)
    if job.level == "full":
        if job.since is not None:
            checks.report((*path, "since"), "has no effect on a full backup", "leave it out, or write a 'level'")
        return
    if job.base_age() is None:
        message = f"a backup of the level {job.level} needs the age of the one that it is based on"
        checks.report((*path, "level"), message, "write for example 'since: 24 h'")
    if data is not None and data.change is None:
        message = f"'{job.data}' does not say how it changes"
        remedy = f"write 'change: {{daily: 2 %}}' under data.{job.data}, or name a datasheet 'change/...'"
        checks.report((*path, "level"), message, remedy)
    elif job.method == "image" and data and data.change and data.change.run is None and not job.searches():
        message = f"an incremental image needs the runs of bytes in which '{job.data}' changes"
        checks.report((*path, "level"), message, f"write 'run: 256 KiB' under data.{job.data}.change")
