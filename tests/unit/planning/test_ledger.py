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


def test_cartridges_over_a_year_are_those_of_a_hand_count() -> None:
    """20 TB each Saturday take two cartridges of 18 TB, kept 13 weeks: 14 weeks are there when one is written."""
    systems = one(size="20 TB")
    found = days(date(2027, 12, 31), systems=systems)
    assert [day.stocks["vault"].cartridges for day in found[::7]] == [min(2 * (week + 1), 26) for week in range(52)]
    assert found[-1].stocks["vault"].bought == 28
    assert found[-1].stocks["vault"].empty == 2


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
