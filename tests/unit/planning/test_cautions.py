from datetime import date, timedelta
from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.cautions import endless, futile
from simbackup.planning.ledger import Ledger
from simbackup.planning.site import PlannedSite, load_site
from tests.cases import for_each

SYSTEM = {"size": "1 TB", "change": {"daily": "1 %", "run": "1 MiB"}, "policy": "nightly"}
KEPT = {"retention": {"age": "14 days"}}
OF_POLICY, OF_COPY = "policies.nightly.retention", "policies.nightly.copies.away.retention"
FOREVER, WEEKLY = {"incremental": "daily"}, {"full": "sunday", "incremental": "daily"}


def loaded(schedule: dict[str, str], copy: dict[str, Any] | None = None, **policy: Any) -> PlannedSite:
    made = site(zone="UTC", systems={"a": SYSTEM})
    made["targets"]["second"] = made["targets"]["pool"] | {"place": "second"}
    copies = {"away": {"to": "second", **KEPT, **copy}} if copy is not None else {}
    nightly = {"to": "pool", "at": "20:00", "schedule": schedule, "copies": copies, **KEPT, **policy}
    return load_site(made | {"policies": {"nightly": nightly}})


@for_each(
    "schedule, copy, policy, found",
    [
        (FOREVER, None, {}, {"": OF_POLICY}),
        (FOREVER, None, {"merges": True}, {}),
        (FOREVER, {}, {"merges": True}, {"away": OF_COPY}),
        (FOREVER, {"merges": True}, {"merges": True}, {}),
        (FOREVER, {"which": "full"}, {"merges": True}, {}),
        (WEEKLY, {}, {}, {}),
        ({"differential": "daily"}, {}, {}, {}),
    ],
)
def test_nothing_expires_where_a_warning_says_so_and_only_there(
    schedule: dict[str, str], copy: dict[str, Any] | None, policy: dict[str, Any], found: dict[str, str]
) -> None:
    """Of a hundred save sets that are to stay for two weeks, all are still there."""
    planned = loaded(schedule, copy, **policy)
    assert [problem.address for problem in endless(planned.file)] == [*found.values()]
    ledger = Ledger(planned)
    for _ in ledger.days(planned.start + timedelta(days=99)):
        pass
    held = {copy: len(place.sizes) for stock in ledger.stocks.values() for copy, place in stock.places.items()}
    assert {copy for copy, number in held.items() if number == 100} == found.keys()


def test_a_retention_that_is_left_out_keeps_everything_by_intent() -> None:
    assert endless(loaded(FOREVER, {"retention": None}, retention=None).file) == []


def test_a_policy_that_is_divided_is_warned_of_once() -> None:
    made = site(systems={"a": SYSTEM, "b": SYSTEM})
    made["targets"]["second"] = made["targets"]["pool"]
    policy = {"to": ["pool", "second"], "at": "20:00", "schedule": FOREVER}
    found = endless(load_site(made | {"policies": {"nightly": policy | KEPT}}).file)
    assert [problem.address for problem in found] == [OF_POLICY]


@for_each("lock, copy, found", [("7 days", True, [f"{OF_COPY[:-9]}merges"]), ("7 days", False, []), ("0 s", True, [])])
def test_a_merge_that_a_lock_forbids_is_warned_of(lock: str, copy: bool, found: list[str]) -> None:
    made = site(systems={"a": SYSTEM})
    made["targets"]["second"] = made["targets"]["pool"] | {"place": "second", "immutable": lock}
    away = {"to": "second", "merges": copy, "retention": None}
    policy = {"to": "pool", "at": "20:00", "schedule": FOREVER, "merges": True, "copies": {"away": away}}
    assert [one.address for one in endless(load_site(made | {"policies": {"nightly": policy | KEPT}}).file)] == found


FAR = {"host": "host/linux-modern-server", "device": "disk/nearline-20tb-2022", "place": "second"}
SATURDAYS = {"full": "saturday", "incremental": "daily"}


def warned(until: date | None = None, **keys: Any) -> list[tuple[str, str]]:
    """The addresses and messages of what a policy asks for and never gets."""
    parts = site(start="2027-01-04")
    parts["targets"]["far"] = FAR
    parts["policies"] = {"p": {"to": "pool", "at": "20:00", "schedule": SATURDAYS} | keys}
    parts["systems"] = {
        name: {"size": "1 TB", "change": {"daily": "1 %", "run": "1 MiB"}, "policy": "p"} for name in "ab"
    }
    return [(one.address, one.message) for one in futile(load_site(parts), until)]


