"""Datastores that become full in a plan: the first day, and what goes on after it."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from sites.shared import FLASH, GUESTS, SIZE, line, shared_site

from simbackup.planning.goals import goals_of, stocked_goals
from simbackup.planning.intervals import sureness
from simbackup.planning.plan import plan, stocked
from simbackup.planning.restore import restore
from simbackup.planning.site import load_site
from simbackup.schema.yaml_file import parse
from tests.cases import for_each

ALL = GUESTS * SIZE


def growing(capacity: str, **parts: Any) -> dict[str, Any]:
    """1 TB at the start to which 1 TB comes in a year, on a datastore of some capacity."""
    san = {"device": {**FLASH, "capacity": capacity}, "link": line("10 GB/s")}
    made = shared_site(datastores={"san": san}, growth="1 TB/year", **parts)
    made["policies"]["nightly"]["retention"] = {"age": "2 weeks"}
    return made


@for_each("capacity, day, detail", [
    ("1.5 TB", date(2027, 7, 4), "2.0 TB of 1.5 TB at most"),  # half a year is 182.5 days
    ("1.002 TB", date(2027, 1, 3), "2.0 TB of 1.0 TB at most"),  # a day brings 2.7 GB
    ("2.1 TB", None, "2.0 TB of 2.1 TB at most"),
])  # fmt: skip
def test_a_datastore_fits_until_its_data_are_larger_than_it(capacity: str, day: date | None, detail: str) -> None:
    found = stocked(load_site(growing(capacity)), "1 year")
    assert [(one.what, one.date, one.detail) for one in found.full][1:] == [("san", day, detail)]


def test_datastores_on_one_device_are_full_together() -> None:
    """Half of the data are in a second datastore on the same device: it has no row of its own."""
    made = growing("1.5 TB")
    made["datastores"]["volume"] = {"device": "san"}
    for name in list(made["systems"])[:5]:
        made["systems"][name]["datastore"] = "volume"
    found = stocked(load_site(made), "1 year")
    assert [(one.what, one.date) for one in found.full] == [("pool", None), ("san", date(2027, 7, 4))]


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


def test_a_restore_after_a_datastore_is_full_brings_back_what_it_holds() -> None:
    found = restore(load_site(growing("1.5 TB")), "site", datetime(2027, 12, 26, 12, tzinfo=UTC))
    assert found.complete
    assert found.until(1.0) == pytest.approx(1470.0, rel=0.03)


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
