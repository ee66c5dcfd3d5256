"""Times of day in a time zone, and the windows that open and close at them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from simbackup.units import UnitError, parse_clock

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAY, WEEK = 86_400.0, 7 * 86_400.0
NOON = time(12)


def clock(text: str) -> time:
    """The time of day that a text such as `20:00` names.

    Raises
    ------
    UnitError
        It names none.
    """
    seconds = int(parse_clock(text))
    return time(seconds // 3600, seconds // 60 % 60, seconds % 60)


class Deadline(NamedTuple):
    """A time of day in seconds after midnight, of every day or of a weekday (0 is Monday)."""

    at: float
    weekday: int | None = None

    @property
    def every(self) -> float:
        """Seconds from one such time to the next."""
        return DAY if self.weekday is None else WEEK

    def after(self, first: int = 0) -> float:
        """Seconds until such a time from midnight at which a weekday begins.

        >>> friday = 4
        >>> deadline("06:00").after(friday) / 3600, deadline("Monday 06:00").after(friday) / 3600
        (6.0, 78.0)
        """
        return self.at + (0.0 if self.weekday is None else (self.weekday - first) % 7 * DAY)

    def following(self, after: datetime) -> datetime:
        """The first such moment after another one, by the clocks of its zone.

        >>> from zoneinfo import ZoneInfo
        >>> sunday = datetime(2027, 3, 28, 2, tzinfo=UTC).astimezone(ZoneInfo("Europe/Berlin"))
        >>> str(deadline("monday 06:00").following(sunday)), str(deadline("04:00").following(sunday))
        ('2027-03-29 06:00:00+02:00', '2027-03-29 04:00:00+02:00')
        """
        seconds = int(self.at)
        at = time(seconds // 3600, seconds // 60 % 60, seconds % 60)
        days = (after.date() + timedelta(days=i) for i in range(9))
        moments = (moment(day, at, after.tzinfo) for day in days if self.weekday in {None, day.weekday()})
        return next(each for each in moments if each > after)


def deadline(text: str) -> Deadline:
    """The time that a text such as `06:00` or `monday 06:00` names.

    Raises
    ------
    UnitError
        It names none.
    """
    day, _, at = text.strip().rpartition(" ")
    weekday = day.strip().lower()
    if weekday and weekday not in WEEKDAYS:
        raise UnitError(f"{text!r} is not a time of day; write for example '06:00', 'monday 06:00'")
    return Deadline(parse_clock(at), WEEKDAYS.index(weekday) if weekday else None)


def moment(day: date, at: time, zone: tzinfo | None) -> datetime:
    """The moment at which clocks of a zone show a time of day.

    A time that daylight saving skips is moved on by as much as the clocks are; of one that comes twice, the first.

    >>> from zoneinfo import ZoneInfo
    >>> berlin = ZoneInfo("Europe/Berlin")
    >>> str(moment(date(2027, 3, 28), time(2, 30), berlin)), str(moment(date(2027, 10, 31), time(2, 30), berlin))
    ('2027-03-28 03:30:00+02:00', '2027-10-31 02:30:00+02:00')
    """
    return datetime.combine(day, at, zone).astimezone(UTC).astimezone(zone)


def elapsed(begin: datetime, end: datetime) -> float:
    """Seconds that pass between two moments, whatever clocks show."""
    return (end.astimezone(UTC) - begin.astimezone(UTC)).total_seconds()


class Opening(NamedTuple):
    """One time for which a window is open."""

    opens: datetime
    closes: datetime

    @property
    def length(self) -> float:
        """Seconds for which it is open: an hour less or more in nights in which clocks are moved.

        >>> from zoneinfo import ZoneInfo
        >>> window = Window(clock("20:00"), clock("06:00"))
        >>> [window.on(date(2027, *day), ZoneInfo("Europe/Berlin")).length / 3600 for day in ((3, 27), (10, 30))]
        [9.0, 11.0]
        """
        return elapsed(self.opens, self.closes)


@dataclass(frozen=True, slots=True)
class Window:
    """A window that opens at a time of day, and closes the next time that clocks show another."""

    opens: time
    closes: time

    def on(self, day: date, zone: tzinfo | None) -> Opening:
        """The opening on a day."""
        end = day if self.closes > self.opens else day + timedelta(days=1)
        return Opening(moment(day, self.opens, zone), moment(end, self.closes, zone))
