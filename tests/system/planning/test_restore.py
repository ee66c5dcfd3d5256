"""Restores of sites."""

import math
import os
import subprocess
import sys
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sites.plan import site

from simbackup.equations.change import hits_a_day
from simbackup.errors import InputError
from simbackup.planning.goals import goals_of, judged
from simbackup.planning.plan import plan
from simbackup.planning.recovery import Recovery
from simbackup.planning.restore import moment_of, restore, scope_of
from simbackup.planning.restore_points import points_at
from simbackup.planning.site import PlannedSite, load_site
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.schema.yaml_file import parse
from tests.cases import for_each
from tests.shared import ROOT

WEDNESDAY = date(2027, 6, 9)
"""Four nights after a Saturday: a full backup, and three incrementals."""


def restored(scope: str = "site", lost: str = "", **parts: Any) -> Recovery:
    return restore(load_site(site(**parts)), scope, WEDNESDAY, lost)


def test_a_copy_that_is_still_on_its_way_is_no_help() -> None:
    """20 TB take two days over 1 Gbit/s: on Sunday the copy of the week before is the newest, on Wednesday the last."""
    parts = site(systems={"first": {"size": "20 TB", "policy": "nightly"}})
    second = parts["targets"]["pool"] | {"place": "second", "network": "network/gigabit-ethernet"}
    parts["targets"] |= {"second": second}
    parts["policies"]["nightly"] |= {
        "schedule": {"full": "saturday"}, "copies": {"away": {"to": "second"}}, "retention": {"age": "3 weeks"},
    }  # fmt: skip
    slow = load_site(parts)
    assert 20e12 / 125e6 > 16 * 3600
    early, late = (restore(slow, "site", date(2027, 6, day), "main") for day in (6, 9))
    assert early.data_lost == (7 * 24 + 16) * 3600
    assert "backups after that of 2027-05-29 were not yet complete on 'second'" in str(early.warnings[0])
    assert late.data_lost == (3 * 24 + 16) * 3600
    planned = plan(slow, date(2027, 6, 9))
    assert restore(slow, "site", date(2027, 6, 6), "main", nights=planned.nights).data_lost == early.data_lost


def test_hosts_and_a_courier_come_side_by_side_before_everything() -> None:
    """Two hours for new hosts while the courier drives for four: restores begin after four."""
    targets = site()["targets"]
    slow = targets | {"vault": targets["vault"] | {"fetch": "4 h"}}
    found = restored(lost="pool", targets=slow, recovery="2 h")
    plain = restored(lost="pool")
    assert found.until(1.0) - plain.until(1.0) == pytest.approx(4 * 3600)
    assert [(one.steps, one.seconds) for one in found.branches] == [
        ((("targets.vault.fetch", 4 * 3600.0),), 4 * 3600.0), ((("recovery", 2 * 3600.0),), 2 * 3600.0),
    ]  # fmt: skip
    slower = restored(lost="pool", targets=slow, recovery="2 h", catalogue="3 h")
    assert slower.until(1.0) - plain.until(1.0) == pytest.approx(5 * 3600)
    assert restored(recovery="2 h").until(1.0) == restored().until(1.0)  # nothing was lost but data


def test_without_a_copy_nothing_comes_back() -> None:
    policy = {key: value for key, value in site()["policies"]["nightly"].items() if key != "copies"}
    found = restored(lost="pool", policies={"nightly": policy})
    assert not found.complete
    assert found.until(0.5) == float("inf")
    assert found.systems[0].reason == "no copy is left after the loss of 'pool'"


def test_one_file_takes_less_than_its_system() -> None:
    one, whole = restored("one-file second", "main"), restored("client second", "main")
    assert one.systems[0].bytes == pytest.approx(2e12 / 100_000)
    assert one.until(1.0) < whole.until(1.0) / 2
    assert restored("one-file").systems[0].system == "second"  # the largest with files


