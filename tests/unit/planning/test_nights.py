from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from sites.plan import site

from simbackup.errors import InputError
from simbackup.planning.night import Night, begin
from simbackup.planning.plan import plan
from simbackup.planning.playing import Outcome, job_of
from simbackup.planning.site import load_site
from simbackup.policies.levels import Level

GROWING = {"a": {"size": "1 TB", "change": {"daily": "3 %", "growth": "40 %", "run": "256 KiB"}, "policy": "nightly"}}


def stub(night: Night, full_hours: float = 6.0) -> dict[str, Outcome]:
    """Backups that take as long as the data are large; copies twice as long."""
    found: dict[str, Outcome] = {}
    for run in night.runs:
        hours = (full_hours if run.level is Level.FULL else 0.5) * night.factors.get("a", 1.0)
        due = begin("20:00") + run.later * 86_400
        found[job_of("a", run.later)] = Outcome(due, due + hours * 3600, 1.0, cause="save on devices.pool")
        found[job_of("a", run.later, "tape")] = Outcome(due, due + 2 * hours * 3600, 1.0)
    return found


def planned(**parts: Any) -> Any:
    return plan(load_site(site(systems=GROWING, **parts)), "3y", play=stub)


def test_the_first_missed_window_is_the_first_by_the_growth() -> None:
    """Six hours grow at 40 % a year, to ten hours after 1.518 years: the first Saturday after day 554."""
    found = planned(zone="UTC")
    assert found.fits_until == date(2028, 7, 15)
    missed = [verdict.night for verdict in found.verdicts if not verdict.met]
    assert missed[0] == date(2028, 7, 15)
    assert all(night.weekday() == 5 for night in missed)
    assert found.clients[0]["missed"] == len(missed)
    assert found.clients[0]["cause"] == "save on devices.pool"


def test_a_short_night_is_missed_before_the_others() -> None:
    """Six hours have grown to nine when clocks are moved on in 2028, which leaves nine hours."""
    assert planned().fits_until == date(2028, 3, 25)


def test_few_nights_are_simulated_and_the_rest_is_interpolated() -> None:
    found = planned()
    assert found.simulated < 20
    assert found.error < 1e-6  # linear in the bytes, as the interpolation is
    assert len(list(found.verdicts)) == sum(
        1 + verdict.level.endswith("full") for verdict in found.verdicts if not verdict.copy
    )


def test_a_night_in_which_clocks_are_moved_has_a_shorter_window() -> None:
    found = planned()
    rooms = {verdict.night: verdict.window for verdict in found.verdicts if not verdict.copy}
    assert rooms[date(2027, 3, 27)] == 9 * 3600
    assert rooms[date(2027, 10, 30)] == 11 * 3600
    assert rooms[date(2027, 10, 31)] == 10 * 3600


def test_windows_of_some_days_come_before_the_others() -> None:
    policy = site()["policies"]["nightly"] | {"windows": {"saturday": "20:00 to 18:00"}}
    found = planned(policies={"nightly": policy})
    assert found.fits_until is None


def test_a_copy_has_a_time_by_which_it_should_have_ended() -> None:
    policy = site()["policies"]["nightly"]
    copy = policy["copies"]["tape"] | {"by": "08:30"}
    found = planned(policies={"nightly": policy | {"copies": {"tape": copy}}})
    first = next(verdict for verdict in found.verdicts if not verdict.met)
    assert (first.copy, first.system) == ("tape", "a")
    assert first.night == date(2027, 2, 20)  # 12 hours grow to 12.5 after 44 days


@pytest.mark.parametrize("until", ["yesterday", "2026-01-01", "3 hours"])
def test_a_plan_ends_on_a_date_after_the_start(until: str) -> None:
    with pytest.raises(InputError):
        plan(load_site(site(systems=GROWING)), until, play=stub)


