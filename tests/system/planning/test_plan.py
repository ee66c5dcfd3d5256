from functools import cache

import pytest
from sites.plan import site

from simbackup.planning.nights import Nights, kind_of
from simbackup.planning.plan import Plan, plan
from simbackup.planning.playing import Player
from simbackup.planning.scenarios import night_scenario
from simbackup.planning.site import load_site
from simbackup.run import simulate
from simbackup.scenario import load


@cache
def forty() -> Plan:
    return plan("planning/forty-systems", "1 year")


def test_a_night_of_the_plan_is_the_scenario_that_it_writes() -> None:
    loaded = load_site(site(growth="30 %"))
    found = plan(loaded, "2 months")
    at = 7  # the second Saturday
    assert len({kind_of([day]) for day in found.days}) == 2  # full and incremental
    nights = Nights(loaded, found.days, Player(loaded))
    night = nights.night(kind_of([found.days[at]]), at)
    result = simulate(load(night_scenario(loaded.file, night)))
    verdict = next(v for v in found.verdicts if v.night == found.days[at].day and v.system == "first" and not v.copy)
    assert verdict.elapsed == pytest.approx(result.get("jobs.first.elapsed"), rel=0.01)
    assert verdict.bytes == pytest.approx(result.get("jobs.first.bytes"), rel=0.01)


@pytest.mark.slow
def test_forty_systems_over_a_year() -> None:
    found = forty()
    assert len(found.clients) == 40
    assert len(found.days) == 365
    assert found.simulated < 30
    assert found.error < 0.05  # which the plan reports
    assert {row["nights"] for row in found.clients} == {365}


def test_the_same_site_gives_the_same_plan() -> None:
    once, again = plan(load_site(site()), "1 month"), plan(load_site(site()), "1 month")
    assert once.as_dict() == again.as_dict()
    assert list(once.verdicts) == list(again.verdicts)
