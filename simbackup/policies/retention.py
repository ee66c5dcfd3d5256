"""Retention: which restore points a rule keeps, by count, by age, and by day, week, month and year."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from itertools import dropwhile

from dateutil.relativedelta import relativedelta

from simbackup.policies.levels import RestorePoint

_PERIOD = re.compile(r"(\d+)\s*(day|week|month|year)s?")
NO_AGE = relativedelta()
PERIODS: dict[str, Callable[[datetime], Hashable]] = {
    "daily": lambda time: time.date(),
    "weekly": lambda time: time.isocalendar()[:2],
    "monthly": lambda time: (time.year, time.month),
    "yearly": lambda time: time.year,
}
"""Functions that give the day, ISO week, month or year of a time."""


DAYS_OF = {"day": 1, "week": 7, "month": 28, "year": 365}
"""Least number of days in each unit of the calendar."""
MOST_DAYS = 36_500
"""Greatest number of days that a text may name."""
FOREVER = "forever"
"""The name of the rule that keeps everything, if a site file states none."""


def period(text: str) -> relativedelta:
    """The time that a text such as `5 weeks` or `3 months` names; months and years are those of the calendar.

    Raises
    ------
    ValueError
        It names none, or one of more than 36,500 days.

    >>> datetime(2027, 11, 30) + period("3 months")
    datetime.datetime(2028, 2, 29, 0, 0)
    """
    found = _PERIOD.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"'{text}' is not a time of a calendar; write for example '35 days', '5 weeks', '7 years'")
    number = int(found[1])
    if number * DAYS_OF[found[2]] > MOST_DAYS:
        raise ValueError(f"'{text}' is longer than {MOST_DAYS:,} days")
    match found[2]:
        case "day":
            return relativedelta(days=number)
        case "week":
            return relativedelta(weeks=number)
        case "month":
            return relativedelta(months=number)
        case _:
            return relativedelta(years=number)


@dataclass(frozen=True, slots=True)
class Retention:
    """How long restore points are kept: those that any of its rules keeps. Without a rule, all are kept for ever.

    Times are local times of the zone.
    """

    last: int = 0
    """Number of newest points to keep."""
    age: relativedelta = field(default=NO_AGE)
    """Age up to which points are kept."""
    daily: int = 0
    """Number of days of which the newest point is kept; days without points do not count."""
    weekly: int = 0
    """Number of ISO weeks of which the newest point is kept."""
    monthly: int = 0
    """Number of months of which the newest point is kept."""
    yearly: int = 0
    """Number of years of which the newest point is kept."""
    only_full: bool = False
    """Whether `daily` to `yearly` count full backups only."""
    lock: relativedelta = field(default=NO_AGE)
    """Age up to which nobody can delete points, whatever the rules say."""

    @property
    def forever(self) -> bool:
        """Whether it has no rule."""
        return not (self.last or self.age or self.daily or self.weekly or self.monthly or self.yearly)

    def kept(self, points: Sequence[RestorePoint], now: datetime) -> set[int]:
        """The numbers of the restore points, given oldest first, that are kept at a moment.

        >>> from datetime import timedelta
        >>> from simbackup.policies.levels import Level
        >>> nights = [RestorePoint(i, datetime(2027, 1, 1) + timedelta(days=i), Level.FULL) for i in range(10)]
        >>> sorted(Retention(last=2).kept(nights, nights[-1].time))
        [8, 9]
        >>> sorted(Retention(daily=2, weekly=2).kept(nights, nights[-1].time))
        [2, 8, 9]
        """
        return set[int]().union(*self.rules(points, now).values())

    def rules(self, points: Sequence[RestorePoint], now: datetime) -> dict[str, set[int]]:
        """By each rule, in words, the numbers of the restore points, given oldest first, that it keeps at a moment.

        >>> from datetime import timedelta
        >>> from simbackup.policies.levels import Level
        >>> nights = [RestorePoint(i, datetime(2027, 1, 1) + timedelta(days=i), Level.FULL) for i in range(10)]
        >>> Retention(last=2, age=period("1 week"), weekly=1, only_full=True).rules(nights, nights[-1].time)
        {'last 2': {8, 9}, 'age 7 days': {3, 4, 5, 6, 7, 8, 9}, 'weekly 1 of full': {9}}
        """
        if self.forever:
            return {FOREVER: {point.number for point in points}}
        found = {f"last {self.last}": {point.number for point in points[-self.last :]}} if self.last else {}
        for rule, age in (("age", self.age), ("lock", self.lock)):
            if age:
                found[f"{rule} {in_words(age)}"] = _younger(points, age, now)
        counted = [point for point in points if point.level.whole or not self.only_full]
        for name, number in (
            ("daily", self.daily), ("weekly", self.weekly), ("monthly", self.monthly), ("yearly", self.yearly)
        ):  # fmt: skip
            if number:
                rule = f"{name} {number}{' of full' * self.only_full}"
                found[rule] = _newest(counted, PERIODS[name], number)
        return found


@cache
def in_words(age: relativedelta) -> str:
    """A time of the calendar in words.

    >>> in_words(period("5 weeks")), in_words(period("18 months"))
    ('35 days', '1 year 6 months')
    """
    parts = ((age.years, "year"), (age.months, "month"), (age.days, "day"))
    return " ".join(f"{number} {unit}{'s' * (number != 1)}" for number, unit in parts if number)


def _shown(time: datetime) -> datetime:
    """What clocks show at a moment."""
    return time.replace(tzinfo=None)


def _after(time: datetime, age: relativedelta) -> datetime:
    """A moment so much later; a sum with `relativedelta` takes twenty times as long, and plans have a million."""
    return time + age if age.months or age.years else time + timedelta(days=age.days)


def _younger(points: Iterable[RestorePoint], age: relativedelta, now: datetime) -> set[int]:
    """The numbers of the points, given oldest first, that have not reached an age at a moment."""
    shown = _shown(now)
    return {point.number for point in dropwhile(lambda point: _after(_shown(point.time), age) <= shown, points)}


def _newest(points: Iterable[RestorePoint], of: Callable[[datetime], Hashable], number: int) -> set[int]:
    """The newest point of each of the last so many periods that have any; the points are given oldest first."""
    newest = {of(point.time): point.number for point in points}
    return set(list(newest.values())[-number:])
