"""A few of the random systems that `python -m benchmarks systems` draws in great number."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

SYSTEMS = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "systems.py"))


@pytest.mark.parametrize("number", range(20))
def test_a_random_system_keeps_what_all_keep(number: int) -> None:
    assert SYSTEMS["broken"](SYSTEMS["system"](0, number)) == []


def test_systems_are_drawn_from_seed_and_number_alone() -> None:
    assert SYSTEMS["system"](3, 4) == SYSTEMS["system"](3, 4)
    assert SYSTEMS["system"](3, 4) != SYSTEMS["system"](4, 4)


def test_a_link_that_carries_too_much_is_found() -> None:
    plan = SYSTEMS["system"](0, 0)
    ran = SYSTEMS["run"](plan)
    link = ran.system.stores["disk"].link
    flow = ran.system.network.start("jobs.x", "read", 1e9, {link: 1.0})
    flow.rate = 2.0 * link.capacity
    assert list(SYSTEMS["_exceeded"](ran.system)) == ["devices.disk carries more than its capacity"]
