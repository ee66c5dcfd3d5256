"""`Tabled`, the base class of results with a main table, and `Answer`, that of what the main questions return."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from simbackup.text import html_table

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.errors import Problem
    from simbackup.plots.style import Chart

MOST_ROWS = 60
"""Rows that a notebook shows."""


class Tabled(ABC):
    """A result with a main table, `frame`, which notebooks show below its `headline`."""

    __slots__ = ()

    @property
    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """The main table."""

    @property
    @abstractmethod
    def headline(self) -> str:
        """The result in one sentence."""

    def _repr_html_(self) -> str:
        """What a notebook shows: the headline, and the rows of the main table, of many the first."""
        frame = self.frame.reset_index() if self.frame.index.name else self.frame
        heads = [str(name) for name in frame.columns]
        rows = [[_text(cell) for cell in row] for row in frame.head(MOST_ROWS).itertuples(index=False)]
        right = [head for head, kind in zip(heads, frame.dtypes, strict=True) if kind.kind in "iuf"]
        more = len(frame) - len(rows)
        return html_table(heads, rows, self.headline, f"And {more} more rows." if more else "", right=right)


class Answer(Tabled):
    """What the main questions return: beside the table, a picture, the intervals, and what is doubtful."""

    __slots__ = ()

    @abstractmethod
    def figure(self) -> Chart:
        """The main picture, a figure of matplotlib."""

    @property
    @abstractmethod
    def intervals(self) -> pd.DataFrame:
        """Table by address: the `value` of a figure, the ends `low` and `high` of its 90 % interval, its SI `unit`."""

    @property
    def warnings(self) -> Sequence[Problem | str]:
        """What is doubtful; each becomes a sentence with its place by `str`."""
        return ()


def interval_table(rows: Iterable[tuple[str, float, float, float, str]]) -> pd.DataFrame:
    """The table `intervals` of an answer, of rows with an address, a value, the ends of its interval, and its unit."""
    import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

    return pd.DataFrame(list(rows), columns=["address", "value", "low", "high", "unit"]).set_index("address")


def _text(cell: object) -> str:
    """A cell as text: numbers in four digits, and nothing for what is missing."""
    if cell is None or cell != cell:  # noqa: PLR0124 (only what is not a number differs from itself)
        return ""
    return f"{cell:,.4g}" if isinstance(cell, float) else str(cell)
