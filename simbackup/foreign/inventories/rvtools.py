"""RVTools 3 and 4 (Dell, formerly Robware): the sheet vInfo, as .xlsx or as CSV, `RVTools_tabvInfo.csv`.

Capacities are in MiB; heads of version 4 say so, older ones say MB and mean the same. Templates and placeholders of
Site Recovery Manager are no systems of their own. See the documentation of RVTools, "vInfo".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from simbackup.errors import InputError, Place, Problem
from simbackup.foreign.inventories.listing import Listing
from simbackup.foreign.reader import MOST_HEAD, ForeignFile, FormatReader
from simbackup.schema.inventory import Inventory
from simbackup.schema.tree import Node

SIZES = ("In Use MiB", "In Use MB", "Provisioned MiB", "Provisioned MB", "Total disk capacity MiB")
"""Columns of a size, that which is nearest to what a backup reads first."""
NAME, POWER = "VM", "Powerstate"
WHERE = {"host": "Host", "datastore": "Path"}
"""Columns that say where a machine runs, and where its first disk lies, such as `[DS01] web01/web01.vmx`."""
NO_SYSTEMS = {"Template": "template", "SRM Placeholder": "placeholder"}
"""Columns that are true of what is no system, and what a message calls it."""
ON, OFF = "poweredon", "powered off"
MOST_NAMED = 5
"""Systems left out that a message names."""


def recognises(source: ForeignFile) -> bool:
    """Whether a table has the columns of vInfo that name a machine and its size."""
    if not source.tabular or (not source.excel and not any(size in source.text[:MOST_HEAD] for size in SIZES)):
        return False
    columns = source.table.columns if source.table is not None else ()
    return NAME in columns and any(size in columns for size in SIZES)


def read(source: ForeignFile) -> Listing:
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


READER = FormatReader("RVTools 3, 4", "export of vInfo, .xlsx or .csv", recognises, read)
