"""Restore points, what comes back of them, and what a loss at noon costs."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sites.plan import site

from simbackup.equations.uncertainty import SCORE
from simbackup.errors import InputError
from simbackup.planning.available import Loss, Remaining, losses
from simbackup.planning.intervals import Cases
from simbackup.planning.ledger import Ledger
from simbackup.planning.recovery import Declared, Restored, deviation_of, least_until
from simbackup.planning.restore import moment_of
from simbackup.planning.restore_points import PolicyPoints, StoredPoint, chosen, log_until, points_at
from simbackup.planning.site import PlannedSite, load_site
from simbackup.policies.levels import Level
from tests.cases import for_each

FAR = {"host": "host/linux-modern-server", "device": "disk/nearline-20tb-2022", "place": "second"}
POOL = site()["targets"]["pool"]
CHUNKS = {"model": "deduplication/appliance-2010", "at": "target"}
WEEKLY: dict[str, Any] = {"schedule": {"full": "saturday", "incremental": "daily"}, "retention": {"age": "2 weeks"}}
POLICY: dict[str, Any] = WEEKLY | {"to": "pool", "at": "20:00"}
POLICIES: dict[str, dict[str, Any]] = {
    "chains": WEEKLY | {"copies": {"tape": {"to": "vault", "which": "full", "retention": {"age": "13 weeks"}}}},
    "merges": {
        "schedule": {"incremental": "daily"}, "merges": True, "retention": {"last": 9},
        "copies": {"away": {"to": "far", "retention": {"last": 5}, "merges": True}},
    },
    "thinned": {"schedule": {"full": "daily"}, "retention": {"daily": 5, "weekly": 3, "monthly": 2}},
    "clones": {"schedule": {"synthetic_full": "saturday", "incremental": "daily"}, "retention": {"last": 12}},
    "broken": {"schedule": WEEKLY["schedule"], "retention": {"age": "2 weeks"},
               "copies": {"away": {"to": "far", "on": ["monday"], "retention": {"age": "3 weeks"}}}},
}  # fmt: skip


def planned(targets: dict[str, Any] | None = None, growth: str = "20 %", **policy: Any) -> PlannedSite:
    """The site with one policy, whose data grow."""
    parts = site(start="2027-01-02", zone="Europe/Berlin", growth=growth)
    parts["targets"] |= {"far": FAR, **(targets or {})}
    parts["systems"]["second"]["change"]["run"] = "64 KiB"
    parts["policies"]["nightly"] = {"to": "pool", "at": "20:00", **policy}
    return load_site(parts)


def at(found: PlannedSite, day: date, **only: Any) -> PolicyPoints:
    return points_at(found, moment_of(found, day), **only)[0]


def on(points: PolicyPoints, copy: str = "") -> list[StoredPoint]:
    return [point for point in points.points if point.copy == copy]


@pytest.mark.slow
@for_each("policy", POLICIES)
@for_each("pool", [POOL, POOL | {"deduplication": CHUNKS}, POOL | {"clones": True}])
def test_the_ledger_has_the_same_points_with_the_same_bytes(pool: dict[str, Any], policy: str) -> None:
    found = planned({"pool": pool}, **POLICIES[policy])
    now = moment_of(found, date(2027, 3, 25))
    ledger = Ledger(found)
    last = [*ledger.days(now)][-1]
    there = points_at(found, now)[0]
    for copy, place in ledger.stocks["nightly"].places.items():
        here = on(there, copy)
        assert [point.time for point in here] == [p.time for _, p in sorted(place.series.points.items())]
        assert sum(point.bytes for point in here) == pytest.approx(place.used, rel=1e-12)
        assert {point.time for point in here if point.rules} == {
            place.series.points[number].time for number in place.series.kept
        }
    assert len(there.restorable) == last.points["nightly"]


def test_the_interval_of_save_sets_is_that_of_the_ledger_in_the_same_cases() -> None:
    found = planned(**POLICIES["merges"])
    now, cases = moment_of(found, date(2027, 3, 25)), Cases(found)
    counted = [*Ledger(found, cases.sites(found, cases.sample)).days(now)][-1].cases
    there = points_at(found, now, intervals=True)[0]
    for copy, target in (("", "pool"), ("away", "far")):
        used = [sum(each) for each in zip(*(point.cases for point in on(there, copy)), strict=True)]
        assert used == pytest.approx([case[target].used for case in counted], rel=1e-12)
    assert there.spread.low < there.spread.best == sum(one.bytes for one in there.points) < there.spread.high


def test_what_widens_the_interval_of_save_sets_most_is_named() -> None:
    """The only value with a range that counts here, and nothing where all is certain."""
    unsure = {"value": "3 %", "basis": "assumed", "range": ["1 %", "9 %"], "why": "not measured"}
    parts = site(start="2027-01-02")
    for system in parts["systems"].values():
        system["change"]["daily"] = "3 %"
    parts["systems"]["second"]["change"]["daily"] = unsure
    parts["policies"]["nightly"] = {"to": "pool", "at": "20:00", **POLICIES["merges"], "copies": {}}
    now = moment_of(load_site(parts), date(2027, 3, 25))
    there = points_at(load_site(parts), now, intervals=True)[0]
    assert there.decides[0] == "systems.second.change.daily"
    assert points_at(load_site(parts), now)[0].decides == ()


def test_what_is_still_being_written_is_no_restore_point() -> None:
    """Backups at 20:00 take two hours, and copies of full ones, each Saturday, take twelve."""
    found = planned(schedule=WEEKLY["schedule"], retention={"last": 9}, copies={"away": {"to": "far", "which": "full"}})

    def whole(_policy: str, copy: str, due: datetime, *_: object) -> datetime:
        return due + timedelta(hours=12 if copy else 2)

    slow: Any = SimpleNamespace(whole=whole)
    for day, hour, lacks in ((9, 21, {"", "away"}), (9, 23, {"away"}), (10, 9, set[str]()), (10, 21, {""})):
        now = datetime(2027, 1, day, hour, tzinfo=found.zone)  # the 9th is a Saturday
        there, due = points_at(found, now, arrivals=slow)[0], points_at(found, now)[0]
        late = {one.copy: one for one in there.points if one.whole is not None}
        assert late.keys() == lacks
        assert not any(one.restorable for one in late.values())
        assert "not restorable: it is complete on 2027-01-10 at 08:00" not in {one.needs for one in due.points}
        if "away" in lacks:
            assert late["away"].needs == "not restorable: it is complete on 2027-01-10 at 08:00"
        assert set(due.restorable) - set(there.restorable) == {one.time for one in late.values() if "" in lacks}
    end = datetime(2027, 1, 10, 12, tzinfo=found.zone)
    made = [(line.date.day, line.copy, line.points) for line in log_until(found, end, arrivals=slow) if line.made]
    assert made[-3:] == [(8, "", 7), (9, "", 8), (10, "away", 2)]
    assert not any(
        line.date.day == 10 for line in log_until(found, datetime(2027, 1, 10, 7, tzinfo=found.zone), arrivals=slow)
    )


@for_each("policy", POLICIES)
def test_points_expire_and_are_freed_when_the_log_says_so(policy: str) -> None:
    found = planned(**POLICIES[policy])
    now = moment_of(found, date(2027, 2, 20))
    later = now + timedelta(days=60)
    log = [line for line in log_until(found, later) if line.date >= now.date()]
    for point in points_at(found, now)[0].points:
        lines = [line for line in log if line.copy == point.copy]
        expired = next((line.date for line in lines if point.time in line.expired), None)
        gone = next((line.date for line in lines if point.time in (*line.freed, *line.merged)), None)
        for told, noted in ((point.expires, expired), (point.freed, gone)):
            assert (told.date() if told is not None and told <= later else None) == noted


def test_a_chain_holds_what_no_rule_keeps() -> None:
    """Two weeks of weekly full backups: on Thursday, 4 February, the full backup of 16 January is 19 days old."""
    points = on(at(planned(**WEEKLY), date(2027, 2, 4)))
    first, *others = points
    assert (first.time.date(), first.level, first.rules) == (date(2027, 1, 16), Level.FULL, ())
    assert first.needed_by == 2  # those of Thursday and Friday, 21 and 22 January, are not yet two weeks old
    assert first.kept_by == "only the chain of 2 later"
    assert not first.restorable
    assert first.freed is not None
    assert first.freed.date() == date(2027, 2, 5)
    kept = next(point for point in others if point.time.date() == date(2027, 1, 21))
    assert kept.rules == ("age 14 days",)
    assert kept.needs == "full of 2027-01-16 and 4 more"
    assert kept.reads == pytest.approx(first.bytes + sum(point.bytes for point in points[1:6]))
    assert kept.expires is not None
    assert kept.expires.date() == date(2027, 2, 4)


def test_every_rule_that_keeps_a_point_is_named() -> None:
    rules = {"last": 2, "weekly": 3, "of": "full"}
    points = on(at(planned(schedule=WEEKLY["schedule"], retention=rules), date(2027, 2, 8)))
    named = {str(point.time.date()): point.kept_by for point in points}
    assert named["2027-02-07"] == "last 2"
    assert named["2027-02-06"] == "last 2, weekly 3 of full"
    assert named["2027-01-30"] == named["2027-01-23"] == "weekly 3 of full"
    assert "2027-01-16" not in named


def test_a_lock_keeps_what_no_rule_keeps() -> None:
    """On Thursday, 4 February, the newest two are kept, and what is not yet ten days old is locked with its chain."""
    locked = {"pool": POOL | {"immutable": "10 days"}}
    points = on(at(planned(locked, schedule=WEEKLY["schedule"], retention={"last": 2}), date(2027, 2, 4)))
    kept = {str(point.time.date()): point.kept_by for point in points}
    assert list(kept) == [f"2027-01-{day}" for day in range(23, 32)] + ["2027-02-01", "2027-02-02", "2027-02-03"]
    assert kept["2027-01-24"] == "only the chain of 5 later"
    assert kept["2027-01-25"] == kept["2027-02-01"] == "lock 10 days"
    assert kept["2027-02-03"] == "last 2, lock 10 days"


def test_what_is_kept_for_ever_never_expires() -> None:
    points = on(at(planned(schedule={"full": "daily"}), date(2027, 1, 5)))
    assert [(point.kept_by, point.expires, point.freed) for point in points] == [("forever", None, None)] * 3


def test_a_copy_without_its_base_is_not_restorable() -> None:
    points = on(at(planned(**POLICIES["broken"]), date(2027, 1, 20)), "away")
    assert [point.needs for point in points] == ["not restorable: its base is not there"] * 3
    assert not any(point.restorable for point in points)


def test_logs_reach_back_as_far_as_the_points_before_them() -> None:
    logs = {"every": "15 min", "to": ["pool"]}
    found = at(planned(**WEEKLY, logs=logs), date(2027, 2, 4))
    assert found.logs_since == min(point.time for point in on(found) if point.rules)
    assert at(planned(**WEEKLY), date(2027, 2, 4)).logs_since is None


def test_a_divided_policy_is_chosen_by_its_name_with_all_parts() -> None:
    found = planned(**WEEKLY, spread=True)
    assert chosen(found, ["nightly"]) == ["nightly-monday", "nightly-tuesday"]  # a full backup of each system a day
    (own,) = chosen(found, [], "first")
    assert [system.name for system in found.of_policy(own)] == ["first"]


@for_each("only", [{"policies": ["nihgtly"]}, {"system": "frist"}])
def test_names_that_are_unknown_are_reported(only: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"there is no .* did you mean"):
        at(planned(**WEEKLY), date(2027, 1, 20), **only)


def test_a_system_of_another_policy_is_reported() -> None:
    with pytest.raises(InputError, match="'first' follows the policy 'nightly'; leave out --policy"):
        chosen(load_site(site(policies=dict.fromkeys(("nightly", "other"), POLICY))), ["other"], "first")


def test_a_merge_is_logged_with_the_point_that_goes() -> None:
    found = planned(schedule={"incremental": "daily"}, merges=True, retention={"last": 3})
    lines = [*log_until(found, datetime(2027, 1, 6, 12, tzinfo=found.zone))]
    assert [len(line.merged) for line in lines] == [0, 0, 0, 1]
    assert [line.points for line in lines] == [1, 2, 3, 3]
    assert lines[-1].merged == lines[-1].expired
    assert (lines[-1].freed, lines[-1].held) == ((), ())


# Recoveries
def restored(name: str, back: float, reason: str = "") -> Restored:
    return Restored(name, 1.0, "pool", None, 1, 1.0, 0, 0.0, back, 0.0, reason)


def test_a_recovery_is_as_unsure_as_its_restores_by_their_time_and_no_sooner_than_they_are() -> None:
    """Half an hour that may be far off, and then a minute that is sure; beside them, another lane."""
    restores = [
        restored(name, back)._replace(starts=starts, free=back)
        for name, starts, back in (("after", 1800.0, 1860.0), ("slow", 0.0, 1800.0), ("beside", 0.0, 600.0))
    ]
    deviations, least = {"slow": 0.5, "after": 0.0, "beside": 0.1}, {"slow": 900.0, "after": 50.0, "beside": 300.0}
    longer = 1800.0 * math.exp(SCORE * 0.5) + 60.0 + 600.0 * math.exp(SCORE * 0.1)
    assert deviation_of(restores, deviations.__getitem__) == pytest.approx(math.log(longer / 2460.0) / SCORE)
    assert deviation_of(restores[1:2], deviations.__getitem__) == pytest.approx(0.5)
    assert least_until(restores, least.__getitem__) == {"slow": 900.0, "after": 950.0, "beside": 300.0}


def one_drive(lengths: list[float]) -> list[Restored]:
    """Restores one after the other."""
    ends = [sum(lengths[: i + 1]) for i in range(len(lengths))]
    return [
        Restored(f"s{i}", 0.0, "vault", None, 1, 1.0, 1, end - length, end, 0.0, targets=("vault",))
        for i, (end, length) in enumerate(zip(ends, lengths, strict=True))
    ]


@given(st.lists(st.floats(1.0, 100.0), min_size=1, max_size=20), st.floats(0.0, 60.0), st.integers(1, 5))
def test_people_before_one_drive_are_a_line_of_two_stages(lengths: list[float], each: float, people: int) -> None:
    """A system begins when it is prepared and the one before is back: of three people, each prepares every third."""
    timed = Declared(operator=each, people=people).timed(one_drive(lengths))
    free, prepared = 0.0, [0.0] * people
    for i, (length, found) in enumerate(zip(lengths, timed, strict=True)):
        prepared[i % people] += each
        free = max(free, prepared[i % people]) + length
        assert math.isclose(found.back, free, rel_tol=1e-9)
        assert math.isclose(found.back - found.starts, length, rel_tol=1e-6)


@for_each("people, back", [(1, [4.0, 7.0, 10.0, 13.0, 16.0, 19.0]), (2, [4.0, 5.0, 7.0, 8.0, 10.0, 11.0]),
                           (3, [4.0, 5.0, 6.0, 7.0, 8.0, 9.0]), (6, [4.0, 5.0, 6.0, 7.0, 8.0, 9.0])])  # fmt: skip
def test_people_work_side_by_side(people: int, back: list[float]) -> None:
    """Six systems of 1 h from one drive, each prepared in 3 h: two people have the third ready after 6 h, and three in
    time for the drive, which the fourth then holds up."""
    found = Declared(operator=3.0, people=people).timed(one_drive([1.0] * 6))
    assert [one.back for one in found] == back


# What a loss at noon costs, where every backup is whole at once
DAY, HOUR = 86_400.0, 3_600.0


class AtOnce:
    """Backups and copies that take no time."""

    def there(self, *_: object) -> bool:
        return True

    def longest_logs(self, *_: object) -> float:
        return 0.0


class SlowPool(AtOnce):
    """Backups of logs take two hours on the pool, and a minute elsewhere."""

    def longest_logs(self, *what: object) -> float:
        return 2 * HOUR if what[1] == "pool" else 60.0


def lost(place: str, until: date, arrivals: type = AtOnce, **keys: Any) -> Loss:
    parts = site(start="2027-01-04", zone="UTC")
    parts["targets"]["far"] = FAR
    parts["policies"]["nightly"] |= keys
    loaded = load_site(parts)
    remaining = Remaining(loaded, arrivals(), frozenset(loaded.lost_with(place)))
    return losses(remaining, until, loaded.systems)[()]


def test_the_mean_is_over_all_days_from_the_first_restore_point_on() -> None:
    """Whole weeks from a Sunday on lose 16 h, a day more each day, and 6 d 16 h on Saturdays: 3 d 16 h on average."""
    found = lost("main", date(2027, 3, 6), schedule={"full": "saturday"})
    assert found.counted_from == date(2027, 1, 10)
    assert found.mean == pytest.approx(3 * DAY + 16 * HOUR)
    assert found.sentence() == "on 2027-01-16, 3 d 16 h on average"


def test_of_several_targets_that_with_the_newest_logs_is_used() -> None:
    """Whoever loses less than a target, too, loses no more data than without that target."""
    logs = {"every": "30 min", "to": ["pool", "far"]}
    alone, more = (lost(place, date(2027, 1, 10), SlowPool, logs=logs) for place in ("", "pool"))
    assert alone.worst == more.worst == 0.5 * HOUR + 60.0


def test_losses_are_told_by_policy_where_restore_points_differ() -> None:
    """A policy that saves on Saturdays loses a week; parts of one that is divided count as one."""
    parts = site(start="2027-01-04", zone="UTC")
    nightly = parts["policies"]["nightly"]
    parts["policies"]["weekly"] = nightly | {"schedule": {"full": "saturday"}, "copies": {}}
    parts["systems"]["first"]["policy"] = "weekly"
    loaded = load_site(parts)
    remaining = Remaining(loaded, AtOnce(), frozenset())  # pyright: ignore[reportArgumentType]
    found = losses(remaining, date(2027, 2, 1), loaded.systems)
    assert {names: one.worst for names, one in found.items()} == {
        (): 6 * DAY + 16 * HOUR, ("weekly",): 6 * DAY + 16 * HOUR, ("nightly",): 16 * HOUR,
    }  # fmt: skip
    assert losses(remaining, date(2027, 2, 1), loaded.systems, lambda _: "one").keys() == {()}


@for_each(
    "catalogue, operator, fetch, starts",
    [
        (20.0, 3.0, 7.0, [120.0, 170.0]),  # the catalogue, after new hosts, takes longest
        (20.0, 30.0, 7.0, [130.0, 180.0]),  # a person prepares the first system longer than that
        (20.0, 3.0, 500.0, [500.0, 550.0]),  # the courier comes last
        (0.0, 80.0, 0.0, [180.0, 260.0]),  # a person takes longer for a system than its restore
    ],
)
def test_what_different_people_do_overlaps(
    catalogue: float, operator: float, fetch: float, starts: list[float]
) -> None:
    """New hosts take 100 s, after which the catalogue comes back and one system after the other is prepared."""
    found = Declared(100.0, catalogue, operator, {"vault": fetch}).timed(one_drive([50.0, 50.0]))
    assert [one.starts for one in found] == starts


def test_a_courier_holds_up_only_what_comes_back_from_his_cartridges() -> None:
    first, second = one_drive([50.0, 50.0])
    near = second._replace(source="pool", targets=("pool",))
    found = Declared(10.0, fetch={"vault": 500.0}).timed([first, near])
    assert [one.starts for one in found] == [500.0, 60.0]


def test_a_system_that_never_comes_back_needs_nobody() -> None:
    first, second = one_drive([50.0, 50.0])
    found = Declared(operator=10.0).timed([first._replace(reason="no copy"), second])
    assert found[0] == first._replace(reason="no copy")
    assert found[1].starts == 50.0


def test_without_a_copy_everything_is_lost() -> None:
    assert lost("main", date(2027, 3, 6), copies={}) == Loss(math.inf, None, math.inf, None)


def test_copies_whose_base_is_elsewhere_save_nothing() -> None:
    found = lost("main", date(2027, 3, 6), copies={"away": {"to": "far", "on": "tuesday"}})
    assert found.day is None