def test_the_first_backup_of_everything_is_reported_and_does_not_count() -> None:
    found = plan(load_site(site(systems=GROWING)), "2 weeks", play=lambda night: stub(night, 12.0))
    assert [(v.night, v.level, v.met) for v in found.verdicts if not v.met] == [
        (date(2027, 1, 2), "first full", False), (date(2027, 1, 9), "full", False)
    ]  # fmt: skip
    assert found.fits_until == date(2027, 1, 9)
    assert found.clients[0]["missed"] == 1


def test_full_backups_are_spread_over_the_week() -> None:
    systems = {f"s{i}": GROWING["a"] | {"size": f"{i} TB"} for i in range(1, 15)}
    loaded = load_site(site(systems=systems, policies={"nightly": site()["policies"]["nightly"] | {"spread": True}}))
    load: dict[str, float] = {}
    for client in loaded.systems:
        load[client.policy] = load.get(client.policy, 0.0) + client.size
    assert len(load) == 7
    assert set(load.values()) == {15e12}
    calendar = loaded.calendar("nightly-tuesday")
    runs = list(calendar.runs(date(2027, 2, 1), date(2027, 2, 7), loaded.zone))
    assert [due.level.value for due in runs].index("full") == 1


def hours(night: Night, each: float) -> dict[str, Outcome]:
    """Backups of so many hours each, of which one runs at a time."""
    found: dict[str, Outcome] = {}
    end = 0.0
    for run in sorted(night.runs, key=lambda run: run.later):
        due = begin("20:00") + run.later * 86_400
        end = max(due, end) + each * 3600
        found[job_of("a", run.later)] = Outcome(due, end, 1.0)
    return found


def daily(each: float, until: str = "4 weeks") -> Any:
    policy = {"to": "pool", "at": "20:00", "schedule": {"incremental": "daily"}}
    loaded = load_site(site(systems=GROWING, policies={"nightly": policy}, zone="UTC"))
    return plan(loaded, until, play=lambda night: hours(night, each))


def test_nights_that_do_not_touch_are_simulated_alone() -> None:
    found = daily(23.0)
    assert {verdict.elapsed for verdict in found.verdicts} == {23 * 3600.0}
    assert found.behind is None


def test_what_runs_on_holds_up_the_next_night() -> None:
    """A full backup of 30 h and incrementals of 20 h: 6 h late, then 2 h late, then in time again."""

    def play(night: Night) -> dict[str, Outcome]:
        found: dict[str, Outcome] = {}
        end = 0.0
        for run in sorted(night.runs, key=lambda run: run.later):
            due = begin("20:00") + run.later * 86_400
            end = max(due, end) + (30 if run.level is Level.FULL else 20) * 3600
            found[job_of("a", run.later)] = Outcome(due, end, 1.0)
        return found

    policy = {"to": "pool", "at": "20:00", "schedule": {"full": "saturday", "incremental": "daily"}}
    found = plan(load_site(site(systems=GROWING, policies={"nightly": policy}, zone="UTC")), "4 weeks", play=play)
    took = [verdict.elapsed / 3600 for verdict in found.verdicts]
    assert took == [30, 26, 22, 20, 20, 20, 20] * 4
    assert found.windows.running_on == 8


def test_a_queue_that_grows_for_ever_is_said() -> None:
    found = daily(30.0)
    assert found.behind == date(2027, 1, 2)
    assert [round(verdict.elapsed / 3600) for verdict in found.verdicts][:7] == [30 + 6 * i for i in range(7)]


def test_nights_of_equal_work_are_simulated_once() -> None:
    """Nothing grows, so that from the fifth week on each week is like the one before."""
    same = {"a": {"size": "1 TB", "change": {"daily": "3 %", "run": "256 KiB"}, "policy": "nightly"}}
    counts = [plan(load_site(site(systems=same)), until, play=stub).simulated for until in ("6 months", "3y")]
    assert counts[0] == counts[1]
    assert counts[0] < 15
