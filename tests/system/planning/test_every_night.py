"""A plan, whose nights lie between simulated ones, beside one in which each night is simulated."""

import pytest
from sites.plan import site

from simbackup.planning.plan import stocked
from simbackup.planning.playing import Player
from simbackup.planning.sampling import CLOSE
from simbackup.planning.site import load_site


@pytest.mark.slow
def test_nights_between_are_as_if_each_had_been_simulated() -> None:
    """Eleven weeks of a site that doubles in a year, while its pool fills."""
    loaded = load_site(site(growth="100 %"))
    found = stocked(loaded, "11 weeks")
    found.nights.sample()
    assert found.nights.simulated < 15
    errors: list[float] = []
    for kind, at in found.nights.kinds.items():
        for i in at:
            night = found.nights.night(kind, i)
            outcomes, guessed = Player(loaded)(night), found.nights.between(kind, i)
            longest = max(one.end - one.due for one in outcomes.values())
            errors += [abs(one.end - guessed[name].end) / longest for name, one in outcomes.items()]
    assert len(errors) > 77 * 2
    assert found.nights.error <= CLOSE
    assert max(errors) <= CLOSE
