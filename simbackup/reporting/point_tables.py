"""The restore points of a site as tables, for a terminal and for pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from simbackup.equations.uncertainty import CentralInterval
from simbackup.planning.alike import called
from simbackup.planning.intervals import matters
from simbackup.planning.restore_points import PolicyPoints
from simbackup.reporting.tables import Cell, Column, ReportTable, words
from simbackup.units import show_short


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
                words(", ".join(targets)), Cell(_bytes(point.spread), point.bytes), words(point.needs),
                words(point.kept_by), words(_until(point.expires) if point.rules else ""), words(_until(point.freed)),
            )
            for point, targets in one.rows
        ]  # fmt: skip
        yield ReportTable(one.policy, columns, rows, _title(one))


def _title(one: PolicyPoints) -> str:
    if not one.points:
        return f"{one.policy}: no restore points yet, of {called(one.systems)}"
    count = len(one.restorable)
    return (
        f"{one.policy}: {count} restore point{'s' * (count != 1)} of {called(one.systems)}, in {len(one.points)} save "
        f"sets with {_bytes(one.spread)}{matters(one.decides)}"
    )


def _bytes(size: CentralInterval) -> str:
    """Bytes with the ends of their interval in brackets, unless they are certain."""
    best, *ends = (show_short(each, "B", 3) for each in size[:3])
    return best if ends == [best] * 2 else f"{best} ({ends[0]} to {ends[1]})"


def _until(moment: datetime | None) -> str:
    return str(moment.date()) if moment is not None else "never"
