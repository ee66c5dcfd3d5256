"""Lists of systems that other programs wrote, read into tables with a name and a size in each row.

- Any program: a table in CSV or Excel, with a head and a row for each system. See RFC 4180 for CSV.
- RVTools 3 and 4 (Dell, formerly Robware): the sheet vInfo, as .xlsx or as CSV, `RVTools_tabvInfo.csv`. Capacities are
  in MiB; heads of version 4 say so, older ones say MB and mean the same. Templates and placeholders of Site Recovery
  Manager are no systems of their own. See the documentation of RVTools, "vInfo".
- OpenZFS 0.6 to 2.x: `zfs list`, with the columns NAME and REFER, in bytes (`-p`) or not. REFER is the data of a
  dataset itself; USED includes those below it and snapshots. Units are powers of 1024. See zfs-list(8).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from simbackup.errors import InputError, Place, Problem
from simbackup.foreign.reader import MOST_HEAD, SHEET, ForeignFile, FormatReader
from simbackup.schema.inventory import Inventory, read_inventory
from simbackup.schema.tree import Node


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of systems, and warnings of what was left out of it."""

    table: Inventory
    warnings: tuple[Problem, ...] = ()


def recognises_table(source: ForeignFile) -> bool:
    """Whether a file is a table; what is none is reported when it is read."""
    return source.tabular or (source.path.suffix.lower() == ".csv" and source.text.strip() != "")


def read_table(source: ForeignFile) -> Listing:
    """The table as it is.

    Raises
    ------
    InputError
        It is none.
    """
    return Listing(read_inventory(source.path, source.shown, sheet=SHEET))


TABLE = FormatReader("any program", "a table of systems, .csv or .xlsx", recognises_table, read_table)


SIZES = ("In Use MiB", "In Use MB", "Provisioned MiB", "Provisioned MB", "Total disk capacity MiB")
"""Columns of a size, that which is nearest to what a backup reads first."""
NAME, POWER = "VM", "Powerstate"
WHERE = {"host": "Host", "datastore": "Path"}
"""Columns that say where a machine runs, and where its first disk lies, such as `[DS01] web01/web01.vmx`."""
NO_SYSTEMS = {"Template": "template", "SRM Placeholder": "placeholder"}
"""Columns that are true of what is no system, and what a message calls it."""
ON, OFF = "poweredon", "powered off"
MOST_NAMED = 5
"""How many of the systems that are left out a message names; it counts the others."""


def recognises_rvtools(source: ForeignFile) -> bool:
    """Whether a table has the columns of vInfo that name a machine and its size."""
    if not source.tabular or (not source.excel and not any(size in source.text[:MOST_HEAD] for size in SIZES)):
        return False
    columns = source.table.columns if source.table is not None else ()
    return NAME in columns and any(size in columns for size in SIZES)


def read_rvtools(source: ForeignFile) -> Listing:
    """The machines that are switched on, with the space that they use; others are named in a warning."""
    table = source.table
    if table is None:
        raise TypeError(source.shown)
    size = next(size for size in SIZES if size in table.columns)
    used = {"name": NAME, "size (MiB)": size, **{key: of for key, of in WHERE.items() if of in table.columns}}
    places = tuple(table.heads[table.columns.index(column)] for column in used.values())
    systems: list[dict[str, Node]] = []
    left: dict[str, list[str]] = {}
    for row in table.rows:
        what = next((word for key, word in NO_SYSTEMS.items() if _says(row, key, "true")), "")
        mine = {key: row[column] for key, column in used.items()}
        if what:
            left.setdefault(what, []).append(str(row[NAME].value))
        elif source.idle or POWER not in row or _says(row, POWER, ON):
            systems.append(mine)
        else:
            left.setdefault(OFF, []).append(str(row[NAME].value))
    message = f"was read as vInfo of RVTools: sizes are those of column '{size}', in MiB"
    said = [Problem(places[1], "", message, severity="warning")]
    for what, names in left.items():
        named = ", ".join(names[:MOST_NAMED]) + (", ..." if len(names) > MOST_NAMED else "")
        remedy = "--with-powered-off includes them" if what == OFF else ""
        many = "s" if len(names) > 1 and what != OFF else ""
        message = f"left out: {len(names)} {what}{many} ({named})"
        said.append(Problem(Place(source.shown, 1, 1), "", message, remedy, severity="warning"))
    if not systems:
        raise InputError([replace(one, severity="error") for one in said[1:]])
    return Listing(Inventory(tuple(used), tuple(systems), places), tuple(said))


def _says(row: Mapping[str, Node], column: str, word: str) -> bool:
    """Whether a row has a word in a column."""
    return column in row and str(row[column].value).strip().lower() == word


RVTOOLS = FormatReader("RVTools 3, 4", "export of vInfo, .xlsx or .csv", recognises_rvtools, read_rvtools)


_SIZE = re.compile(r"(\d+)(?:[.,](\d+))?([BKMGTPE]?)")
UNITS = {"": "B", "B": "B", "K": "KiB", "M": "MiB", "G": "GiB", "T": "TiB", "P": "PiB", "E": "EiB"}
HEADS = ("name", "size")


def recognises_zfs(source: ForeignFile) -> bool:
    """Whether a text has the head of the table."""
    return _head(source.text) is not None


def _head(text: str) -> tuple[int, list[str]] | None:
    """The line of the head, from 0, and its words."""
    for i, line in enumerate(text.splitlines()):
        words = line.split()
        if words[:1] == ["NAME"] and "REFER" in words:
            return i, words
    return None


def read_zfs(source: ForeignFile) -> Listing:
    """The datasets with the size of their own data; snapshots are left out.

    Raises
    ------
    InputError
        A size cannot be read, or there is no dataset.
    """
    begin, heads = _head(source.text) or (0, [])
    rows: list[dict[str, Node]] = []
    problems: list[Problem] = []
    snapshots = 0
    for number, line in enumerate(source.lines[begin + 1 :], begin + 2):
        cells = line.split()
        at = heads.index("REFER")
        if len(cells) <= at:
            continue
        if "@" in cells[0]:
            snapshots += 1
            continue
        place = Place(source.shown, number, line.index(cells[0]) + 1)
        where = Place(source.shown, number, line.rfind(cells[at]) + 1)
        size = _SIZE.fullmatch(cells[at])
        if size is None:
            remedy = "write the list with 'zfs list -p'"
            problems.append(Problem(where, "", f"'{cells[at]}' is not a size of zfs", remedy))
            continue
        text = f"{size[1]}{'.' if size[2] else ''}{size[2] or ''} {UNITS[size[3]]}"
        rows.append(dict(zip(HEADS, (Node(cells[0], place, place), Node(text, where, where)), strict=True)))
    if problems or not rows:
        raise InputError(problems or [source.problem(1, "has no dataset", "write it with 'zfs list'")])
    first = Place(source.shown, begin + 1, 1)
    said = [Problem(first, "", "was read as 'zfs list': sizes are those of column 'REFER'", severity="warning")]
    if snapshots:
        said.append(Problem(first, "", f"left out: {snapshots} snapshots", severity="warning"))
    return Listing(Inventory(HEADS, tuple(rows), (first, first)), tuple(said))


ZFS = FormatReader("OpenZFS", "zfs list", recognises_zfs, read_zfs)
