from datetime import date
from functools import cache

import pytest
from sites.plan import site

from simbackup.planning.night import Night, begin
from simbackup.planning.plan import Plan, plan
from simbackup.planning.playing import Outcome
from simbackup.planning.site import load_site
from simbackup.plots.of_plan import FULL, LONG, MISSED, NONE, SHORT, nights

HOURS = {"2027-01-02": 1, "2027-01-23": 12}


def stub(night: Night) -> dict[str, Outcome]:
    """Full backups that take hours by their date, and incrementals that take one."""
    due, hours = begin("20:00"), HOURS.get(str(night.day), 1)
    names = ("first", "second", "first-tape", "second-tape")
    return {name: Outcome(due, due + hours * 3600, 1.0) for name in names}


@cache
def planned() -> Plan:
    policy = site()["policies"]["nightly"] | {"without": ["sunday"]}
    targets = site()["targets"]
    small = targets["pool"] | {"device": targets["pool"]["device"] | {"disks": 4}}
    systems = {name: part | {"size": "8 TB"} for name, part in site()["systems"].items()}
    loaded = load_site(site(policies={"nightly": policy}, targets=targets | {"pool": small}, systems=systems))
    return plan(loaded, "4 weeks", play=stub)


def test_a_night_has_the_colour_of_its_worst_backup() -> None:
    found = nights(planned())
    assert found[date(2027, 1, 2)] == SHORT
    assert date(2027, 1, 3) not in found
    assert found[date(2027, 1, 23)] == MISSED
    assert NONE < SHORT < LONG < FULL < MISSED


def test_a_calendar_has_a_row_for_each_year() -> None:
    drawn = planned().plot.calendar()
    assert len(drawn.axes) == 1
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]


def test_capacity_shows_what_a_pool_can_hold_and_when_it_is_full() -> None:
    found = planned()
    drawn = found.plot.capacity()
    assert [axis.get_title(loc="left") or axis.get_title() for axis in drawn.axes] == ["pool", "vault"]
    texts = [text.get_text() for text in drawn.axes[0].texts]
    assert texts == ["40 TB", f"full on {found.limits[0].date}"]
    drawn.draw_without_rendering()
    assert all(float(tick).is_integer() for tick in drawn.axes[1].get_yticks())  # there is no half of a cartridge
    assert found.limits[0].date == date(2027, 1, 16)  # three times 16 TB and what changed between


@pytest.mark.slow
def test_dates_have_room_on_a_narrow_page() -> None:
    """Whatever the time planned: at most five labels of ten characters on four inches."""
    for until in ("4 weeks", "1 year", "3 years"):
        found = plan(load_site(site()), until, play=stub).plot.capacity()
        found.draw_without_rendering()
        assert 2 <= len([label for label in found.axes[-1].get_xticklabels() if label.get_text()]) <= 5
