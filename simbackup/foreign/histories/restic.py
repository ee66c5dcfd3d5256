"""restic 0.9 to 0.18: `restic backup --json`, with its summary in the last line, and `restic snapshots --json`.

Snapshots hold a summary from version 0.17 on. See "Scripting" at restic.readthedocs.io.
"""

from __future__ import annotations

from collections.abc import Iterator

from simbackup.errors import InputError, Problem
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
