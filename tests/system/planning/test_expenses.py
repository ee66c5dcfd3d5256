"""What a site has for its backups costs beside its storage, by hand: what counts, what does not, and in which year."""

from datetime import date
from typing import Any

import pytest
from sites.plan import site
from sites.shared import line, shared_site

from simbackup.planning.expenses import Expense
from simbackup.planning.goals import goals_of
from simbackup.planning.loading import read_site
from simbackup.planning.plan import Plan, stocked
from simbackup.planning.site import load_site
from simbackup.planning.variants import bought, sets_of
from simbackup.schema.yaml_file import parse
from tests.cases import for_each

PRICES = {
    "currency": "EUR", "date": "2026-01-01", "server": 9000, "disk": 40, "flash": 200, "library": 15000, "drive": 7000,
    "cartridge": 100, "line_month": 900, "line_scale": 0.5, "hour": 60, "upkeep": "10 %", "life": "5 years",
}  # fmt: skip
POOL = {
    "host": "host/linux-modern-server",
    "device": {"model": "raid/software-raid6", "disk": {"model": "disk/nearline-20tb-2022"}, "disks": 12},
}
VAULT = {
    "beside": "pool", "link": {"rate": "800 MB/s", "latency": "0.1 ms"}, "offsite": True, "place": "vault",
    "device": {"model": "tape_library/storagetek-sl8500-small", "drive": "tape_drive/lto-9", "drives": 3},
}  # fmt: skip
S3 = {
    "host": "host/linux-modern-server", "link": {"rate": "500 MB/s", "latency": "10 ms"}, "place": "cloud",
    "device": {"model": "object_store/amazon-s3-standard"},
}  # fmt: skip


def made(targets: dict[str, Any] | None = None, **keys: Any) -> dict[str, Any]:
    """A system of 1 TB that is saved to a pool of twelve disks of 20 TB."""
    found = site(**{"zone": "UTC", "start": "2027-01-01", "prices": PRICES} | keys)
    found["targets"] = {"pool": POOL} | (targets or {})
    found["policies"] = {"nightly": {"to": "pool", "at": "20:00", "schedule": {"full": "daily"}}}
    found["policies"]["nightly"]["retention"] = {"last": 2}
    found["systems"] = {"a": {"size": "1 TB", "policy": "nightly"}}
    return found


def planned(site: dict[str, Any], until: str = "2027-12-31") -> Plan:
    return stocked(load_site(site), until)


def has(found: Plan) -> dict[tuple[str, str], tuple[float, float, float]]:
    return {(one.part, one.what): (one.amount, one.price, one.yearly) for one in found.site.expenses}


def test_hardware_of_targets_is_bought_and_costs_its_upkeep() -> None:
    """Twelve disks of 20 TB at 40 a terabyte, a server, a library and three drives, and a tenth of all a year."""
    found = planned(made({"vault": VAULT}))
    assert has(found) == {
        ("pool", "disks"): (pytest.approx(240.0), pytest.approx(9600.0), pytest.approx(960.0)),
        ("pool", "server"): (1.0, 9000.0, 900.0),
        ("vault", "library"): (1.0, 15000.0, 1500.0),
        ("vault", "drives"): (3.0, 21000.0, 2100.0),
    }
    assert found.costs["2027"] == pytest.approx({
        "pools": 0.0, "cartridges": 0.0, "objects": 0.0, "hardware": 54600.0, "yearly": 5460.0, "lines": 0.0,
        "work": 0.0, "total": 60060.0,
    })  # fmt: skip


def test_a_bucket_needs_a_line_and_no_server() -> None:
    """500 MB/s are 4 Gb/s, which cost twice as much as one: 1800 a month."""
    bucket = {"cloud": S3}
    found = planned(made(bucket, prices=PRICES | {"object_month": 20, "pool_month": 0}))
    assert has(found)[("cloud", "line")] == (pytest.approx(4.0), 0.0, pytest.approx(12 * 1800.0))
    assert ("cloud", "server") not in has(found)
    own = planned(made(bucket, prices=PRICES))
    assert ("cloud", "server") in has(own)