def test_after_the_loss_of_a_datastore_what_lay_there_comes_back() -> None:
    """New hardware is needed, and no catalogue."""
    parts = site(hosts={"esx": {"host": "host/linux-modern-server"}}, recovery="3 h", catalogue="1 h")
    parts["datastores"] = {
        name: {"device": {"model": "raid/midrange-array-2018", "ssd": "ssd/sas-ssd-2018", "disks": 8}} for name in "ab"
    }
    for system, datastore in (("first", "a"), ("second", "b")):
        parts["systems"][system] |= {"host": "esx", "datastore": datastore}
    found, whole = (restore(load_site(parts), "site", WEDNESDAY, lost) for lost in ("b", ""))
    assert [one.system for one in found.systems] == ["second"]
    assert found.until(1.0) == pytest.approx(
        3 * 3600 + restore(load_site(parts), "client second", WEDNESDAY).until(1.0)
    )
    assert {one.system for one in whole.systems} == {"first", "second"}


def test_after_the_loss_of_a_place_the_systems_there_come_back() -> None:
    """Those of another place are still in service; of a place that has copies alone, nothing else is lost."""
    machines = site()["machines"]
    systems = site()["systems"]
    parts = {
        "machines": machines | {"apart": machines["guest"] | {"place": "apart"}},
        "systems": systems | {"second": systems["second"] | {"machine": "apart"}},
    }
    for lost, names in (("apart", {"second"}), ("main", {"first"}), ("vault", {"first", "second"})):
        assert {one.system for one in restored(lost=lost, **parts).systems} == names
    assert [one.system for one in restored("client first", "apart", **parts).systems] == ["first"]


def test_two_places_that_save_to_each_other_lose_a_night_each() -> None:
    """What stays in service loses nothing, though its backups are gone."""
    machines, systems, pool = (site()[key] for key in ("machines", "systems", "targets"))
    nightly = {"at": "20:00", "schedule": {"full": "daily"}}
    made = load_site(
        site(
            machines=machines | {"apart": machines["guest"] | {"place": "apart"}},
            systems={"first": systems["first"], "second": systems["second"] | {"machine": "apart", "policy": "back"}},
            targets={"here": pool["pool"], "there": pool["pool"] | {"place": "apart"}},
            policies={"nightly": nightly | {"to": "there"}, "back": nightly | {"to": "here"}},
        )
    )
    found = plan(made, "2 weeks")
    worst = {place: found.loss(place).worst for place in ("main", "apart")}
    assert worst == {place: found.loss(place, made.struck_by(place)).worst for place in worst}
    assert all(one <= 40 * 3600.0 for one in worst.values())
    goals = goals_of(parse("restores: {gone: {after_loss_of: main, data_lost: 40 h}}", "goals"))
    assert next(one for one in judged(found, goals) if one.goal == "gone: data lost").met


@for_each(
    "scope, found",
    [
        ("client *", ["first", "second"]), ("client second, *", ["second", "first"]), ("client fi*", ["first"]),
        ("client filesystem:filesystem/xfs", ["second"]), ("client policy:nightly", ["first", "second"]),
        ("client machine:guest", ["first", "second"]),
    ],
)  # fmt: skip
def test_systems_are_named_by_a_text_with_a_star_or_a_value(scope: str, found: list[str]) -> None:
    assert [one.name for one in scope_of(load_site(site()), scope)[0]] == found


@for_each(
    "scope, lost", [("everything", ""), ("client third", ""), ("site", "moon"), ("client", ""), ("client x*", "")]
)
def test_what_there_is_not_is_refused(scope: str, lost: str) -> None:
    with pytest.raises(InputError):
        restored(scope, lost)


def test_goals_are_met_or_missed() -> None:
    goals = goals_of(
        parse(
            "windows_missed: 0\nrestore_points: 44\nrestores:\n"
            "  fire: {after_loss_of: main, within: 4 h, data_lost: 24 h}\n  file: {what: one-file, within: 1 h}\n",
            "goals.yaml",
        )
    )
    found = {goal.goal: goal.met for goal in judged(plan(load_site(site()), "6 months"), goals)}
    assert found == {
        "windows missed": True, "pool fits": True, "vault fits": True, "restore points": False, "fire: back": True,
        "fire: data lost": False, "file: back": True,
    }  # fmt: skip


