"""Restore points on disk by date, as vendors' documents give them for schedules of their own.

Each example names its document. The numbers are computed from it by hand, without this program.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from sites.plan import site

from simbackup.planning.points import Points
from simbackup.planning.restore_points import play
from simbackup.planning.site import PlannedSite, load_site
from simbackup.policies.levels import Level, RestorePoint
from simbackup.policies.retention import Retention

SUNDAY = date(2027, 1, 3)
FULL = Level.FULL


def planned(start: date = SUNDAY, **policy: Any) -> PlannedSite:
    """A site with one policy, which runs each evening."""
    parts = site(start=str(start), zone="UTC")
    parts["policies"]["nightly"] = {"to": "pool", "at": "20:00", **policy}
    return load_site(parts)


def on_disk(found: PlannedSite, days: int, copy: str = "") -> list[int]:
    """Save sets on the target at the end of each of some days that have a run."""
    points = Points.of(found, "nightly")
    until = found.begin + timedelta(days=days - 1, hours=12)
    return [len(points.series[copy].points) for _ in play(found, "nightly", points, None, until)]


def test_a_chain_goes_when_the_next_one_has_as_many_points_as_are_kept() -> None:
    """Veeam, `retention_incremental`: three points, the first full on Sunday, the next on Thursday.

    The chain of Sunday to Wednesday goes on Saturday, and that of the first Thursday on the Saturday after.
    """
    found = planned(schedule={"full": "thursday", "incremental": "daily"}, retention={"last": 3})
    assert on_disk(found, 14) == [1, 2, 3, 4, 5, 6, 3, 4, 5, 6, 7, 8, 9, 3]


def test_a_copy_with_full_backups_loses_the_chain_before_on_the_fourth_day() -> None:
    """Veeam, `active_full_archive_retention`: four points of a daily copy from Sunday on, a full backup on Thursday.

    On Sunday, the whole chain before that of Thursday goes.
    """
    found = planned(schedule={"full": "thursday", "incremental": "daily"}, retention={"last": 4})
    assert on_disk(found, 15) == [1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9, 10, 4]


def test_fourteen_points_with_a_full_backup_a_month_are_at_times_forty_five() -> None:
    """Veeam, best practices for 7.0, `ret_example_2`: 31 of a month and 14 of the next, before the 31 are deleted."""
    found = planned(
        date(2027, 1, 1), schedule={"full": "day 1", "incremental": "daily"}, retention={"last": 14}
    )  # fmt: skip
    points, most = Points.of(found, "nightly"), list[int]()
    for run in play(found, "nightly", points, None, found.begin + timedelta(days=365)):
        most.append(len(points.series[""].points) + len(run.expired[""].freed))
    assert max(most) == 31 + 14
    assert on_disk(found, 60) == [*range(1, 45), 14, *range(15, 30)]  # those of January go on 14 February


def test_forever_forward_incremental_holds_no_more_than_are_kept() -> None:
    """Veeam, `retention_forever`: seven points, a full backup on Sunday and incrementals after it.

    On the next Sunday, the oldest incremental is merged into the full backup, whose own state goes.
    """
    found = planned(schedule={"incremental": "daily"}, merges=True, retention={"last": 7})
    assert on_disk(found, 10) == [1, 2, 3, 4, 5, 6, 7, 7, 7, 7]
    points = Points.of(found, "nightly")
    runs = [*play(found, "nightly", points, None, found.begin + timedelta(days=7, hours=12))]
    (below, heir), *others = runs[-1].expired[""].merges
    assert (below.time.date(), heir.time.date(), others) == (SUNDAY, SUNDAY + timedelta(days=1), [])
    oldest = min(points.series[""].points.values(), key=lambda point: point.number)
    assert (oldest.time.date(), oldest.level) == (SUNDAY + timedelta(days=1), FULL)


def test_a_weekly_full_backup_goes_after_as_many_weeks() -> None:
    """Veeam, `gfs_flags_removal`: a weekly flag goes after N times seven days, here of copies of Sunday's full backups.

    The first is of day 0; with four weeks it goes on day 28, when the fifth comes.
    """
    weekly = {"to": "vault", "which": "full", "retention": {"age": "4 weeks"}}
    schedule = {"full": "sunday", "incremental": "daily"}
    found = planned(schedule=schedule, retention={"last": 7}, copies={"gfs": weekly})
    by_day = on_disk(found, 43, "gfs")
    assert [by_day[day] for day in (0, 6, 7, 14, 21, 27, 28, 35, 42)] == [1, 1, 2, 3, 4, 4, 4, 4, 4]


def points_on(*times: datetime) -> list[RestorePoint]:
    return [RestorePoint(i, time, FULL) for i, time in enumerate(times)]


def test_days_count_only_if_they_have_a_snapshot() -> None:
    """restic, `060_forget`: twelve Sundays from 2019-09-01 on; four daily ones are the last four Sundays."""
    points = points_on(*(datetime(2019, 9, 1, 11, tzinfo=UTC) + timedelta(weeks=i) for i in range(12)))
    kept = Retention(daily=4).kept(points, points[-1].time)
    assert {str(points[number].time.date()) for number in kept} == {
        "2019-10-27", "2019-11-03", "2019-11-10", "2019-11-17",
    }  # fmt: skip


def test_a_snapshot_a_day_for_a_hundred_years() -> None:
    """restic, `060_forget`: 7 daily, 5 weekly, 12 monthly and 75 yearly ones of a snapshot a day for 100 years.

    The last day is a Sunday, and the end of a month and of a year: it is one of the 5, of the 12 and of the 75, too.
    """
    last = datetime(2023, 12, 31, 11, tzinfo=UTC)
    points = points_on(*(last - timedelta(days=i) for i in reversed(range(36_525))))
    rules = Retention(daily=7, weekly=5, monthly=12, yearly=75).rules(points, points[-1].time)
    assert {rule: len(kept) for rule, kept in rules.items()} == {
        "daily 7": 7, "weekly 5": 5, "monthly 12": 12, "yearly 75": 75,
    }  # fmt: skip
    daily, weekly, monthly = rules["daily 7"], rules["weekly 5"], rules["monthly 12"]
    assert len(daily | weekly) == 7 + 4
    assert len(daily | weekly | monthly) == 7 + 4 + 11
    assert len(set[int]().union(*rules.values())) == 7 + 4 + 11 + 74
