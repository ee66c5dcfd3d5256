"""OpenZFS 0.6 to 2.x: `zfs list`, with the columns NAME and REFER, in bytes (`-p`) or not.

REFER is the data of a dataset itself; USED includes those below it and snapshots. Units are powers of 1024. See
zfs-list(8).
"""

from __future__ import annotations

import re

from simbackup.errors import InputError, Place, Problem
from simbackup.foreign.inventories.listing import Listing
from simbackup.foreign.reader import ForeignFile, FormatReader
from simbackup.schema.inventory import Inventory
from simbackup.schema.tree import Node

_SIZE = re.compile(r"(\d+)(?:[.,](\d+))?([BKMGTPE]?)")
UNITS = {"": "B", "B": "B", "K": "KiB", "M": "MiB", "G": "GiB", "T": "TiB", "P": "PiB", "E": "EiB"}
HEADS = ("name", "size")


def recognises(source: ForeignFile) -> bool:
    """Whether a text has the head of the table."""
    return _head(source.text) is not None


def _head(text: str) -> tuple[int, list[str]] | None:
    """The line of the head, from 0, and its words."""
    for i, line in enumerate(text.splitlines()):
        words = line.split()
        if words[:1] == ["NAME"] and "REFER" in words:
            return i, words
    return None


def read(source: ForeignFile) -> Listing:
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


READER = FormatReader("OpenZFS", "zfs list", recognises, read)
