"""What a plan says without a simulation, and policies with the same rules, whose books are kept once."""

import pytest
from oracles.every_night import random_site

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
    assert alone.nights.simulated == 0 < whole.nights.simulated
    tables = alone.capacity_tables()
    assert tables.pop("limits") == whole.as_dict()["limits"][: len(alone.site.targets)]
    assert tables == {name: whole.tables()[name] for name in tables}
    assert tables["months"]