def test_what_a_site_does_not_have_is_no_goal() -> None:
    restore = "{what: client x, within: 3 h, at: 2020-01-01}"
    goals = goals_of(parse(f"budget_month: 3\nrestores: {{a: {restore}}}\n", "goals.yaml"))
    with pytest.raises(InputError) as wrong:
        judged(plan(load_site(site()), "2 days"), goals)
    assert [(str(one.place), one.address) for one in wrong.value.problems] == [
        ("goals.yaml:1:15", "budget_month"), ("goals.yaml:2:22", "restores.a.what"),
        ("goals.yaml:2:49", "restores.a.at"),
    ]  # fmt: skip


def test_the_cost_of_a_month_counts_days_not_names_of_months() -> None:
    """Ten of twelve disks of 20 TB at two dollars a terabyte, over four days of two months; no tape is written."""
    made = site(start="2027-01-30", prices="prices/list-2026")
    del made["policies"]["nightly"]["copies"], made["targets"]["vault"]
    found = judged(plan(load_site(made), "4 days"), goals_of(parse("budget_month: 390.50\n", "goals.yaml")))
    assert [tuple(goal)[1:4] for goal in found if goal.goal == "cost of a month"] == [("at most 390 USD", "400", False)]


def test_a_system_that_is_never_saved_misses_the_goals() -> None:
    """Its policy has days, and none of them within the plan; a policy that nobody follows saves nothing either."""
    made = site()
    nightly = made["policies"]["nightly"]
    made["policies"] |= {"never": nightly | {"schedule": {"full": "2020-01-01"}}, "nobody": nightly}
    made["systems"]["first"]["policy"] = "never"
    found = judged(plan(load_site(made), "2 days"), goals_of(parse("restore_points: 1\n", "goals.yaml")))
    assert {goal.goal: (goal.found, goal.met) for goal in found if not goal.met} == {
        "systems saved": ("never: first", False), "restore points": ("0", False),
    }  # fmt: skip


@pytest.mark.slow
def test_the_same_site_is_restored_alike_whatever_the_seed_of_hashes() -> None:
    script = (
        "from datetime import date; import simbackup as sb\n"
        "site = sb.load_site('planning/forty-systems', {'policies.nightly.spread': True})\n"
        "print(sb.restore(site, 'site', date(2027, 6, 9), 'main').as_dict())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, check=True, text=True, cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in (1, 2)
    }  # fmt: skip
    assert len(outputs) == 1


def test_what_is_not_stated_is_said() -> None:
    found = restored(lost="main")
    assert [(warning.address, warning.severity) for warning in found.warnings] == [
        ("recovery", "warning"), ("catalogue", "warning"), ("operator", "warning"),
        ("policies.nightly.tool", "warning"),
    ]  # fmt: skip
    policy = site()["policies"]["nightly"] | {"tool": "backup_tool/network-backup-2015"}
    assert (
        restored(lost="main", recovery="4 h", catalogue="1 h", operator="5 min", policies={"nightly": policy}).warnings
        == ()
    )


def test_one_file_takes_the_times_of_the_program() -> None:
    """Start of the program, as `run` has it: 10 s in its datasheet."""
    policy = site()["policies"]["nightly"] | {"tool": "backup_tool/network-backup-2015"}
    found, bare = restored("one-file second", policies={"nightly": policy}), restored("one-file second")
    assert found.until(1.0) == pytest.approx(10.0 + bare.until(1.0), abs=0.1)


def test_one_file_of_an_image_on_disk_comes_alone_if_the_program_mounts_it() -> None:
    """Its 20 MB take a minute to mount, and far less than another to find and send; without that all 2 TB come."""
    systems = site()["systems"] | {"second": site()["systems"]["second"] | {"method": "image"}}
    systems["second"]["change"] = {"daily": "1 %", "run": "256 KiB"}
    tool = {"start_time": "0 s", "mount_time": "60 s"}
    policy = site()["policies"]["nightly"]
    whole = restored("one-file second", systems=systems, policies={"nightly": policy | {"tool": tool}})
    mounts = policy | {"tool": tool | {"mounts_images": True}}
    one = restored("one-file second", systems=systems, policies={"nightly": mounts})
    assert whole.systems[0].bytes > 1.9e12
    assert one.systems[0].bytes == pytest.approx(2e12 / 100_000)
    assert 60.0 < one.until(1.0) < 62.0


