"""Proxmox VE 6 to 9: the log of `vzdump`, of one guest or of many, to a file or to a Proxmox Backup Server.

It is the log of the task "Backup", and the text of its mail; each line may begin with a time. KB, MB and GB without a
space before them are powers of 1024. See vzdump(1), and "Backup and Restore" of the Proxmox VE documentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from simbackup.errors import Place
from simbackup.foreign.histories.finished_job import FAILED, OK, FinishedJob
from simbackup.foreign.histories.past import Past
from simbackup.foreign.reader import ForeignFile, FormatReader

_LINE = re.compile(
    r"(?:(?:\d+: )?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S* )?(?P<kind>INFO|WARN|WARNING|ERROR): (?P<text>.*)"
)
_BEGIN = re.compile(r"Starting Backup of VM (\d+)")
_END = re.compile(r"Finished Backup of VM (\d+) \((\d+:\d\d:\d\d)\)")
_AMOUNT = r"(\d[\d.]* ?[KMGTP]?i?B)"
_DAY = r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"


@dataclass
class LoggedGuest:
    """The backup of one guest, as far as the log has been read; sizes are in bytes."""

    number: str
    """The number of the guest."""
    line: int
    """The line of the log on which it begins."""
    name: str = ""
    """The name of the guest."""
    start: datetime | None = None
    """When it began."""
    end: datetime | None = None
    """When it ended."""
    elapsed: float | None = None
    """Seconds that it took, as the log states."""
    size: float | None = None
    """Size of the disks."""
    read: float | None = None
    """Bytes that were read."""
    new: float | None = None
    """Bytes that were new to the server."""
    stored: float | None = None
    """Bytes of the archive."""
    dirty: bool = False
    """Whether it follows a map of changed blocks."""
    status: str = ""
    """How it ended; empty until then."""


def recognises(source: ForeignFile) -> bool:
    """Whether a text has the line with which the backup of a guest begins."""
    return "INFO: Starting Backup of VM " in source.text


def read(source: ForeignFile) -> Past:
    """The backups of all guests.

    A backup that follows a map of changed blocks counts as incremental; what others read is all of the disks.

    Raises
    ------
    InputError
        A time or a size cannot be read, or no backup ended.
    """
    past = Past()
    guests: list[LoggedGuest] = []
    for number, line in enumerate(source.lines, 1):
        found = _LINE.match(line)
        if found is None:
            continue
        if begin := _BEGIN.match(found["text"]):
            guests.append(LoggedGuest(begin[1], number))
        elif guests:
            _add(Taking(past, source, guests[-1], number), found["kind"], found["text"])
    running = [guest for guest in guests if not guest.status]
    if running:
        past.notes.append(f"{len(running)} of {len(guests)} backups in {source.shown} have no end, and were left out")
    counts: dict[str, int] = {}
    for guest in guests:
        if guest.status and not past.problems:
            counts[guest.number] = counts.get(guest.number, 0) + 1
            past.jobs.append(_job(source, guest, counts[guest.number]))
    if past.jobs:
        past.notes.append(source.zone_note("vzdump"))
    return past.checked(source, "has no backup that ended", "keep the log down to 'Finished Backup of VM'")


def _add(at: Taking, kind: str, text: str) -> None:
    """Add to a guest what a line states."""
    if kind != "INFO":
        at.guest.status = FAILED if re.match(r"Backup of VM \d+ failed", text) else at.guest.status
        return
    for form, take in RULES:
        if found := form.match(text):
            take(at, found)
            return


@dataclass
class Taking:
    """A guest, and the line that states something of it."""

    past: Past
    source: ForeignFile
    guest: LoggedGuest
    line: int

    def bytes(self, text: str) -> float | None:
        """The bytes of a size."""
        return self.past.size(self.source, self.line, text, binary=" " not in text)

    def moment(self, text: str) -> datetime | None:
        """The time of a text."""
        try:
            return datetime.fromisoformat(text).replace(tzinfo=self.source.in_zone)
        except ValueError:
            self.past.problems.append(self.source.problem(self.line, f"'{text}' is not a time"))
            return None


def _named(at: Taking, found: re.Match[str]) -> None:
    at.guest.name = found[1].strip()


def _begun(at: Taking, found: re.Match[str]) -> None:
    at.guest.start = at.moment(found[1])


def _ended(at: Taking, found: re.Match[str]) -> None:
    at.guest.end = at.moment(found[1])


def _finished(at: Taking, found: re.Match[str]) -> None:
    at.guest.elapsed = at.past.seconds(at.source, at.line, found[2])
    at.guest.status = OK


def _dirty(at: Taking, found: re.Match[str]) -> None:
    at.guest.dirty, at.guest.size = True, at.bytes(found[2])


def _progress(at: Taking, found: re.Match[str]) -> None:
    at.guest.size = at.guest.size if at.guest.dirty else at.bytes(found[1])


def _transferred(at: Taking, found: re.Match[str]) -> None:
    at.guest.read = at.bytes(found[1])


def _archive(at: Taking, found: re.Match[str]) -> None:
    at.guest.stored = at.bytes(found[1])


def _uploaded(at: Taking, found: re.Match[str]) -> None:
    """An archive of files of a container, of which there may be several."""
    new, size, stored = (at.bytes(found[i]) if found[i] else None for i in (1, 2, 3))
    at.guest.new, at.guest.size, at.guest.stored = (
        (old or 0.0) + more if more is not None else old
        for old, more in ((at.guest.new, new), (at.guest.size, size), (at.guest.stored, stored))
    )


def _written(at: Taking, found: re.Match[str]) -> None:
    at.guest.size = at.guest.read = float(found[1])


RULES: tuple[tuple[re.Pattern[str], Callable[[Taking, re.Match[str]], None]], ...] = (
    (re.compile(r"(?:VM|CT) Name: (.*)"), _named),
    (re.compile(rf"Backup started at {_DAY}"), _begun),
    (re.compile(rf"(?:Backup finished|Failed) at {_DAY}"), _ended),
    (_END, _finished),
    (re.compile(rf"using fast incremental mode \(dirty-bitmap\), {_AMOUNT} dirty of {_AMOUNT} total"), _dirty),
    (re.compile(rf" *\d+% \([^)]* of {_AMOUNT}\)"), _progress),
    (re.compile(rf"transferred {_AMOUNT} in "), _transferred),
    (re.compile(rf"archive file size: {_AMOUNT}"), _archive),
    (re.compile(rf"\S+: had to (?:backup|upload) {_AMOUNT} of {_AMOUNT}(?: \(compressed {_AMOUNT}\))?"), _uploaded),
    (re.compile(r"Total bytes written: (\d{1,18}) "), _written),
)


def _job(source: ForeignFile, guest: LoggedGuest, count: int) -> FinishedJob:
    """The job of a guest; the number that a guest has in the log is part of its name."""
    elapsed = guest.elapsed
    if elapsed is None and guest.start is not None and guest.end is not None and guest.end >= guest.start:
        elapsed = (guest.end - guest.start).total_seconds()
    return FinishedJob(
        id=f"{source.path.stem}-{guest.number}" + (f"-{count}" if count > 1 else ""), tool="vzdump",
        system=guest.name or guest.number, job=guest.number, operation="backup",
        level="incremental" if guest.dirty else "full", start=guest.start, elapsed_s=elapsed, size_bytes=guest.size,
        read_bytes=guest.read, new_bytes=guest.new, stored_bytes=guest.stored, status=guest.status,
        place=Place(source.shown, guest.line, 1),
    )  # fmt: skip


READER = FormatReader("Proxmox VE 6 to 9", "vzdump", recognises, read)
