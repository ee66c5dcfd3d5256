from datetime import date
from zoneinfo import ZoneInfo

import pytest

from simbackup.policies.clock import Window, clock, deadline
from simbackup.policies.days import DayError, Days, check, each_day
from simbackup.policies.retention import period
from tests.cases import for_each

FIRST, LAST = date(2027, 1, 1), date(2028, 12, 31)


@for_each(
    "text, rule",
    [
        ("daily", lambda d: True),  # noqa: ARG005
        ("Saturday", lambda d: d.weekday() == 5),
        ("friday to monday", lambda d: d.weekday() in {4, 5, 6, 0}),
        ("monday to monday", lambda d: d.weekday() == 0),
        ("second tuesday", lambda d: d.weekday() == 1 and 8 <= d.day <= 14),
        ("fifth sunday", lambda d: d.weekday() == 6 and d.day > 28),
        ("last sunday", lambda d: d.weekday() == 6 and (d.month, d.day + 7) > (d.month, last_day(d))),
        ("saturday of january, july and december", lambda d: d.weekday() == 5 and d.month in {1, 7, 12}),
        ("day 31", lambda d: d.day == 31),
        ("last day of february", lambda d: d.month == 2 and d.day == last_day(d)),
        ("every 10 days", lambda d: (d - FIRST).days % 10 == 0),
        ("2028-02-29", lambda d: d == date(2028, 2, 29)),
    ],
)
def test_words_name_the_days_that_they_say(text: str, rule) -> None:  # noqa: ANN001
    assert list(Days((text,)).between(FIRST, LAST)) == [day for day in each_day(FIRST, LAST) if rule(day)]


def last_day(day: date) -> int:
    return (
        29 if day.month == 2 and day.year % 4 == 0 else 28 if day.month == 2 else 30 + (day.month + day.month // 8) % 2
    )


@for_each(
    "text", ["", "weekly", "day 0", "day 32", "2027-02-30", "every 0 days", "sixth monday", "first saturday of may, "]
)
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(DayError, match="does not name any days"):
        check(text)


def test_exceptions_leave_days_out() -> None:
    days = Days(("daily",), ("saturday", "2027-01-01"))
    assert [day.day for day in days.between(FIRST, date(2027, 1, 4))] == [3, 4]


@for_each("text", ["5", "five weeks", "3 hours", "-1 days"])
def test_a_period_is_one_of_a_calendar(text: str) -> None:
    with pytest.raises(ValueError, match="not a time of a calendar"):
        period(text)


def test_windows_are_as_long_as_clocks_make_them() -> None:
    night, day = Window(clock("20:00"), clock("06:00")), Window(clock("06:00"), clock("20:00"))
    zone = ZoneInfo("Europe/Berlin")
    assert night.on(date(2027, 3, 28), zone).length == 10 * 3600
    assert night.on(date(2027, 3, 27), zone).length == 9 * 3600
    assert day.on(date(2027, 3, 28), zone).length == 14 * 3600
    around = Window(clock("20:00"), clock("20:00")).on(date(2027, 10, 30), zone)
    assert around.length == 25 * 3600


@for_each("longest, beyond", [("36500 days", "36501 days"), ("5214 weeks", "5215 weeks"), ("100 years", "101 years")])
def test_a_period_is_no_longer_than_times_can_be(longest: str, beyond: str) -> None:
    assert period(longest)
    with pytest.raises(ValueError, match="is longer than 36,500 days"):
        period(beyond)


def test_a_deadline_comes_each_day_or_each_week() -> None:
    assert [deadline(text).every / 3600 for text in ("06:00", "monday 06:00")] == [24, 168]