def test_the_curve_of_systems_that_are_back() -> None:
    found = restored(lost="main")
    ends = sorted(one.back for one in found.systems)
    assert found.back() == [(ends[0], 0.5), (ends[1], 1.0)]
    axis = found.plot.restore().axes[0]
    assert axis.get_ylabel() == "systems back, %"
    line = axis.lines[0]
    assert list(line.get_ydata()) == [0.0, 50.0, 100.0]


def test_declared_times_and_their_ranges_are_in_the_interval() -> None:
    """Four hours until restores begin, two to ten of them possible; the catalogue takes one for certain."""
    recovery = {"value": "4 h", "basis": "assumed", "range": ["2 h", "10 h"], "why": "spare hosts"}
    plain, found = (
        restored("client first", "main"),
        restored("client first", "main", recovery=recovery, catalogue="1 h"),
    )
    assert found.until(1.0) == pytest.approx(plain.until(1.0) + 5 * 3600)
    assert plain.interval is not None
    assert found.interval is not None
    assert found.interval.decides == ("recovery",)
    below, above = (found.interval.best - found.interval.low), (found.interval.high - found.interval.best)
    own = (plain.interval.best - plain.interval.low), (plain.interval.high - plain.interval.best)
    assert (below, above) == pytest.approx((math.hypot(2 * 3600, own[0]), math.hypot(6 * 3600, own[1])))
    assert "recovery matters most" in found.interval.sentence()


@pytest.mark.slow
def test_ranges_of_devices_widen_the_interval() -> None:
    loaded = load_site(site())
    bare, sampled = (restore(loaded, "client first", WEDNESDAY, intervals=each) for each in ("none", "quick"))
    assert bare.interval is not None
    assert sampled.interval is not None
    assert (bare.interval.sampled, sampled.interval.sampled) == (False, True)
    assert sampled.interval.low <= bare.interval.low < bare.until(1.0) < bare.interval.high <= sampled.interval.high


@pytest.mark.slow
def test_each_system_and_each_share_has_an_interval_also_where_others_do_not_come_back() -> None:
    found = restore(load_site(site()), "site", WEDNESDAY, intervals="quick")
    assert found.between.keys() == {"first", "second", "50%", "90%", "100%"}
    assert all(one.low < one.best < one.high and one.sampled for one in found.between.values())
    assert found.between["100%"].best == found.until(1.0) == max(one.back for one in found.systems)
    fewer, more = (found.between[name] for name in ("50%", "100%"))
    assert fewer.low <= more.low
    assert fewer.high <= more.high
    assert [one["between"] for one in found.as_dict()["systems"]] == [found.ends(one.system) for one in found.systems]
    copied = site()["policies"] | {"alone": {"to": "pool", "at": "20:00", "schedule": {"full": "saturday"}}}
    systems = site()["systems"] | {"lonely": {"size": "1 TB", "files": 9, "policy": "alone"}}
    one = restore(load_site(site(policies=copied, systems=systems)), "site", WEDNESDAY, "main")
    assert [row.system for row in one.systems if row.reason] == ["lonely"]
    assert {"first", "second"} <= one.between.keys()
    assert one.interval is None


def test_no_restore_is_faster_than_its_line() -> None:
    """Two terabytes over 1 Gb/s, however much of the error of the model is on the good side."""
    loaded = load_site(site(network="network/gigabit-ethernet"))
    found = restore(loaded, "client second", WEDNESDAY, intervals="none")
    assert found.interval is not None
    assert sum(system.bytes for system in found.systems) / 125e6 < found.interval.low <= found.interval.best


