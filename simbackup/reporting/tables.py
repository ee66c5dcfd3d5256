"""Tables for the page, for Excel and for CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simbackup import units

MANY_TIMES = 10.0
"""Changes from which on a tenth of a percent says nothing."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: text for people, and any number behind it in SI units."""

    text: str
    number: float | None = None
    share: float | None = None
    """Part of one, for a bar behind the text."""
    colour: str = ""
    """Colour of a mark before the text."""


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column, and the SI unit of its numbers; none where it holds text."""

    name: str
    unit: str = ""

    @property
    def numeric(self) -> bool:
        """Whether its cells are set flush right."""
        return bool(self.unit)

    @property
    def plain(self) -> str:
        """The head where numbers stand bare."""
        return f"{self.name} ({self.unit})" if self.unit not in {"", "1", "count"} else self.name


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows below heads, under a name."""

    name: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Cell, ...]]
    caption: str = ""

    def __bool__(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.rows)


def words(text: object) -> Cell:
    """A cell that holds text.

    >>> words("tape").text
    'tape'
    """
    return Cell(str(text))


def quantity(value: float | None, unit: str) -> Cell:
    """A cell that holds an SI value; empty where there is none.

    >>> quantity(7200.0, "s").text, quantity(None, "s").text
    ('2 h', '')
    """
    return Cell("") if value is None else Cell(units.show_short(value, unit), float(value))


def percent(share: float, *, sign: bool = False) -> Cell:
    """A cell that holds a share, or with a sign a change.

    >>> percent(0.25).text, percent(-0.5, sign=True).text
    ('25.0 %', '-50.0 %')
    >>> percent(91_276.39, sign=True).text
    '+9,127,639 %'
    """
    places = 1 if abs(share) < MANY_TIMES else 0
    return Cell(f"{share:{'+' if sign else ''},.{places}%}".replace("%", " %"), share)
