"""Growth that changes on dates: sizes, what is saved, and when datastores and pools are full."""

from datetime import date
from typing import Any

import pytest
from sites.shared import GUESTS, SIZE, shared_site

from simbackup.planning.night import DAY
from simbackup.planning.plan import plan, stocked
from simbackup.planning.site import PlannedSite, load_site

ALL = GUESTS * SIZE


def size_on(site: PlannedSite, day: date) -> float:
    """Bytes of all systems at the noon of a day."""
    return sum(system.size_at((day - site.start).days * DAY) for system in site.systems)


def growing(steps: dict[Any, str], **parts: Any) -> PlannedSite:
    return load_site(shared_site(growth_from=steps, **parts))


def test_sizes_and_rates_follow_each_other() -> None:
    """1 TB + 365/365 TB in a year, 4 TB at once, then 10 % of 6 TB in the next 365 days."""
    site = growing({"2028-01-02": "+4 TB", "2028-01-03": "10 %/year"}, growth="1 TB/year")
    assert size_on(site, date(2027, 1, 2)) == pytest.approx(ALL)
    assert size_on(site, date(2028, 1, 1)) == pytest.approx(ALL + 364 / 365 * 1e12, rel=1e-5)
    grown = ALL + 364.5 / 365 * 1e12 + 4e12 + 1 / 365 * 1e12
    assert size_on(site, date(2028, 1, 3)) == pytest.approx(grown * 1.1 ** (0.5 / 365), rel=1e-5)
    assert size_on(site, date(2029, 1, 2)) == pytest.approx(grown * 1.1 ** (365.5 / 365), rel=1e-5)


def test_each_system_has_its_part_unless_it_states_its_own_growth() -> None:
    """Ten systems share 1 TB that comes at once by their sizes; one that states its growth has none of it."""
    made = shared_site(growth_from={"2027-07-01": "+1 TB"})
    made["systems"]["guest0"]["growth"] = "0 %"
    made["systems"]["guest1"]["growth_from"] = {"2027-07-01": "+50 GB"}
    site = load_site(made)
    then = {system.name: system.size_at((date(2027, 7, 2) - site.start).days * DAY) for system in site.systems}
    assert then["guest0"] == pytest.approx(100e9)
    assert then["guest1"] == pytest.approx(150e9, rel=1e-5)
    assert then["guest2"] == pytest.approx(200e9, rel=1e-5)


@pytest.mark.slow
def test_data_that_come_at_once_are_in_the_next_incremental_and_in_no_later_one() -> None:
    """1 % of 1 TB on the evening before, 1 TB and 1 % of 1 TB on that of 2027-06-30 at noon, and 1 % of 2 TB after."""
    found = plan(growing({"2027-06-30": "+1 TB"}), date(2027, 7, 2), every_night=True)
    saved = {day: sum(one.bytes for one in found.verdicts if one.night == day) for day in (
        date(2027, 6, 29), date(2027, 6, 30), date(2027, 7, 1),
    )}  # fmt: skip
    assert saved[date(2027, 6, 29)] == pytest.approx(0.01e12, rel=1e-3)
    assert saved[date(2027, 6, 30)] == pytest.approx(1.01e12, rel=1e-3)
    assert saved[date(2027, 7, 1)] == pytest.approx(0.02e12, rel=1e-3)
    stored = {day.day: day.stocks["pool"].used for day in found.days}
    assert stored[date(2027, 6, 30)] - stored[date(2027, 6, 29)] == pytest.approx(1.01e12, rel=1e-3)


def test_a_datastore_is_full_when_data_come_at_once() -> None:
    found = stocked(growing({"2027-09-01": "+200 TB"}), "1 year")
    assert [(one.what, one.date) for one in found.full if one.what == "san"] == [("san", date(2027, 9, 1))]
