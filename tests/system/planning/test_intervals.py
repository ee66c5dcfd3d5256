"""How sure a plan is."""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.intervals import Sureness, sureness
from simbackup.planning.plan import Plan, plan
from simbackup.planning.site import load_site

RANGE = {"value": "60 %", "basis": "assumed", "range": ["30 %", "120 %"], "why": "a test"}


@cache
def planned() -> Plan:
    targets = site()["targets"]
    small = targets | {"pool": targets["pool"] | {"device": targets["pool"]["device"] | {"disks": 4}}}
    return plan(load_site(site(growth=RANGE, targets=small)), "2 years")


@cache
def sure(wanted: str = "quick") -> Sureness:
    return sureness(planned(), wanted)


@pytest.mark.slow
def test_the_night_nearest_to_its_window_carries_an_interval() -> None:
    counted: list[Any] = [one for one in planned().verdicts if one.counts and one.window]
    tightest = max(counted, key=lambda one: one.elapsed / one.window)
    found = sure().night
    assert found is not None
    assert (found.night, found.job) == (tightest.night, tightest.system)
    assert found.elapsed.low < found.elapsed.best < found.elapsed.high
    assert found.fits == found.elapsed.probability_below(tightest.window)
    assert "growth" in found.decides  # it is two years, and the range is wide
    assert "in 90 % of cases" in found.sentence()


@pytest.mark.slow
def test_growth_moves_the_date_on_which_a_pool_is_full() -> None:
    full = next(one for one in sure().full if one.target == "pool")
    best = next(limit.date for limit in planned().limits if limit.what == "pool")
    assert full.early is not None
    assert best is not None
    assert full.early <= best <= (full.late or date.max)
    assert full.early < (full.late or date.max)


def test_none_are_made_unless_asked_for() -> None:
    assert sure("none") == Sureness(None, ())


@pytest.mark.slow
def test_the_growth_of_the_site_has_no_range_where_each_system_states_its_own() -> None:
    systems = {
        name: system | {"change": {"model": "change/database", "growth": "30 %"}}
        for name, system in site()["systems"].items()
    }
    own = plan(load_site(site(growth=RANGE, systems=systems)), "1 week")
    assert sureness(own).full == ()
    assert sureness(plan(load_site(site(growth=RANGE)), "1 week")).full != ()
