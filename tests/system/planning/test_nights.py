"""Nights of a plan: which are simulated, what they wait for, and what never ends."""

from datetime import date
from functools import cache
from typing import Any

import pytest
from oracles.every_night import off_by
from sites.plan import TEXT, site
from sites.shared import FLASH, line, shared_site

import simbackup as sb
from simbackup.errors import InputError, Place, Problem, ResultError
from simbackup.planning import playing
from simbackup.planning.goals import goals_of, stocked_goals
from simbackup.planning.intervals import sureness
from simbackup.planning.loading import SiteFile
from simbackup.planning.night import Night
from simbackup.planning.plan import Plan, plan, stocked
from simbackup.planning.playing import Player
from simbackup.planning.reasons import night_reasons
from simbackup.planning.sampling import CLOSE
from simbackup.planning.scenarios import night_scenario
from simbackup.planning.site import load_site
from simbackup.run import NeverEndsError, ran
from simbackup.schema.yaml_file import parse
from tests.cases import for_each


# As if each night had been simulated
@pytest.mark.slow
def test_nights_between_are_as_if_each_had_been_simulated() -> None:
    """Eleven weeks of a site that doubles in a year, while its pool fills."""
    loaded = load_site(site(growth="100 %"))
    found = stocked(loaded, "11 weeks")
    found.nights.sample()
    assert found.nights.simulated < 15
    errors: list[float] = []
    for kind, at in found.nights.kinds.items():
        for i in at:
            night = found.nights.night(kind, i)
            outcomes, guessed = Player(loaded)(night), found.nights.between(kind, i)
            longest = max(one.end - one.due for one in outcomes.values())
            errors += [abs(one.end - guessed[name].end) / longest for name, one in outcomes.items()]
    assert len(errors) > 77 * 2
    assert found.nights.error <= CLOSE
    assert max(errors) <= CLOSE


# Random sites
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 3])
def test_windows_of_a_plan_are_those_of_every_night(seed: int) -> None:
    """Ten to fifteen systems with growths of their own, two policies and a copy, over four months."""
    one = off_by(seed, "4 months")
    assert one.differing == {}
    assert one.error <= max(one.found.nights.error, 0.05)


# Few days
@pytest.mark.slow
@for_each("until", ["1 day", "2 days", "3 weeks"])
def test_repeated_backups_of_logs_have_an_interval(until: str) -> None:
    made = site()
    made["policies"]["nightly"] = {
        "to": "pool", "at": "20:00", "schedule": {"full": "daily"}, "retention": {"last": 2},
        "logs": {"every": "15 min"}, "retries": 2, "retry_after": "10 min",
    }  # fmt: skip
    change = {"daily": "3 %", "run": "256 KiB"}
    made["systems"] = {"sql": {"size": "10 GB", "change": change, "log": "10 %", "policy": "nightly"}}
    found = plan(load_site(made), until)
    sure = sureness(found).night
    if until == "1 day":
        assert sure is None  # the first backup of all is not judged
    else:
        assert sure is not None
        assert sure.job == "sql-logs"
        assert 0.0 < sure.elapsed.low <= sure.elapsed.best <= sure.elapsed.high


# Reasons
SATURDAY = date(2027, 1, 9)


@cache
def planned(window: str = "20:00 to 20:10") -> Plan:
    return plan(TEXT.replace("20:00 to 06:00", window), "10 days")


def test_the_deciding_night_is_explained_by_its_late_backups() -> None:
    found = night_reasons(planned())
    verdicts = {one.system: one for one in planned().verdicts if one.night == SATURDAY and not one.copy}
    assert (found.night, found.late, found.count) == (SATURDAY, 2, 4)
    assert [(one.job, one.verdict) for one in found.jobs] == [("second", "late"), ("first", "late")]
    assert [one.elapsed for one in found.jobs] == [verdicts[one.job].elapsed for one in found.jobs]
    assert len({one.bottleneck for one in found.jobs}) == len(found.found)
    for one in found.found:
        assert sum(one.causes.values()) == pytest.approx(one.elapsed)
        assert one.without is not None
        assert one.doubled is not None
        assert max(one.without, one.doubled) < one.elapsed


