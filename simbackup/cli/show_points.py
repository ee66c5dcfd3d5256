"""Restore points as tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from itertools import groupby

from simbackup.cli import show
from simbackup.cli.terminal import report_table
from simbackup.planning.restore_points import LogLine, PolicyPoints
from simbackup.reporting.point_tables import tables_of_points

INTERVALS = " (90 % intervals in brackets)"
NAMED = 3
"""Dates that are named one by one; of more, the first and the last."""


def points(found: Sequence[PolicyPoints], now: datetime) -> None:
    """A table for each policy, with a row for each save set on each target."""
    show.line(f"Restore points at {now:%Y-%m-%d %H:%M}{INTERVALS if any(one.cases for one in found) else ''}")
    for one, each in zip(found, tables_of_points(found), strict=True):
        report_table(each) if each else show.line(each.caption)
        if one.logs_since is not None:
            show.line(f"with backups of logs to any minute from {one.logs_since:%Y-%m-%d %H:%M} on")


def log(lines: Sequence[LogLine], now: datetime) -> None:
    """A table for each policy, with a row for each date and target on which anything happened."""
    show.line(f"Restore points until {now:%Y-%m-%d %H:%M}")
    head = ("date", "on", "made", "merged", "expired", "freed", "held only by its chain", "points")
    for policy, group in groupby(lines, key=lambda line: line.policy):
        rows = [
            (
                str(line.date), line.target, _made(line), *map(_dates, (line.merged, line.expired, line.freed)),
                _dates(line.held), str(line.points),
            )
            for line in group
        ]  # fmt: skip
        show.table(head, rows, policy, right=(7,))


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
