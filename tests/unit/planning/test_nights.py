import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import pytest
from sites.plan import site

from simbackup import units
from simbackup.errors import InputError
from simbackup.planning.night import Night, begin, job_of, work_of
from simbackup.planning.plan import plan, stocked
from simbackup.planning.playing import Outcome, Simulator
from simbackup.planning.site import load_site
from simbackup.policies.levels import Level
from tests.cases import for_each

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


@pytest.mark.slow
def test_the_first_missed_window_is_the_first_by_the_growth() -> None:
    """Six hours grow at 40 % a year, to ten hours after 1.518 years: the first Saturday after day 554."""
    found = planned(zone="UTC")
    assert found.fits_until == date(2028, 7, 15)
    missed = [verdict.night for verdict in found.verdicts if not verdict.met]
    assert missed[0] == date(2028, 7, 15)
    assert all(night.weekday() == 5 for night in missed)
    assert found.clients[0]["missed"] == len(missed)
    assert found.clients[0]["cause"] == "save on devices.pool"


@pytest.mark.slow
def test_few_nights_are_simulated_and_the_rest_is_interpolated() -> None:
    found = planned()
    assert found.nights.simulated < 20
    assert found.nights.error < 1e-6  # linear in the bytes, as the interpolation is
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


@for_each("until", ["yesterday", "2026-01-01", "3 hours"])
def test_a_plan_ends_on_a_date_after_the_start(until: str) -> None:
    with pytest.raises(InputError):
        plan(load_site(site(systems=GROWING)), until, play=stub)


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


def test_a_queue_that_grows_for_ever_is_carried_on() -> None:
    """Each night takes 30 h, so that each begins 6 h later than the one before, from week to week."""
    found = daily(30.0)
    assert found.nights.behind == date(2027, 1, 2)
    assert [round(verdict.elapsed / 3600) for verdict in found.verdicts] == [30 + 6 * i for i in range(28)]
    assert found.nights.queue == ("a", date(2027, 1, 3), date(2027, 1, 29), 27 * 6 * 3600.0, "")


@pytest.mark.parametrize(
    ("cause", "first", "hours", "late"), [
        ("copy on targets.vault.link", 15, 15, 27 * 6 + 15),  # two systems share it: 30 h of work each day
        ("copy on targets.vault.link", 100, 6, None),  # the first copies are done by the second week
        ("copy on machines.guest.host", 15, 15, None),  # each has its own, which is idle for 9 h each day
        ("copy on machines.guest.host", 26, 26, 27 * 2),
    ],
)  # fmt: skip
def test_copies_that_never_catch_up_are_carried_on(cause: str, first: int, hours: int, late: int | None) -> None:
    """Backups of an hour, whose copies wait for each other where they share what holds them up."""

    def play(night: Night) -> dict[str, Outcome]:
        found: dict[str, Outcome] = {}
        ends: dict[str, float] = {}
        for run in sorted(night.runs, key=lambda run: run.later):
            due, each = (
                begin("20:00") + run.later * 86_400,
                hours if run.later or night.day > date(2027, 1, 2) else first,
            )
            for system in ("a", "b"):
                lane = cause if "targets" in cause else system
                ends[lane] = max(due + 3600, ends.get(lane, 0.0)) + each * 3600
                found[job_of(system, run.later)] = Outcome(due, due + 3600, 1.0)
                found[job_of(system, run.later, "tape")] = Outcome(due, ends[lane], 1.0, cause=cause)
        return found

    policy = {"to": "pool", "at": "20:00", "schedule": {"full": "daily"}, "copies": {"tape": {"to": "vault"}}}
    loaded = load_site(site(systems={**GROWING, "b": GROWING["a"]}, policies={"nightly": policy}, zone="UTC"))
    found = plan(loaded, "4 weeks", play=play).nights.queue
    if late is None:
        assert found is None
    else:
        assert (found.copy, found.night, found.late) == ("tape", date(2027, 1, 29), pytest.approx(late * 3600.0))


def test_a_plan_without_windows_has_none_to_meet_and_its_queue_is_the_answer() -> None:
    limits = {one.what: one for one in daily(30.0).limits}
    assert (limits["windows"].detail, limits["windows"].stated) == ("no windows are stated", False)
    assert limits["queue"].date == date(2027, 1, 3)
    assert "'a' never catches up: on 2027-01-29, its backup begins 6 d 18 h late" in limits["queue"].detail
    assert {one.what for one in daily(23.0).limits} == {"pool", "vault", "windows"}


