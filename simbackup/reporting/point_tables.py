"""The restore points of a site as tables of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from simbackup.planning.alike import called
from simbackup.planning.restore_points import PolicyPoints
from simbackup.reporting.tables import Column, ReportTable, quantity, words


def tables_of_points(found: Iterable[PolicyPoints]) -> Iterator[ReportTable]:
    """A table for each policy, with a row for each save set."""
    columns = (
        Column("backup of"), Column("level"), Column("on"), Column("bytes", "B"), Column("needs"), Column("kept by"),
        Column("expires"), Column("freed"),
    )  # fmt: skip
    for one in found:
        rows = [
            (
                words(f"{point.time:%Y-%m-%d %H:%M}"), words(point.level.value.replace("_", " ")),
                words(", ".join(targets)), quantity(point.bytes, "B"), words(point.needs), words(point.kept_by),
                words(_until(point.expires) if point.rules else ""), words(_until(point.freed)),
            )
            for point, targets in one.rows
        ]  # fmt: skip
        count = len(one.restorable)
        caption = f"{count} restore point{'s' * (count != 1)} of {called(one.systems)}"
        yield ReportTable(one.policy, columns, rows, caption)


def _until(moment: datetime | None) -> str:
    return str(moment.date()) if moment is not None else "never"
