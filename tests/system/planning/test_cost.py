"""What a site costs, and what to buy."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sites.plan import site
from sites.shared import FLASH, line, shared_site

from simbackup.errors import InputError
from simbackup.planning.cost import MEAN_MONTH, Month, months
from simbackup.planning.expenses import Expense
from simbackup.planning.goals import goals_of
from simbackup.planning.ledger import Ledger
from simbackup.planning.loading import read_site
from simbackup.planning.plan import Plan, stocked
from simbackup.planning.restore import restore
from simbackup.planning.site import PlannedSite, load_site
from simbackup.planning.variants import Cash, Purchased, bought, compared, ranking, sets_of
from simbackup.schema.yaml_file import parse
from tests.cases import for_each

PRICES = {"currency": "EUR", "date": "2027-01-01", "object_month": 20}
END = date(2027, 12, 31)
TERABYTES = 2.0


def loaded(
    priced: dict[str, Any], policy: dict[str, Any], change: dict[str, Any] | None = None, **cloud: Any
) -> PlannedSite:
    made = site(zone="UTC", prices=PRICES | priced)
    made["targets"] = {
        "cloud": {
            "host": "host/linux-modern-server", "link": {"rate": "10 Gb/s", "latency": "1 ms"},
            "device": {"model": "object_store/amazon-s3-standard"}, **cloud,
        },
    }  # fmt: skip
    made["policies"] = {"nightly": {"to": "cloud", "at": "20:00"} | policy}
    made["systems"] = {"a": {"size": "2 TB", "policy": "nightly"} | ({"change": change} if change else {})}
    return load_site(made)


def costs(planned: PlannedSite, until: date = END) -> list[Month]:
    return months(planned, Ledger(planned).days(until))


WEEKLY = {"schedule": {"full": "saturday"}, "retention": {"last": 1}}


def test_what_is_deleted_early_is_paid_for_until_its_minimum_duration() -> None:
    """A full backup each week, of which one is kept, costs in November as if each stayed for nine or thirteen weeks."""
    for minimum, kept in ("0 d", 1), ("63 d", 9), ("91 d", 13):
        found = next(one for one in costs(loaded({"minimum_storage": minimum}, WEEKLY)) if one.month == "2027-11")
        assert found.objects == pytest.approx(kept * TERABYTES * 20 * 30 / MEAN_MONTH, rel=0.02)


@for_each("minimum", [0, 30, 90])
def test_chunks_that_later_save_sets_share_were_not_deleted(minimum: int) -> None:
    """Seven points of each day. Of what came k days before, a share is still part of the oldest of these.

    All that has come since the minimum duration is paid for, whether it is still there or not.
    """
    prices = PRICES | {"minimum_storage": f"{minimum} d"}
    made = site(zone="UTC", prices=prices)
    store = {"cut_cpu": "0 ns/B", "join_cpu": "0 ns/B", "together": "1 MiB", "chunk": "64 KiB", "at": "client"}
    made["targets"] = {
        "cloud": {
            "host": "host/linux-modern-server", "link": {"rate": "10 Gb/s", "latency": "1 ms"},
            "device": {"model": "object_store/amazon-s3-standard"}, "deduplication": store,
        },
    }  # fmt: skip
    schedule = {"schedule": {"full": "daily"}, "retention": {"last": 7}}
    made["policies"] = {"nightly": {"to": "cloud", "at": "20:00"} | schedule}
    made["systems"] = {"a": {"size": "1 TB", "change": {"daily": "3 %", "run": "64 KiB"}, "policy": "nightly"}}
    new = 1.0 - 0.97**2  # no run begins in a chunk, nor in the run before it
    gone = sum([new * (1.0 - (1.0 - new) ** (days - 6)) for days in range(7, minimum)])
    *_, last = Ledger(load_site(made)).days(END)
    assert last.stocks["cloud"].early == pytest.approx(gone * 1e12, rel=1e-9)
    assert last.stocks["cloud"].used == pytest.approx((1.0 + 6 * new) * 1e12)


def test_what_stays_longer_costs_the_same_with_a_minimum() -> None:
    rules = {"schedule": {"full": "saturday"}, "retention": {"age": "26 weeks"}}
    plain, minimum = (costs(loaded(prices, rules)) for prices in ({}, {"minimum_storage": "90 d"}))
    assert plain == minimum


@for_each(
    "keys, requests",
    [
        ({"object_size": "4 MB"}, 500_000.0),  # one for each object
        ({"object_size": "80 MiB"}, 23_841 * (10 + 2) + 9 + 2),  # ten parts of 8 MiB, and two around; the last has nine
        ({}, 10_000.0 + 2),  # a single object, of as many parts as one may have
    ],
)
def test_requests_that_write_cost(keys: dict[str, Any], requests: float) -> None:
    """Four Saturdays of February."""
    plain, priced = (
        costs(loaded(prices, WEEKLY, **keys), date(2027, 2, 28))[1] for prices in ({}, {"write_requests": 10})
    )
    assert priced.objects - plain.objects == pytest.approx(4 * requests / 1e6 * 10, rel=1e-6)


def test_parts_may_have_a_price_of_their_own() -> None:
    """A PUT for each of 500,000 objects; of 2 TB in 23,842 objects one request each, and eleven at the other price.

    The last of them has nine parts instead of ten.
    """
    prices = {"write_requests": 50, "part_requests": 5}
    for size, expected in ("4 MB", 500_000 * 50), ("80 MiB", 23_842 * (50 + 11 * 5) - 5):
        plain, priced = (costs(loaded(each, WEEKLY, object_size=size), date(2027, 2, 28))[1] for each in ({}, prices))
        assert priced.objects - plain.objects == pytest.approx(4 * expected / 1e6, rel=1e-6)


def test_the_files_of_each_system_grow_as_its_own_data_do() -> None:
    """Of two systems of a policy, one grows by 100 % a year and is saved file by file, and the other is an image.

    Saturday, 2027-01-09, 20:00 is 7 days and 8 hours after noon of the first day: 1,000,000 x 2^(days / 365), and one.
    """
    made = loaded({"write_requests": 10}, WEEKLY).file.tree.plain()
    grows = {"files": 1_000_000, "filesystem": "filesystem/xfs", "growth": "100 %"}
    made["systems"] = {
        "a": {"size": "100 GB", "policy": "nightly", **grows},
        "b": {"size": "900 GB", "policy": "nightly"},
    }  # fmt: skip
    found = load_site(made)
    *_, last = (day for day in Ledger(found).days(date(2027, 1, 9)))
    days = 7 + 8 / 24
    assert last.stocks["cloud"].written.objects == pytest.approx(1e6 * 2 ** (days / 365) + 1, rel=1e-12)


def test_a_datasheet_of_prices_may_be_named_at_a_target() -> None:
    made = site(zone="UTC", prices="prices/list-2026")
    made["targets"]["vault"] = {
        "beside": "pool", "link": {"rate": "1 Gb/s", "latency": "20 ms"}, "place": "cloud",
        "prices": "prices/archive-2026", "object_size": "1 GiB",
        "device": {"model": "object_store/amazon-s3-glacier-deep-archive"},
    }  # fmt: skip
    assert load_site(made).targets["vault"].prices.object_month.si == pytest.approx(0.99)  # type: ignore[union-attr]


def test_retrieval_costs_beside_egress() -> None:
    prices = {"egress": 90, "retrieval": 10}
    found = restore(loaded(prices, WEEKLY, object_size="1 GB"), at=date(2027, 1, 9), intervals="none").read_back
    assert found is not None
    assert found.cost == pytest.approx(TERABYTES * 100, rel=0.01)


ARCHIVE = {"daily": "0.01 %", "run": "1 MiB"}


def test_a_merge_in_a_bucket_deletes_only_what_was_replaced() -> None:
    """What stays of a full backup is taken up by the next save set; it is not deleted early, and not written again."""
    rules = {"schedule": {"incremental": "daily"}, "retention": {"last": 30}}
    prices = {"minimum_storage": "180 d"}
    merged, apart = (
        sum(month.objects for month in costs(loaded(prices, rules | {"merges": merges}, ARCHIVE), date(2027, 12, 31)))
        for merges in (True, False)
    )
    assert merged == pytest.approx(apart, rel=0.05)


# Expenses
EXPENSE_PRICES = {
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
    found = site(**{"zone": "UTC", "start": "2027-01-01", "prices": EXPENSE_PRICES} | keys)
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
    found = planned(made(bucket, prices=EXPENSE_PRICES | {"object_month": 20, "pool_month": 0}))
    assert has(found)[("cloud", "line")] == (pytest.approx(4.0), 0.0, pytest.approx(12 * 1800.0))
    assert ("cloud", "server") not in has(found)
    own = planned(made(bucket, prices=EXPENSE_PRICES))
    assert ("cloud", "server") in has(own)


@for_each("place, rented", [("second", True), ("main", False)])
def test_an_uplink_to_another_place_is_a_line(place: str, rented: bool) -> None:
    found = shared_site(prices=EXPENSE_PRICES)
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
    found = planned(made({"vault": VAULT, "cloud": S3}, prices=EXPENSE_PRICES | {"object_month": 20}), "2034-06-15")
    for one in found.site.expenses:
        days = (found.until - found.site.start).days + 1
        pieces = sum(one.running(each, each) + one.paid(each, each) for each in (day.day for day in found.days))
        assert pieces == pytest.approx(one.yearly * days / 365 + one.price * (2 if one.life else 1))


def test_a_purchase_is_not_paid_for_a_second_time_by_the_prices_of_the_site() -> None:
    """Twice as many disks and a second drive for 5000: pool, drives and library cost as before."""
    larger = {"set": {"targets.pool.device.disks": 24, "targets.vault.device.drives": 4}, "price": 5000}
    file = read_site(made({"vault": VAULT}, prices=EXPENSE_PRICES | {"pool_month": 2}, purchases={"larger": larger}))
    goals = goals_of(parse("fits: false", "goals"))
    nothing, more = sorted(bought(file, goals, sets_of(file), "2027-12-31"), key=lambda one: len(one.names))
    assert more.total - nothing.total == pytest.approx(5000.0)
    assert nothing.total == pytest.approx(
        planned(made({"vault": VAULT}, prices=EXPENSE_PRICES | {"pool_month": 2})).costs["2027"]["total"]
    )


def test_the_price_list_with_hardware_prices_all_of_the_shipped_bank() -> None:
    """Two libraries with four drives each, two media servers, and a line of 9.4 Gb/s."""
    site = load_site("planning/bank", {"prices": "prices/ownership-2026"})
    assert sum(one.price for one in site.expenses) == pytest.approx(2 * (15000 + 4 * 7000) + 2 * 9000)
    assert [one.part for one in site.expenses if one.what == "line"] == ["line"]


# Purchases
GOALS = "windows_missed: 0"
BUYING_PRICES = {"currency": "EUR", "date": "2026-06-30", "pool_month": 0}


def buying(**purchases: Any) -> dict[str, Any]:
    """1 TB to which 1 TB comes in a year, in a datastore of 1.5 TB, saved at 1 GB/s in a window of 25 minutes."""
    san = {"device": {**FLASH, "capacity": "1.5 TB"}, "link": line("10 GB/s")}
    made = shared_site(datastores={"san": san}, growth="1 TB/year", prices=BUYING_PRICES, purchases=purchases)
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
    made["prices"] = BUYING_PRICES | {"pool_month": 10}
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


# Sites side by side
COMPARING_PRICES = {"currency": "EUR", "date": "2026-06-30", "pool_month": 1}


def growing(capacity: str, **keys: Any) -> dict[str, Any]:
    """1 TB to which 1 TB comes in a year, in a datastore of some size."""
    san = {"device": {**FLASH, "capacity": capacity}, "link": line("10 GB/s")}
    return shared_site(**{"datastores": {"san": san}, "growth": "1 TB/year", "prices": COMPARING_PRICES} | keys)


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
    sites = {"a": growing("3 TB"), "b": growing("3 TB", prices=COMPARING_PRICES | {"currency": "USD"})}
    with pytest.raises(InputError, match="'a' costs EUR, and 'b' USD; state prices in one currency"):
        compared({name: load_site(site) for name, site in sites.items()}, "14 days", nights=False)