@pytest.mark.slow
def test_a_long_chain_has_the_bytes_that_its_save_sets_had() -> None:
    """1 TB doubles in a year: what the full backup of its first day and the incrementals since have is all, 2 TB."""
    policy = {"to": "pool", "at": "20:00", "schedule": {"full": "2027-01-02", "incremental": "daily"}}
    change = {"daily": "0 %", "growth": "100 %", "run": "4 MiB"}
    made = site(policies={"nightly": policy}, systems={"a": {"size": "1 TB", "change": change, "policy": "nightly"}})
    found = restore(load_site(made), "client a", date(2028, 1, 2), intervals="none").systems[0]
    assert found.chain == 365
    assert found.bytes == pytest.approx(2e12, rel=0.01)


def test_a_restore_at_a_minute_reads_what_was_complete_then() -> None:
    """Ten seconds after a backup is due, that of the evening before is the newest; an hour later, the new one."""
    zone = ZoneInfo("Europe/Berlin")
    early, late = (restore(load_site(site()), "site", datetime(2027, 6, 9, h, 0, 10, tzinfo=zone)) for h in (20, 21))
    assert early.data_lost == 24 * 3600 + 10
    assert late.data_lost == 3600 + 10
    assert early.when == "20:00 of 2027-06-09"
    assert restored().when == "noon of 2027-06-09"


def test_a_chain_across_the_targets_of_one_place() -> None:
    """Full backups go to tape and the others to a disk beside it: together they are whole."""
    parts = site()
    disk = {"host": "host/linux-modern-server", "device": "disk/nearline-20tb-2022", "place": "vault"}
    parts["targets"]["far"] = disk
    policy = parts["policies"]["nightly"]
    policy["copies"]["away"] = {"to": "far", "on": "sunday to friday", "retention": {"age": "2 weeks"}}
    found = restored(lost="main", **parts)
    assert found.complete
    assert found.data_lost == 16 * 3600
    assert [(one.source, one.chain, one.mounts) for one in found.systems] == [("vault and far", 4, 1)] * 2
    assert [(one.target, one.begun.day, one.cartridges) for one in found.sessions] == [("vault", 5, 1)]
    assert found.systems[0].bytes == pytest.approx(1e12 * (1 + 3 * 0.03))
    elsewhere = parts["targets"] | {"far": disk | {"place": "second"}}
    assert restored(lost="main", **parts | {"targets": elsewhere}).data_lost == (3 * 24 + 16) * 3600


def test_incrementals_whose_full_backup_is_not_there_are_not_restored() -> None:
    """Copies of Mondays, and full backups of Saturdays: nothing comes back from the second place."""
    parts = site()
    second = parts["targets"]["pool"] | {"place": "second"}
    policy = parts["policies"]["nightly"] | {"copies": {"away": {"to": "far", "on": "monday"}}}
    parts |= {"targets": parts["targets"] | {"far": second}, "policies": {"nightly": policy}}
    found = restored(lost="main", **parts)
    assert not found.complete
    assert not found.warnings or "not yet complete" not in str(found.warnings[0])


def test_a_restore_says_what_it_does_not_include() -> None:
    assert restored("one-file second").left_out == ("operator", "policies.nightly.tool")
    stated = restored("one-file second", operator="10 min")
    assert stated.left_out == ("policies.nightly.tool",)
    assert stated.until(1.0) > 600.0


def test_systems_are_back_when_those_are_that_they_need() -> None:
    """Of three alike, the last is restored first, as the first needs it, and both have to be back."""
    parts = site(start="2027-01-04")
    one = parts["systems"]["first"]
    parts["systems"] = {
        "portal": one | {"needs": ["web", "db"], "priority": 1},
        "web": one | {"needs": "db"},
        "db": one,
    }
    loaded = load_site(parts)
    found = restore(loaded, "site", date(2027, 3, 1), at_once=1)
    back = {each.system: each.back for each in found.systems}
    assert list(back) == ["db", "web", "portal"]
    assert back["db"] < back["web"] < back["portal"]
    named = restore(loaded, "client portal,web,db", date(2027, 3, 1), at_once=1)
    assert len({each.back for each in named.systems}) == 1  # in the order that was asked for, the database comes last
    assert [each.starts for each in named.systems] == sorted(each.starts for each in named.systems)
    for needs, said in (("portal", "'portal' needs itself"), ("dbb", "there is no system 'dbb'")):
        parts["systems"]["db"] = one | {"needs": needs}
        with pytest.raises(InputError, match=said):
            load_site(parts)


