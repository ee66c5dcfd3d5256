"""BorgBackup 1.x and 2: the text that `borg create --stats` and `borg info` write of an archive.

Sizes have three digits and decimal units, or binary ones with `--iec`; times are those of the machine, and versions
from 1.2.5 on may add its offset. See "borg create" and "borg info" at borgbackup.readthedocs.io.
"""

from __future__ import annotations

import re
from datetime import datetime

from simbackup.errors import Place
from simbackup.foreign.histories.finished_job import FinishedJob
from simbackup.foreign.histories.past import Past
from simbackup.foreign.reader import ForeignFile, FormatReader

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


def recognises(source: ForeignFile) -> bool:
    """Whether a text has the lines of an archive with its start."""
    return _NAME.search(source.text) is not None and _TIME.search(source.text) is not None


def read(source: ForeignFile) -> Past:
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
        job = _job(past, parts, source, line, source.path.stem if len(found) == 1 else f"{source.path.stem}-{i}")
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


def _job(past: Past, parts: Parts, source: ForeignFile, line: int, name: str) -> FinishedJob | None:
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


READER = FormatReader("BorgBackup 1.x, 2", "borg create --stats", recognises, read)
