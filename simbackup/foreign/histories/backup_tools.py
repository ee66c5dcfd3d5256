"""Readers of what restic, BorgBackup and pgBackRest write about backups as JSON.

- restic 0.9 to 0.18: `restic backup --json`, with its summary in the last line, and `restic snapshots --json`, whose
  snapshots hold a summary from version 0.17 on. See "Scripting" and "Backing up" at restic.readthedocs.io.
- BorgBackup 1.1 to 2: `borg create --json` and `borg info --json`, of one archive or of several. `borg list --json` has
  archives without statistics. Times are those of the machine, without its zone. See "All about JSON" in "Frontends" at
  borgbackup.readthedocs.io.
- pgBackRest 2: `pgbackrest info --output=json`. `info.size` is the size of the database, `info.delta` what was
  copied of it, `info.repository.delta` what was added to the repository; times are seconds since 1970.
  See "Info Command" in the command reference at pgbackrest.org.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from simbackup.errors import InputError, Problem
from simbackup.foreign.histories.finished_job import OK, WARNING, FinishedJob
from simbackup.foreign.histories.past import Past
from simbackup.foreign.json_text import Json, document, lines
from simbackup.foreign.reader import ForeignFile, FormatReader, matching


def _numbered(source: ForeignFile, number: int, of: int) -> str:
    """The id of a backup: the name of its file, with a number if that has several."""
    return source.path.stem if of == 1 else f"{source.path.stem}-{number}"


def read_restic(source: ForeignFile) -> Past:
    """The backups that JSON of restic reports.

    restic has no levels: a backup without changed and without unmodified files counts as full, others as incremental.

    Raises
    ------
    InputError
        A line is not JSON, or a backup has no summary.
    """
    found: list[tuple[Json, Json | None]] = []
    array = source.text.lstrip().startswith("[")
    documents = [document(source.text, source.shown, "[")] if array else list(lines(source.text, source.shown))
    for line in documents:
        members = list(line.items())
        if members:
            found += [(each, each.get("summary")) for each in members if each.get("summary") is not None]
        elif line.text("message_type") == "summary":
            found.append((line, None))
    if not found:
        remedy = "snapshots of restic before 0.17 hold none; keep the output of 'restic backup --json'"
        raise InputError([Problem(documents[0].place, "", "holds no summary of a backup", remedy)])
    return Past([
        _restic(one, inside or one, _numbered(source, i, len(found))) for i, (one, inside) in enumerate(found, 1)
    ])  # fmt: skip


def _restic(one: Json, summary: Json, name: str) -> FinishedJob:
    """The job of a summary."""
    counts = {key: summary.count(key) for key in ("files_new", "files_changed", "files_unmodified")}
    full = counts["files_changed"] == counts["files_unmodified"] == 0.0
    size = summary.count("total_bytes_processed")
    packed = summary.get("data_added_packed")
    start, end = summary.moment("backup_start"), summary.moment("backup_end")
    stated = summary.get("total_duration")
    elapsed = (end - start).total_seconds() if stated is None and start and end else summary.number("total_duration")
    if elapsed < 0:
        raise InputError([Problem(one.place, "summary.backup_end", "the backup ends before it begins")])
    return FinishedJob(
        id=name, tool="restic", system=one.text("hostname"), operation="backup",
        level="full" if full else "incremental", start=start, elapsed_s=elapsed, size_bytes=size,
        read_bytes=size if full else None, new_bytes=summary.count("data_added"),
        stored_bytes=summary.count("data_added_packed") if packed is not None else None,
        files=summary.count("total_files_processed"), files_saved=counts["files_new"] + counts["files_changed"],
        status="ok", place=one.place,
    )  # fmt: skip


RESTIC = FormatReader(
    "restic 0.9 to 0.18", "restic backup --json, restic snapshots --json",
    matching('"message_type"|"paths"', '"message_type"|"short_id"'), read_restic,
)  # fmt: skip


def read_borg(source: ForeignFile) -> Past:
    """The backups that JSON of BorgBackup reports; the name of an archive is that of its job, and none has a level.

    Raises
    ------
    InputError
        It is not JSON, or no archive has statistics.
    """
    whole = document(source.text, source.shown)
    one, several = whole.get("archive"), whole.get("archives")
    archives = [one] if one is not None else list(several.items()) if several is not None else []
    archives = [archive for archive in archives if archive.get("stats") is not None]
    if not archives:
        remedy = "write it with 'borg create --json', or 'borg info --json --last 100'"
        raise InputError([Problem(whole.place, "", "none of its archives has statistics", remedy)])
    jobs = [
        FinishedJob(
            id=_numbered(source, i, len(archives)), tool="borg", system=archive.text("hostname"),
            job=archive.text("name"), operation="backup", start=archive.moment("start", zone=source.in_zone),
            elapsed_s=archive.number("duration"), size_bytes=archive.count("stats", "original_size"),
            stored_bytes=archive.count("stats", "deduplicated_size"), files=archive.count("stats", "nfiles"),
            status="ok", place=archive.place,
        )
        for i, archive in enumerate(archives, 1)
    ]  # fmt: skip
    return Past(jobs, [source.zone_note("borg")])


BORG = FormatReader(
    "BorgBackup 1.1 to 2", "borg create --json, borg info --json",
    matching('"deduplicated_size"|"archives"', '"repository"'), read_borg,
)  # fmt: skip


LEVELS = {"full": "full", "diff": "differential", "incr": "incremental"}


def read_pgbackrest(source: ForeignFile) -> Past:
    """The backups of all stanzas of pgBackRest; the name of a stanza is that of its job.

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
        backup.day("timestamp", "start")  # reports what is no time
        yield FinishedJob(
            id=f"{name}-{label}" if several else label, tool="pgbackrest", job=name, operation="backup",
            level=LEVELS.get(backup.text("type"), backup.text("type")), start=datetime.fromtimestamp(start, UTC),
            elapsed_s=stop - start, size_bytes=backup.count("info", "size"), read_bytes=backup.count("info", "delta"),
            stored_bytes=backup.count("info", "repository", "delta") if repository is not None else None,
            status=WARNING if error is not None and error.value is True else OK, place=backup.place,
        )  # fmt: skip


PGBACKREST = FormatReader(
    "pgBackRest 2", "pgbackrest info --output=json", matching('"backup"', '"timestamp"', '"delta"', '"label"'),
    read_pgbackrest,
)  # fmt: skip
