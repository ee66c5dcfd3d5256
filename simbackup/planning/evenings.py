"""Groups the jobs of two calendar days into one night, from noon to noon."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from simbackup.planning.ledger import Day, Stock
from simbackup.planning.night import LevelRun
from simbackup.policies.calendar import evening
from simbackup.policies.clock import NOON


def evenings(days: Sequence[Day]) -> list[Day]:
    """A day for each night, by the date on which it begins, with what targets hold before the next night.

    What a library begins on a date is begun in the night of the first run of that date. A run in the evening of a date
    on which others ran in the morning finds what targets held the evening before.
    """
    if not days:
        return []
    by_date = {day.day: day for day in days}
    runs = {day.day: list[tuple[LevelRun, datetime]]() for day in days}
    begun = dict[date, list[Day]]()
    nights = {time: evening(time) for time in {time for day in days for _, time in day.runs}}  # policies share times
    for day in days:
        for run, time in day.runs:
            runs.setdefault(nights[time], []).append((run, time))
        if day.runs:
            begun.setdefault(nights[day.runs[0][1]], []).append(day)
    empty = dict.fromkeys(days[0].stocks, Stock(0.0, 0.0))
    found: list[Day] = []
    for night in sorted(runs):
        before, later = by_date.get(night), by_date.get(night + timedelta(days=1))
        if later is not None and later.runs and all(time.time() < NOON for _, time in later.runs):
            before = later
        stocks = before.stocks if before is not None else empty
        new = {name: sum(day.stocks[name].new for day in begun.get(night, ())) for name in stocks}
        found.append(
            Day(
                night, tuple(runs[night]), {name: stock._replace(new=new[name]) for name, stock in stocks.items()},
                before.points if before is not None else {}, before.catalogue if before is not None else 0.0,
            )
        )  # fmt: skip
    return found
