"""Failures in the nights of a plan: jobs that fail, are tried again or run late, and what later nights then have."""

import math
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from simbackup.planning.failure import SiteFailureSpec, outages
from simbackup.planning.loading import read_site
from simbackup.planning.plan import Plan, plan
from simbackup.planning.restore import restore
from simbackup.planning.restore_points import points_at
from simbackup.policies.levels import Level

SATURDAY = date(2027, 1, 9)
SITE: dict[str, Any] = {
    "title": "One pool", "start": "2027-01-04", "network": "network/gigabit-ethernet",
    "machines": {"server": {"host": "host/linux-2016-server", "storage": "ssd/nvme-gen3-2018"}},
    "targets": {
        "pool": {
            "host": "host/linux-2016-server",
            "device": {"model": "raid/hardware-raid5-2018", "disk": "disk/nearline-12tb-2018", "disks": 6},
        },
    },
    "policies": {
        "nightly": {
            "to": "pool", "at": "20:00", "window": "20:00 to 22:00",
            "schedule": {"full": "saturday", "incremental": "daily"},
        },
    },
    "systems": {
        name: {"size": "500 GB", "change": {"model": "change/file-server", "daily": "2 %"}, "policy": "nightly"}
        for name in ("a", "b")
    },
}  # fmt: skip
"""Two systems of 500 GB: each line carries 117.7 MB/s, and so does that of the pool, which both share."""
VAULT = {
    "beside": "pool", "link": {"rate": "800 MB/s", "latency": "0.1 ms"},
    "device": {"model": "tape_library/autoloader-8", "drive": "tape_drive/lto-7", "drives": 1},
}  # fmt: skip
NO_LOGS = {"logs": 0, "unsaved": 0.0}


def of(failures: Mapping[str, Any], until: str = "2027-01-13", *, every_night: bool = False, **policy: Any) -> Plan:
    """The plan of the site with some failures."""
    policies = {"nightly": {**SITE["policies"]["nightly"], **policy}}
    return plan(SITE | {"failures": dict(failures), "policies": policies}, until, every_night=every_night)


def nights(found: Plan, system: str) -> dict[date, float]:
    """Seconds of the backups of a system, by night."""
    return {one.night: one.elapsed for one in found.verdicts if one.system == system and not one.copy}


def levels(found: Plan, day: date) -> dict[str, tuple[Level, float]]:
    """The level and the days since its base of each system that is saved on a day."""
    runs = {run.policy: run for each in found.days if each.day == day for run, _ in each.runs}
    return {one.name: (runs[one.policy].level, runs[one.policy].age / 86_400.0) for one in found.site.systems}


def test_a_backup_that_is_tried_again_runs_late() -> None:
    """It fails at 20:30, waits until the host is back at 21:30, and then takes as long as in any night."""
    crash = {"host": "pool", "at": "2027-01-09 20:30", "lasts": "1 h"}
    found, whole = of({"crash": crash}, retries=1, retry_after="5 min"), of({})
    assert nights(found, "a")[SATURDAY] == pytest.approx(5400.0 + nights(whole, "a")[SATURDAY], rel=1e-6)
    assert found.days[-1].points == {"nightly": 10}
    assert found.failures[0] == {"night": SATURDAY, "failures": "crash", "jobs": 2, "fail": 0, "late": 2} | NO_LOGS


def test_transfers_wait_for_a_line_that_is_soon_back() -> None:
    outage = {"link": "network", "at": "2027-01-09 20:30", "lasts": "10 min", "timeout": "15 min"}
    found, whole = of({"outage": outage}), of({})
    assert nights(found, "a")[SATURDAY] == pytest.approx(600.0 + nights(whole, "a")[SATURDAY], rel=1e-6)
    assert found.days[-1].points == {"nightly": 10}


def test_an_outage_that_goes_on_from_day_to_day() -> None:
    """The host is away from Thursday noon until Saturday noon: two nights fail at once."""
    found = of({"repair": {"host": "pool", "at": "2027-01-07 12:00", "lasts": "48 h"}})
    assert [nights(found, "a")[date(2027, 1, day)] for day in (7, 8)] == [0.0, 0.0]
    assert [one["fail"] for one in found.failures] == [2, 2]
    assert found.days[-1].points == {"nightly": 8}


