"""pgBackRest 2: `pgbackrest info --output=json`.

`info.size` is the size of the database, `info.delta` what was copied of it, `info.repository.delta` what was added to
the repository; times are seconds since 1970. See "Info Command" in the command reference at pgbackrest.org.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from simbackup.errors import InputError, Problem
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
