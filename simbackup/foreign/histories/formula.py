"""What a row of a history says of a value: a column, or one over another."""

from __future__ import annotations

from simbackup import units
from simbackup.errors import choices
from simbackup.foreign.histories.finished_job import NUMBERS, FinishedJob
from simbackup.foreign.histories.mapping import unit_of


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
