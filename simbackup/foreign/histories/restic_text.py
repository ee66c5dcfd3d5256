"""restic 0.9 to 0.18: the summary that `restic backup` writes as text.

Sizes are binary and have three decimals. The summary states no time of day and no host. See "Backing up" at
restic.readthedocs.io.
"""

from __future__ import annotations

import re

from simbackup.errors import Place
from simbackup.foreign.histories.finished_job import FinishedJob
from simbackup.foreign.histories.past import Past
from simbackup.foreign.reader import ForeignFile, FormatReader

_FILES = re.compile(r"Files: +(\d{1,15}) new, +(\d{1,15}) changed, +(\d{1,15}) unmodified\s*")
_ADDED = re.compile(r"Added to the repo(?:sitory)?: +(\d[\d.]* \w*B)(?:ytes)?\s*(?:\((\d[\d.]* \w*B) stored\))?\s*")
_DONE = re.compile(r"processed (\d{1,15}) files, (\d[\d.]* \w*B) in (?:(\d+):)?(\d+):(\d\d)\s*")


def recognises(source: ForeignFile) -> bool:
    """Whether a text has the last lines of a backup."""
    return "processed " in source.text and any(_DONE.fullmatch(line) for line in source.lines)


def read(source: ForeignFile) -> Past:
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
            found.append(_job(past, source, parts, f"{source.path.stem}-{len(found) + 1}"))
            parts = {}
    past.jobs = found
    past.notes.append(f"{source.shown} states no time of day; 'restic backup --json' does")
    return past.checked(source, "holds no summary of a backup", "keep the output of 'restic backup --json'")


def _job(past: Past, source: ForeignFile, parts: dict[str, tuple[re.Match[str], int]], name: str) -> FinishedJob:
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


READER = FormatReader("restic 0.9 to 0.18", "restic backup", recognises, read)
