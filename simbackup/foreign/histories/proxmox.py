"""Proxmox Backup Server 1 to 4: the log of a backup task, as the server shows it or `proxmox-backup-manager task log`.

Each line begins with a time and its offset. Of each index the log states its size, what was uploaded, and to which
share that was compressed. The list of `proxmox-backup-client snapshot list --output-format json` has the time and the
size of each snapshot, and no duration, so that it is no history. See "Command Syntax" and "Backup Client Usage" at
pbs.proxmox.com/docs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime

from simbackup.errors import Place
from simbackup.foreign.histories.finished_job import FAILED, OK, WARNING, FinishedJob
from simbackup.foreign.histories.past import Past
from simbackup.foreign.reader import ForeignFile, FormatReader

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


def recognises(source: ForeignFile) -> bool:
    """Whether a text has the line with which the server begins a backup."""
    return "starting new backup on datastore '" in source.text


def read(source: ForeignFile) -> Past:
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


READER = FormatReader("Proxmox Backup Server 1 to 4", "proxmox-backup-manager task log", recognises, read)


def recognises_snapshots(source: ForeignFile) -> bool:
    """Whether a text is JSON with snapshots of a Proxmox Backup Server."""
    return '"backup-id"' in source.text and '"backup-time"' in source.text


SNAPSHOTS: FormatReader[Past] = FormatReader(
    "Proxmox Backup Server 1 to 4", "proxmox-backup-client snapshot list", recognises_snapshots,
    lacks="it does not state how long the backups took; use the logs of their tasks",
)  # fmt: skip
