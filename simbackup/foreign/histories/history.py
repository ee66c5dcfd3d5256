"""Histories from files of any known form, and the neutral table that they become."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path

from simbackup.errors import InputError, Problem
from simbackup.foreign.histories.finished_job import COLUMNS, FinishedJob, as_rows
from simbackup.foreign.histories.mapping import MappingSpec
from simbackup.foreign.reader import ForeignFile
from simbackup.foreign.registry import HISTORIES, read_with
from simbackup.text import for_cell


def read_history(
    paths: Sequence[str | Path],
    mapping: MappingSpec | None = None,
    zone: tzinfo | None = None,
    columns: Mapping[str, str] | None = None,
) -> tuple[list[FinishedJob], list[str]]:
    """The jobs of all files, in order, and notes on how the files were read.

    Parameters
    ----------
    paths
        What backup programs wrote of their jobs, or tables that `simbackup history` wrote.
    mapping
        The mapping of the columns of tables; by default the one that recognises most columns.
    zone
        The time zone for times without one; UTC by default.
    columns
        Headings of tables, by column of a history or `end`; they come before those of the mapping.

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
            past = read_with("history", HISTORIES, ForeignFile(path, str(path), zone, mapping, columns or {}))
        except InputError as error:
            problems += error.problems
            continue
        found += [replace(job, id=f"{path.stem}-{job.id}") if job.id.isdigit() else job for job in past.jobs]
        notes += past.notes
    problems += _twice(found)
    if problems:
        raise InputError(problems)
    return found, list(dict.fromkeys(notes))


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
