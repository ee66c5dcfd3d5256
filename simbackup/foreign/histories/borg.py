"""BorgBackup 1.1 to 2: `borg create` and `borg info`, of one archive or of several, with `--json` or as text.

`borg list --json` has archives without statistics. Times are those of the machine, without its zone; in the text of
`borg create --stats`, versions from 1.2.5 on may add its offset, and sizes have three digits and decimal units, or
binary ones with `--iec`. See "All about JSON" in "Frontends", "borg create" and "borg info" at
borgbackup.readthedocs.io.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo

from simbackup.errors import InputError, Place, Problem
from simbackup.foreign.histories.finished_job import FinishedJob
from simbackup.foreign.histories.past import Past
from simbackup.foreign.json_text import Json, document
from simbackup.foreign.reader import ForeignFile, FormatReader


def recognises(source: ForeignFile) -> bool:
    """Whether a text is JSON of BorgBackup."""
    text = source.text
    return '"deduplicated_size"' in text or ('"archives"' in text and '"repository"' in text)


def read(source: ForeignFile) -> Past:
    """The backups that a file reports; the name of an archive is that of its job.

    BorgBackup writes times in the zone of the machine, without saying which. It has no levels.

    Raises
    ------
    InputError
        It is not JSON, or no archive has statistics.
    """
    jobs = list(_jobs(source.text, source.shown, source.path.stem, source.in_zone))
    return Past(jobs, [source.zone_note("borg")])


def _jobs(text: str, file: str, stem: str, zone: tzinfo) -> Iterator[FinishedJob]:
    """The job of each archive."""
    whole = document(text, file)
    one, several = whole.get("archive"), whole.get("archives")
    archives = [one] if one is not None else list(several.items()) if several is not None else []
    archives = [archive for archive in archives if archive.get("stats") is not None]
    if not archives:
        remedy = "write it with 'borg create --json', or 'borg info --json --last 100'"
        raise InputError([Problem(whole.place, "", "none of its archives has statistics", remedy)])
    for i, archive in enumerate(archives, 1):
        yield _job(archive, stem if len(archives) == 1 else f"{stem}-{i}", zone)


def _job(archive: Json, name: str, zone: tzinfo) -> FinishedJob:
    """The job of an archive."""
    return FinishedJob(
        id=name, tool="borg", system=archive.text("hostname"), job=archive.text("name"), operation="backup",
        start=archive.moment("start", zone=zone), elapsed_s=archive.number("duration"),
        size_bytes=archive.count("stats", "original_size"),
        stored_bytes=archive.count("stats", "deduplicated_size"), files=archive.count("stats", "nfiles"),
        status="ok", place=archive.place,
    )  # fmt: skip


READER = FormatReader("BorgBackup 1.1 to 2", "borg create --json, borg info --json", recognises, read)


_NAME = re.compile(r"Archive name: (.*)")
_TIME = re.compile(
    r"Time \((start|end)\): +(?:[A-Z][a-z]{2}, )?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?: ?([+-]\d\d:?\d\d))?\s*"
)
_DURATION = re.compile(r"Duration: (.*)")
_FILES = re.compile(r"Number of files: (\d{1,18})\s*")
_HOST = re.compile(r"Hostname: (.*)")
_AMOUNT = r"(\d[\d.]* [kMGTPE]?i?B)"
_ROW = re.compile(rf"This archive: +{_AMOUNT}(?: +{_AMOUNT})? +{_AMOUNT}\s*")
_SINGLE = re.compile(rf"(Original|Deduplicated) size: +{_AMOUNT}\s*")

Parts = dict[str, tuple[str, ...]]
"""What the lines of an archive say, each with its number at the end."""


def recognises_text(source: ForeignFile) -> bool:
    """Whether a text has the lines of an archive with its start."""
    return _NAME.search(source.text) is not None and _TIME.search(source.text) is not None


def read_text(source: ForeignFile) -> Past:
    """The backups of a text, one for each archive; the name of an archive is that of its job.

    Raises
    ------
    InputError
        A size or a time cannot be read, or no archive has both.
    """
    past = Past()
    found = _archives(source.text)
    zoneless = False
    for i, (line, parts) in enumerate(found, 1):
        job = _job_text(past, parts, source, line, source.path.stem if len(found) == 1 else f"{source.path.stem}-{i}")
        if job is not None:
            past.jobs.append(job)
            zoneless = zoneless or not parts["start"][1]
    if zoneless:
        past.notes.append(source.zone_note("borg"))
    past.notes.append(f"sizes in {source.shown} have three digits; 'borg create --json' writes all of them")
    remedy = "write it with 'borg create --stats', or 'borg create --json'"
    return past.checked(source, "has no archive with its start and its duration", remedy)


def _archives(text: str) -> list[tuple[int, Parts]]:
    """Each archive of a text: its first line, and what its lines say."""
    found: list[tuple[int, Parts]] = []
    forms = {"name": _NAME, "took": _DURATION, "files": _FILES, "host": _HOST, "row": _ROW}
    for number, line in enumerate(text.splitlines(), 1):
        if _NAME.match(line):
            found.append((number, {}))
        parts = found[-1][1] if found else {}
        for key, form in forms.items():
            if part := form.match(line):
                parts[key] = (*part.groups(default=""), str(number))
        if part := _TIME.match(line):
            parts[part[1]] = part[2], part[3] or "", str(number)
        if part := _SINGLE.match(line):
            parts[part[1]] = part[2], str(number)
    return found


def _job_text(past: Past, parts: Parts, source: ForeignFile, line: int, name: str) -> FinishedJob | None:
    """The job of an archive, None if it has no times."""
    if "start" not in parts or not {"took", "end"} & parts.keys():
        return None
    moments: dict[str, datetime] = {}
    for key in ("start", "end"):
        if key in parts:
            text, offset, where = parts[key]
            try:
                moment = datetime.fromisoformat(f"{text}{offset}")
            except ValueError:
                past.problems.append(source.problem(int(where), f"'{text}' is not a time"))
                return None
            moments[key] = moment if moment.tzinfo is not None else moment.replace(tzinfo=source.in_zone)
    if "took" in parts:
        elapsed = past.seconds(source, int(parts["took"][1]), parts["took"][0])
    else:
        elapsed = (moments["end"] - moments["start"]).total_seconds()
    if elapsed is not None and elapsed < 0:
        past.problems.append(source.problem(line, "the backup ends before it begins"))
    original, kept = _sizes(past, parts, source)
    return FinishedJob(
        id=name, tool="borg", system=parts.get("host", ("",))[0], job=parts["name"][0].strip(), operation="backup",
        start=moments["start"], elapsed_s=elapsed, size_bytes=original, stored_bytes=kept,
        files=float(parts["files"][0]) if "files" in parts else None, status="ok", place=Place(source.shown, line, 1),
    )  # fmt: skip


def _sizes(past: Past, parts: Parts, source: ForeignFile) -> tuple[float | None, float | None]:
    """The size of the data, and what the repository took."""
    if "row" in parts:
        original, _, kept, line = parts["row"]
        return past.size(source, int(line), original), past.size(source, int(line), kept)
    sizes = [
        past.size(source, int(parts[key][1]), parts[key][0]) if key in parts else None
        for key in ("Original", "Deduplicated")
    ]
    return sizes[0], sizes[1]


TEXT = FormatReader("BorgBackup 1.x, 2", "borg create --stats", recognises_text, read_text)
