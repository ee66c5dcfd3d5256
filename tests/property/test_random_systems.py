"""A few of the random systems that `python -m benchmarks systems` draws in great number."""

from __future__ import annotations

import pytest

from benchmarks.random_systems import system
from benchmarks.systems import UNEXPLAINED, exceeded, findings, run


@pytest.mark.parametrize("number", range(20))
def test_a_random_system_keeps_what_all_keep(number: int) -> None:
    found = [what for what, _ in findings(system(0, number))]
    assert found[0] == "ran"
    assert not [what for what in found if what.startswith("broken") or UNEXPLAINED in what]


def test_systems_are_drawn_from_seed_and_number_alone() -> None:
    assert system(3, 4) == system(3, 4)
    assert system(3, 4) != system(4, 4)


@pytest.mark.parametrize("number", [5, 42, 127])
def test_two_streams_of_unlike_sizes_do_not_exceed_a_disk(number: int) -> None:
    assert run(system(7, number)).wrong == ()


def test_a_link_that_carries_too_much_is_found() -> None:
    ran = run(system(0, 0))
    link = ran.system.stores["disk"].link
    flow = ran.system.network.start("jobs.x", "read", 1e9, {link: 1.0})
    flow.assign(ran.system.env.now, 2.0 * link.capacity, link, (link.name, {}))
    assert list(exceeded(ran.system)) == ["devices.disk carries more than its capacity"]
