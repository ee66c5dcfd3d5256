"""Calendars: which level runs on which days, and when; how far plans go, and days and moments as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta

from simbackup.errors import InputError, Place, Problem
from simbackup.policies.clock import clock, moment
from simbackup.policies.days import Days
from simbackup.policies.levels import Level
from simbackup.policies.retention import MOST_DAYS, period
from simbackup.units import UnitError


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
MOMENT = re.compile(r"(?P<day>\S+)[ T](?P<time>\d{1,2}:\d{2}(?::\d{2})?)")
"""A moment: a date, or a time from the start, and a time of day."""


def moment_at(start: date, text: str, option: str = "--at") -> date | datetime:
    """The day or the moment that a text such as `2027-06-09`, `1y` or `2027-06-09 10:05` names in a plan.

    Raises
    ------
    InputError
        The text names neither, or not after the start.

    >>> str(moment_at(date(2027, 1, 4), "2027-06-09 10:05")), str(moment_at(date(2027, 1, 4), "1y"))
    ('2027-06-09 10:05:00', '2028-01-03')
    """
    found = MOMENT.fullmatch(text.strip())
    if found is None:
        return end_of(start, text, option)
    try:
        return datetime.combine(end_of(start, found["day"], option), clock(found["time"]))
    except UnitError as error:
        message, _, _ = str(error).partition("; ")
        raise InputError([Problem(Place(option), "", message, "write for example '2027-06-09 10:05'")]) from None


UNITS = {"y": "years", "m": "months", "w": "weeks", "d": "days"}


def end_of(start: date, until: str | date, option: str = "--until") -> date:
    """The last day of a plan: a date, or so long after the start.

    Raises
    ------
    InputError
        The text is neither, or not after the start.

    >>> str(end_of(date(2027, 1, 4), "3y")), str(end_of(date(2027, 1, 4), "2027-12-31"))
    ('2030-01-03', '2027-12-31')
    """
    if isinstance(until, date):
        last = until
    else:
        text = f"{until[:-1]} {UNITS[until[-1]]}" if until[-1:] in UNITS and until[:-1].isdigit() else until
        try:
            last = date.fromisoformat(text)
        except ValueError:
            try:
                last = start + period(text) - relativedelta(days=1)
            except ValueError:
                remedy = "write for example '3y', '18 months', '2029-12-31'"
                raise InputError(
                    [Problem(Place(option), "", f"'{until}' is neither a date nor a time", remedy)]
                ) from None
    if (last - start).days > MOST_DAYS:
        message = f"{last} is more than {MOST_DAYS:,} days after the start"
        raise InputError([Problem(Place(option), "", message, "write for example '3y'")])
    if last < start:
        raise InputError([Problem(Place(option), "", f"{last} is before the start", f"the plan starts on {start}")])
    return last
