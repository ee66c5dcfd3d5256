"""Lines and tables on standard output, which fit the width of a terminal."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simbackup.cli.fitting import CellLine, TableColumn, fits, parted, tables, whole_quantities, widths
from simbackup.text import for_terminal

if TYPE_CHECKING:
    from rich.console import Console

    from simbackup.reporting.tables import ReportTable

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