# Older restore points
HOUR, MINUTE = 3_600.0, 60.0
CHANGE = {"daily": "5 %", "hot_data": "20 %", "hot_changes": "80 %", "run": "64 KiB"}


def with_logs() -> PlannedSite:
    policy = {
        "to": "pool", "at": "20:00", "schedule": {"full": "saturday", "differential": "daily"},
        "retention": {"age": "2 weeks"}, "logs": {"every": "15 min", "replay": "50 MB/s"},
    }  # fmt: skip
    systems = {"sql": {"size": "1 TB", "change": CHANGE, "policy": "nightly"}}
    return load_site(site(systems=systems, policies={"nightly": policy}, zone="UTC"))


@pytest.fixture(scope="module")
def plain() -> PlannedSite:
    return load_site(site())


def of(found: PlannedSite, point: date | datetime, scope: str = "client first", **how: Any) -> Recovery:
    return restore(found, scope, WEDNESDAY, point=point, **how)


@pytest.mark.slow
@for_each("day, sets", [(date(2027, 6, 8), 4), (date(2027, 6, 6), 2), (date(2027, 6, 5), 1), (date(2027, 6, 4), 7)])
def test_the_point_of_a_date_comes_back_with_its_chain(day: date, sets: int, plain: PlannedSite) -> None:
    (found,) = of(plain, day).systems
    point = moment_of(plain, datetime(day.year, day.month, day.day, 20))  # noqa: DTZ001 (of the site)
    assert (found.point, found.chain) == (point, sets)
    assert found.lost == (moment_of(plain, WEDNESDAY) - point).total_seconds()


