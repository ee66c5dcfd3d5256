"""restic 0.9 to 0.18: `restic backup --json`, with its summary in the last line, `restic snapshots --json`, and text.

Snapshots hold a summary from version 0.17 on. The text that `restic backup` writes has binary sizes with three
decimals, and states no time of day and no host. `restic stats --json` states the size of a repository or of its
snapshots, and no time of a backup, so that it is no history. See "Scripting", "Backing up" and "Manage repositories"
at restic.readthedocs.io.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from simbackup.errors import InputError, Place, Problem
from simbackup.foreign.histories.finished_job import FinishedJob
from simbackup.foreign.histories.past import Past
from simbackup.foreign.json_text import Json, document, lines
from simbackup.foreign.reader import ForeignFile, FormatReader


def recognises(source: ForeignFile) -> bool:
    """Whether a text is JSON of restic."""
    text = source.text
    return '"message_type"' in text or ('"short_id"' in text and '"paths"' in text)


def read(source: ForeignFile) -> Past:
    """The backups that a file reports.

    restic has no levels: a backup without changed and without unmodified files counts as full, others as incremental.

    Raises
    ------
    InputError
        A line is not JSON, or a backup has no summary.
    """
    return Past(list(_jobs(source.text, source.shown, source.path.stem)))


def _jobs(text: str, file: str, stem: str) -> Iterator[FinishedJob]:
    """The job of each summary."""
    found: list[tuple[Json, Json | None]] = []
    documents = [document(text, file, "[")] if text.lstrip().startswith("[") else list(lines(text, file))
    for line in documents:
        members = list(line.items())
        if members:
            found += [(each, each.get("summary")) for each in members if each.get("summary") is not None]
        elif line.text("message_type") == "summary":
            found.append((line, None))
    if not found:
        place = documents[0].place
        remedy = "snapshots of restic before 0.17 hold none; keep the output of 'restic backup --json'"
        raise InputError([Problem(place, "", "holds no summary of a backup", remedy)])
    for i, (one, inside) in enumerate(found, 1):
        yield _job(one, inside or one, stem if len(found) == 1 else f"{stem}-{i}")


def _job(one: Json, summary: Json, name: str) -> FinishedJob:
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


READER = FormatReader("restic 0.9 to 0.18", "restic backup --json, restic snapshots --json", recognises, read)


def recognises_stats(source: ForeignFile) -> bool:
    """Whether a text is JSON with the statistics of a repository."""
    return '"total_size"' in source.text and '"snapshots_count"' in source.text


STATS: FormatReader[Past] = FormatReader(
    "restic 0.9 to 0.18", "restic stats --json", recognises_stats,
    lacks="it does not state how long any backup took; use 'restic backup --json' or 'restic snapshots --json'",
)  # fmt: skip


_FILES = re.compile(r"Files: +(\d{1,15}) new, +(\d{1,15}) changed, +(\d{1,15}) unmodified\s*")
_ADDED = re.compile(r"Added to the repo(?:sitory)?: +(\d[\d.]* \w*B)(?:ytes)?\s*(?:\((\d[\d.]* \w*B) stored\))?\s*")
_DONE = re.compile(r"processed (\d{1,15}) files, (\d[\d.]* \w*B) in (?:(\d+):)?(\d+):(\d\d)\s*")


def recognises_text(source: ForeignFile) -> bool:
    """Whether a text has the last lines of a backup."""
    return "processed " in source.text and any(_DONE.fullmatch(line) for line in source.lines)


def read_text(source: ForeignFile) -> Past:
    """The backups of a text, each with its last lines.

    Raises
    ------
    InputError
        A size cannot be read.
    """
    past = Past()
    parts: dict[str, tuple[re.Match[str], int]] = {}
    found: list[FinishedJob] = []
    for number, line in enumerate(source.lines, 1):
        for key, form in (("files", _FILES), ("added", _ADDED), ("done", _DONE)):
            if part := form.fullmatch(line):
                parts[key] = part, number
        if "done" in parts:
            found.append(_job_text(past, source, parts, f"{source.path.stem}-{len(found) + 1}"))
            parts = {}
    past.jobs = found
    past.notes.append(f"{source.shown} states no time of day; 'restic backup --json' does")
    return past.checked(source, "holds no summary of a backup", "keep the output of 'restic backup --json'")


def _job_text(past: Past, source: ForeignFile, parts: dict[str, tuple[re.Match[str], int]], name: str) -> FinishedJob:
    """The job of a summary."""
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


TEXT = FormatReader("restic 0.9 to 0.18", "restic backup", recognises_text, read_text)
