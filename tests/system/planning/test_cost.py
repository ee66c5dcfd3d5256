"""What object storage costs in plans, by hand: minimum durations, requests, and prices of each target."""

from datetime import date
from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.cost import MEAN_MONTH, Month, months
from simbackup.planning.ledger import Ledger
from simbackup.planning.restore import restore
from simbackup.planning.site import PlannedSite, load_site
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
