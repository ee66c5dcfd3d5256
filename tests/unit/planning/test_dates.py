"""Each save set belongs to the calendar date on which its job is scheduled to begin."""

from datetime import date, datetime
from typing import Any

from sites.plan import site

from simbackup.planning.ledger import Day, Ledger, evenings
from simbackup.planning.night import room_of
from simbackup.planning.site import load_site
from tests.cases import for_each

FAR = {"host": "host/linux-modern-server", "device": "disk/nearline-20tb-2022", "place": "second"}


def morning(**keys: Any) -> dict[str, Any]:
    """Full backups on Saturdays and incrementals on the other days at half past two."""
    rules = {"to": "pool", "at": "02:30", "schedule": {"full": "saturday", "incremental": "daily"}}
    return site(policies={"nightly": rules | keys}, start="2027-01-04")


def days(parts: dict[str, Any], last: date | datetime = date(2027, 2, 1)) -> list[Day]:
    return list(Ledger(load_site(parts)).days(last))


def test_every_two_weeks_counts_from_the_start_for_copies_too() -> None:
    parts = morning(copies={"away": {"to": "far", "on": "every 2 weeks on monday"}})
    parts["targets"] |= {"far": FAR}
    copied = [str(time)[:10] for day in days(parts) for run, time in day.runs if run.copies]
    assert copied == ["2027-01-04", "2027-01-18", "2027-02-01"]


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


def test_the_window_of_the_evening_before_the_start_may_still_be_open() -> None:
    loaded = load_site(morning(at="05:00", windows={"daily": "22:00 to 07:00"}))
    opening = loaded.opening("nightly", datetime(2027, 1, 4, 5, tzinfo=loaded.zone))
    assert opening is not None
    assert opening.length == 9 * 3600
    assert f"{opening.closes:%Y-%m-%d %H:%M}" == "2027-01-04 07:00"