def test_a_queue_that_has_been_worked_off_is_none() -> None:
    """Ten nights of 40 h each, and then such of 2 h: 160 h too late at most, which 22 h a day work off."""
    policy = {"to": "pool", "at": "20:00", "schedule": {"full": "daily"}}
    loaded = load_site(site(systems=GROWING, policies={"nightly": policy}, zone="UTC"))

    def play(night: Night) -> dict[str, Outcome]:
        late = night.day >= date(2027, 1, 16)
        return hours(night, 2.0 if late else 40.0)

    found = plan(loaded, "8 weeks", play=play, every_night=True)
    took = [verdict.elapsed / 3600 for verdict in found.verdicts]
    assert found.nights.behind == date(2027, 1, 2)
    assert took[:14] == pytest.approx([40 + 16 * i for i in range(14)])
    assert took[14:20] == pytest.approx([2 + 16 * 14 - 22 * i for i in range(6)])
    assert took[-1] == 2.0
    assert found.nights.queue is None


def test_nights_of_equal_work_are_simulated_once() -> None:
    """Nothing grows, so that from the fifth week on each week is like the one before: none of them is looked at again.

    Which weeks before that are looked at depends on where the middle of the plan is.
    """
    same = {"a": {"size": "1 TB", "change": {"daily": "3 %", "run": "256 KiB"}, "policy": "nightly"}}
    for until in ("6 months", "3y"):
        played: list[Night] = []
        found = plan(
            load_site(site(systems=same)), until, play=lambda night, to=played: to.append(night) or stub(night)
        )
        works = {work_of(found.site.file, night) for night in played}
        assert found.nights.simulated == len(played) == len(works) < 15


def test_a_plan_that_is_given_up_counts_the_nights_that_were_simulated_at_once() -> None:
    """Nights come back from worker processes in order; the third never does."""

    class Interrupted(Simulator):
        def each(self, nights: Sequence[Night]) -> Iterator[Mapping[str, Outcome]]:
            assert len(nights) > 2
            yield from map(stub, nights[:2])
            raise KeyboardInterrupt

    loaded = load_site(site(systems=GROWING))
    found = stocked(loaded, "3y", play=Interrupted(loaded, at_once=4)).nights
    with pytest.raises(KeyboardInterrupt):
        found.sample()
    assert found.simulated == 0
    found.give_up()
    assert found.simulated == sum(map(len, found.played.values())) == 2


def apart(night: Night) -> dict[str, Outcome]:
    """Two systems that take an hour for each of their bytes, as a share of what they have at the start."""
    due = begin("20:00")
    return {
        job_of(name, run.later): Outcome(
            due + run.later * 86_400,
            due + run.later * 86_400 + factor * 3600,
            factor * 1e9,
            cause="save on devices.pool",
        )
        for run in night.runs
        for name in ("slow", "fast")
        for factor in [night.factors[job_of(name, run.later)]]
    }


def two(slow: str, fast: str, window: str, until: str = "3y") -> Any:
    growing = {
        name: {"size": size, "change": {"daily": "1 %", "run": "1 MiB", "growth": growth}, "policy": "nightly"}
        for name, size, growth in (("slow", "4 TB", slow), ("fast", "100 GB", fast))
    }
    policy = {"to": "pool", "at": "20:00", "window": window, "schedule": {"full": "daily"}}
    return plan(load_site(site(systems=growing, policies={"nightly": policy}, zone="UTC")), until, play=apart)


@pytest.mark.slow
def test_times_that_are_far_off_are_a_warning() -> None:
    """Times that jump from night to night follow from no others; all of them simulated, nothing is off."""

    def play(night: Night) -> dict[str, Outcome]:
        due, long = begin("20:00"), night.day.toordinal() * 7919 % 13
        return {
            job_of("a", run.later): Outcome(due + run.later * 86_400, due + run.later * 86_400 + 3600 + 600 * long, 1.0)
            for run in night.runs
        }

    policy = {"to": "pool", "at": "20:00", "window": "20:00 to 06:00", "schedule": {"incremental": "daily"}}
    loaded = load_site(site(systems=GROWING, policies={"nightly": policy}, zone="UTC"))
    found = plan(loaded, "3y", play=play)
    assert found.nights.error > 0.1
    said = next(one for one in found.warnings if "may be off by" in one.message)
    assert "--every-night" in said.remedy
    told = re.search(r"as 'a' in the night of (.*): (.*); by nights around it: (.*)$", said.message)
    assert told is not None
    took = 3600.0 + 600.0 * (date.fromisoformat(told[1]).toordinal() * 7919 % 13)
    simulated, guessed = (units.parse(each, "s") for each in told.groups()[1:])
    assert simulated == pytest.approx(took, rel=0.01)
    assert abs(simulated - guessed) / simulated == pytest.approx(found.nights.error, rel=0.05)
    every = plan(loaded, "3y", play=play, every_night=True)
    assert every.nights.error == 0.0
    assert every.nights.simulated == 1096
    assert not any("may be off by" in one.message for one in every.warnings)
