from __future__ import annotations

import math

import pytest

from simbackup.equations.read_ahead import read_ahead_rate


def test_a_window_is_fetched_and_then_copied() -> None:
    """100 kB in 1.5 ms from the device and 0.5 ms to the program: 50 MB/s."""
    assert read_ahead_rate(100e3, request_time=1.5e-3, copy_rate=200e6) == pytest.approx(50e6)


def test_it_is_slower_than_device_and_core() -> None:
    rate = read_ahead_rate(128 * 1024, request_time=2e-3, copy_rate=1e9)
    assert rate < 128 * 1024 / 2e-3
    assert rate < 1e9


def test_a_larger_window_spreads_the_fixed_part_of_a_request() -> None:
    """With t = a + W / d the rate approaches the two rates in series, 1 / (1/d + 1/c)."""

    def rate(window: float) -> float:
        return read_ahead_rate(window, request_time=2e-3 + window / 100e6, copy_rate=400e6)

    assert rate(64e3) < rate(128e3) < rate(1e6) < 80e6
    assert rate(1e12) == pytest.approx(80e6, rel=1e-6)


def test_limits() -> None:
    assert read_ahead_rate(1e5, request_time=0.0, copy_rate=3e8) == pytest.approx(3e8)
    assert read_ahead_rate(1e5, request_time=1e-3, copy_rate=math.inf) == pytest.approx(1e8)
