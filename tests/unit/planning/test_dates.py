"""Each save set belongs to the calendar date on which its job is scheduled to begin."""

import math
from datetime import UTC, date, datetime
from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.ledger import Day, Ledger, evenings
from simbackup.planning.night import Night, room_of
from simbackup.planning.scenarios import jobs_of
from simbackup.planning.site import load_site
from tests.cases import for_each

FAR = {"host": "host/linux-modern-server", "device": "disk/nearline-20tb-2022", "place": "second"}


def morning(**keys: Any) -> dict[str, Any]:
    """Full backups on Saturdays and incrementals on the other days at half past two."""
    rules = {"to": "pool", "at": "02:30", "schedule": {"full": "saturday", "incremental": "daily"}}
    return site(policies={"nightly": rules | keys}, start="2027-01-04")


def days(parts: dict[str, Any], last: date | datetime = date(2027, 2, 1)) -> list[Day]:
    return list(Ledger(load_site(parts)).days(last))


def test_a_full_backup_of_saturday_runs_on_saturday_morning() -> None:
    found = days(morning())
    fulls = [(day.day, time) for day in found for run, time in day.runs if run.level.whole][1:]
    assert [str(time)[:16] for _, time in fulls] == [f"2027-01-{day:02} 02:30" for day in (9, 16, 23, 30)]
    assert all(day == time.date() for day, time in fulls)


def test_nothing_begins_on_a_day_that_is_left_out() -> None:
    times = [str(time)[:10] for day in days(morning(without=["2027-01-14"])) for _, time in day.runs]
    assert "2027-01-14" not in times
    assert {"2027-01-13", "2027-01-15"} <= {*times}


def test_copies_of_mondays_are_those_of_save_sets_of_monday_morning() -> None:
    parts = morning(copies={"away": {"to": "far", "on": "monday"}})
    parts["targets"] |= {"far": FAR}
    copied = [time for day in days(parts) for run, time in day.runs if run.copies]
    assert {time.weekday() for time in copied} == {0}
    assert len(copied) == 5


def test_what_began_in_the_morning_is_there_at_the_end_of_that_date() -> None:
    found = days(morning(schedule={"full": "daily"}))
    assert [round(day.stocks["pool"].used / 3e12) for day in found[:3]] == [1, 2, 3]
    assert found[0].runs[0][1].date() == date(2027, 1, 4)


def test_every_two_weeks_counts_from_the_start_for_copies_too() -> None:
    parts = morning(copies={"away": {"to": "far", "on": "every 2 weeks on monday"}})
    parts["targets"] |= {"far": FAR}
    copied = [str(time)[:10] for day in days(parts) for run, time in day.runs if run.copies]
    assert copied == ["2027-01-04", "2027-01-18", "2027-02-01"]


def test_a_ledger_ends_at_a_moment() -> None:
    early, late = (days(morning(), datetime(2027, 1, 6, hour, 30, tzinfo=UTC)) for hour in (1, 2))
    assert [len(day.runs) for day in early] == [1, 1, 1]  # 02:30 in Berlin is 01:30
    assert len(late[-1].runs) == 1
    assert not days(morning(), datetime(2027, 1, 6, 1, 29, tzinfo=UTC))[-1].runs


def test_nights_last_from_noon_to_noon() -> None:
    """Backups of an evening and those of the morning after it run in one night."""
    parts = morning()
    parts["policies"]["evening"] = {"to": "pool", "at": "20:00", "schedule": {"full": "daily"}}
    parts["systems"]["second"] |= {"policy": "evening"}
    found = evenings(days(parts, date(2027, 1, 6)))
    assert [(str(night.day), [run.policy for run, _ in night.runs]) for night in found] == [
        ("2027-01-03", ["nightly"]),
        ("2027-01-04", ["evening", "nightly"]),
        ("2027-01-05", ["evening", "nightly"]),
        ("2027-01-06", ["evening"]),
    ]


def test_a_night_finds_what_the_morning_before_left() -> None:
    ledger = days(morning(schedule={"full": "daily"}), date(2027, 1, 6))
    found = evenings(ledger)
    assert [str(night.day) for night in found if night.runs] == ["2027-01-03", "2027-01-04", "2027-01-05"]
    for before, night in zip(found, ledger, strict=False):
        assert before.stocks["pool"].used == night.stocks["pool"].used


