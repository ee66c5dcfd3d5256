from functools import cache

import pytest
from sites.plan import site

from simbackup.planning.plan import Plan, plan
from simbackup.planning.site import load_site


@cache
def forty() -> Plan:
    return plan("planning/forty-systems", "1 year")


@pytest.mark.slow
def test_forty_systems_over_a_year() -> None:
    found = forty()
    assert len(found.clients) == 40
    assert len(found.days) == 365
    assert found.nights.simulated < 30
    assert found.nights.error < 0.05  # which the plan reports
    assert {row["nights"] for row in found.clients} == {365}


def test_the_same_site_gives_the_same_plan() -> None:
    once, again = plan(load_site(site()), "1 month"), plan(load_site(site()), "1 month")
    assert once.as_dict() == again.as_dict()
    assert list(once.verdicts) == list(again.verdicts)
