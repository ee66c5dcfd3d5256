"""Calendars and series of restore points."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.policies.clock import Window, clock, deadline
from simbackup.policies.days import DayError, Days, check, each_day
from simbackup.policies.levels import Level, RestorePoint
from simbackup.policies.retention import Retention, period
from simbackup.policies.series import Series
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


# Series
START = datetime(2027, 1, 4, 20, tzinfo=UTC)
RULES = st.builds(
    Retention,
    last=st.integers(0, 9),
    age=st.sampled_from([period("9 days"), period("2 weeks"), period("1 month"), period("0 days")]),
    daily=st.integers(0, 4),
    weekly=st.integers(0, 3),
    monthly=st.integers(0, 2),
    only_full=st.booleans(),
)
NIGHTS = st.lists(st.one_of(st.none(), st.sampled_from(list(Level))), min_size=1, max_size=80)


def played(rules: Retention, nights: list[Level | None], *, merges: bool = False) -> tuple[Series, set[int]]:
    """The series after some nights, and the numbers of all that was ever added."""
    series, added = Series(rules, merges), set[int]()
    for i, level in enumerate(nights):
        now = START + timedelta(days=i)
        if level is not None:
            added.add(series.add(now, level).number)
        before = dict(series.points)
        expiry = series.expire(now)
        freed = {point.number for point in expiry.freed}
        assert freed == before.keys() - series.points.keys()
        assert {point.number for point in expiry.merged} <= series.points.keys()
    return series, added


@given(RULES, NIGHTS)
def test_the_newest_is_kept_by_rules_that_count(rules: Retention, nights: list[Level | None]) -> None:
    series, added = played(rules, nights)
    if added and (rules.last or rules.forever):
        assert max(added) in series.kept


@given(RULES, st.integers(1, 80))
def test_incremental_for_ever_holds_nothing_but_what_is_kept(rules: Retention, nights: int) -> None:
    series, _ = played(rules, [Level.INCREMENTAL] * nights, merges=True)
    assert series.points.keys() == series.kept
    wholes = [point.number for point in series.points.values() if point.level.whole]
    assert wholes == ([min(series.kept)] if series.kept else [])


@pytest.mark.slow
@given(NIGHTS)
def test_without_a_rule_all_is_kept(nights: list[Level | None]) -> None:
    series, added = played(Retention(), nights)
    assert series.kept == added == series.points.keys()


def test_a_full_backup_outlives_its_age_while_an_incremental_needs_it() -> None:
    series, _ = played(Retention(age=period("3 days")), [Level.FULL, *[Level.INCREMENTAL] * 5])
    assert series.kept == {3, 4, 5}
    assert series.points.keys() == {0, 1, 2, 3, 4, 5}
    series.add(START + timedelta(days=6), Level.FULL)
    series.expire(START + timedelta(days=8, hours=1))
    assert series.points.keys() == {6}


def test_an_age_in_months_ends_on_the_same_day_of_a_later_month() -> None:
    point, rule = RestorePoint(0, datetime(2027, 1, 31, tzinfo=UTC), Level.FULL), Retention(age=period("2 months"))
    assert [rule.kept([point], datetime(2027, 3, day, tzinfo=UTC)) for day in (30, 31)] == [{0}, set()]


def test_each_point_that_is_kept_names_the_rules_that_keep_it() -> None:
    series, _ = played(Retention(last=2, weekly=2), [Level.FULL] * 8)  # from a Monday on
    assert series.rules(START + timedelta(days=7)) == {6: ("last 2", "weekly 2"), 7: ("last 2", "weekly 2")}
