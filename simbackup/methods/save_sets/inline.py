"""Checks of `inline: true` copies: keys that have no effect, and drives that all copies need at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simbackup.schema.capability import MediaLibrary
from simbackup.schema.job import NOT_OF_EXISTING, BackupJob, Copying, Lasting
from simbackup.schema.part import Path
from simbackup.schema.quantity import si_or

if TYPE_CHECKING:
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