def test_systems_that_do_not_fail_alike_go_their_own_ways() -> None:
    found, whole = of({"line": {"host": "a", "at": "2027-01-06 20:00:10", "lasts": "1 h"}}), of({})
    assert levels(found, date(2027, 1, 7)) == {"a": (Level.INCREMENTAL, 2.0), "b": (Level.INCREMENTAL, 1.0)}
    assert sorted(found.days[-1].points.values()) == [9, 10]
    assert found.windows.levels.keys() == whole.windows.levels.keys()  # counted together
    names, now = ("a", "b"), datetime(2027, 1, 8, 12, tzinfo=ZoneInfo("UTC"))
    made = {one.systems: [each.time.day for each in one.points] for one in points_at(found.site, now)}
    assert made == {names[:1]: [4, 5, 7], names[1:]: [4, 5, 6, 7]}


def test_a_copy_that_fails_leaves_the_backup() -> None:
    """The only drive breaks while it writes the copy of `a`, which fails. That of `b` waits until the drive is back."""
    vault: dict[str, Any] = {"targets": SITE["targets"] | {"vault": VAULT}}
    broken = {"drive": "vault", "at": "2027-01-09 23:45", "lasts": "6 h"}
    copies = {"tape": {"to": "vault", "which": "full", "at": "23:30"}}
    policies = {"nightly": {**SITE["policies"]["nightly"], "copies": copies}}
    found = plan(SITE | vault | {"policies": policies, "failures": {"drive": broken}}, "2027-01-13")
    lacking = {
        one.name: {time.date(): copies for time, copies in found.site.lacking[one.policy].items()}
        for one in found.site.systems
    }
    assert lacking == {"a": {SATURDAY: frozenset({"tape"})}, "b": {}}
    ends = {one.system: one.elapsed for one in found.verdicts if one.copy and one.night == SATURDAY}
    assert ends["a"] == pytest.approx(3.75 * 3600.0, abs=60.0)  # the cartridge goes back to its slot
    assert ends["b"] > 9.75 * 3600.0
    assert min(found.days[-1].points.values()) == 10
    stuck = {"robot": "vault", "at": "2027-01-09 23:25", "lasts": "6 h"}
    late = plan(SITE | vault | {"policies": policies, "failures": {"stuck": stuck}}, "2027-01-13")
    assert [late.failures[0][key] for key in ("failures", "fail")] == ["stuck", 0]
    assert not any(late.site.lacking.values())
    assert all(one.elapsed > 6.0 * 3600.0 for one in late.verdicts if one.copy and one.night == SATURDAY)
    retried: dict[str, Any] = SITE | vault | {"policies": {"nightly": {**policies["nightly"], "retries": 1}}}
    for hours in (6, 60):  # it is made in the same night, or in a later one
        again = plan(retried | {"failures": {"drive": broken | {"lasts": f"{hours} h"}}}, "2027-01-13")
        assert not any(again.site.lacking.values())
        ends = {one.system: one.elapsed for one in again.verdicts if one.copy and one.night == SATURDAY}
        assert hours * 3600.0 < ends["b"] < ends["a"] < (hours + 5) * 3600.0


def test_a_disk_of_the_pool_fails_and_a_spare_one_is_rebuilt_beside_the_backups() -> None:
    """A rebuild alone fills 12 TB at 184 MB/s, the mean of a disk; two backups of 500 GB take their part of it."""
    found = of({"disk": {"disk": "pool", "at": "2027-01-09 20:30", "lasts": "1 min"}}, "2027-01-13")
    kind, i = next((kind, i) for kind, i in found.nights.in_order() if kind.failures)
    rebuild = found.nights.played[kind][i]["disk-1-rebuild"]
    assert rebuild.due == pytest.approx(20.5 * 3600.0 + 60.0)
    idle = of({"disk": {"disk": "pool", "at": "2027-01-10 00:00", "lasts": "1 min"}}, "2027-01-13")
    kind, i = next((kind, i) for kind, i in idle.nights.in_order() if kind.failures)
    alone = idle.nights.played[kind][i]["disk-1-rebuild"]
    assert alone.end - alone.due == pytest.approx(12e12 / 184e6)
    assert alone.end - alone.due < rebuild.end - rebuild.due < alone.end - alone.due + 8500.0
    assert found.failures[0]["jobs"] == 2
    assert found.failures[0]["fail"] == 0
    assert not found.warnings


def test_a_rebuild_that_takes_days_slows_all_nights_in_which_it_runs() -> None:
    """The spare disk comes after two days: three nights are simulated together, the last with a rebuild in it."""
    found = of({"disk": {"disk": "pool", "at": "2027-01-09 20:30", "lasts": "2 d"}}, "2027-01-13")
    assert [found.nights.lengths.get(i) for kind, i in found.nights.in_order() if kind.failures] == [3]