def test_every_point_that_is_listed_can_be_chosen(plain: PlannedSite) -> None:
    (listed,) = points_at(plain, moment_of(plain, WEDNESDAY))
    for moment in (listed.restorable[0], listed.restorable[len(listed.restorable) // 2]):
        (found,) = of(plain, moment).systems
        assert found.point == moment
        chain = next(each for each in listed.points if each.time == moment and each.restorable).chain
        assert found.chain == len(chain)


def test_a_date_without_a_point_means_the_newest_before_it(plain: PlannedSite) -> None:
    noon = datetime(2027, 6, 7, 12)  # noqa: DTZ001 (of the site)
    (found,) = of(plain, noon).systems
    assert found.point is not None
    assert found.point.date() == date(2027, 6, 6)


def test_what_has_expired_does_not_come_back(plain: PlannedSite) -> None:
    found = of(plain, date(2027, 2, 1))
    assert not found.complete
    assert found.systems[0].reason == "no restore point of 2027-02-01 or before is left"


def test_a_point_after_the_restore_is_refused(plain: PlannedSite) -> None:
    with pytest.raises(InputError, match=r"--point: 2027-06-10 is after the restore; name a moment before"):
        of(plain, date(2027, 6, 10))


def test_a_database_comes_back_to_the_minute_with_its_logs() -> None:
    """At 14:36 of Monday, 18 h 36 min after Sunday's differential: the logs of that time are applied to it."""
    site_of, minute = with_logs(), datetime(2027, 6, 7, 14, 36)  # noqa: DTZ001 (of the site)
    (found,) = of(site_of, minute, "client sql").systems
    assert found.chain == 2
    assert found.point == moment_of(site_of, datetime(2027, 6, 6, 20))  # noqa: DTZ001 (of the site)
    log = 1e12 * hits_a_day(0.05, 0.2, 0.8) * (18 * HOUR + 36 * MINUTE) / 86_400
    assert found.logs == pytest.approx(log, rel=1e-6)
    assert found.lost == timedelta(days=1, hours=21, minutes=24).total_seconds()
    (dated,) = of(site_of, date(2027, 6, 6), "client sql").systems
    assert (dated.point, dated.logs) == (found.point, 0.0)
    assert found.back - dated.back == pytest.approx(log / 50e6, rel=1e-6)  # read in less than that


def test_several_machines_come_back_in_the_order_of_their_names(plain: PlannedSite) -> None:
    for names in (["first", "second"], ["second", "first"]):
        found = restore(plain, f"client {', '.join(names)}", WEDNESDAY, at_once=1)
        assert [one.system for one in found.systems] == names
        earlier, later = found.systems
        assert later.starts >= earlier.back - 1.0


@for_each("scope, wrong", [
    ("client first,thrid", "there is no system 'thrid'"), ("client first,first", "names a system twice"),
])  # fmt: skip
def test_names_that_are_wrong(scope: str, wrong: str, plain: PlannedSite) -> None:
    with pytest.raises(InputError, match=wrong):
        restore(plain, scope, WEDNESDAY)


def test_phases_add_up_and_name_their_part(plain: PlannedSite) -> None:
    """From tape, a restore loads, locates, transfers and rewinds; the wait for the only drive is no phase."""
    found = restore(plain, "site", WEDNESDAY, "main", explain=True)
    assert found.reasons is not None
    phases = found.reasons.phases
    assert sum(one.share for one in phases) == pytest.approx(1.0)
    assert {"mount", "load", "rewind", "transfer"} <= {one.activity for one in phases}
    assert not any(one.activity.startswith("wait for a drive") for one in phases)
    assert all(one.at.startswith(("targets.vault", "machines", "network", "systems")) for one in phases), phases
    last = found.reasons.last
    assert last.name == max(found.systems, key=lambda one: one.back).system
    assert sum(last.causes.values()) == pytest.approx(last.elapsed)
    assert last.bottleneck is not None
    assert restore(plain, "site", WEDNESDAY, "main").reasons is None


def test_the_replay_of_logs_is_a_phase() -> None:
    found = of(with_logs(), datetime(2027, 6, 7, 14, 36), "client sql", explain=True)  # noqa: DTZ001 (of the site)
    assert found.reasons is not None
    (replay,) = (one for one in found.reasons.phases if one.activity == "replay")
    assert replay.at == "policies.nightly.logs.replay"
    assert replay.seconds == found.systems[0].applies > 0.0


# Many systems at once
NAME = "planning/mass-restore-200"
SERVER = 46.3 + 1.6
"""Minutes of a file server of 1 TB: at 360 MB/s, with the way of two cartridges."""


def ends(found: Result, begins: str) -> list[float]:
    """When the restores whose names begin so end, in minutes."""
    return sorted(float(row["end"]) / 60.0 for row in found.job_rows if str(row["job"]).startswith(begins))


@pytest.fixture(scope="module")
def broken() -> Result:
    """The restore in which a drive breaks."""
    return simulate(NAME)


@pytest.fixture(scope="module")
def whole() -> Result:
    """The restore in which nothing breaks."""
    return simulate(NAME, overrides={"failures.drive": None})


@pytest.mark.slow
def test_file_servers_come_back_in_rounds(broken: Result, whole: Result) -> None:
    assert ends(whole, "filer-")[-1] == pytest.approx(5 * SERVER, rel=0.02)
    assert len(ends(broken, "filer-")) == 20
    assert ends(broken, "filer-")[6] == pytest.approx(2 * SERVER, rel=0.02)
    assert ends(broken, "filer-")[-1] == pytest.approx((2 + 5) * SERVER, rel=0.02)


@pytest.mark.slow
def test_machines_come_back_by_priority(broken: Result) -> None:
    core, services, desks = (ends(broken, name) for name in ("core-", "service-", "desk-"))
    assert (len(core), len(services), len(desks)) == (16, 64, 100)
    assert core[-1] < services[0] < services[-1] < desks[0]
    assert services[-1] - core[-1] == pytest.approx(4 * 48.0, rel=0.03)
    assert core[-1] == pytest.approx(26.0, rel=0.05)


@pytest.mark.slow
def test_half_and_nearly_all_and_all_are_back(broken: Result, whole: Result) -> None:
    for found, hours in ((broken, (4.0, 5.6, 6.3)), (whole, (4.0, 5.6, 6.3))):
        each = sorted(end for name in ("core-", "service-", "desk-", "filer-") for end in ends(found, name))
        assert [each[i] / 60.0 for i in (99, 179, 199)] == pytest.approx(hours, rel=0.02)
