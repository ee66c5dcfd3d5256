"""The restore points of a site as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import groupby

from simbackup.equations.uncertainty import CentralInterval
from simbackup.planning.intervals import matters
from simbackup.planning.restore_points import LogLine, PolicyPoints
from simbackup.planning.windows import called
from simbackup.reporting.tables import Cell, Column, ReportTable, quantity, words
from simbackup.units import show_short

NAMED = 3
"""Dates that are named one by one; of more, the first and the last."""


def tables_of_points(found: Iterable[PolicyPoints]) -> Iterator[ReportTable]:
    """A table for each policy, with a row for each save set on each target."""
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
        since = one.logs_since
        logs = f"with backups of logs to any minute from {since:%Y-%m-%d %H:%M} on" if since is not None else ""
        yield ReportTable(_title(one), columns, rows, logs)


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


def tables_of_log(lines: Iterable[LogLine]) -> Iterator[ReportTable]:
    """A table for each policy, with a row for each date and target on which anything happened."""
    heads = ("date", "on", "made", "merged", "expired", "freed", "held only by its chain")
    columns = (*map(Column, heads), Column("points", "count"))
    for policy, group in groupby(lines, key=lambda line: line.policy):
        rows = [
            (
                *map(words, (line.date, line.target, _made(line))),
                *map(words, map(_dates, (line.merged, line.expired, line.freed, line.held))),
                quantity(line.points, "count"),
            )
            for line in group
        ]  # fmt: skip
        yield ReportTable(policy, columns, rows)


def _made(line: LogLine) -> str:
    level = line.made.value.replace("_", " ") if line.made is not None else ""
    return f"copy of {level}" if level and line.copy else level


def _dates(times: Sequence[datetime]) -> str:
    """Dates in few words.

    >>> _dates([datetime(2027, 1, day) for day in (4, 5, 6, 7)])
    '4 from 2027-01-04 to 2027-01-07'
    """
    days: list[date] = [time.date() for time in times]
    if len(days) <= NAMED:
        return ", ".join(map(str, days))
    return f"{len(days)} from {days[0]} to {days[-1]}"
