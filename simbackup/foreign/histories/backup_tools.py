"""restic, BorgBackup and pgBackRest: what they write of backups, as JSON and as text.

- restic 0.9 to 0.18: `restic backup --json`, with its summary in the last line, and `restic snapshots --json`, whose
  snapshots hold a summary from version 0.17 on. The text that `restic backup` writes has binary sizes with three
  decimals, and states no time of day and no host. See "Scripting" and "Backing up" at restic.readthedocs.io.
- BorgBackup 1.1 to 2: `borg create` and `borg info`, of one archive or of several, with `--json` or as text. `borg
  list --json` has archives without statistics. Times are those of the machine, without its zone; in the text of `borg
  create --stats`, versions from 1.2.5 on may add its offset, and sizes have three digits and decimal units, or binary
  ones with `--iec`. See "All about JSON" in "Frontends" at borgbackup.readthedocs.io.
- pgBackRest 2: `pgbackrest info`, as JSON and as text. `info.size` is the size of the database, `info.delta` what was
  copied of it, `info.repository.delta` what was added to the repository; times are seconds since 1970. In the text,
  sizes have one decimal, and their KB, MB and GB are powers of 1024; times have an offset from version 2.45 on; its
  layout may change with any release, that of JSON does not. See "Info Command" in the command reference at
  pgbackrest.org.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from simbackup.errors import InputError, Place, Problem
from simbackup.foreign.histories.finished_job import OK, WARNING, FinishedJob
from simbackup.foreign.histories.past import Past, blocks_of
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


_FILES = re.compile(r"Files: +(\d{1,15}) new, +(\d{1,15}) changed, +(\d{1,15}) unmodified\s*")
_ADDED = re.compile(r"Added to the repo(?:sitory)?: +(\d[\d.]* \w*B)(?:ytes)?\s*(?:\((\d[\d.]* \w*B) stored\))?\s*")
_DONE = re.compile(r"processed (\d{1,15}) files, (\d[\d.]* \w*B) in (?:(\d+):)?(\d+):(\d\d)\s*")


def read_restic_text(source: ForeignFile) -> Past:
    """The backups of a text of restic, each with its last lines.

    Raises
    ------
    InputError
        A size cannot be read.
    """
    past = Past()
    parts: dict[str, tuple[re.Match[str], int]] = {}
    for number, line in enumerate(source.lines, 1):
        for key, form in (("files", _FILES), ("added", _ADDED), ("done", _DONE)):
            if part := form.fullmatch(line):
                parts[key] = part, number
        if "done" in parts:
            past.jobs.append(_restic_text(past, source, parts, f"{source.path.stem}-{len(past.jobs) + 1}"))
            parts = {}
    past.notes.append(f"{source.shown} states no time of day; 'restic backup --json' does")
    return past.checked(source, "holds no summary of a backup", "keep the output of 'restic backup --json'")


def _restic_text(
    past: Past, source: ForeignFile, parts: dict[str, tuple[re.Match[str], int]], name: str
) -> FinishedJob:
    """The job of the last lines of a backup."""
    done, line = parts["done"]
    size = past.size(source, line, done[2])
    hours, minutes, seconds = (float(done[i] or 0) for i in (3, 4, 5))
    counts = [float(text) for text in parts["files"][0].groups()] if "files" in parts else None
    full = counts is not None and counts[1] == counts[2] == 0.0
    added, where = parts.get("added", (None, line))
    return FinishedJob(
        id=name, tool="restic", operation="backup", level="" if counts is None else "full" if full else "incremental",
        elapsed_s=(hours * 60.0 + minutes) * 60.0 + seconds, size_bytes=size, read_bytes=size if full else None,
        new_bytes=past.size(source, where, added[1]) if added else None,
        stored_bytes=past.size(source, where, added[2]) if added and added[2] else None, files=float(done[1]),
        files_saved=counts[0] + counts[1] if counts else None, status="ok", place=Place(source.shown, line, 1),
    )  # fmt: skip


RESTIC_TEXT = FormatReader(
    "restic 0.9 to 0.18", "restic backup", matching(rf"^{_DONE.pattern}$"), read_restic_text
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


_DAY, _OFFSET = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", r"[+-]\d\d(?::?\d\d)?"
_STANZA = re.compile(r"stanza: (\S+)\s*")
_BORG_SIZE, _SIZE = r"\d[\d.]* [kMGTPE]?i?B", r"\d[\d.]*[KMGTP]?B"


def read_borg_text(source: ForeignFile) -> Past:
    """The backups of a text of BorgBackup, one for each archive; the name of an archive is that of its job.

    Raises
    ------
    InputError
        A size or a time cannot be read, or no archive has both.
    """
    past = Past()
    every = blocks_of(
        source, r"Archive name: (?P<name>.*?)\s*$",
        *(rf"Time \({at}\): +(?:[A-Z][a-z]{{2}}, )?(?P<{at}>{_DAY})(?: ?(?P<{at}_offset>{_OFFSET}))?\s*$"
          for at in ("start", "end")),
        r"Duration: (?P<took>.*)", r"Number of files: (?P<files>\d{1,18})\s*$", r"Hostname: (?P<host>.*)",
        rf"This archive: +(?P<size>{_BORG_SIZE})(?: +{_BORG_SIZE})? +(?P<stored>{_BORG_SIZE})\s*$",
        rf"Original size: +(?P<size>{_BORG_SIZE})\s*$", rf"Deduplicated size: +(?P<stored>{_BORG_SIZE})\s*$",
    )  # fmt: skip
    found = [each for each in every if "start" in each.said and {"took", "end"} & each.said.keys()]
    for i, each in enumerate(found, 1):
        past.add(past.job(source, each, id=_numbered(source, i, len(found)), tool="borg", system=each.text("host"),
                          job=each.text("name")))  # fmt: skip
    if any("start_offset" not in each.said for each in found):
        past.notes.append(source.zone_note("borg"))
    past.notes.append(f"sizes in {source.shown} have three digits; 'borg create --json' writes all of them")
    remedy = "write it with 'borg create --stats', or 'borg create --json'"
    return past.checked(source, "has no archive with its start and its duration", remedy)


BORG_TEXT = FormatReader(
    "BorgBackup 1.x, 2", "borg create --stats", matching("^Archive name: ", r"^Time \(start\): "), read_borg_text
)


def read_pgbackrest_text(source: ForeignFile) -> Past:
    """The backups of all stanzas of a text of pgBackRest.

    Raises
    ------
    InputError
        A time or a size cannot be read, or no backup has times.
    """
    past = Past()
    found = blocks_of(
        source, r"\s*(?P<level>full|diff|incr) backup: (?P<label>\S+)\s*$",
        rf"\s*timestamp start/stop: (?P<start>{_DAY})(?P<start_offset>{_OFFSET})? / "
        rf"(?P<end>{_DAY})(?P<end_offset>{_OFFSET})?\s*$",
        rf"\s*database size: (?P<size>{_SIZE}), (?:database )?backup size: (?P<read>{_SIZE})\s*$",
        rf"\s*repo(?:sitory)?\d*(?::| size:) (?:.*, )?(?:repository )?backup (?:set )?size: (?P<stored>{_SIZE})\s*$",
    )  # fmt: skip
    stanzas = {number: line.split()[1] for number, line in enumerate(source.lines, 1) if _STANZA.fullmatch(line)}
    for each in found:
        if "start" not in each.said:
            past.problems.append(source.problem(each.line, "the backup has no line 'timestamp start/stop'"))
            continue
        stanza = next((name for number, name in reversed(stanzas.items()) if number < each.line), "")
        label = f"{stanza}-{each.text('label')}" if len(stanzas) > 1 else each.text("label")
        past.add(past.job(source, each, binary=True, id=label, tool="pgbackrest", job=stanza,
                          level=LEVELS[each.text("level")]))  # fmt: skip
    if any("start_offset" not in each.said for each in found):
        past.notes.append(source.zone_note("pgbackrest"))
    past.notes.append(f"sizes in {source.shown} have one decimal; '--output=json' writes all of them")
    return past.checked(source, "has no backup with its times", "write it with 'pgbackrest info --output=json'")


PGBACKREST_TEXT = FormatReader(
    "pgBackRest 2", "pgbackrest info", matching(r"^stanza: \S", r"^[ \t]*(?:full|diff|incr) backup: "),
    read_pgbackrest_text,
)  # fmt: skip
