"""Calendars: which level runs on which days, and when."""

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
    """A run that is due: the day on which its night begins, the moment, and the level."""

    day: date
    time: datetime
    level: Level


@dataclass(frozen=True, slots=True)
class Entry:
    """A level and the days on which it runs."""

    level: Level
    days: Days


@dataclass(frozen=True, slots=True)
class Calendar:
    """Levels by calendar: on a day that several entries name, the first of them runs.

    Nights begin at noon: a run that is due before noon belongs to the night of the day before.

    >>> weekly = Entry(Level.FULL, Days(("saturday",))), Entry(Level.INCREMENTAL, Days(("daily",)))
    >>> runs = Calendar(weekly, time(20)).runs(date(2027, 1, 1), date(2027, 1, 3), ZoneInfo("Europe/Berlin"))
    >>> [due.level.value for due in runs]
    ['incremental', 'full', 'incremental']
    """

    entries: Sequence[Entry]
    at: time

    def runs(self, first: date, last: date, zone: ZoneInfo) -> Iterator[Due]:
        """All runs of the nights from the first to the last, both included, in order."""
        levels: dict[date, Level] = {}
        for entry in self.entries:
            for day in entry.days.between(first, last):
                levels.setdefault(day, entry.level)
        for day in sorted(levels):
            yield Due(day, moment(day + (NEXT if self.at < NOON else TONIGHT), self.at, zone), levels[day])


NOON = time(12)
TONIGHT, NEXT = timedelta(), timedelta(days=1)
