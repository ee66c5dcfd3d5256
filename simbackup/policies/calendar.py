"""Calendars: which level runs on which days, and when; and how far plans go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from simbackup.policies.clock import moment
from simbackup.policies.days import Days
from simbackup.policies.levels import Level


class Due(NamedTuple):
    """A run that is due."""

    day: date
    """The date on which it is scheduled to begin."""
    time: datetime
    """The moment."""
    level: Level
    """The level."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A level and the days on which it runs."""

    level: Level
    days: Days


@dataclass(frozen=True, slots=True)
class Calendar:
    """Levels by calendar: on a day that several entries name, the first of them runs.

    A run belongs to the date on which it is scheduled to begin, before noon as well as after it.

    >>> weekly = Entry(Level.FULL, Days(("saturday",))), Entry(Level.INCREMENTAL, Days(("daily",)))
    >>> runs = Calendar(weekly, time(20)).runs(date(2027, 1, 1), date(2027, 1, 3), ZoneInfo("Europe/Berlin"))
    >>> [due.level.value for due in runs]
    ['incremental', 'full', 'incremental']
    """

    entries: Sequence[Entry]
    at: time

    def runs(self, first: date, last: date, zone: ZoneInfo) -> Iterator[Due]:
        """All runs of the days from the first to the last, both included, in order."""
        levels: dict[date, Level] = {}
        for entry in self.entries:
            for day in entry.days.between(first, last):
                levels.setdefault(day, entry.level)
        for day in sorted(levels):
            yield Due(day, moment(day, self.at, zone), levels[day])


def evening(time: datetime) -> date:
    """The day on which the night of a moment begins; nights last from noon to noon.

    >>> str(evening(datetime(2027, 1, 2, 20))), str(evening(datetime(2027, 1, 3, 2, 30)))
    ('2027-01-02', '2027-01-02')
    """
    return (time.replace(tzinfo=None) - timedelta(hours=12)).date()


HORIZON = "3y"
"""Time from the start of a site to the end of its plan, as `--until` takes it."""
