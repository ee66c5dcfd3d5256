"""Lines and tables on standard output, which fit the width of a terminal: many columns make two tables."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from simbackup.text import for_terminal

if TYPE_CHECKING:
    from rich.console import Console

    from simbackup.reporting.tables import ReportTable


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


WIDE = 160
"""Columns where standard output is not a terminal."""
TEXT = 40
"""Columns that a table has for texts beside its figures, at the least."""
HANGING = "  "
"""How much further than its first line the other lines of a text begin."""
Cells = Sequence[Sequence[str]]


def console(width: int | None = None) -> Console:
    """Standard output, as wide as the terminal unless a width is given."""
    from rich.console import Console  # noqa: PLC0415

    return Console(width=width or (None if sys.stdout.isatty() else WIDE), highlight=False)


def line(text: str = "") -> None:
    """Print text; on a terminal, lines break between words."""
    shown = for_terminal(text)
    if sys.stdout.isatty():
        width = console().width
        shown = "\n".join(_wrapped(each, width) for each in shown.split("\n"))
    print(shown)  # noqa: T201 (a command line prints)


def _wrapped(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    indent = text[: len(text) - len(text.lstrip())]
    lines = textwrap.wrap(
        whole_quantities(text), width, initial_indent=indent, subsequent_indent=indent + HANGING,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return parted("\n".join(lines))


def table(header: Sequence[str], rows: Cells, title: str = "", right: Sequence[int] = ()) -> None:
    """Print a table; on a terminal that is too narrow for it, several, each with the column that names the rows.

    Only texts at the left are broken; figures stay whole.
    """
    columns = [
        TableColumn(CellLine.words(head), [[_cell(row[i], whole=i in right)] for row in rows], right=i in right)
        for i, head in enumerate(header)
    ]
    width = console().width
    if not sys.stdout.isatty() or fits(columns, width):
        _plain_table(header, rows, title, right)
        return
    named = 1 if header[0] else 2
    for some in tables(columns[:named], columns[named:], width):
        print_columns(some, title)
        title = ""


def report_table(one: ReportTable, title: str = "") -> None:
    """Print a table as pages have it, under a title, or else its caption; nothing without rows."""
    if one:
        right = [i for i, column in enumerate(one.columns) if column.numeric]
        cells = [[cell.text for cell in row] for row in one.rows]
        table([column.name for column in one.columns], cells, title or one.caption, right)


def _cell(text: str, *, whole: bool) -> CellLine:
    if whole:
        return CellLine((text,))
    return CellLine.words(text) if " " in text else CellLine.dotted(text)


def _plain_table(header: Sequence[str], rows: Cells, title: str, right: Sequence[int]) -> None:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415 (unlike a string, it holds no markup)

    drawn = Table(
        title=Text(for_terminal(title)) if title else None, title_justify="left", box=SIMPLE_HEAD, pad_edge=False
    )
    figures = {i: max(map(len, (header[i], *(row[i] for row in rows)))) for i in range(len(header)) if i in right}
    for i, name in enumerate(header):
        head, width = Text(for_terminal(name)), figures.get(i)
        if width is None:
            drawn.add_column(head, overflow="fold")
        else:
            drawn.add_column(head, justify="right", no_wrap=True, min_width=width)
    for row in rows:
        drawn.add_row(*(Text(for_terminal(cell)) for cell in row))
    console(max(console().width, sum(width + 3 for width in figures.values()) + TEXT)).print(drawn)


def print_columns(columns: list[TableColumn], title: str = "") -> None:
    """Print columns that fit the terminal as far as their pieces allow."""
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415 (unlike a string, it holds no markup)

    drawn = Table(title=Text(for_terminal(title)) if title else None, title_justify="left", box=SIMPLE_HEAD)
    drawn.pad_edge = False
    space = widths(columns, console().width)
    for one, width in zip(columns, space, strict=True):
        head = Text("\n".join(map(for_terminal, one.head.broken(width))))
        drawn.add_column(head, justify="right" if one.right else "left", no_wrap=True, min_width=width)
    for cells in zip(*(one.cells for one in columns), strict=True):
        texts = ["\n".join(for_terminal(part) for each in cell for part in each.broken(width))
                 for cell, width in zip(cells, space, strict=True)]  # fmt: skip
        drawn.add_row(*map(Text, texts))
    wide = console(max(console().width, sum(space) + 3 * len(space)))
    wide.print(drawn)
