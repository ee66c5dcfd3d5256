"""Purchases of a site: which sets are planned, what each costs in each year, and which is the cheapest that helps."""

import json
from pathlib import Path
from typing import Any

import pytest
from sites.shared import FLASH, line, shared_site

from simbackup.errors import InputError
from simbackup.planning.goals import goals_of
from simbackup.planning.loading import read_site
from simbackup.planning.variants import Cash, Purchased, bought, ranking, sets_of
from simbackup.schema.yaml_file import parse

GOALS = "windows_missed: 0"
PRICES = {"currency": "EUR", "date": "2026-06-30", "pool_month": 0}


def buying(**purchases: Any) -> dict[str, Any]:
    """1 TB to which 1 TB comes in a year, in a datastore of 1.5 TB, saved at 1 GB/s in a window of 25 minutes."""
    san = {"device": {**FLASH, "capacity": "1.5 TB"}, "link": line("10 GB/s")}
    made = shared_site(datastores={"san": san}, growth="1 TB/year", prices=PRICES, purchases=purchases)
    made["policies"]["nightly"] |= {"window": "20:00 to 20:25", "retention": {"age": "2 weeks"}}
    return made


DISKS = {"set": {"datastores.san.device.capacity": "3 TB"}, "price": 5000, "yearly": 365}
PORT = {"set": {"hosts.esx1.network.rate": "2 GB/s"}, "price": 800}
LINE = {"set": {"hosts.esx1.network.rate": "4 GB/s"}, "price": 100, "yearly": 2000}


def ranked(made: dict[str, Any], goals: str = GOALS, until: str = "1 year") -> list[Purchased]:
    made["hosts"]["esx1"]["network"] = line("1 GB/s")
    file = read_site(made)
    return bought(file, goals_of(parse(goals, "goals")), sets_of(file), until)


def test_sets_of_purchases_change_each_value_once() -> None:
    """Of three purchases, of which two change the same line, six sets: nothing, three alone, and two pairs."""
    made = buying(disks=DISKS, port=PORT, line=LINE)
    made["hosts"]["esx1"]["network"] = line("1 GB/s")
    file = read_site(made)
    assert sets_of(file) == [(), ("disks",), ("port",), ("line",), ("disks", "port"), ("disks", "line")]
    assert sets_of(file, 1) == [(), ("disks",), ("port",), ("line",)]


@pytest.mark.slow
def test_the_cheapest_set_that_meets_the_goals_comes_first() -> None:
    """After a year 2 TB need 2000 s of 1500 at 1 GB/s, and more room: disks and a port or a line, and none alone.

    Disks cost 5000 and 365 a year, a port 800, and the line 100 and 2000 a year: 6165 or 7465.
    """
    found = ranked(buying(disks=DISKS, port=PORT, line=LINE))
    assert [one.names for one in found if not one.missed] == [("disks", "port"), ("disks", "line")]
    assert [one.total for one in found[:2]] == pytest.approx([5000 + 365 + 800, 5000 + 365 + 100 + 2000])
    alone = {one.names: [goal.goal for goal in one.missed] for one in found}
    assert alone[("port",)] == ["san fits"]
    assert alone[("disks",)] == ["windows missed"]


@pytest.mark.slow
def test_each_year_has_its_cash() -> None:
    """From 2027-01-02 to 2028-01-01: 364 days of 2027 and one of 2028."""
    best = ranked(buying(disks=DISKS, port=PORT))[0]
    assert best.years == pytest.approx([Cash(2027, 5800.0, 364.0, 0.0), Cash(2028, 0.0, 1.0, 0.0)])
    assert best.price == 5800.0


@pytest.mark.slow
def test_storage_is_a_part_of_the_cost() -> None:
    """A terabyte of the pool costs 10 a month: 100 TB are 12,000 a year, whatever is bought."""
    made = buying(disks=DISKS)
    made["prices"] = PRICES | {"pool_month": 10}
    found = ranked(made, "windows_missed: 10000\nfits: false")
    assert found[0].names == ()
    assert found[0].total == pytest.approx(12_000.0, rel=1e-6)


def test_what_is_wrong_with_purchases_is_reported_at_its_place() -> None:
    with pytest.raises(InputError) as wrong:
        read_site(buying(more={"set": {"targets.poool.device.disks": 24}, "price": "lots"}))
    assert "purchases.more.price: " in str(wrong.value)
    with pytest.raises(InputError) as wrong:
        read_site(buying(more={"set": {"targets.poool.device.disks": 24}}))
    assert "purchases.more.set: 'targets.poool.device.disks' is not there" in str(wrong.value)
    with pytest.raises(InputError, match="purchases: is missing"):
        sets_of(read_site(shared_site()))


def test_a_purchase_that_no_site_can_have_is_reported_where_it_is_written(tmp_path: Path) -> None:
    text = json.dumps(buying(more={"set": {"targets.pool.device": "4"}}), indent=1)  # which is YAML, too
    number = next(i for i, each in enumerate(text.splitlines(), 1) if '"targets.pool.device": "4"' in each)
    file = tmp_path / "wrong.site.yaml"
    file.write_text(text, encoding="utf-8")
    read, goals = read_site(str(file)), goals_of(parse(GOALS, "goals.yaml"))
    with pytest.raises(InputError, match=rf"wrong\.site\.yaml:{number}:"):
        bought(read, goals, sets_of(read), "1 month")


def test_more_sets_than_can_be_planned_are_refused() -> None:
    many = {f"p{i}": {"set": {f"systems.guest{i}.size": "1 GB"}} for i in range(9)}
    with pytest.raises(InputError, match=r"--most: 512 sets of purchases are more than 256"):
        sets_of(read_site(buying(**many)))


@pytest.mark.slow
def test_costs_of_purchases_have_intervals_and_the_ranking_says_what_it_depends_on() -> None:
    """A port costs 800 at once; the line 100, and 400 to 3000 a year: whether it is cheaper depends on this alone."""
    rent = {"value": 600, "basis": "assumed", "range": [400, 3000], "why": "a test"}
    found = ranked(buying(disks=DISKS, port=PORT, line=LINE | {"yearly": rent}))
    sure = ranking(found)
    assert sure is not None
    assert (sure.first, sure.second) == (("disks", "line"), ("disks", "port"))
    first, second = found[:2]
    assert (second.spread.low, second.spread.high) == pytest.approx((second.total, second.total))
    assert (first.spread.low, first.spread.high) == pytest.approx((5465 + 400, 5465 + 3000), rel=1e-3)
    cheaper = [total <= 6165 for total in first.totals]  # 700 a year make up for a port
    assert sure.share == sum(cheaper) / len(cheaper) < 1.0
    assert sure.decides == "purchases.line.yearly"
    assert first.fits == 1.0
    assert all(not one.totals and one.fits is None for one in found if one.missed)


@pytest.mark.slow
def test_a_set_that_meets_its_goals_may_miss_them_in_cases() -> None:
    """A datastore of 3 TB is full if 1 TB becomes more than that: with growth above 2 TB a year."""
    made = buying(disks=DISKS) | {
        "growth": {"value": "1 TB/year", "basis": "assumed", "range": ["0.5 TB/year", "3 TB/year"], "why": "a test"}
    }
    made["policies"]["nightly"]["window"] = "20:00 to 22:00"
    best = ranked(made)[0]
    assert best.names == ("disks",)
    assert best.fits is not None
    assert 0.6 < best.fits < 1.0