@for_each(
    "at, window, windows, due, closes",
    [
        ("02:30", "20:00 to 06:00", {"friday": "18:00 to 12:00"}, "2027-01-09 02:30", "2027-01-09 12:00"),
        ("02:30", "20:00 to 06:00", {"saturday": "18:00 to 12:00"}, "2027-01-09 02:30", "2027-01-09 06:00"),
        ("02:30", "02:00 to 06:00", {"saturday": "02:00 to 09:00"}, "2027-01-09 02:30", "2027-01-09 09:00"),
        ("19:00", "20:00 to 06:00", {}, "2027-01-09 19:00", "2027-01-10 06:00"),
        ("07:00", "20:00 to 06:00", {}, "2027-01-09 07:00", "2027-01-10 06:00"),
        ("20:00", None, {"monday": "18:00 to 06:00"}, "2027-01-09 20:00", "2027-01-12 06:00"),
        ("20:00", None, {}, "2027-01-09 20:00", None),
    ],
)
def test_a_job_is_judged_by_the_window_in_which_it_begins_or_by_the_next(
    at: str, window: str | None, windows: dict[str, str], due: str, closes: str | None
) -> None:
    loaded = load_site(morning(at=at, window=window, windows=windows))
    time = datetime.fromisoformat(due).replace(tzinfo=loaded.zone)
    opening = loaded.opening("nightly", time)
    assert (None if opening is None else f"{opening.closes:%Y-%m-%d %H:%M}") == closes
    night = next(night for night in evenings(days(morning(at=at), date(2027, 1, 9))[-1:]) if night.runs)
    room = room_of(loaded.file, night.runs[0][0], night.day)
    assert room == (None if opening is None else (opening.closes - time).total_seconds())


@for_each(
    "backup, copy, begins",
    [("20:00", "08:00", "32 h"), ("20:00", "13:00", "37 h"), ("20:00", "21:00", "21:00"), ("02:30", "08:00", "32 h"),
     ("02:30", "20:00", "44 h"), ("20:00", "20:00", "20:00")],
)  # fmt: skip
def test_a_copy_begins_at_the_next_time_of_day_after_its_backup(backup: str, copy: str, begins: str) -> None:
    """Hours count from midnight before the night, which begins at noon."""
    parts = morning(at=backup, copies={"away": {"to": "far", "at": copy}})
    parts["targets"] |= {"far": FAR}
    file = load_site(parts).file
    assert jobs_of(file, "first", Night.first(file).runs[0])["first-away"]["begin"] == begins


def test_the_window_of_the_evening_before_the_start_may_still_be_open() -> None:
    loaded = load_site(morning(at="05:00", windows={"daily": "22:00 to 07:00"}))
    opening = loaded.opening("nightly", datetime(2027, 1, 4, 5, tzinfo=loaded.zone))
    assert opening is not None
    assert opening.length == 9 * 3600
    assert f"{opening.closes:%Y-%m-%d %H:%M}" == "2027-01-04 07:00"


def test_one_save_set_of_a_date_goes_to_one_drive() -> None:
    """Two policies of one system each write on two days of the week to a library of two drives."""
    parts = morning()
    parts["targets"]["vault"]["device"] |= {"drives": 2}
    copies = {"copies": {"tape": {"to": "vault", "retention": {"age": "3 weeks"}}}}
    rules = {"to": "pool", "at": "20:00"} | copies
    parts["policies"] = {"a": rules | {"schedule": {"full": "monday"}}, "b": rules | {"schedule": {"full": "tuesday"}}}
    parts["systems"] = {name: {"size": "1 GB", "policy": name} for name in "ab"}
    found = days(parts, date(2027, 1, 12))
    assert [day.stocks["vault"].cartridges for day in found] == [1, *[2] * 6, 3, 4]


def test_logs_hold_changed_bytes_also_where_whole_files_are_saved() -> None:
    """A share of 8 % of the bytes differs after a day; the log has repeated changes, too: -ln(1 - 8 %)."""
    parts = morning()
    change = {"daily": "8 %", "daily_files": "2 %", "run": "64 KiB"}
    files = {"size": "1 GB", "files": 200, "filesystem": "filesystem/xfs", "change": change, "policy": "nightly"}
    loaded = load_site(parts | {"systems": {"a": files}})
    assert loaded.systems[0].log_over(86_400.0, 0.0) == pytest.approx(1e9 * -math.log(1 - 0.08), rel=1e-6)
