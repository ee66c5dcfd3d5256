"""Datastores that become full in a plan: the first day, and what goes on after it."""

from datetime import date
from typing import Any

import pytest
from sites.shared import FLASH, line, shared_site

from simbackup.planning.goals import goals_of, stocked_goals
from simbackup.planning.intervals import sureness
from simbackup.planning.plan import plan, stocked
from simbackup.planning.site import load_site
from simbackup.schema.yaml_file import parse


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
