from datetime import date, datetime, timedelta
from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.ledger import Day, Ledger, Ledgers
from simbackup.planning.site import load_site
from tests.cases import for_each, grid

LAST = date(2029, 1, 6)
DAILY = 0.03


def days(last: date = LAST, **parts: Any) -> list[Day]:
    return list(Ledger(load_site(site(**parts))).days(last))


def policy(**keys: Any) -> dict[str, Any]:
    return {"nightly": {"to": "pool", "at": "20:00", "schedule": {"full": "saturday", "incremental": "daily"}} | keys}


def one(growth: float = 0.0, size: str = "10 TB") -> dict[str, Any]:
    change = {"daily": f"{DAILY * 100} %", "growth": growth, "run": "256 KiB"}
    return {"a": {"size": size, "change": change, "policy": "nightly"}}


@pytest.mark.slow
@for_each("weekday, growth", grid(range(7), [0.0, 0.2, 1.0]))
def test_a_pool_holds_what_a_closed_form_has(growth: float, weekday: int) -> None:
    """Weekly full and daily incremental backups for 35 days, by two geometric series; days count from a Saturday."""
    found = days(systems=one(growth), policies=policy(retention={"age": "35 days"}), zone="UTC")
    last = next(i for i in range(len(found) - 1, 0, -1) if (found[i].day.weekday() - 5) % 7 == weekday)
    size, shrink = 10e12 * (1 + growth) ** ((last + 8 / 24) / 365), (1 + growth) ** (-1 / 365)
    share = 1 - (1 - DAILY) * shrink
    held = (weekday + 1) % 7  # the oldest that is kept is so many days after its full backup
    there = 35 + held
    fulls = sum(shrink**i for i in range(weekday, there, 7))
    everything = (1 - shrink**there) / (1 - shrink) if growth else there
    closed = size * (fulls + share * (everything - fulls))
    assert found[last].stocks["pool"].used == pytest.approx(closed, rel=0.01)
    assert found[last].stocks["pool"].used == pytest.approx(closed, rel=1e-6)


def test_a_pool_reduces_what_it_holds() -> None:
    plain = days(date(2027, 4, 1))[-1].stocks["pool"].used
    pool = site()["targets"]["pool"] | {"reduction": "2:1"}
    halved = days(date(2027, 4, 1), targets=site()["targets"] | {"pool": pool})[-1].stocks["pool"].used
    assert halved == pytest.approx(plain / 2)


def test_cartridges_over_a_year_are_those_of_a_hand_count() -> None:
    """20 TB each Saturday take two cartridges of 18 TB, kept 13 weeks: 14 weeks are there when one is written."""
    systems = one(size="20 TB")
    found = days(date(2027, 12, 31), systems=systems)
    assert [day.stocks["vault"].cartridges for day in found[::7]] == [min(2 * (week + 1), 26) for week in range(52)]
    assert found[-1].stocks["vault"].bought == 28
    assert found[-1].stocks["vault"].empty == 2


def test_compression_counts_on_tape_alone() -> None:
    systems = {"a": one(size="20 TB")["a"] | {"compression": "2:1"}}
    found = days(date(2027, 12, 31), systems=systems)
    assert found[-1].stocks["vault"].cartridges == 13
    assert found[0].stocks["pool"].used == pytest.approx(20e12, rel=1e-3)


def test_incremental_for_ever_holds_one_full_and_what_changed_since() -> None:
    rules = {"schedule": {"incremental": "daily"}, "merges": True, "retention": {"last": 30}}
    found = days(date(2027, 12, 31), systems=one(), policies=policy(**rules))
    assert found[-1].points["nightly"] == 30
    assert found[-1].stocks["pool"].used == pytest.approx(10e12 * (1 + 29 * DAILY), rel=1e-6)


def test_a_copy_of_incrementals_alone_stays_whole_unless_it_merges() -> None:
    copies = {"second": {"to": "second", "retention": {"age": "30 days"}}}
    targets = site()["targets"] | {"second": site()["targets"]["pool"]}
    rules = {"schedule": {"incremental": "daily"}, "merges": True, "retention": {"last": 30}}
    kept = days(date(2027, 12, 31), systems=one(), targets=targets, policies=policy(**rules, copies=copies))
    assert kept[-1].stocks["second"].used == pytest.approx(10e12 * (1 + (len(kept) - 1) * DAILY), rel=1e-6)
    copies["second"]["merges"] = True
    merged = days(date(2027, 12, 31), systems=one(), targets=targets, policies=policy(**rules, copies=copies))
    assert merged[-1].stocks["second"].used == pytest.approx(10e12 * (1 + 29 * DAILY), rel=1e-6)


def test_a_merged_incremental_has_what_differs_over_both_times() -> None:
    rules = {"schedule": {"incremental": "daily"}, "merges": True, "retention": {"last": 1, "weekly": 3}}
    found = days(date(2027, 12, 30), systems=one(), policies=policy(**rules), zone="UTC")  # a Thursday
    week, rest = 1 - (1 - DAILY) ** 7, 1 - (1 - DAILY) ** 4
    assert found[-1].stocks["pool"].used == pytest.approx(10e12 * (1 + week + rest), rel=1e-6)


