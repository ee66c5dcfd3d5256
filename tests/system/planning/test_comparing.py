"""Variants of a site side by side: which comes first, and what is known of each."""

from typing import Any

import pytest
from sites.shared import FLASH, line, shared_site

from simbackup.errors import InputError
from simbackup.planning.goals import goals_of
from simbackup.planning.site import load_site
from simbackup.planning.variants import compared
from simbackup.schema.yaml_file import parse

PRICES = {"currency": "EUR", "date": "2026-06-30", "pool_month": 1}


def growing(capacity: str, **keys: Any) -> dict[str, Any]:
    """1 TB to which 1 TB comes in a year, in a datastore of some size."""
    san = {"device": {**FLASH, "capacity": capacity}, "link": line("10 GB/s")}
    return shared_site(**{"datastores": {"san": san}, "growth": "1 TB/year", "prices": PRICES} | keys)


def test_those_that_meet_the_goals_come_first_and_the_cheapest_at_the_top() -> None:
    """1.5 TB are full after half a year. A licence of 365 a year makes one that fits dearer by 364 in as many days."""
    licence = {"licence": {"yearly": 365}}
    asked = {
        "dear": growing("3 TB", costs=licence), "small": growing("1.5 TB"), "cheap": growing("3 TB"),
    }  # fmt: skip
    sites = {name: load_site(site) for name, site in asked.items()}
    goals = goals_of(parse("fits: true", "goals"))
    found = compared(sites, "364 days", goals, nights=False)
    assert [one.name for one in found] == ["cheap", "dear", "small"]
    assert [[goal.goal for goal in one.missed] for one in found] == [[], [], ["san fits"]]
    assert found[1].total - found[0].total == pytest.approx(364.0)
    assert [str(one.fits_until) for one in found] == ["None", "None", "2027-07-04"]
    assert found[0].windows_missed is None
    assert found[0].as_dict()["data_lost"] is None


def test_with_nights_windows_and_lost_data_are_known() -> None:
    (found,) = compared({"one": load_site(growing("3 TB"))}, "14 days")
    assert found.windows_missed == found.plan.windows.missed
    assert found.data_lost == found.plan.losses[0]["worst"] > 0.0


def test_costs_in_two_currencies_are_not_compared() -> None:
    sites = {"a": growing("3 TB"), "b": growing("3 TB", prices=PRICES | {"currency": "USD"})}
    with pytest.raises(InputError, match="'a' costs EUR, and 'b' USD; state prices in one currency"):
        compared({name: load_site(site) for name, site in sites.items()}, "14 days", nights=False)