def test_a_night_in_time_is_explained_by_what_uses_most_of_its_window() -> None:
    found = night_reasons(planned("20:00 to 06:00"))
    assert (found.night, found.late, [one.job for one in found.jobs]) == (SATURDAY, 0, ["second"])


def test_backups_and_copies_of_another_night_are_explained_by_name() -> None:
    found = night_reasons(planned(), date(2027, 1, 2), ["first-tape", "first"])
    assert {one.name for one in found.found} == {"first-tape", "first"}
    assert {one.job: one.verdict for one in found.jobs}["first-tape"] == ""


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(
        ResultError, match="there is no backup 'frist' in the night of 2027-01-09; did you mean 'first'"
    ):
        night_reasons(planned(), None, ["frist"])
    with pytest.raises(InputError, match="nothing is backed up in the night of 2028-01-01"):
        night_reasons(planned(), date(2028, 1, 1))
    with pytest.raises(ResultError, match="until 2027-01-02, only first backups run"):
        night_reasons(plan(TEXT, "1 day"))


def test_a_wait_for_a_turn_names_the_limit_in_the_site_file() -> None:
    text = TEXT.replace("    place: vault\n", "    place: vault\n    limit: {at_once: 1}\n")
    found = night_reasons(plan(text, "1 day"), date(2027, 1, 2), ["first-tape", "second-tape"])
    assert "targets.vault.limit" in {cause.address for one in found.found for cause in one.causes}


def test_the_queue_of_a_limit_is_the_bottleneck_of_who_waits_longest() -> None:
    """Four systems, one at a time, on a network of 1 GB/s: the last one waits 2.5 TB, and moves 0.1 TB itself.

    Two at a time, the first two take 2 TB of the network, and then the others 0.2 TB until the small one has ended.
    """
    text = TEXT.replace("network: network/ten-gigabit-ethernet", "network: {rate: 1 GB/s, latency: 0.1 ms}")
    text = text.replace("    device: {model: raid", "    limit: {at_once: 1}\n    device: {model: raid")
    text = text.replace("20:00 to 06:00", "20:00 to 20:10").replace("      tape: {", "      tape: {at: 23:00, ")
    systems = "".join(
        f"  {name}: {{size: {size}, change: {{daily: 1 %, run: 1 MiB}}, policy: nightly}}\n"
        for name, size in {"a": "1 TB", "b": "1 TB", "c": "0.5 TB", "d": "0.1 TB"}.items()
    )
    found = night_reasons(
        plan(text.partition("systems:")[0] + "systems:\n" + systems, "1 day"), date(2027, 1, 2), ["d", "d-tape"]
    )
    rows, told = {one.job: one for one in found.jobs}, {one.name: one for one in found.found}
    assert (rows["d"].bottleneck, rows["d"].share) == ("targets.pool.limit.at_once", pytest.approx(2.5 / 2.6, rel=1e-3))
    assert told["d"].doubled == pytest.approx(2.2e12 / 1e9, rel=0.01)
    assert {cause.address for cause in told["d"].causes} == {"targets.pool.limit", "network.d"}
    waited = dict(rows["d-tape"].waited)
    assert waited["the backup"] == pytest.approx(2.6e12 / 1e9, rel=0.01)
    assert waited["the backup"] + waited["its time of day"] == 3 * 3600.0
    assert rows["d-tape"].elapsed == pytest.approx(3 * 3600.0 + told["d-tape"].elapsed)


