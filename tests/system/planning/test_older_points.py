"""Restores of an older point, to the minute with logs, of several machines in order, and why they take their time."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from sites.plan import site

from simbackup.equations.change import hits_a_day
from simbackup.errors import InputError
from simbackup.planning.recovery import Recovery
from simbackup.planning.restore import moment_of, restore
from simbackup.planning.restore_points import points_at
from simbackup.planning.site import PlannedSite, load_site
from tests.cases import for_each

WEDNESDAY = date(2027, 6, 9)
"""Four nights after a full backup of Saturday."""
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