def copies(**keys: Any) -> dict[str, Any]:
    return {"copies": {"away": {"to": "far"} | keys}}


def test_a_usual_policy_gives_no_warning() -> None:
    rules = {"daily": 14, "weekly": 9, "monthly": 13, "yearly": 8}
    assert not warned(retention=rules, **copies(which="full", retention={"age": "1 year"}))
    assert not warned(retention={"age": "5 weeks"}, **copies(on="saturday to sunday"))


def test_copies_of_days_without_a_full_backup_are_never_made() -> None:
    message = "nothing is copied until 2030-01-04: no full backup begins on a date that 'on' names"
    rules = copies(which="full", on="first saturday")
    assert warned(schedule={"full": "sunday", "differential": "daily"}, **rules) == [
        ("policies.p.copies.away", message)
    ]
    assert not warned(schedule={"full": "sunday", "differential": "daily"}, **copies(which="full", on="first sunday"))


def test_copies_of_full_backups_that_the_schedule_does_not_have() -> None:
    (found,) = warned(schedule={"incremental": "daily"}, merges=True, **copies(which="full"))
    assert found[0] == "policies.p.copies.away.which"
    assert "at most the first backup is copied" in found[1]
    assert not warned(schedule={"synthetic_full": "saturday", "incremental": "daily"}, **copies(which="full"))


@pytest.mark.slow
@for_each(
    "schedule, address, words",
    [
        ({"full": "daily", "incremental": "monday"}, "incremental", "listed before it"),
        ({"full": "2020-01-04", "incremental": "daily"}, "full", "names no date"),
        ({"full": "2027-12-25", "incremental": "daily"}, "full", "'without' leaves out all its dates"),
    ],
)
def test_levels_that_never_run(schedule: dict[str, str], address: str, words: str) -> None:
    (found,) = warned(schedule=schedule, without=["2027-12-25"])
    assert found[0] == f"policies.p.schedule.{address}"
    assert words in found[1]


def test_without_that_leaves_nothing() -> None:
    (found,) = warned(without=["monday to sunday"])
    assert found == ("policies.p.without", "leaves out every run until 2030-01-04")


def test_windows_of_dates_that_never_come() -> None:
    (found,) = warned(windows={"2020-01-04": "18:00 to 12:00"})
    assert found == ("policies.p.windows.2020-01-04", "names no date until 2030-01-04")


def test_retention_that_deletes_what_was_just_made() -> None:
    """Of three years, 156 Saturdays and the first Monday have full backups; all others go as soon as they are made."""
    (found,) = warned(retention={"daily": 7, "weekly": 5, "monthly": 13, "of": "full"})
    assert found == (
        "policies.p.retention", "deletes 940 of 1097 save sets in the night in which they are made (incremental)",
    )  # fmt: skip
    assert 940 == 1097 - 156 - 1
    assert not warned(retention={"daily": 7, "weekly": 5, "of": "full", "age": "2 weeks"})
    assert not warned(retention={"daily": 7, "weekly": 5})


def test_retention_of_copies_counts_too() -> None:
    (found,) = warned(**copies(retention={"monthly": 3, "of": "full"}))
    assert found[0] == "policies.p.copies.away.retention"
    assert "940 of 1097" in found[1]


def test_rules_that_count_full_backups_where_none_is_copied() -> None:
    rules = {"age": "2 weeks", "yearly": 3, "of": "full"}
    found = dict(warned(**copies(on="tuesday", retention=rules)))
    assert found["policies.p.copies.away.retention.yearly"] == (
        "keeps nothing: it counts full backups, and none is made here"
    )


def test_copies_whose_base_is_not_there() -> None:
    """Incrementals of Tuesdays, of which a year is kept."""
    found = warned(**copies(on="tuesday", retention={"age": "1 year"}))
    assert found == [
        ("policies.p.copies.away", "52 of 52 copies cannot be restored on 2030-01-04: their base is not in 'second'")
    ]


def test_parts_of_a_policy_that_was_divided_are_named() -> None:
    """Two systems have full backups on two days of the week, and copies are made on one of these."""
    found = dict(warned(spread=True, **copies(which="full", on="monday")))
    assert found["policies.p.copies.away"].endswith("(of p-tuesday)")
    assert found["policies.p.copies.away"].startswith("only the first backup is copied")


@pytest.mark.slow
def test_calendars_are_followed_as_long_as_the_plan() -> None:
    assert "until 2037-01-03" in warned(date(2037, 1, 3), schedule={"full": "2038-01-01", "incremental": "daily"})[0][1]
