"""pgBackRest 2: the text of `pgbackrest info`.

Sizes have one decimal, and their KB, MB and GB are powers of 1024; times have an offset from version 2.45 on. The
layout may change with any release, that of JSON does not. See "Info Command" at pgbackrest.org.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime

from simbackup.errors import Place
from simbackup.foreign.histories.finished_job import OK, FinishedJob
from simbackup.foreign.histories.past import Past
from simbackup.foreign.histories.pgbackrest import LEVELS
from simbackup.foreign.reader import ForeignFile, FormatReader

_STANZA = re.compile(r"stanza: (\S+)\s*")
_BACKUP = re.compile(r"\s*(full|diff|incr) backup: (\S+)\s*")
_MOMENT = r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)([+-]\d\d(?::?\d\d)?)?"
_TIMES = re.compile(rf"\s*timestamp start/stop: {_MOMENT} / {_MOMENT}\s*")
_AMOUNT = r"(\d[\d.]*[KMGTP]?B)"
_SIZES = re.compile(rf"\s*database size: {_AMOUNT}, (?:database )?backup size: {_AMOUNT}\s*")
_STORED = re.compile(rf"\s*repo(?:sitory)?\d*(?::| size:) (?:.*, )?(?:repository )?backup (?:set )?size: {_AMOUNT}\s*")


@dataclass
class Backup:
    """A backup, and what its lines say, each with its number."""

    stanza: str
    kind: str
    label: str
    line: int
    parts: dict[str, tuple[re.Match[str], int]] = field(default_factory=dict[str, tuple[re.Match[str], int]])


def recognises(source: ForeignFile) -> bool:
    """Whether a text has a stanza and a backup of it."""
    return _STANZA.search(source.text) is not None and _BACKUP.search(source.text) is not None


def read(source: ForeignFile) -> Past:
    """The backups of all stanzas.

    Raises
    ------
    InputError
        A time or a size cannot be read, or no backup has times.
    """
    past, stanza = Past(), ""
    found: list[Backup] = []
    for number, line in enumerate(source.lines, 1):
        if part := _STANZA.fullmatch(line):
            stanza = part[1]
        if part := _BACKUP.fullmatch(line):
            found.append(Backup(stanza, part[1], part[2], number))
        for key, form in (("times", _TIMES), ("sizes", _SIZES), ("stored", _STORED)):
            if found and (part := form.fullmatch(line)):
                found[-1].parts.setdefault(key, (part, number))
    several = len({backup.stanza for backup in found}) > 1
    for backup in found:
        job = _job(past, source, backup)
        past.jobs += [replace(job, id=f"{job.job}-{job.id}") if several else job] if job is not None else []
    if any("times" in backup.parts and not backup.parts["times"][0][2] for backup in found):
        past.notes.append(source.zone_note("pgbackrest"))
    past.notes.append(f"sizes in {source.shown} have one decimal; '--output=json' writes all of them")
    return past.checked(source, "has no backup with its times", "write it with 'pgbackrest info --output=json'")


def _job(past: Past, source: ForeignFile, backup: Backup) -> FinishedJob | None:
    """The job of a backup; None if its times cannot be read."""
    if "times" not in backup.parts:
        past.problems.append(source.problem(backup.line, "the backup has no line 'timestamp start/stop'"))
        return None
    times, line = backup.parts["times"]
    start, stop = (_moment(source, times[i], times[i + 1] or "") for i in (1, 3))
    if start is None or stop is None or stop < start:
        message = "the backup ends before it begins" if start and stop else f"'{times[0].strip()}' has no times"
        past.problems.append(source.problem(line, message))
        return None
    size, copied, stored = (
        past.size(source, backup.parts[key][1], backup.parts[key][0][group], binary=True)
        if key in backup.parts
        else None
        for key, group in (("sizes", 1), ("sizes", 2), ("stored", 1))
    )
    return FinishedJob(
        id=backup.label, tool="pgbackrest", job=backup.stanza, operation="backup", level=LEVELS[backup.kind],
        start=start, elapsed_s=(stop - start).total_seconds(), size_bytes=size, read_bytes=copied, stored_bytes=stored,
        status=OK, place=Place(source.shown, backup.line, 1),
    )  # fmt: skip


def _moment(source: ForeignFile, text: str, offset: str) -> datetime | None:
    """The time of a text; None if it is none."""
    try:
        found = datetime.fromisoformat(f"{text}{offset}")
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=source.in_zone)


READER = FormatReader("pgBackRest 2", "pgbackrest info", recognises, read)