def test_a_second_disk_before_the_first_is_rebuilt_takes_all_data() -> None:
    disks = {"disks": {"disk": "pool", "at": ["2027-01-09 20:30", "2027-01-09 21:00"], "lasts": "1 min"}}
    found = of(disks, "2027-01-13")
    assert found.failures[0]["fail"] == 2
    [warning] = found.warnings
    assert warning.address == "failures.disks"
    assert "'pool' lost a disk too many" in warning.message


def test_a_sector_that_cannot_be_read_is_found_by_the_next_rebuild() -> None:
    """With single parity, the rebuild loses the data. A sector that fails after it costs nothing."""
    disk = {"disk": "pool", "at": "2027-01-09 20:30", "lasts": "1 min"}
    before, after = (
        of({"disk": disk, "sector": {"sector": "pool", "at": at}}) for at in ("2027-01-05 03:00", "2027-01-12 03:00")
    )
    [warning] = before.warnings
    assert (warning.address, "a sector of 'pool' cannot be read" in warning.message) == ("failures.disk", True)
    assert not after.warnings
    assert [one.name for one in outages(after.site.file.spec, after.until)] == ["disk"]


@pytest.mark.parametrize(("offsite", "left"), [(True, 9), (False, None)])
def test_a_cartridge_that_cannot_be_read(offsite: bool, left: int | None) -> None:
    """Full backups go to tape on the 4th, 9th and 16th; where each has a cartridge of its own, the 9th is left.

    All three fit on one cartridge of 6 TB: where sessions go on where the last one ended, all three are lost.
    """
    vault: dict[str, Any] = {"targets": SITE["targets"] | {"vault": VAULT | {"offsite": offsite}}}
    copies = {"tape": {"to": "vault", "which": "full", "at": "23:30"}}
    failures = {"tape": {"cartridge": "vault", "at": "2027-01-18 12:00"}}
    site = SITE | vault | {"policies": {"nightly": {**SITE["policies"]["nightly"], "copies": copies}}}

    def newest(day: int, **more: Any) -> int | None:
        point = restore(site | more, "client a", date(2027, 1, day), lost="pool").systems[0].point
        return None if point is None else point.day

    assert newest(19) == 16
    assert newest(18, failures=failures) == left  # noon, when it becomes unreadable
    assert newest(17, failures=failures) == 16
    loss = plan(site | {"failures": failures}, "2027-01-19").loss("pool")
    assert math.isinf(loss.worst) == (left is None)
    assert loss.day == (date(2027, 1, 19) if left else date(2027, 1, 18))
    if left:  # from 9 January, 20:00, to 19 January, noon
        assert loss.worst == pytest.approx((9.0 + 16.0 / 24.0) * 86_400.0)


def test_jobs_that_run_on_into_a_night_in_which_something_fails() -> None:
    """The full backups of Saturday, 25 h at 117.7 MB/s, still run when the pool fails half an hour after Sunday's."""
    larger = {name: {**one, "size": "5.3 TB"} for name, one in SITE["systems"].items()}
    crash = {"crash": {"host": "pool", "at": "2027-01-10 20:30", "lasts": "15 min"}}
    found = plan(SITE | {"systems": larger, "failures": crash}, "2027-01-13")
    assert {time.day for time in found.site.lacking["nightly"]} == {9, 10}
    assert nights(found, "a")[SATURDAY] == pytest.approx(24.5 * 3600.0)
    assert found.days[-1].points == {"nightly": 8}


def test_logs_that_fail_are_listed_with_what_they_would_have_saved() -> None:
    """Of 100 GB, 5 % a day: a quarter of an hour has 52 MB, and four of them fail in the hour from 21 to 22 o'clock."""
    systems = {name: {**one, "size": "100 GB", "log": "5 %"} for name, one in SITE["systems"].items()}
    policies = {"nightly": {**SITE["policies"]["nightly"], "logs": {"every": "15 min"}}}
    line = {"line": {"link": "network", "at": "2027-01-09 21:00", "lasts": "1 h"}}
    found = plan(SITE | {"systems": systems, "policies": policies, "failures": line}, "2027-01-13")
    [row] = found.failures
    assert (row["logs"], row["unsaved"]) == (8, pytest.approx(8 * 100e9 * 0.05 / 96))
    whole = plan(SITE | {"systems": systems, "policies": policies}, "2027-01-13").logs_lost["nightly"]
    assert found.logs_lost["nightly"] == pytest.approx(whole + 3600.0)


