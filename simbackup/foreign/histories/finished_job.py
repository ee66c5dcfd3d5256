"""A job that ran: one row of `jobs.csv`, the neutral table of a history, and formulas of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from simbackup import units
from simbackup.errors import Place, choices

OK, WARNING, FAILED = "ok", "warning", "failed"
STATES = (OK, WARNING, FAILED)
"""How a job ended; empty if its program does not say."""
UNFINISHED = "unfinished"
"""What a mapping calls the status of jobs that wait or run; they are left out of a history."""
LEVELS = ("full", "incremental", "differential", "cumulative", "synthetic")


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedJob:
    """One past job; what its program does not report is None, or empty."""

    id: str
    """Its unique name in the history; a number is preceded by the name of its file."""
    tool: str = ""
    """The backup program."""
    system: str = ""
    """The machine whose data were saved or restored."""
    job: str = ""
    """The name of the job or policy there."""
    operation: str = ""
    """`backup`, `restore`, `copy`, or the program's own word."""
    level: str = ""
    """`full`, `incremental`, `differential`, `cumulative`, `synthetic`, or the program's own word."""
    start: datetime | None = None
    """When it began, with the offset from UTC."""
    elapsed_s: float | None = None
    """Seconds from its start to its end."""
    cpu_s: float | None = None
    """Processor seconds that it used."""
    size_bytes: float | None = None
    """Bytes of the data set, changed or not."""
    read_bytes: float | None = None
    """Bytes of the data set that were read."""
    new_bytes: float | None = None
    """Bytes that the store did not have yet, before compression."""
    sent_bytes: float | None = None
    """Bytes that crossed the network."""
    stored_bytes: float | None = None
    """Bytes that the store took, after compression and deduplication."""
    files: float | None = None
    """Files of the data set, changed or not."""
    files_saved: float | None = None
    """Files that were saved or restored."""
    status: str = ""
    """`ok`, `warning`, `failed`, or empty."""
    place: Place = field(default=Place(""), compare=False)
    """Where it was read."""

    def number(self, column: str) -> float | None:
        """The number in a column; None if its program did not say."""
        value = getattr(self, column)
        return float(value) if value is not None else None


COLUMNS = tuple(each.name for each in fields(FinishedJob) if each.name != "place")
"""The columns of `jobs.csv`, in order; the unit of a number is part of its name."""
NUMBERS = tuple(name for name in COLUMNS if name.endswith(("_s", "_bytes")) or name.startswith("files"))
TEXTS = tuple(name for name in COLUMNS if name not in NUMBERS and name != "start")


def as_rows(jobs: Iterable[FinishedJob]) -> list[dict[str, str]]:
    """Jobs as rows of `jobs.csv`, by column."""
    return [{name: _text(getattr(job, name)) for name in COLUMNS} for job in jobs]


def _text(value: Any) -> str:
    """A value as `jobs.csv` has it."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def only(jobs: Iterable[FinishedJob], where: Mapping[str, str]) -> list[FinishedJob]:
    """The jobs that have these texts in these columns."""
    return [job for job in jobs if all(_text(getattr(job, column)) == text for column, text in where.items())]


def unit_of(column: str) -> str:
    """The SI unit of a column of numbers, a key of `units.DIMENSIONS`."""
    return "B" if column.endswith("_bytes") else "s" if column.endswith("_s") else "count"


def columns_of(text: str) -> list[str]:
    """The columns of a formula.

    >>> columns_of("new_bytes / size_bytes")
    ['new_bytes', 'size_bytes']
    """
    return [part.strip() for part in text.split("/")]


def value_of(row: FinishedJob, text: str) -> str:
    """The value of a formula for a row that has its columns, as a file says it."""
    columns = columns_of(text)
    numbers = [row.number(column) or 0.0 for column in columns]
    if len(columns) == 1:
        return units.show(numbers[0], unit_of(columns[0]))
    return units.show(numbers[0] / numbers[1], "1")


def wrong_formula(text: str) -> str:
    """What is wrong with a formula, empty if nothing is.

    >>> wrong_formula("size_bytes"), wrong_formula("sice_bytes")
    ('', "'sice_bytes' is not a column of numbers; did you mean 'size_bytes'?")
    """
    columns = columns_of(text)
    unknown = [column for column in columns if column not in NUMBERS]
    if unknown:
        return f"'{unknown[0]}' is not a column of numbers; {choices(unknown[0], NUMBERS)}"
    if len(columns) > 2 or len({unit_of(column) for column in columns}) > 1:  # noqa: PLR2004 (one over another)
        return "is neither a column nor a ratio of two with the same unit; write for example new_bytes / size_bytes"
    return ""
