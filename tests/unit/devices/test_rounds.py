"""Requests that go round, and what holds some of them up elsewhere."""

from __future__ import annotations

import math

import pytest

from simbackup.devices.rounds import Rounds
from simbackup.engine.link import Link

DISK = Link("devices.disk", 1.0)


def reads(processor: float) -> Rounds:
    """One reader that takes a second of a disk for each unit, and some of its own."""
    return Rounds(1, {("devices.disk", "read"): 1.0, ("jobs.x", ""): processor}, {DISK: 1.0})


def first_rate(other_moves: float) -> float:
    """What the first of two readers achieves, when something lets the other move no more than this."""
    pair = [reads(0.5), reads(0.5)]
    limits = pair[0].together(pair, lambda _: 0.0, None, [math.inf, other_moves])
    return limits[0].rate


def test_who_is_held_up_elsewhere_is_waited_for_less() -> None:
    alone = reads(0.5).together([reads(0.5)], lambda _: 0.0)[0].rate
    at_once = first_rate(math.inf)
    assert alone == pytest.approx(1.0 / 1.5)
    assert at_once < first_rate(0.5 * at_once) < first_rate(0.1 * at_once) < alone
    assert first_rate(1e-6 * at_once) == pytest.approx(alone, rel=1e-3)


def test_who_is_held_up_elsewhere_could_do_as_much_as_before() -> None:
    pair = [reads(0.5), reads(0.5)]
    free = pair[0].together(pair, lambda _: 0.0)
    held = pair[0].together(pair, lambda _: 0.0, None, [math.inf, 0.1])
    assert held[1] == free[1]