@pytest.mark.parametrize("at", ["2027-01-03 20:00", "2028-01-09 20:00"])
def test_a_failure_outside_the_plan_is_said_to_cost_nothing(at: str) -> None:
    [warning] = of({"late": {"host": "pool", "at": ["2027-01-05 12:00", at], "lasts": "1 h"}}).warnings
    assert (warning.address, f"'{at}' is not in the plan" in warning.message) == ("failures.late.at", True)


def test_random_failures_come_as_often_as_stated_and_the_same_each_time() -> None:
    def often(seed: int) -> list[datetime]:
        raw = {"host": "pool", "yearly": 4, "lasts": "1 h", "seed": seed}
        one = SiteFailureSpec.model_validate(raw)
        return list(one.moments("crash", date(2027, 1, 1), date(2126, 12, 31), ZoneInfo("Europe/Berlin")))

    assert often(0) == often(0) != often(1)
    assert len(often(0)) == pytest.approx(400, abs=60)  # three standard deviations
    assert often(0) == sorted(often(0))


def test_random_failures_follow_the_age_of_a_part() -> None:
    """New for a year, then for three, worn from the fourth on, and replaced after five: twenty times in a century."""
    ages = {"early": 6, "early_until": "1 year", "late": 12, "late_from": "4 years", "replaced": "5 years"}
    one = SiteFailureSpec.model_validate({"host": "pool", "yearly": 1, "lasts": "1 h", **ages})
    begin = datetime(2027, 1, 1, tzinfo=ZoneInfo("UTC"))
    found = list(one.moments("crash", begin.date(), date(2126, 12, 31), ZoneInfo("UTC")))
    by_age = [int((at - begin).total_seconds() / (365 * 86_400)) % 5 for at in found]
    for ages_of, often in (({0}, 20 * 6), ({1, 2, 3}, 20 * 3), ({4}, 20 * 12)):
        assert sum(age in ages_of for age in by_age) == pytest.approx(often, abs=3 * often**0.5)
    for wrong in ({"early": 6}, {"late_from": "4 years"}, {"age": "6 years", "replaced": "5 years"}):
        raw = {"host": "pool", "yearly": 1, "lasts": "1 h", **wrong}
        assert list(SiteFailureSpec.model_validate(raw).rules())


def test_outages_of_all_failures_in_their_order() -> None:
    failures = {
        "late": {"host": "pool", "at": "2027-01-09 20:30", "lasts": "1 h"},
        "early": {"link": "network", "at": ["2027-01-12 20:30", "2027-01-05 20:30"], "lasts": "1 h"},
    }
    spec = read_site(SITE | {"failures": failures}).spec
    assert [(one.name, one.begin.day) for one in outages(spec, SATURDAY)] == [("early", 5), ("late", 9)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failures", "fails", "points"),
    [
        ({"a": ("host", "20:30", "2 h"), "b": ("device", "21:00", "3 h")}, 0, 10),  # overlapping; tried again at 0:00
        ({"a": ("link", "20:00", "1 s")}, 0, 10),  # in the second in which all begin
        ({"a": ("host", "20:30", "10 years")}, 0, 10),  # longer than the plan: the last nights never catch up
        ({"a": ("host", "20:10", "1 h"), "b": ("device", "20:10", "1 h"), "c": ("disk", "20:10", "1 h")}, 0, 10),
        ({"a": ("disk", "20:30", "1 min"), "b": ("host", "23:00", "2 h")}, 0, 10),  # the rebuild begins again
    ],
)
def test_odd_failures_end_in_an_answer(failures: dict[str, tuple[str, str, str]], fails: int, points: int) -> None:
    """All backups are tried again when what has failed is back; nothing is lost, and no rebuild is given up."""
    given = {
        name: {what: "network" if what == "link" else "pool", "at": f"2027-01-09 {at}", "lasts": lasts}
        for name, (what, at, lasts) in failures.items()
    }
    found = of(given, retries=2)
    assert found.failures[0]["fail"] == fails
    assert found.days[-1].points == {"nightly": points}
    assert not [one for one in found.warnings if "not rebuilt" in one.message]
    assert (max(nights(found, "a").values()) > 1e8) == ("10 years" in str(failures))
