"""Proxmox: the logs of backup tasks of Proxmox Backup Server 1 to 4, and of `vzdump` of Proxmox VE 6 to 9.

- Proxmox Backup Server: the log as the server shows it, or `proxmox-backup-manager task log`. Each line begins with a
  time and its offset. Of each index the log states its size, what was uploaded, and to which share that was compressed.
  See "Command Syntax" and "Backup Client Usage" at pbs.proxmox.com/docs.
- vzdump: the log of the task "Backup", and the text of its mail, of one guest or of many, to a file or to a Proxmox
  Backup Server; each line may begin with a time. KB, MB and GB without a space before them are powers of 1024. See
  vzdump(1), and "Backup and Restore" of the Proxmox VE documentation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from simbackup.errors import Place
from simbackup.foreign.histories.finished_job import FAILED, OK, WARNING, FinishedJob
from simbackup.foreign.histories.past import Past
from simbackup.foreign.reader import ForeignFile, FormatReader, matching

_LINE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[+-]\d\d:\d\d|Z)): (.*)")
_BEGIN = re.compile(r"starting new backup on datastore '([^']*)'.*: \"(?:ns/.*/)?(\w+)/([^/]+)/[^\"]*\"")
_SIZE = re.compile(r"Size: (\d{1,18})\s*")
_UPLOAD = re.compile(r"Upload size: (\d{1,18}) ")
_COMPRESSION = re.compile(r"Compression: (\d{1,3})%")
_END = re.compile(r"TASK (OK|WARNINGS|ERROR)|backup (?:finished successfully|failed|ended)")
STATES = {"OK": OK, "WARNINGS": WARNING, "ERROR": FAILED}


@dataclass
class Task:
    """A backup, as far as its log has been read."""

    group: str
    """Kind and name of the guest, such as `vm/100`."""
    start: datetime
    """When it began."""
    line: int
    """The line of the log on which it begins."""
    end: datetime | None = None
    """When it ended."""
    status: str = ""
    """How it ended; empty until then."""
    sizes: list[float] = field(default_factory=list[float])
    """Bytes of each index."""
    uploads: list[float] = field(default_factory=list[float])
    """Bytes of each index that were uploaded."""
    stored: list[float] = field(default_factory=list[float])
    """Bytes of each index after compression."""


def read_task(source: ForeignFile) -> Past:
    """The backups of all tasks in a file.

    Raises
    ------
    InputError
        A time is none, or no task ended.
    """
    past = Past()
    tasks: list[Task] = []
    for number, line in enumerate(source.lines, 1):
        found = _LINE.match(line)
        if found is None:
            continue
        try:
            moment = datetime.fromisoformat(found[1])
        except ValueError:
            past.problems.append(source.problem(number, f"'{found[1]}' is not a time"))
            continue
        if begin := _BEGIN.match(found[2]):
            tasks.append(Task(f"{begin[2]}/{begin[3]}", moment, number))
        elif tasks:
            _add(tasks[-1], moment, found[2])
    ended = [task for task in tasks if task.status and task.end is not None and task.end >= task.start]
    if len(ended) < len(tasks):
        left = f"{len(tasks) - len(ended)} of {len(tasks)} backups in {source.shown} have no end, and were left out"
        past.notes.append(left)
    for i, task in enumerate(ended, 1):
        name = source.path.stem if len(ended) == 1 else f"{source.path.stem}-{i}"
        past.jobs.append(
            FinishedJob(
                id=name, tool="proxmox-backup", system=task.group.partition("/")[2], job=task.group, operation="backup",
                start=task.start, elapsed_s=((task.end or task.start) - task.start).total_seconds(),
                size_bytes=sum(task.sizes) if task.sizes else None, new_bytes=sum(task.uploads) if task.sizes else None,
                stored_bytes=float(round(sum(task.stored))) if task.stored else None, status=task.status,
                place=Place(source.shown, task.line, 1),
            )
        )  # fmt: skip
    if any(task.stored for task in ended):
        past.notes.append(f"what was stored follows from the share of compression in {source.shown}, in whole percent")
    return past.checked(source, "has no backup that ended", "keep the log down to 'TASK OK'")


def _add(task: Task, moment: datetime, text: str) -> None:
    """Add to a task what a line states."""
    if part := _SIZE.fullmatch(text):
        task.sizes.append(float(part[1]))
    elif part := _UPLOAD.match(text):
        task.uploads.append(float(part[1]))
    elif (part := _COMPRESSION.match(text)) and task.uploads:
        task.stored.append(task.uploads[-1] * float(part[1]) / 100.0)
    elif part := _END.match(text):
        task.end = moment
        task.status = STATES[part[1]] if part[1] else task.status or (OK if "successfully" in text else FAILED)


TASK = FormatReader(
    "Proxmox Backup Server 1 to 4", "proxmox-backup-manager task log", matching("starting new backup on datastore '"),
    read_task,
)  # fmt: skip


_LOGGED = re.compile(
    r"(?:(?:\d+: )?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S* )?(?P<kind>INFO|WARN|WARNING|ERROR): (?P<text>.*)"
)
_GUEST = re.compile(r"Starting Backup of VM (\d+)")
_AMOUNT, _DAY = r"\d[\d.]* ?[KMGTP]?i?B", r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
LINES = tuple(map(re.compile, (
    r"(?:VM|CT) Name: (?P<name>.*)",
    rf"Backup started at (?P<start>{_DAY})",
    rf"(?:Backup finished|Failed) at (?P<end>{_DAY})",
    r"Finished Backup of VM \d+ \((?P<elapsed>\d+:\d\d:\d\d)\)",
    rf"using fast incremental mode \(dirty-bitmap\), {_AMOUNT} dirty of (?P<of_dirty>{_AMOUNT}) total",
    rf" *\d+% \([^)]* of (?P<size>{_AMOUNT})\)",
    rf"transferred (?P<read>{_AMOUNT}) in ",
    rf"archive file size: (?P<stored>{_AMOUNT})",
    rf"\S+: had to (?:backup|upload) (?P<sum_new>{_AMOUNT}) of (?P<sum_size>{_AMOUNT})(?: \(compressed (?P<sum_stored>{_AMOUNT})\))?",  # noqa: E501
    r"Total bytes written: (?P<written>\d{1,18}) ",
)))  # fmt: skip
"""What lines state of a guest: names begin with `sum_` where a container has several archives."""


@dataclass
class LoggedGuest:
    """The backup of one guest, as far as the log has been read: its number, its line, what lines state, its status."""

    number: str
    line: int
    said: dict[str, Any] = field(default_factory=dict[str, Any])
    status: str = ""
    """How it ended; empty until then."""


def read_vzdump(source: ForeignFile) -> Past:
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
        found = _LOGGED.match(line)
        if found is None:
            continue
        if begin := _GUEST.match(found["text"]):
            guests.append(LoggedGuest(begin[1], number))
        elif guests and found["kind"] == "INFO":
            _add_to_guest(past, source, guests[-1], number, found["text"])
        elif guests and re.match(r"Backup of VM \d+ failed", found["text"]):
            guests[-1].status = FAILED
    running = [guest for guest in guests if not guest.status]
    if running:
        past.notes.append(f"{len(running)} of {len(guests)} backups in {source.shown} have no end, and were left out")
    counts: dict[str, int] = {}
    for guest in guests:
        if guest.status and not past.problems:
            counts[guest.number] = counts.get(guest.number, 0) + 1
            past.jobs.append(_job_of_guest(source, guest, counts[guest.number]))
    if past.jobs:
        past.notes.append(source.zone_note("vzdump"))
    return past.checked(source, "has no backup that ended", "keep the log down to 'Finished Backup of VM'")


def _add_to_guest(past: Past, source: ForeignFile, guest: LoggedGuest, line: int, text: str) -> None:
    """Add to a guest what a line states."""
    found = next(filter(None, (form.match(text) for form in LINES)), None)
    for name, stated in (found.groupdict() if found is not None else {}).items():
        if name == "name":
            guest.said[name] = stated.strip()
        elif name in {"start", "end"}:
            try:
                guest.said[name] = datetime.fromisoformat(stated).replace(tzinfo=source.in_zone)
            except ValueError:
                past.problems.append(source.problem(line, f"'{stated}' is not a time"))
        elif name == "elapsed":
            guest.said[name], guest.status = past.seconds(source, line, stated), OK
        elif stated is not None:
            size = float(stated) if name == "written" else past.size(source, line, stated, binary=" " not in stated)
            before = guest.said.get(name, 0.0) if name.startswith("sum_") else 0.0
            guest.said[name] = before + (size or 0.0)


def _job_of_guest(source: ForeignFile, guest: LoggedGuest, count: int) -> FinishedJob:
    """The job of a guest; the number that a guest has in the log is part of its name."""
    said = guest.said
    elapsed, start, end = said.get("elapsed"), said.get("start"), said.get("end")
    if elapsed is None and start is not None and end is not None and end >= start:
        elapsed = (end - start).total_seconds()
    sizes = (said.get(name) for name in ("of_dirty", "written", "sum_size", "size"))
    return FinishedJob(
        id=f"{source.path.stem}-{guest.number}" + (f"-{count}" if count > 1 else ""), tool="vzdump",
        system=said.get("name") or guest.number, job=guest.number, operation="backup",
        level="incremental" if "of_dirty" in said else "full", start=start, elapsed_s=elapsed,
        size_bytes=next((size for size in sizes if size is not None), None),
        read_bytes=said.get("written", said.get("read")), new_bytes=said.get("sum_new"),
        stored_bytes=said.get("sum_stored", said.get("stored")), status=guest.status,
        place=Place(source.shown, guest.line, 1),
    )  # fmt: skip


VZDUMP = FormatReader("Proxmox VE 6 to 9", "vzdump", matching("INFO: Starting Backup of VM "), read_vzdump)
