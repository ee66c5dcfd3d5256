"""Tables of a plan as files: a workbook, or a folder of CSV files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from simbackup.errors import ResultError
from simbackup.output.target import TABLE, WORKBOOK, check_file, check_folder
from simbackup.output.whole import write_csv
from simbackup.results.folder import TABLES as FOLDER
from simbackup.results.folder import check_place, put
from simbackup.results.record import program_version
from simbackup.results.workbook import Cell, write_workbook

MOST_ROWS = 1_048_575
"""Rows that a sheet of Excel holds below its heads."""


def check_tables(path: Path) -> None:
    """Check where tables are to be written, before a plan is made.

    Raises
    ------
    ResultError
        The path is neither an .xlsx file nor a folder that may be written, or holds files that the program did not
        write.
    """
    if path.suffix.lower() == ".xlsx":
        check_file(path, WORKBOOK)
        return
    if not path.name or path.suffix.lower().removeprefix(".") in TABLE:
        raise ResultError(f"'{path}' is not a folder for tables; name a folder, or an .xlsx file")
    check_folder(path)
    check_place(path, FOLDER)


def write_tables(tables: Mapping[str, Sequence[Mapping[str, Any]]], path: Path) -> Path:
    """Write tables to a workbook (`.xlsx`), or to a folder with one CSV file each; the path.

    It replaces a folder of such tables as a whole, and refuses to replace anything else.

    Raises
    ------
    ResultError
        It cannot be written, holds what the program did not write, or a table is too long for Excel.
    """
    if path.suffix.lower() == ".xlsx":
        return write_workbook({name: _sheet(name, rows) for name, rows in tables.items()}, path)
    import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

    def write(fresh: Path) -> dict[str, str]:
        for name, rows in tables.items():
            write_csv(pd.DataFrame([dict(row) for row in rows]), fresh / f"{name}.csv")
        return {"version": program_version()}

    return put(path, write, FOLDER)


def _sheet(name: str, rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[Cell]]]:
    if len(rows) > MOST_ROWS:
        raise ResultError(f"the table '{name}' has {len(rows):,} rows, too many for Excel; write it to a folder")
    heads = list(dict.fromkeys(key for row in rows for key in row))
    return heads, [[_cell(row.get(head)) for head in heads] for row in rows]


def _cell(value: Any) -> Cell:
    if isinstance(value, date):
        return value.isoformat()
    return value if value is None or isinstance(value, (str, int, float)) else str(value)
