"""Text that other programs wrote, and inventories: tables of similar things, one row each; every cell has its place."""

from __future__ import annotations

import codecs
import errno
import io
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from simbackup.errors import InputError, Place, Problem
from simbackup.files import content
from simbackup.schema.tree import Node
from simbackup.schema.yaml_file import a_folder
from simbackup.text import of_cell

MOST_BYTES = 1 << 27
"""Bytes of a file up to which it is read."""
BINARY = {
    b"PK\x03\x04": ("a ZIP archive or an Excel file", "unpack it, or name it .xlsx"),
    b"\xd0\xcf\x11\xe0": ("a file of an old Office program, such as .xls", "save it as .xlsx or CSV"),
    b"%PDF": ("a PDF document", "export text, CSV or JSON"),
    b"\x1f\x8b": ("compressed by gzip", "unpack it"),
    b"\x28\xb5\x2f\xfd": ("compressed by zstd", "unpack it"),
    b"\xfd7zXZ": ("compressed by xz", "unpack it"),
    b"BZh": ("compressed by bzip2", "unpack it"),
    b"SQLite format 3": ("an SQLite database", "export its table as CSV"),
}
"""What files of other kinds are, by their first bytes, and what to do."""
MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""Encodings by the mark with which they begin."""


def read_bytes(path: Path, name: str) -> bytes:
    """The bytes of a file that is shown as `name`.

    Raises
    ------
    InputError
        It cannot be read, is a device or a folder, or is larger than `MOST_BYTES`.
    """
    try:
        if stat.S_ISCHR(path.stat().st_mode) or stat.S_ISBLK(path.stat().st_mode):
            raise _refused(name, "is a device", "name a file")
        return content(path, MOST_BYTES)
    except IsADirectoryError:
        raise InputError([a_folder(path, name)]) from None
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.EFBIG:
            raise _refused(name, f"is larger than {MOST_BYTES >> 20} MiB", "keep only the part that matters") from None
        why = getattr(error, "strerror", None) or error
        raise InputError([Problem(Place(name), "", f"cannot be read ({why})")]) from None


def read_any_text(path: Path, name: str) -> str:
    """The text of a file that another program wrote.

    Raises
    ------
    InputError
        It cannot be read, is no text, or is in an encoding that is neither UTF-8 nor UTF-16.
    """
    return decoded(read_bytes(path, name), name)


def decoded(data: bytes, name: str) -> str:
    """The text that bytes stand for; the mark of an encoding and zeros at every second byte show UTF-16.

    Raises
    ------
    InputError
        They are no text, or in another encoding.
    """
    for begin, (what, remedy) in BINARY.items():
        if data.startswith(begin):
            raise _refused(name, f"is not text but {what}", remedy)
    mark = next((mark for mark in MARKS if data.startswith(mark)), b"")
    form = MARKS.get(mark, _without_mark(data[:1024]))
    try:
        text = data[len(mark) :].decode(form)
    except UnicodeDecodeError as error:
        before = data[len(mark) : len(mark) + error.start].decode(form, "replace")
        place = Place(name, before.count("\n") + 1, len(before) - before.rfind("\n"))
        shown = "UTF-16" if form.startswith("utf-16") else "UTF-8"
        remedy = "save it as UTF-8; programs for Windows may call it 'CSV UTF-8'"
        raise InputError([Problem(place, "", f"is not {shown} text", remedy)]) from None
    if "\0" in text:
        place = Place(name, text.count("\n", 0, text.index("\0")) + 1, 1)
        raise InputError([Problem(place, "", "is not text: it has bytes of zero", "export text, CSV or JSON")])
    return text


def _without_mark(begin: bytes) -> str:
    """The encoding of bytes without a mark: UTF-16 where every other byte is zero, as in text of Latin letters."""
    half = len(begin) // 2
    if half and begin[1::2].count(0) == half and begin[0::2].count(0) == 0:
        return "utf-16-le"
    if half and begin[0::2].count(0) >= half and begin[1::2].count(0) == 0:
        return "utf-16-be"
    return "utf-8"


def _refused(name: str, message: str, remedy: str) -> InputError:
    return InputError([Problem(Place(name), "", message, remedy)])


EXCEL = ".xlsx"
MOST_CELLS = 20_000_000
"""Cells of a sheet up to which it is read."""
_DELIMITERS = ",;\t"
_QUOTED = re.compile(r' *"((?:[^"]|"")*)" *')
_PLAIN = {mark: re.compile(rf"[^{mark}\r\n]*") for mark in _DELIMITERS}
_STATED = re.compile(r"sep=([,;\t])[\t ,;]*(?:\r\n|\r|\n)")
"""A first line in which Excel states the mark."""
_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Inventory:
    """The columns of a table with their places, and its rows; a cell is a text with its place."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Node], ...]
    heads: tuple[Place, ...] = ()


def read_inventory(
    path: Path, shown: str, heads: tuple[str, ...] = (), *, sheet: str = "", strict: bool = True
) -> Inventory:
    """The table of a CSV file (its marks are commas, semicolons or tabs) or of a sheet of an Excel file.

    The first row names the columns, unless `heads` do, whose columns may be followed by others; rows without any text
    are left out.

    Parameters
    ----------
    path
        The file.
    shown
        Its name in messages.
    heads
        The names of the columns, if no row has them.
    sheet
        The sheet of a workbook that is read if there is one of that name; else the first.
    strict
        Whether columns without a name of their own are refused, not left out.

    Raises
    ------
    InputError
        The file cannot be read or has no rows, a column has no name or that of another, or a row has too many cells.
    """
    excel = path.suffix.lower() == EXCEL
    cells = _excel(path, shown, sheet) if excel else _csv(read_any_text(path, shown), shown)
    return table_of(cells, shown, heads, strict=strict)


