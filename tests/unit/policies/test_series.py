from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.policies.levels import Level, RestorePoint
from simbackup.policies.retention import Retention, period
from simbackup.policies.series import Series, chain

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
def test_whatever_is_kept_can_be_restored_and_all_else_is_freed(rules: Retention, nights: list[Level | None]) -> None:
    series, _ = played(rules, nights)
    chains = [chain(series.points, number) for number in series.kept]
    assert all(each[0].level.whole for each in chains)
    assert {point.number for each in chains for point in each} == series.points.keys()


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
