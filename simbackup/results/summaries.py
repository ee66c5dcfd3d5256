"""How well a document is reproduced, counted over its results: no inputs, no duplicates."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup.results.compare import Role, Row

if TYPE_CHECKING:
    from simbackup.results.record import UsedValue


@dataclass(frozen=True, slots=True)
class GroupErrors:
    """Errors of groups of rows; that of a group is the median of its rows."""

    groups: int
    """Number of groups."""
    median: float | None
    """Median error; None without groups."""
    worst: float | None
    """Greatest error; None without groups."""

    @classmethod
    def of(cls, rows: Sequence[Row]) -> GroupErrors:
        """The errors of some rows, group by group."""
        groups: dict[str, list[float]] = {}
        for row in rows:
            groups.setdefault(row.measurement.group, []).append(abs(row.error))
        errors = [statistics.median(group) for group in groups.values()]
        return cls(len(errors), statistics.median(errors), max(errors)) if errors else cls(0, None, None)


@dataclass(frozen=True, slots=True)
class Summary:
    """How well a document is reproduced.

    Errors are those of groups, without structural rows, which no value can move.
    """

    document: str
    """The document."""
    rows: int
    """All rows."""
    results: int
    """Rows that count: no inputs, duplicates or projections."""
    within: int
    """Results that are reproduced."""
    off: int
    """Results that are declared off."""
    roles: Counter[Role]
    """Results by what they prove."""
    errors: GroupErrors
    """Errors of all results."""
    held_out: GroupErrors
    """Errors of held-out results."""
    constants: int
    """Constants that were fitted to rows of the document, or chosen after they were seen."""
    one_row: int
    """Those of them for which this was a single row."""


def summary(document: str, rows: Sequence[Row], constants: Sequence[UsedValue]) -> Summary:
    """The summary of one document, from its rows and the constants behind them."""
    results = [row for row in rows if row.is_result]
    moving = [row for row in results if row.role != "structural"]
    return Summary(
        document, len(rows), len(results), sum(row.within for row in results),
        sum(row.measurement.row.off is not None for row in results), Counter(row.role for row in results),
        GroupErrors.of(moving), GroupErrors.of([row for row in moving if row.role == "held-out"]), len(constants),
        sum(len({*one.fitted_to, *one.seen}) == 1 for one in constants),
    )  # fmt: skip