def table_of(cells: list[list[Node]], shown: str, heads: tuple[str, ...] = (), *, strict: bool = True) -> Inventory:
    """The table of cells, row by row.

    Raises
    ------
    InputError
        There are no rows, a column has no name or that of another, or a row has too many cells.
    """
    records = [record for record in cells if any(cell.value for cell in record)]
    if heads and records:
        more = (f"column {i}" for i in range(len(heads) + 1, max(map(len, records)) + 1))
        records.insert(0, [Node(head, Place(shown, 1, 1)) for head in (*heads, *more)])
    if len(records) < 2:  # noqa: PLR2004 (names of columns and one row)
        raise InputError([Problem(Place(shown, 1, 1), "", "has no rows", "name the columns, and write a row for each")])
    head, *body = records
    while not head[-1].value:
        head.pop()
    wrong = dict(_wrong_columns(head))
    problems = list(wrong.values()) if strict else []
    kept = [i for i in range(len(head)) if strict or i not in wrong]
    rows: list[dict[str, Node]] = []
    for record in body:
        for extra in record[len(head) :]:
            if extra.value:
                remedy = "name its column, or put a cell with commas in quotes"
                problems.append(Problem(extra.place, "", f"'{extra.value}' is in no column", remedy))
        missing = [Node("", record[-1].place)] * (len(head) - len(record))
        filled = [*record, *missing]
        rows.append({str(head[i].value): filled[i] for i in kept})
    if problems:
        raise InputError(problems)
    return Inventory(tuple(str(head[i].value) for i in kept), tuple(rows), tuple(head[i].place for i in kept))


def _wrong_columns(head: list[Node]) -> Iterator[tuple[int, Problem]]:
    """Report columns without a name, with a repeated name, or with one that no placeholder can use."""
    seen: set[str] = set()
    for i, node in enumerate(head):
        name = str(node.value)
        if not name or set("{}") & set(name):
            yield i, Problem(node.place, "", f"'{name}' is not a column name", "write a word")
        elif name in seen:
            yield i, Problem(node.place, "", f"the column '{name}' appears twice", "keep one of the two")
        seen.add(name)


def _csv(text: str, name: str) -> list[list[Node]]:
    """The cells of CSV text, row by row (RFC 4180)."""
    text = text.removeprefix("\ufeff")
    first = _NEWLINE.split(text, maxsplit=1)[0]
    stated = _STATED.match(text)
    mark = stated[1] if stated else max(_DELIMITERS, key=first.count)
    records: list[list[Node]] = [[]]
    at = begin = stated.end() if stated else 0
    line = 2 if stated else 1
    while True:
        place = Place(name, line, at - begin + 1)
        quoted = _QUOTED.match(text, at)
        found = quoted or _PLAIN[mark].match(text, at)
        end = found.end() if found else at
        value = quoted[1].replace('""', '"') if quoted else text[at:end]
        if not quoted and value.lstrip().startswith('"'):
            raise InputError([Problem(place, "", "is not valid CSV: a quote is not closed", "close it")])
        records[-1].append(Node(of_cell(value.strip()), place, place))
        for newline in _NEWLINE.finditer(text, at, end):
            line, begin = line + 1, newline.end()
        at = end
        newline = _NEWLINE.match(text, at)
        if newline:
            at = begin = newline.end()
            line += 1
            records.append([])
        elif at == len(text):
            return records
        elif text[at] == mark:
            at += 1
        else:
            place = Place(name, line, at - begin + 1)
            raise InputError(
                [Problem(place, "", "is not valid CSV: text follows a closing quote", "put all of it in quotes")]
            )


def _excel(path: Path, name: str, preferred: str) -> list[list[Node]]:
    """The cells of a sheet of an Excel file; a column is counted as such, not in characters."""
    try:
        openpyxl = import_module("openpyxl")  # an extra: only Excel files need it
    except ImportError:
        remedy = "install simbackup[excel], or save the sheet as CSV"
        raise InputError([Problem(Place(name), "", "cannot be read without openpyxl", remedy)]) from None
    opened: Any = openpyxl.load_workbook
    file = io.BytesIO(read_bytes(path, name))
    table: list[tuple[Any, ...]] = []
    count = 0
    try:
        sheets: Any = opened(file, read_only=True, data_only=True).worksheets
        for record in next((each for each in sheets if each.title == preferred), sheets[0]).iter_rows(values_only=True):
            table.append(record)
            count += len(record)
            if count > MOST_CELLS:
                break
    except Exception as error:  # noqa: BLE001 (openpyxl raises whatever the damaged file leads to)
        raise InputError([Problem(Place(name), "", f"is not an Excel file ({error})", "save it again")]) from None
    if count > MOST_CELLS:
        raise InputError(
            [Problem(Place(name), "", f"has more than {MOST_CELLS} cells", "keep only the part that matters")]
        )
    return [
        [Node(_written(cell), Place(name, i, j), Place(name, i, j)) for j, cell in enumerate(record, 1)]
        for i, record in enumerate(table, 1)
    ]


def _written(cell: Any) -> str:
    """A cell of a sheet as one would write it: whole numbers without a point, times of day as on a clock."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()
