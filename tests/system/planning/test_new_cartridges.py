"""Plans know which cartridges were loaded before: each is initialised once in its life."""

from datetime import date
from typing import Any

import pytest
from sites.plan import site

from simbackup.errors import InputError
from simbackup.planning.ledger import Ledger
from simbackup.planning.nights import Nights, kind_of
from simbackup.planning.plan import plan
from simbackup.planning.playing import Player
from simbackup.planning.scenarios import night_scenario
from simbackup.planning.site import PlannedSite, load_site
from simbackup.run import simulate
from simbackup.scenario import load

WEEKS = 13
"""For how long copies on tape are kept."""
HOUR = 3600.0


def loaded(new: Any = None, *, time: str = "1 h", **vault: Any) -> PlannedSite:
    made = site(zone="UTC")
    drive = {"model": "tape_drive/lto-9", "initialise_time": time}
    made["targets"]["vault"]["device"] |= {"drive": drive} | ({} if new is None else {"new_cartridges": new})
    made["targets"]["vault"] |= vault
    return load_site(made)


def nights_of(planned: PlannedSite, last: date) -> Nights:
    return Nights(planned, tuple(Ledger(planned).days(last)), Player(planned))


def initialised(planned: PlannedSite, day: date) -> list[float]:
    """Seconds for which cartridges were initialised in a night, one by one."""
    nights = nights_of(planned, day)
    at = len(nights.days) - 1
    result = simulate(load(night_scenario(planned.file, nights.night(kind_of(nights.days[at:]), at))))
    assert all(row["status"] == "done" for row in result.job_rows)
    return [span.end - span.start for span in result.trace.spans if span.activity == "initialise"]


def saturday(week: int) -> date:
    return date.fromordinal(date(2027, 1, 2).toordinal() + 7 * week)


def test_the_first_weeks_initialise_what_later_weeks_write_again() -> None:
    planned = loaded("all")
    assert initialised(planned, saturday(0)) == [pytest.approx(HOUR)]
    assert initialised(planned, saturday(5)) == [pytest.approx(HOUR)]
    assert initialised(planned, saturday(WEEKS + 3)) == []


def test_cartridges_that_a_site_owned_before_are_used_unless_it_says_how_many_are_new() -> None:
    """Twenty are more than the retention needs, so none is bought."""
    assert initialised(loaded(0, cartridges=20), saturday(0)) == []
    assert initialised(loaded(5, cartridges=20), saturday(0)) == []  # the used ones come first
    assert initialised(loaded("all", cartridges=20), saturday(0)) == [pytest.approx(HOUR)]
    assert initialised(loaded(0), saturday(0)) == [pytest.approx(HOUR)]  # it has none, and buys one


def test_a_plan_takes_the_time_in_the_first_weeks_only() -> None:
    """The copies of both systems go to one cartridge, which the first one has initialised."""
    new, none = (_copies(plan(loaded(new, time="2 h"), "20 weeks")) for new in ("all", None))
    longer = [round((new[night] - none[night]) / HOUR, 1) for night in sorted(new)]
    assert longer == [2.0] * (WEEKS + 1) + [0.0] * (len(longer) - WEEKS - 1)
    assert len(longer) > WEEKS + 3


def _copies(found: Any) -> dict[date, float]:
    """Seconds until the copy of the first system was on tape, by night."""
    return {verdict.night: verdict.elapsed for verdict in found.verdicts if verdict.copy and verdict.system == "first"}


def test_more_new_cartridges_than_cartridges_are_refused() -> None:
    with pytest.raises(InputError, match="there are more new cartridges than cartridges"):
        loaded(90_000)
