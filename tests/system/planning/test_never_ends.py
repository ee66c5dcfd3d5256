"""Nights in which a job never ends: they are missed, with what it needs, and the plan goes on."""

from datetime import date
from typing import Any

import pytest
from sites.plan import site

import simbackup as sb
from simbackup.errors import InputError, Place, Problem, ResultError
from simbackup.planning import playing
from simbackup.planning.loading import SiteFile
from simbackup.planning.night import Night
from simbackup.planning.night_reasons import night_reasons
from simbackup.planning.plan import plan
from simbackup.planning.scenarios import night_scenario
from simbackup.planning.site import load_site
from simbackup.run import NeverEndsError, ran

FROM = date(2027, 1, 12)
DISK = {
    "kind": "disk", "capacity": "1 TB", "rotation_speed": "7200 rpm", "track_to_track_seek": "1 ms",
    "average_seek": "8 ms", "full_stroke_seek": "16 ms", "outer_rate": "120 MB/s", "inner_rate": "60 MB/s",
    "command_overhead": "0.2 ms", "stream_turn": "256 KiB",
}  # fmt: skip
USERS = {
    "data": "a-data", "clients": 1_000_000_000, "think_time": "0 s", "reads": 1, "read_size": "8 KiB", "cpu": "0 s",
    "writes": "0 %",
}  # fmt: skip


def crowded(file: SiteFile, night: Night, *, overtime: bool) -> dict[str, Any]:
    """A night whose first system has so many users, from a day on, that they leave a backup nothing of its disk."""
    parts = night_scenario(file, night, overtime=overtime)
    parts["hosts"]["a"] |= {"read_ahead": "128 KiB"}
    return parts | ({"workloads": {"users": USERS}} if night.day >= FROM else {})


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(playing, "night_scenario", crowded)
    made = site()
    made["machines"] = {"guest": made["machines"]["guest"] | {"storage": DISK}}
    made["policies"] = {
        "nightly": {"to": "pool", "at": "20:00", "schedule": {"full": "daily"}, "retention": {"last": 2}}
    }
    made["systems"] = {
        name: {"size": "20 GB", "change": {"daily": "3 %", "run": "256 KiB", "growth": "50 %"}, "policy": "nightly"}
        for name in ("a", "b")
    }
    return plan(load_site(made), "2 weeks", every_night=True)


def test_the_night_is_missed_with_what_the_job_needs(found: Any) -> None:
    for one in found.verdicts:
        assert one.met is not (one.system == "a" and one.night >= FROM), one
    row = found.clients[0]
    assert (row["first_missed"], row["missed"]) == (FROM, (found.until - FROM).days + 1)
    assert row["cause"].startswith("never ends: gets nothing of ")
    assert row["cause"].endswith(", which 'workloads.users' has")
    assert found.clients[1]["missed"] == 0


def test_the_plan_goes_on_and_warns(found: Any) -> None:
    assert found.fits_until == FROM
    assert len(found.days) == 14
    assert found.capacity[-2]["used"] > 0.0
    [warning] = [one for one in found.warnings if "never ends" in one.message]
    assert f"in the night of {FROM}, 'a' never ends" in warning.message
    assert "mapping" not in str(warning)


def test_its_reasons_are_what_it_needs(found: Any) -> None:
    with pytest.raises(ResultError, match=f"in the night of {FROM}, 'a' never ends: gets nothing of "):
        night_reasons(found, FROM)


def test_the_others_of_a_scenario_have_a_result() -> None:
    parts = {
        "title": "Users who leave one of two backups nothing",
        "hosts": {"server": {
            "cores": 4, "memory": "8 GiB", "dirty_limit": "40 %", "dirty_background": "10 %", "copy_rate": "1 GB/s",
            "read_ahead": "128 KiB", "owns": ["busy", "quiet", "nowhere"],
        }},
        "devices": {"busy": DISK, "quiet": DISK, "nowhere": {"kind": "nul"}},
        "data": {"a-data": {"on": "busy", "size": "20 GB"}, "b-data": {"on": "quiet", "size": "20 GB"}},
        "workloads": {"users": USERS},
        "jobs": {
            "a": {"method": "image", "data": "a-data", "to": "nowhere"},
            "b": {"method": "image", "data": "b-data", "to": "nowhere"},
            "later": {"method": "image", "data": "b-data", "to": "nowhere", "after": "a"},
        },
    }  # fmt: skip
    with pytest.raises(NeverEndsError, match=r"jobs\.a: never ends") as caught:
        sb.simulate(parts)
    assert isinstance(caught.value, InputError)
    result = caught.value.result
    assert result.get("jobs.b.elapsed") > 0.0
    assert list(result.unfinished) == ["a", "later"]
    assert result.unfinished["a"].startswith("gets nothing of devices.busy, which 'workloads.users' has")
    assert result.unfinished["later"] == "waits for 'a'"


def test_a_restore_that_never_ends_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = load_site(site())
    name = planned.systems[0].name

    def stuck(scenario: sb.Scenario) -> Any:
        result = ran(scenario)
        result.unfinished = {f"back-{name}": "gets nothing of devices.pool"}
        raise NeverEndsError([Problem(Place("mapping"), "jobs", "never ends")], result)

    monkeypatch.setattr("simbackup.planning.restore.ran", stuck)
    found = sb.restore(planned, "site", date(2027, 2, 9))
    assert not found.complete
    [lacking] = [one for one in found.systems if one.reason]
    assert lacking.system == name
    assert lacking.reason.startswith("never ends: gets nothing of ")
