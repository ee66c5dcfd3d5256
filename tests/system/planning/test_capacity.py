"""What a plan says without a simulation, and policies with the same rules, whose books are kept once."""

from datetime import date
from typing import Any

import pytest
from oracles.every_night import random_site
from sites.plan import site

from simbackup.planning.ledger import Ledger
from simbackup.planning.loading import read_site
from simbackup.planning.plan import plan, stocked
from simbackup.planning.site import numbers
from tests.cases import for_each

PRICES = {"prices": "prices/list-2026", "index_record": "200 B/file"}


@pytest.mark.slow
@for_each("seed", [2, 5])
def test_capacity_alone_is_that_of_the_whole_plan(seed: int) -> None:
    parts = random_site(seed) | PRICES
    alone, whole = stocked(numbers(read_site(parts)), "6 weeks"), plan(parts, "6 weeks")
    assert alone.simulated == 0 < whole.simulated
    tables = alone.capacity_tables()
    assert tables.pop("limits") == whole.as_dict()["limits"][: len(alone.site.targets)]
    assert tables == {name: whole.tables()[name] for name in tables}
    assert tables["months"]


def several(policies: int) -> dict[str, Any]:
    """A site whose twelve systems take turns with so many policies, all with the same rules."""
    parts = site(**PRICES)
    [(_, policy)] = parts["policies"].items()
    parts["policies"] = {f"p{i}": policy for i in range(policies)}
    kinds = list(parts["systems"].values())
    parts["systems"] = {
        f"s{i:02d}": {**kinds[i % 2], "size": f"{500 + 100 * i} GB", "policy": f"p{i % policies}"} for i in range(12)
    }
    return parts


@for_each("policies", [2, 6, 12])
def test_policies_with_the_same_rules_store_what_one_would(policies: int) -> None:
    one, many = (list(Ledger(numbers(read_site(several(n)))).days(date(2027, 5, 31))) for n in (1, policies))
    for single, divided in zip(one, many, strict=True):
        assert len(divided.runs) == policies * len(single.runs)
        assert {run._replace(policy="p0") for run, _ in divided.runs} == {run for run, _ in single.runs}
        assert set(divided.points.values()) == set(single.points.values())
        assert divided.catalogue == pytest.approx(single.catalogue, rel=1e-12)
        for target, stock in single.stocks.items():
            other = divided.stocks[target]
            assert (other.used, other.peak) == pytest.approx((stock.used, stock.peak), rel=1e-12)
            assert (other.cartridges, other.bought, other.empty) == (stock.cartridges, stock.bought, stock.empty)


def test_their_books_are_kept_once() -> None:
    """However many they are, each day costs what it costs with one."""
    ledger = Ledger(numbers(read_site(several(12))))
    [stock] = {id(stock): stock for stock in ledger.stocks.values()}.values()
    assert (stock.policies, len(ledger.stocks)) == (tuple(f"p{i}" for i in range(12)), 12)


@for_each(
    "changed",
    [
        {"at": "21:00"},
        {"schedule": {"full": "sunday", "incremental": "daily"}},
        {"without": ["2027-02-10"]},
        {"retention": {"age": "6 weeks"}},
        {"retention": {"age": "5 weeks", "last": 7}},
        {"to": "other"},
        {"copies": {}},
        {"copies": {"tape": {"to": "vault", "which": "all", "retention": {"age": "13 weeks"}}}},
        {"copies": {"tape": {"to": "vault", "which": "full", "retention": {"age": "14 weeks"}}}},
        {
            "copies": {
                "tape": {"to": "vault", "which": "full", "retention": {"age": "13 weeks"}, "on": "first saturday"}
            }
        },
        {"logs": {"every": "1 h"}},
    ],
)
def test_those_of_policies_with_other_rules_are_not(changed: dict[str, Any]) -> None:
    parts = several(2)
    parts["targets"]["other"] = {"host": "host/linux-modern-server", "device": "disk/nearline-20tb-2022"}
    parts["policies"]["p1"] = parts["policies"]["p1"] | changed
    assert [stock.policies for stock in Ledger(numbers(read_site(parts))).each] == [("p0",), ("p1",)]
