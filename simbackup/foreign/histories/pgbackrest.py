"""pgBackRest 2: `pgbackrest info`, as JSON (`--output=json`) and as text.

`info.size` is the size of the database, `info.delta` what was copied of it, `info.repository.delta` what was added to
the repository; times are seconds since 1970. In the text, sizes have one decimal, and their KB, MB and GB are powers
of 1024; times have an offset from version 2.45 on; its layout may change with any release, that of JSON does not. See
"Info Command" in the command reference at pgbackrest.org.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from simbackup.errors import InputError, Place, Problem
from simbackup.foreign.histories.finished_job import OK, WARNING, FinishedJob
from simbackup.foreign.histories.past import Past
from simbackup.foreign.json_text import Json, document
from simbackup.foreign.reader import ForeignFile, FormatReader

LEVELS = {"full": "full", "diff": "differential", "incr": "incremental"}


def recognises(source: ForeignFile) -> bool:
    """Whether a text is JSON with stanzas and backups."""
    text = source.text
    return text.lstrip()[:1] == "[" and all(word in text for word in ('"backup"', '"timestamp"', '"delta"', '"label"'))


def read(source: ForeignFile) -> Past:
    """The backups of all stanzas; the name of a stanza is that of its job.

    Raises
    ------
    InputError
        It is not JSON, or a backup lacks its times or sizes.
    """
    stanzas = list(document(source.text, source.shown, "[").items())
    jobs = [job for stanza in stanzas for job in _backups(stanza, several=len(stanzas) > 1)]
    return Past(jobs).checked(source, "has no backups", "write it with 'pgbackrest info --output=json'")


def _backups(stanza: Json, *, several: bool) -> Iterator[FinishedJob]:
    """The backups of a stanza."""
    backups = stanza.get("backup")
    for backup in backups.items() if backups is not None else ():
        start, stop = (backup.number("timestamp", key) for key in ("start", "stop"))
        if stop < start:
            raise InputError([Problem(backup.place, f"{backup.address}.timestamp", "the backup ends before it begins")])
        name, label = stanza.text("name"), backup.text("label")
        repository = backup.get("info", "repository", "delta")
        error = backup.get("error")
        yield FinishedJob(
            id=f"{name}-{label}" if several else label, tool="pgbackrest", job=name, operation="backup",
            level=LEVELS.get(backup.text("type"), backup.text("type")), start=_moment(backup, start),
            elapsed_s=stop - start, size_bytes=backup.count("info", "size"), read_bytes=backup.count("info", "delta"),
            stored_bytes=backup.count("info", "repository", "delta") if repository is not None else None,
            status=WARNING if error is not None and error.value is True else OK, place=backup.place,
        )  # fmt: skip


def _moment(backup: Json, seconds: float) -> datetime:
    """The time of seconds since 1970."""
    backup.day("timestamp", "start")  # reports what is no time
    return datetime.fromtimestamp(seconds, UTC)


READER = FormatReader("pgBackRest 2", "pgbackrest info --output=json", recognises, read)


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


def recognises_text(source: ForeignFile) -> bool:
    """Whether a text has a stanza and a backup of it."""
    return _STANZA.search(source.text) is not None and _BACKUP.search(source.text) is not None


def read_text(source: ForeignFile) -> Past:
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
    start, stop = (_moment_text(source, times[i], times[i + 1] or "") for i in (1, 3))
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


def _moment_text(source: ForeignFile, text: str, offset: str) -> datetime | None:
    """The time of a text; None if it is none."""
    try:
        found = datetime.fromisoformat(f"{text}{offset}")
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=source.in_zone)


TEXT = FormatReader("pgBackRest 2", "pgbackrest info", recognises_text, read_text)
