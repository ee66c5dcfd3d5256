"""Tables that fit the width of a terminal: heads break at dots, intervals at `to`, and many columns make two tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

BETWEEN, EDGES = 3, 2
"""Columns of the terminal between two columns of a table, and at both its edges."""
UNBROKEN = "\xa0"
_UNIT = r"(?:%|(?:[kKMGTPE]?i?[Bb](?:/s)?|[mun]?s|min|[hdm]|ns/B|rpm)(?![\w/]))"
_WITHIN = re.compile(rf"(?<=\d) (?={_UNIT})|(?<=\d [hd]) (?=\d)|(?<=\d min) (?=\d)")


def whole_quantities(text: str) -> str:
    """A text with single spaces, and in its quantities spaces that do not break."""
    return _WITHIN.sub(UNBROKEN, " ".join(text.split()))


def parted(text: str) -> str:
    """A text with plain spaces in its quantities again."""
    return text.replace(UNBROKEN, " ")


class CellLine(NamedTuple):
    """A line of a cell as pieces, between which it may be broken."""

    pieces: tuple[str, ...]
    joint: str = " "

    @classmethod
    def dotted(cls, address: str) -> CellLine:
        """An address, which may be broken after its dots.

        >>> CellLine.dotted("jobs.dd.elapsed").pieces
        ('jobs.', 'dd.', 'elapsed')
        """
        *most, last = address.split(".")
        return cls((*(f"{piece}." for piece in most), last), "")

    @classmethod
    def words(cls, text: str) -> CellLine:
        """A text, which may be broken between its words, but not inside a quantity.

        >>> CellLine.words("2 h 30 min to 1 d, 10 % of it").pieces
        ('2 h 30 min', 'to', '1 d,', '10 %', 'of', 'it')
        """
        return cls(tuple(map(parted, whole_quantities(text).split(" "))))

    def broken(self, width: int) -> list[str]:
        """The line in so many columns, as far as its pieces allow.

        >>> CellLine.dotted("jobs.dd.elapsed").broken(8)
        ['jobs.dd.', 'elapsed']
        """
        lines = [self.pieces[0]]
        for piece in self.pieces[1:]:
            longer = lines[-1] + self.joint + piece
            if len(longer) <= width:
                lines[-1] = longer
            else:
                lines.append(piece)
        return lines

    @property
    def least(self) -> int:
        """The width of the longest piece."""
        return max(map(len, self.pieces))

    @property
    def most(self) -> int:
        """The width of the unbroken line."""
        return len(self.joint.join(self.pieces))


Cell = Sequence[CellLine]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: its head, its cells, and whether they stand at its right."""

    head: CellLine
    cells: Sequence[Cell]
    right: bool = True

    def _lines(self) -> list[CellLine]:
        return [self.head, *(line for cell in self.cells for line in cell)]

    @property
    def least(self) -> int:
        """The width below which a piece would be cut."""
        return max(line.least for line in self._lines())

    @property
    def most(self) -> int:
        """The width in which nothing is broken."""
        return max(line.most for line in self._lines())


def tables(names: Sequence[TableColumn], figures: Sequence[TableColumn], width: int) -> list[list[TableColumn]]:
    """The columns as tables that fit a width, each with the names; one figure is in a table however wide it is."""
    found: list[list[TableColumn]] = [[]]
    for figure in figures:
        if found[-1] and _taken([one.least for one in (*names, *found[-1], figure)]) > width:
            found.append([])
        found[-1].append(figure)
    return [[*names, *some] for some in found]


def fits(columns: Sequence[TableColumn], width: int) -> bool:
    """Whether a table of this width can hold the columns without breaking a line."""
    return _taken([one.most for one in columns]) <= width


def widths(columns: Sequence[TableColumn], width: int) -> list[int]:
    """The widths of columns in a table of this width: the widest are narrowed until it fits, but none cuts a piece.

    >>> widths([TableColumn(CellLine.dotted("a.b.elapsed"), []), TableColumn(CellLine(("n",)), [])], 14)
    [7, 1]
    """
    least = [one.least for one in columns]
    found = [one.most for one in columns]
    while _taken(found) > width:
        narrowed = [i for i, each in enumerate(found) if each > least[i]]
        if not narrowed:
            break
        found[max(narrowed, key=lambda i: (found[i] - least[i], i))] -= 1
    return [_used(one, each) for one, each in zip(columns, found, strict=True)]


def _used(column: TableColumn, width: int) -> int:
    """What a column takes of a width once its lines are broken."""
    lines = [column.head, *(line for cell in column.cells for line in cell)]
    return max(len(piece) for line in lines for piece in line.broken(width))


def _taken(found: Sequence[int]) -> int:
    """The width of a table whose columns have these widths."""
    return EDGES + sum(found) + BETWEEN * len(list(pairwise(found)))
