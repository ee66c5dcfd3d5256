import math

import pytest

from simbackup.equations.database import LockWaits, lock_waits, slowdown, users_who_wait


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
