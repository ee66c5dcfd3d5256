"""Which inputs decide the verdicts of a plan, by hand: what grows, what is saved at a rate, what costs."""

import math
from datetime import date
from typing import Any

import pytest
from sites.shared import FLASH, line, shared_site

from simbackup.planning.plan import plan, stocked
from simbackup.planning.restore import moment_of
from simbackup.planning.sensitivity import Decided, plan_sensitivity
from simbackup.planning.site import load_site


def ranged(value: str | float, *ends: str | float) -> dict[str, Any]:
    return {"value": value, "basis": "assumed", "range": list(ends), "why": "an example"}


PRICES = {
    "currency": "EUR", "date": ranged("2026-06-30", "2025-06-30", "2026-12-31"), "pool_month": ranged(1, 0.5, 3),
}  # fmt: skip


def made(**keys: Any) -> dict[str, Any]:
    """1 TB to which 1 TB comes in a year, in a datastore of 1.8 TB."""
    san = {"device": {**FLASH, "capacity": "1.8 TB"}, "link": line("10 GB/s")}
    grows = ranged("1 TB/year", "0.5 TB/year", "2 TB/year")
    return shared_site(**{"datastores": {"san": san}, "growth": grows, "prices": PRICES} | keys)


def figures(site: dict[str, Any], until: str, *, quick: bool = True) -> dict[str, Decided]:
    loaded = load_site(site)
    found = stocked(loaded, until) if quick else plan(loaded, until)
    when = None if quick else (moment_of(loaded, found.until), "")
    return {one.figure: one for one in plan_sensitivity(found, when, quick=quick).decided}


@pytest.mark.slow
def test_growth_decides_whether_data_fit_and_prices_the_cost() -> None:
    """0.8 TB more are there after 292 days at 1 TB a year, 146 at 2, and 584 at 0.5: the last is after the end."""
    found = figures(made(), "364 days")
    san = found["san fits until"]
    start = date(2027, 1, 2).toordinal()
    assert san.best - start == pytest.approx(292, abs=1)
    [moved] = san.moved
    assert moved.input.name == "growth"
    assert moved.low == math.inf
    assert moved.high - start == pytest.approx(146, abs=1)
    assert [one.name for one in san.deciding] == ["growth"]
    assert "growth decides the verdict" in san.sentence()
    cost = found["cost"]
    [moved] = [one for one in cost.moved if one.input.name == "prices.pool_month"]
    assert (moved.low, moved.high) == (pytest.approx(cost.best / 2), pytest.approx(cost.best * 3))
    assert cost.deciding == ()
    assert not any("date" in one.input.name for one in cost.moved)


@pytest.mark.slow
def test_systems_that_state_the_same_are_one_input() -> None:
    """Two systems with the same size, range and reason: both move at once. 1 TB a year comes to both together.

    Of 1.8 TB, 0.8 are free with 500 GB each, 1.0 with 400, and 0.2 with 800.
    """
    site = made(growth="1 TB/year")
    first = next(iter(site["systems"].values()))
    size = ranged("500 GB", "400 GB", "800 GB")
    site["systems"] = {name: {**first, "size": size} for name in ("one", "two")}
    found = figures(site, "400 days")["san fits until"]
    moved = next(one for one in found.moved if one.input.name == "systems.one.size")
    assert moved.input.addresses == ("systems.one.size", "systems.two.size")
    assert moved.input.called == "systems.one.size and 1 more"
    start = date(2027, 1, 2).toordinal()
    assert [each - start for each in (found.best, moved.low, moved.high)] == pytest.approx([292, 365, 73], abs=1)
    assert found.as_dict()["inputs"][0]["figure"][1] == date.fromordinal(int(moved.high)).isoformat()


@pytest.mark.slow
def test_the_tightest_window_and_the_restore_depend_on_a_line_of_uncertain_rate() -> None:
    """1 TB at 1 GB/s takes 1000 s of a window of 20 min, 2000 s at 0.5 GB/s, and 500 s at 2 GB/s."""
    site = made(growth="0 %")
    host = next(iter(site["hosts"]))
    site["hosts"][host]["network"] = line(ranged("1 GB/s", "0.5 GB/s", "2 GB/s"))
    site["policies"]["nightly"] |= {"window": "20:00 to 20:20"}
    found = figures(site, "14 days", quick=False)
    [window] = [one for name, one in found.items() if name.endswith("in its window")]
    assert window.best == pytest.approx(1000, rel=0.05)
    assert window.limit == 1200.0
    moved = next(one for one in window.moved if one.input.name == f"hosts.{host}.network.rate")
    assert (moved.low, moved.high) == (pytest.approx(2000, rel=0.05), pytest.approx(500, rel=0.05))
    assert f"hosts.{host}.network.rate" in [one.name for one in window.deciding]
    back = found["all back after the loss of data alone"]
    assert f"hosts.{host}.network.rate" in [one.input.name for one in back.moved]
