import math

import pytest

from simbackup.equations.database import LockWaits, lock_waits, slowdown, users_who_wait
from tests.cases import for_each


def test_those_who_arrive_wait_half_the_lock_in_the_mean() -> None:
    assert lock_waits(lock=8.0, rate=2.5) == LockWaits(20.0, 4.0, 8.0)


def test_without_lock_or_writers_nobody_waits() -> None:
    assert lock_waits(lock=0.0, rate=100.0) == LockWaits(0.0, 0.0, 0.0)
    assert lock_waits(lock=60.0, rate=0.0) == LockWaits(0.0, 0.0, 0.0)


def test_seconds_lost_together_grow_with_the_square_of_the_lock() -> None:
    short, long = lock_waits(10.0, 3.0), lock_waits(30.0, 3.0)
    assert long.transactions * long.mean == pytest.approx(9.0 * short.transactions * short.mean)


@for_each("busy, factor", [(0.0, 1.0), (0.75, 4.0), (0.9, 10.0)])
def test_slowdown_by_hand(busy: float, factor: float) -> None:
    assert slowdown(busy) == pytest.approx(factor)


def test_a_device_without_time_left_slows_without_bound() -> None:
    assert slowdown(1.0) == math.inf
    assert slowdown(1.5) == math.inf


def test_a_short_lock_is_found_by_as_many_users_as_transactions() -> None:
    found, arrivals = users_who_wait(1.0, 1000.0, 1e-4), lock_waits(1.0, 0.1)
    assert found == pytest.approx(arrivals, rel=1e-3)


def test_no_more_users_wait_than_there_are() -> None:
    found = users_who_wait(100.0, 5.0, 10.0)
    assert found.transactions == pytest.approx(5.0)
    assert found.mean == pytest.approx(100.0 - 0.1)
    assert users_who_wait(0.0, 5.0, 1.0) == users_who_wait(10.0, 5.0, 0.0) == LockWaits(0.0, 0.0, 0.0)
