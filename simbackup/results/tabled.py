"""`Tabled`: the base class of results with a main table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from simbackup.text import html_table

if TYPE_CHECKING:
    import pandas as pd

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


def _text(cell: object) -> str:
    """A cell as text: numbers in four digits, and nothing for what is missing."""
    if cell is None or cell != cell:  # noqa: PLR0124 (only what is not a number differs from itself)
        return ""
    return f"{cell:,.4g}" if isinstance(cell, float) else str(cell)
