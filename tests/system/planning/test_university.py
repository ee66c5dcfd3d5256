"""The university of 200 servers, with its figures worked out by hand."""

from datetime import date
from functools import cache

import pytest

from simbackup.planning.ledger import Day, Ledger
from simbackup.planning.loading import found
from simbackup.planning.restore import restore
from simbackup.planning.site import PlannedSite, load_site
from simbackup.schema.yaml_file import parse

GROWTH = 1.15
TB = 1e12


@cache
def university() -> PlannedSite:
    return load_site("planning/university")


@cache
def ledger() -> tuple[Ledger, tuple[Day, ...]]:
    """The ledger of a year, and its days."""
    found = Ledger(university())
    return found, tuple(found.days(date(2028, 1, 3)))


def days() -> tuple[Day, ...]:
    return ledger()[1]


def on_pool(policy: str) -> float:
    """Bytes of the backups of a policy, which is alone with its rules, on the pool after a year."""
    stock = ledger()[0].stocks[policy]
    assert (stock.policies, stock.places[""].target.name) == ((policy,), "pool")
    return stock.places[""].used


@pytest.mark.slow
def test_sizes() -> None:
    """60 x 1.5 TB, 10 x 12 TB, 30 x 400 GB, 100 x 120 GB."""
    of: dict[str, float] = {}
    for system in university().systems:
        group = system.name.rstrip("0123456789")
        of[group] = of.get(group, 0.0) + system.size
    assert of == pytest.approx({"dept": 90 * TB, "research": 120 * TB, "db": 12 * TB, "guest": 12 * TB})
    assert len(university().systems) == 200


@pytest.mark.slow
def test_restore_points_after_a_year() -> None:
    """On Monday, the 3rd of January 2028, at night.

    Departments: 35 daily points and the tapes of first Saturdays from February to December that are older; research 30;
    databases 21 and two full ones of the second site, which keeps five; guests 28 and one there, as a rule. No part of
    them has Sunday, on which the databases are saved as a whole.
    """
    points = days()[-1].points
    assert points["research"] == 30
    assert points["departments"] == 35 + 10
    assert points["databases"] == 21 + 2
    guests = {name: count for name, count in points.items() if name.startswith("guests")}
    assert guests.keys() == {
        f"guests-{day}" for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
    }
    assert set(guests.values()) <= {28, 29, 30, 31}


@pytest.mark.slow
def test_what_research_has_on_the_pool() -> None:
    """One full backup of 29 nights ago, and 29 incrementals: 0.5 % of the data, and what has grown in a day."""
    now = 120 * TB * GROWTH ** (364 / 365)
    day = GROWTH ** (-1 / 365)
    change = 1 - (1 - 0.005) * day
    closed = now * (day**29 + change * sum(day**i for i in range(29)))
    assert on_pool("research") == pytest.approx(closed, rel=0.01)


@pytest.mark.slow
def test_what_departments_have_on_a_pool_that_clones() -> None:
    """Blocks once, however many synthetic full backups there are: all of the oldest point, and the changes since.

    Chains need points back to a Saturday: of the 35 days before the 3rd of January the first is a Tuesday, so it is 38.
    """
    now, day = 90 * TB * GROWTH ** (364 / 365), GROWTH ** (-1 / 365)
    change = 1 - (1 - 0.01) * day
    closed = now * (day**37 + change * sum(day**i for i in range(37)))
    assert on_pool("departments") == pytest.approx(closed, rel=0.01)


@pytest.mark.slow
def test_tapes_of_a_year() -> None:
    """A session each month on four drives, of 90 TB at 1.3:1 and growing: 69 TB are 4 cartridges, from 72 TB on 8.

    90 TB / 1.3 / 18 TB = 3.85 in February; more than 4 from the growth of 4 % on, after 102 days: on the 1st of May.
    The tapes of 12 first Saturdays (February to January) are there.
    """
    stock = days()[-1].stocks["tapes"]
    sessions = [date(2027, month, day) for month, day in ((2, 6), (3, 6), (4, 3), (5, 1))]
    used = {day.day: day.stocks["tapes"].cartridges for day in days()}
    assert [used[day] for day in sessions] == [4, 8, 12, 20]
    assert stock.cartridges == 3 * 4 + 9 * 8
    assert stock.bought == stock.cartridges


def databases_alone() -> PlannedSite:
    """Its databases, without the servers that would be simulated beside them."""
    file = found("planning/university")
    tree = parse(file.read_text(encoding="utf-8"), file.name).plain()
    systems = {name: system for name, system in tree["systems"].items() if system["policy"] == "databases"}
    policies = {"databases": tree["policies"]["databases"]}
    targets = {name: tree["targets"][name] for name in ("pool", "second")}
    return load_site(tree | {"systems": systems, "policies": policies, "targets": targets})


@pytest.mark.slow
def test_a_database_comes_back_after_a_fire() -> None:
    """From the full backup of Sunday on the second site, with the logs since.

    At most half an hour is lost, and the time until its logs are saved, which ends before the next half hour does.
    """
    site = databases_alone()
    back = restore(site, "client db03", date(2027, 6, 9), "main")
    one = back.systems[0]
    assert (one.source, one.chain) == ("second", 1)
    assert 1800.0 < one.lost < 3600.0
    hours = 2 * 24 + 15  # from Sunday at 21:00 to Wednesday noon
    assert one.logs == pytest.approx(
        one.bytes * next(each.log for each in site.systems if each.name == "db03") * hours / 24, rel=0.01
    )
    assert one.back > 24 * 3600 + one.logs / 50e6  # recovery, and logs as fast as the database applies them
    assert back.warnings == ()
