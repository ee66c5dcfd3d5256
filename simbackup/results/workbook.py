"""Workbooks of Excel: the same tables give the same bytes."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from simbackup.output.whole import whole
from simbackup.text import for_terminal, is_formula

DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every file in a workbook, so that the same tables give the same bytes."""
WIDEST = 60
"""Letters of the widest column."""
Cell = str | float | None
Sheet = tuple[Sequence[str], Sequence[Sequence[Cell]]]
"""The heads of a table, and its rows."""


def write_workbook(sheets: Mapping[str, Sheet], path: Path) -> Path:
    """Write tables to a workbook, one sheet each by its name, and return its path; the same bytes each time.

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
    for name, (heads, rows) in sheets.items():
        sheet = book.create_sheet(name)
        sheet.freeze_panes = "A2"
        for at, head in enumerate(heads, 1):
            _set(sheet, 1, at, head).font = bold
            longest = max([len(head), *(len(_shown(row[at - 1])) for row in rows)])
            sheet.column_dimensions[sheet.cell(1, at).column_letter].width = min(longest + 2, WIDEST)
        for down, row in enumerate(rows, 2):
            for at, value in enumerate(row, 1):
                _set(sheet, down, at, value)
    written = io.BytesIO()
    book.save(written)
    with whole(path) as partial:
        partial.write_bytes(_undated(written.getvalue()))
    return path


def _shown(value: Cell) -> str:
    return "" if value is None else value if isinstance(value, str) else f"{value:g}"


def _set(sheet: Any, row: int, column: int, value: Cell) -> Any:
    """A cell that was set; text stays text, even where it begins as a formula does, and when it is edited."""
    if not isinstance(value, str):
        return sheet.cell(row, column, value)
    cell = sheet.cell(row, column, for_terminal(value))
    cell.data_type, cell.quotePrefix = "s", is_formula(value)
    return cell


def _undated(book: bytes) -> bytes:
    """A workbook without the current date in its parts."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>1980-01-01T00:00:00Z", content)
            new.writestr(zipfile.ZipInfo(name, DATE), content, zipfile.ZIP_DEFLATED)
    return written.getvalue()
