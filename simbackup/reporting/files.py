"""Tables as files: one workbook, or a folder of CSV."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Sequence
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from simbackup.errors import InputError, Place, Problem
from simbackup.output import whole, write_whole
from simbackup.reporting.tables import Cell, Column, ReportTable

EXCEL = ".xlsx"
LONGEST_NAME = 31
"""Letters of the name of a sheet that Excel allows."""
DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every file in a workbook, so that the same tables give the same bytes."""


def check_excel(path: Path) -> None:
    """Tell what is wrong with the name of a workbook, or that what writes it is missing, before anything is run.

    Raises
    ------
    InputError
        The name does not end with .xlsx, or openpyxl is not there.
    """
    place, problems = Place(f"--excel {path}"), list[Problem]()
    if path.suffix.lower() != EXCEL:
        problems.append(Problem(place, "", "is no name of a workbook", f"let it end with {EXCEL}"))
    if find_spec("openpyxl") is None:
        remedy = "install it with: pip install 'simbackup[excel]', or ask for --csv DIR"
        problems.append(Problem(place, "", "cannot be written without openpyxl", remedy))
    if problems:
        raise InputError(problems)


def write_excel(tables: Sequence[ReportTable], path: Path) -> Path:
    """The workbook into which tables were written, a sheet each, numbers in SI units; the same bytes each time.

    Raises
    ------
    ResultError
        The file cannot be written.
    """
    openpyxl: Any = import_module("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    book.properties.created = book.properties.modified = datetime(*DATE[:3])  # noqa: DTZ001 (Excel knows no zones)
    bold = import_module("openpyxl.styles").Font(bold=True)
    for name, table in zip(sheet_names(tables), tables, strict=True):
        sheet = book.create_sheet(name)
        sheet.freeze_panes = "A2"
        for at, column in enumerate(table.columns, 1):
            _set(sheet, 1, at, column.plain).font = bold
            longest = max([len(column.plain), *(len(row[at - 1].text) for row in table.rows)])
            sheet.column_dimensions[sheet.cell(1, at).column_letter].width = min(longest + 2, 60)
        for down, row in enumerate(table.rows, 2):
            for at, (cell, column) in enumerate(zip(row, table.columns, strict=True), 1):
                _set(sheet, down, at, plain(cell, column))
    written = io.BytesIO()
    book.save(written)
    with whole(path) as partial:
        partial.write_bytes(_undated(written.getvalue()))
    return path


def _set(sheet: Any, row: int, column: int, value: str | float) -> Any:
    """A cell that was set; text stays text, even where it begins as a formula does."""
    cell = sheet.cell(row, column, value)
    if isinstance(value, str):
        cell.data_type = "s"
    return cell


def _undated(book: bytes) -> bytes:
    """A workbook whose parts bear no date of today."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>1980-01-01T00:00:00Z", content)
            new.writestr(zipfile.ZipInfo(name, DATE), content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def write_csv(tables: Sequence[ReportTable], folder: Path) -> Path:
    """The folder into which tables were written as CSV, a file each, numbers in SI units.

    Raises
    ------
    ResultError
        A file cannot be written.
    """
    for name, table in zip(sheet_names(tables), tables, strict=True):
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow([column.plain for column in table.columns])
        for row in table.rows:
            writer.writerow([plain(cell, column) for cell, column in zip(row, table.columns, strict=True)])
        write_whole(folder / f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.csv", written.getvalue())
    return folder


def plain(cell: Cell, column: Column) -> str | float:
    """What stands in a file: the number in its SI unit, else the text.

    >>> plain(Cell("2 h", 7200.0), Column("elapsed", "s"))
    7200.0
    """
    return cell.number if column.numeric and cell.number is not None else cell.text


def sheet_names(tables: Sequence[ReportTable]) -> list[str]:
    """Names of sheets: short enough, of letters that Excel takes, each once.

    >>> sheet_names([ReportTable("a/b", (), ()), ReportTable("a/b", (), ())])
    ['a b', 'a b 2']
    """
    found: list[str] = []
    for table in tables:
        bare = re.sub(r"[\[\]:*?/\\']", " ", table.name)[:LONGEST_NAME].strip()
        name, number = bare, 1
        while name.lower() in {other.lower() for other in found}:
            number += 1
            name = f"{bare[: LONGEST_NAME - len(str(number)) - 1]} {number}"
        found.append(name)
    return found