# Nights that run into the next
def test_limits_of_target_server_and_machines() -> None:
    """Two systems, one at a time: the second waits for as long as the first takes."""
    limit = {"limit": {"at_once": 1, "order": "longest_first"}}
    targets = site()["targets"]
    for address, parts in (
        ("targets.pool.limit", {"targets": targets | {"pool": targets["pool"] | limit}}),
        ("limit", limit),
        ("machines.guest.limit", {"machines": {"guest": site()["machines"]["guest"] | limit}}),
    ):
        found = {one.system: one for one in plan(load_site(site(**parts)), "1 day").verdicts if not one.copy}
        assert found["second"].cause.startswith("save")  # it has twice as much, and goes first
        behind = "transfer on targets.vault.device.drive.1" if address == "limit" else found["second"].cause
        assert found["first"].cause == f"wait for a turn on {address}, behind {behind}"  # copies take turns there, too
        assert found["first"].elapsed > found["second"].elapsed


@for_each("by, met", [("06:00", False), ("Monday 06:00", True), ("sunday 06:00", False)])
def test_a_copy_may_have_until_a_weekday(by: str, met: bool) -> None:
    """3 TB go to tape from Saturday 20:00 on, at 30 MB/s: 2 TB take until Sunday 15:00, 3 TB until midnight."""
    made = site(zone="UTC")
    made["targets"]["vault"]["link"]["rate"] = "30 MB/s"
    made["policies"]["nightly"] |= {"schedule": {"full": "saturday"}}
    made["policies"]["nightly"]["copies"]["tape"]["by"] = by
    found = plan(load_site(made), "2 days")
    copies = [verdict for verdict in found.verdicts if verdict.copy == "tape"]
    assert [verdict.met for verdict in copies if verdict.system == "second"] == [met]


# What never ends
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


# Datastores that fill up
def growing(capacity: str, **parts: Any) -> dict[str, Any]:
    """1 TB at the start to which 1 TB comes in a year, on a datastore of some capacity."""
    san = {"device": {**FLASH, "capacity": capacity}, "link": line("10 GB/s")}
    made = shared_site(datastores={"san": san}, growth="1 TB/year", **parts)
    made["policies"]["nightly"]["retention"] = {"age": "2 weeks"}
    return made


def test_a_plan_goes_on_after_a_datastore_is_full_and_says_when_it_was() -> None:
    """From then on, full backups save 98 % of what it holds, and each takes 1470 s at 1 GB/s."""
    found = plan(load_site(growing("1.5 TB")), "1 year")
    warned = [str(one) for one in found.warnings if one.address == "datastores.san"]
    assert len(warned) == 1
    assert "is full from 2027-07-04 on" in warned[0]
    assert found.fits_until == date(2027, 7, 4)
    last = [one for one in found.verdicts if one.night == date(2028, 1, 1)]
    assert sum(one.bytes for one in last) == pytest.approx(0.98 * 1.5e12, rel=1e-3)
    assert max(one.elapsed for one in last) == pytest.approx(1470.0, rel=0.01)


def test_goals_ask_for_room_on_datastores() -> None:
    found = stocked(load_site(growing("1.5 TB")), "1 year")
    missed = [goal for goal in stocked_goals(found, goals_of(parse("fits: true", "goals"))) if not goal.met]
    assert [(goal.goal, goal.found) for goal in missed] == [("san fits", "full on 2027-07-04")]


@pytest.mark.slow
def test_a_datastore_is_full_earlier_or_later_over_the_range_of_growth() -> None:
    """0.5 TB come in a year with 0.5 TB/year, and in a quarter of a year, 91.25 days, with 2 TB/year."""
    growth = {"value": "1 TB/year", "basis": "assumed", "range": ["0.5 TB/year", "2 TB/year"], "why": "a guess"}
    found = sureness(plan(load_site(growing("1.5 TB") | {"growth": growth}), "400 days"))
    early, late = next((one.early, one.late) for one in found.full if one.target == "san")
    assert (early, late) == (date(2027, 4, 4), date(2028, 1, 3))
