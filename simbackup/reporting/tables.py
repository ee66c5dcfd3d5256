"""Tables for the page, for Excel and for CSV."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from simbackup import units
from simbackup.results.workbook import write_workbook
from simbackup.text import for_line

MANY_TIMES = 10.0
"""Changes from which on a tenth of a percent says nothing."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: text for people, and any number behind it in SI units."""

    text: str
    number: float | None = None
    share: float | None = None
    """Part of one, for a bar behind the text."""
    colour: str = ""
    """Colour of a mark before the text."""


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column, and the SI unit of its numbers; none where it holds text."""

    name: str
    unit: str = ""

    @property
    def numeric(self) -> bool:
        """Whether its cells are set flush right."""
        return bool(self.unit)

    @property
    def plain(self) -> str:
        """The head where numbers stand bare."""
        return f"{self.name} ({self.unit})" if self.unit not in {"", "1", "count"} else self.name


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows below heads, under a name."""

    name: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Cell, ...]]
    caption: str = ""

    def __bool__(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.rows)


def words(text: object) -> Cell:
    """A cell that holds text.

    >>> words("tape").text
    'tape'
    """
    return Cell(str(text))


def quantity(value: float | None, unit: str) -> Cell:
    """A cell that holds an SI value; empty where there is none.

    >>> quantity(7200.0, "s").text, quantity(None, "s").text
    ('2 h', '')
    """
    return Cell("") if value is None else Cell(units.show_short(value, unit), float(value))


def percent(share: float, *, sign: bool = False) -> Cell:
    """A cell that holds a share, or with a sign a change.

    >>> percent(0.25).text, percent(-0.5, sign=True).text
    ('25.0 %', '-50.0 %')
    >>> percent(91_276.39, sign=True).text
    '+9,127,639 %'
    """
    places = 1 if abs(share) < MANY_TIMES else 0
    return Cell(f"{share:{'+' if sign else ''},.{places}%}".replace("%", " %"), share)


LONGEST_NAME = 31
"""Most characters that Excel allows in the name of a sheet."""


def write_excel(tables: Sequence[ReportTable], path: Path) -> Path:
    """Write tables to a workbook, one sheet each, numbers in SI units, and return its path; the same bytes each time.

    Raises
    ------
    ResultError
        The file cannot be written.
    """
    sheets = {
        name: (
            [column.plain for column in table.columns],
            [[plain(*each) for each in zip(row, table.columns, strict=True)] for row in table.rows],
        )
        for name, table in zip(sheet_names(tables), tables, strict=True)
    }
    return write_workbook(sheets, path)


def plain(cell: Cell, column: Column) -> str | float:
    """The value for a file: the number in its SI unit, else the text.

    >>> plain(Cell("2 h", 7200.0), Column("elapsed", "s"))
    7200.0
    """
    return cell.number if column.numeric and cell.number is not None else cell.text


def sheet_names(tables: Sequence[ReportTable]) -> list[str]:
    """Names of sheets that Excel accepts: short, of legal characters, and unique.

    >>> sheet_names([ReportTable("a/b", (), ()), ReportTable("a/b", (), ())])
    ['a b', 'a b 2']
    """
    found: list[str] = []
    for table in tables:
        bare = re.sub(r"[\[\]:*?/\\']", " ", for_line(table.name))[:LONGEST_NAME].strip()
        name, number = bare, 1
        while name.lower() in {other.lower() for other in found}:
            number += 1
            name = f"{bare[: LONGEST_NAME - len(str(number)) - 1]} {number}"
        found.append(name)
    return found
