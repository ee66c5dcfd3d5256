"""BorgBackup 1.1 to 2: `borg create --json` and `borg info --json`, of one archive or of several.

`borg list --json` has archives without statistics. Times are those of the machine, without its zone. See "All about
JSON" in "Frontends" at borgbackup.readthedocs.io.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo

from simbackup.errors import InputError, Problem
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