def test_a_synthetic_full_backup_is_stored_whole() -> None:
    rules = {"schedule": {"synthetic_full": "saturday", "incremental": "daily"}, "retention": {"age": "2 weeks"}}
    found = days(date(2027, 12, 31), systems=one(), policies=policy(**rules))
    synthetic = next(run for day in found[7:] for run, _ in day.runs if run.level.whole)
    assert round(synthetic.age / 86_400) == 1
    assert found[-1].stocks["pool"].used == pytest.approx(10e12 * (2 + 12 * DAILY), rel=1e-6)  # a Friday


def test_the_catalogue_keeps_a_record_for_each_file_that_is_kept() -> None:
    systems = {"a": one()["a"] | {"files": 1_000_000}}
    rules = policy(schedule={"full": "daily"}, retention={"last": 7})
    found = days(date(2027, 3, 1), systems=systems, policies=rules, index_record="200 B/file")
    assert found[-1].catalogue == pytest.approx(7 * 1e6 * 200)


def test_the_peak_is_before_the_old_are_let_go() -> None:
    found = days(date(2027, 3, 1), systems=one(), policies=policy(schedule={"full": "daily"}, retention={"last": 3}))
    stock = found[-1].stocks["pool"]
    assert (stock.used, stock.peak) == (pytest.approx(30e12, rel=1e-3), pytest.approx(40e12, rel=1e-3))
    assert found[-1].day == found[0].day + timedelta(days=len(found) - 1)


def test_a_cloning_target_stores_the_changes_of_synthetic_full_backups() -> None:
    """Two weeks of points back to a full one: the oldest whole, and what has changed since, whatever the levels say."""
    rules = {"schedule": {"synthetic_full": "saturday", "incremental": "daily"}, "retention": {"age": "2 weeks"}}
    targets = site()["targets"]
    cloning = targets | {"pool": targets["pool"] | {"clones": True}}
    found = days(date(2027, 12, 31), systems=one(), policies=policy(**rules), targets=cloning)  # a Friday
    kept = found[-1].points["nightly"]
    held = next(n for n in range(kept, kept + 7) if (n - 7) % 7 == 0)  # back to the Saturday that chains need
    assert found[-1].stocks["pool"].used == pytest.approx(10e12 * (1 + (held - 1) * DAILY), rel=1e-6)


def test_what_targets_make_by_themselves() -> None:
    rules = {"schedule": {"incremental": "daily"}, "merges": True, "retention": {"last": 30}}
    found = days(date(2027, 12, 31), systems=one(), policies=policy(**rules), zone="UTC")
    made = [run.made for day in found for run, _ in day.runs]
    assert made[:30] == [()] * 30
    assert {(one.what, one.copy, one.age) for each in made[30:] for one in each} == {("merge", "", 86_400.0)}
    assert {len(each) for each in made[30:]} == {1}
    weekly = {"schedule": {"synthetic_full": "saturday", "incremental": "daily"}}
    found = days(date(2027, 3, 1), systems=one(), policies=policy(**weekly), zone="UTC")
    made = [(day.day.weekday(), run.made[0].what) for day in found[1:] for run, _ in day.runs if run.made]
    assert made == [(5, "synthetic-full")] * 8


def test_retentions_that_differ_share_no_cartridges() -> None:
    """1.8 TB of each go to tape each day: those of a year fill a cartridge in ten days, those of a week need two."""
    policy = {"to": "vault", "at": "20:00", "schedule": {"full": "daily"}}
    kept = {"long": {"age": "1 year"}, "short": {"age": "7 days"}}
    policies = {name: policy | {"retention": rule} for name, rule in kept.items()}
    systems = {f"{name}-one": {"size": "1.8 TB", "policy": name} for name in kept}
    made = site(policies=policies, systems=systems)
    made["targets"]["vault"] |= {"offsite": False}
    days = list(Ledger(load_site(made)).days(date(2027, 1, 2) + timedelta(days=99)))
    assert days[-1].stocks["vault"].cartridges in {10 + 1, 10 + 2}
    together = {name: policy | {"retention": kept["long"]} for name in kept}
    days = list(Ledger(load_site(made | {"policies": together})).days(date(2027, 1, 2) + timedelta(days=99)))
    assert days[-1].stocks["vault"].cartridges == 20


def state(ledger: Ledger) -> dict[str, Any]:
    """All that a ledger has of its save sets, and the cartridges that they are on."""
    found: dict[str, Any] = {
        name: [(each.bought, each.written) for each in cases] for name, cases in ledger.tapes.items()
    }
    for name, stock in ledger.stocks.items():
        for copy, place in stock.places.items():
            sizes = {number: list(each) for number, each in place.sizes.items()}
            found[f"{name} {copy}"] = place.series.points, place.series.kept, sizes, place.together, place.files
    return found


def test_ledgers_at_many_moments_are_those_of_each_alone() -> None:
    """Before and after the runs of a day, in any order, and on the first day."""
    loaded = load_site(site())
    ledgers, first = Ledgers(loaded, date(2027, 6, 1)), datetime(2027, 1, 2, 12, tzinfo=loaded.zone)
    for days, hours in ((180, 0), (170, 10), (180, 10), (0, 0), (181, -6), (0, 10), (400, 10)):
        now = first + timedelta(days=days, hours=hours)
        alone = Ledger(loaded)
        for _ in alone.days(now):
            pass
        assert repr(state(ledgers.at(now))) == repr(state(alone))