@for_each("place, rented", [("second", True), ("main", False)])
def test_an_uplink_to_another_place_is_a_line(place: str, rented: bool) -> None:
    found = shared_site(prices=PRICES)
    found["uplinks"] = {"up": line("125 MB/s")}
    first = next(iter(found["hosts"]))
    found["hosts"][first].setdefault("place", "main")
    found["hosts"]["far"] = {"host": "host/linux-modern-server", "place": place, "uplink": "up"}
    assert (("up", "line") in has(planned(found))) is rented


def test_what_the_site_states_of_a_part_replaces_the_prices_of_all_of_it() -> None:
    """Bought two years before for 20,000, so paid again after another three; 10 % of that a year, or what is stated."""
    cost = {"of": "vault", "price": 20000, "bought": "2025-01-01"}
    found = planned(made({"vault": VAULT}, costs={"array": cost}), "2030-12-31")
    assert [one for one in found.site.expenses if one.part == "vault"] == [
        Expense("vault", "cost", 1.0, 20000.0, date(2025, 1, 1), 5 * 365 * 86400.0, 2000.0)
    ]
    assert found.costs["2027"]["hardware"] == pytest.approx(9600 + 9000)
    assert found.costs["2030"]["hardware"] == pytest.approx(20000)  # on 2030-01-01
    stated = planned(made({"vault": VAULT}, costs={"array": cost | {"yearly": 70}}))
    assert has(stated)[("vault", "cost")] == (1.0, 20000.0, 70.0)


def test_work_and_licences_are_paid_for_by_time() -> None:
    """Two hours a week at 60 are 120 x 365 / 7 a year; half a year is 184 of 365 days."""
    costs = {"tapes": {"weekly": "2 h"}, "licence": {"yearly": 3650, "price": 500, "bought": "2027-07-01"}}
    found = planned(made(costs=costs))
    assert found.costs["2027"]["work"] == pytest.approx(120 * 365 / 7)
    assert found.costs["2027"]["yearly"] == pytest.approx(1860.0 + 3650 * 184 / 365)
    assert {m.month: m.hardware for m in found.months if m.hardware} == {"2027-01": 18600.0, "2027-07": 500.0}


def test_months_add_up_to_the_whole() -> None:
    found = planned(made({"vault": VAULT, "cloud": S3}, prices=PRICES | {"object_month": 20}), "2034-06-15")
    for one in found.site.expenses:
        days = (found.until - found.site.start).days + 1
        pieces = sum(one.running(each, each) + one.paid(each, each) for each in (day.day for day in found.days))
        assert pieces == pytest.approx(one.yearly * days / 365 + one.price * (2 if one.life else 1))


def test_a_purchase_is_not_paid_for_a_second_time_by_the_prices_of_the_site() -> None:
    """Twice as many disks and a second drive for 5000: pool, drives and library cost as before."""
    larger = {"set": {"targets.pool.device.disks": 24, "targets.vault.device.drives": 4}, "price": 5000}
    file = read_site(made({"vault": VAULT}, prices=PRICES | {"pool_month": 2}, purchases={"larger": larger}))
    goals = goals_of(parse("fits: false", "goals"))
    nothing, more = sorted(bought(file, goals, sets_of(file), "2027-12-31"), key=lambda one: len(one.names))
    assert more.total - nothing.total == pytest.approx(5000.0)
    assert nothing.total == pytest.approx(
        planned(made({"vault": VAULT}, prices=PRICES | {"pool_month": 2})).costs["2027"]["total"]
    )


def test_the_price_list_with_hardware_prices_all_of_the_shipped_bank() -> None:
    """Two libraries with four drives each, two media servers, and a line of 9.4 Gb/s."""
    site = load_site("planning/bank", {"prices": "prices/ownership-2026"})
    assert sum(one.price for one in site.expenses) == pytest.approx(2 * (15000 + 4 * 7000) + 2 * 9000)
    assert [one.part for one in site.expenses if one.what == "line"] == ["line"]
