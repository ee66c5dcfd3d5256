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
    """Errors of groups of rows, each the median of its rows: how many groups, their median and the worst."""

    groups: int
    median: float | None
    worst: float | None

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

    `within` and `off` count results; `roles` counts them by what they prove. Errors are those of groups, without
    structural rows, which nothing can move. `one_row`: constants that were fitted to, or chosen after, a single row.
    """

    document: str
    rows: int
    results: int
    within: int
    off: int
    roles: Counter[Role]
    errors: GroupErrors
    held_out: GroupErrors
    constants: int
    one_row: int


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
