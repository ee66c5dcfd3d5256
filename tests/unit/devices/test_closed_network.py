"""Requests that go round, and what holds some of them up elsewhere."""

import pytest

from simbackup.devices.closed_network import ClosedClass
from simbackup.engine.link import Link

DISK = Link("devices.disk", 1.0)


def reads(processor: float, workers: int = 1, seconds: float = 1.0, *, ordered: bool = False) -> ClosedClass:
    """Readers that take seconds of a disk for each unit, and some of their own."""
    parts = {("devices.disk", "read"): seconds, ("jobs.x", ""): processor}
    return ClosedClass(workers, parts, {DISK: seconds}, visits={DISK: 1.0} if ordered else {})


def first_rate(away: float) -> float:
    """What the first of two readers achieves, when the other stays away for so many seconds of each unit."""
    pair = [reads(0.5), reads(0.5)]
    return pair[0].limits_of(pair, lambda _: 0.0, None, [0.0, away])[0].rate


def test_who_is_held_up_elsewhere_is_waited_for_less() -> None:
    alone = reads(0.5).limits_of([reads(0.5)], lambda _: 0.0)[0].rate
    assert alone == pytest.approx(1.0 / 1.5)
    assert first_rate(0.0) < first_rate(2.0) < first_rate(20.0) < alone
    assert first_rate(1e7) == pytest.approx(alone, rel=1e-3)


def test_a_small_request_waits_for_a_large_one_that_came_before() -> None:
    pair = [reads(0.1, seconds=0.1, ordered=True), reads(0.0, seconds=10.0, ordered=True)]
    small, large = pair[0].limits_of(pair, lambda _: 0.0)
    assert small.rate == pytest.approx(1.0 / 10.2, rel=0.02)  # each of its requests finds the other one there
    assert large.rate == pytest.approx((1.0 - 0.1 * small.rate) / 10.0, rel=0.02)
