"""Tables as files: one workbook, or a folder of CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from simbackup.reporting.tables import Cell, Column, ReportTable
from simbackup.results.folder import TABLES, put
from simbackup.results.record import program_version
from simbackup.results.workbook import write_workbook
from simbackup.text import for_cell, for_line

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
        name: ([column.plain for column in table.columns], [_plain(row, table) for row in table.rows])
        for name, table in zip(sheet_names(tables), tables, strict=True)
    }
    return write_workbook(sheets, path)


def write_csv(tables: Sequence[ReportTable], folder: Path) -> Path:
    """Write tables to a folder as CSV, one file each, numbers in SI units, and return its path.

    It replaces a folder of such tables as a whole, and refuses to replace anything else.

    Raises
    ------
    ResultError
        The folder cannot be written, or holds what the program did not write.
    """

    def write(fresh: Path) -> dict[str, str]:
        for name, table in zip(sheet_names(tables), tables, strict=True):
            path = fresh / f"{_file_name(name)}.csv"
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow([for_cell(column.plain) for column in table.columns])
                for row in table.rows:
                    writer.writerow([for_cell(cell) if isinstance(cell, str) else cell for cell in _plain(row, table)])
        return {"version": program_version()}

    return put(folder, write, TABLES)


def _plain(row: Sequence[Cell], table: ReportTable) -> list[str | float]:
    return [plain(cell, column) for cell, column in zip(row, table.columns, strict=True)]


def _file_name(sheet: str) -> str:
    """The file name for a sheet."""
    return re.sub(r"\W+", "-", sheet.lower()).strip("-_")


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
