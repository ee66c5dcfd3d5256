"""Histories from files of any known form, and the neutral table that they become."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from pathlib import Path

from simbackup.errors import InputError, Problem
from simbackup.foreign.histories import borg, restic
from simbackup.foreign.histories.finished_job import COLUMNS, FinishedJob, as_rows
from simbackup.foreign.histories.mapping import MappingSpec
from simbackup.foreign.histories.reports import read_report
from simbackup.schema.inventory import EXCEL
from simbackup.schema.yaml_file import read_text
from simbackup.text import for_cell


def read_history(
    paths: Sequence[str | Path], mapping: MappingSpec | None = None, zone: tzinfo | None = None
) -> tuple[list[FinishedJob], list[str]]:
    """The jobs of all files, in order, and notes on how the files were read.

    Parameters
    ----------
    paths
        JSON of restic and BorgBackup, tables of other programs, or tables that `simbackup history` wrote.
    mapping
        The mapping of the columns of tables; by default the one that recognises most columns.
    zone
        The time zone for times without one; UTC by default.

    Raises
    ------
    InputError
        All values that cannot be read, with file and line; or two jobs have the same id.
    """
    found: list[FinishedJob] = []
    notes: list[str] = []
    problems: list[Problem] = []
    for path in map(Path, paths):
        try:
            jobs, said = _read(path, mapping, zone)
        except InputError as error:
            problems += error.problems
            continue
        found += [replace(job, id=f"{path.stem}-{job.id}") if job.id.isdigit() else job for job in jobs]
        notes += said
    problems += _twice(found)
    if problems:
        raise InputError(problems)
    return found, list(dict.fromkeys(notes))


def _read(path: Path, mapping: MappingSpec | None, zone: tzinfo | None) -> tuple[list[FinishedJob], list[str]]:
    """The jobs of one file."""
    if path.suffix.lower() != EXCEL:
        text = read_text(path, str(path))
        if restic.recognised(text):
            return list(restic.read(text, str(path), path.stem)), []
        if borg.recognised(text):
            note = "borg states no time zone; its times were read as "
            note += str(zone) if zone is not None else "UTC, because --zone names no other"
            return list(borg.read(text, str(path), path.stem, zone or UTC)), [note]
    return read_report(path, mapping, zone)


def _twice(jobs: Iterable[FinishedJob]) -> list[Problem]:
    """Report jobs with the id of another."""
    seen: dict[str, FinishedJob] = {}
    problems: list[Problem] = []
    for job in jobs:
        other = seen.setdefault(job.id, job)
        if other is not job:
            message = f"the job '{job.id}' appears twice, first in {other.place}"
            problems.append(Problem(job.place, "", message, "leave one out"))
    return problems


def jobs_csv(jobs: Iterable[FinishedJob]) -> str:
    """The neutral table as CSV: a head, and a row for each job."""
    out = io.StringIO()
    written = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    written.writeheader()
    written.writerows({column: for_cell(text) for column, text in row.items()} for row in as_rows(jobs))
    return out.getvalue()
