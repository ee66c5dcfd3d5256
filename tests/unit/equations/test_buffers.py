"""Buffers that go round between readers and writers, against calculations by hand and limits."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.equations.buffers import default_buffers, loop
from tests.cases import for_each

MIB = 2.0**20
DEMANDS = st.lists(st.floats(1e-10, 1e-7), min_size=1, max_size=4)


@for_each(
    "files, volumes, buffers",
    [(1, 1, 7), (2, 1, 12), (1, 2, 9), (2, 2, 14), (4, 1, 22)],
)
def test_default_number_of_buffers_at_a_depth_of_four(files: int, volumes: int, buffers: int) -> None:
    assert default_buffers(files, volumes, depth=4) == buffers


def test_each_file_takes_its_depth_and_one_and_each_volume_two() -> None:
    assert default_buffers(3, 2, 10) - default_buffers(2, 2, 10) == 11
    assert default_buffers(3, 2, 10) - default_buffers(3, 1, 10) == 2


def test_one_buffer_does_one_thing_after_the_other() -> None:
    """1 MiB waits 20 ms and takes 5 ms and 10 ms: a round is 35 ms."""
    assert loop(MIB, 1, 0.020, [0.005 / MIB, 0.010 / MIB]).rate == pytest.approx(MIB / 0.035)


def test_two_buffers_without_latency_at_two_equal_centres() -> None:
    """Three states, each as likely, in two of which a centre works: 2/3 of its rate."""
    assert loop(MIB, 2, 0.0, [0.01 / MIB] * 2).rate == pytest.approx(2 / 3 * MIB / 0.01)


def test_two_buffers_at_one_centre_with_latency() -> None:
    """Z = 30 ms, D = 10 ms. One buffer: X = 25 /s, Q = 1/4. Two: R = 12.5 ms, X = 2 / 42.5 ms."""
    assert loop(MIB, 2, 0.030, [0.01 / MIB]).rate == pytest.approx(2 / 0.0425 * MIB)


def test_with_many_buffers_the_slowest_centre_is_all() -> None:
    assert loop(MIB, 5000, 0.1, [1e-9, 8e-9, 3e-9]).rate == pytest.approx(1 / 8e-9, rel=1e-6)


def test_with_no_queue_rates_add_up() -> None:
    """Hardly any service: each buffer goes round as if it were alone."""
    assert loop(MIB, 20, 0.1, [1e-13]).rate == pytest.approx(20 * MIB / 0.1, rel=1e-4)


def test_a_centre_that_gives_no_time_stops_all() -> None:
    assert loop(MIB, 7, 0.1, [1e-9, math.inf]).rate == 0.0


@given(DEMANDS, st.floats(0.0, 0.2), st.integers(1, 60), st.sampled_from([MIB / 16, MIB, 4 * MIB]))
def test_one_more_buffer_never_slows_and_bounds_hold(
    demands: list[float], latency: float, buffers: int, size: float
) -> None:
    """N B / (Z + N sum D) <= X <= min(1 / max D, N B / (Z + sum D)), and X grows with N."""
    rate = loop(size, buffers, latency, demands).rate
    service = size * sum(demands)
    assert rate <= min(1 / max(demands), buffers * size / (latency + service)) * (1 + 1e-9)
    assert rate >= buffers * size / (latency + buffers * service) * (1 - 1e-9)
    assert loop(size, buffers + 1, latency, demands).rate >= rate * (1 - 1e-9)


@given(DEMANDS, st.floats(1e-3, 0.2), st.integers(1, 40))
def test_larger_buffers_never_slow(demands: list[float], latency: float, buffers: int) -> None:
    assert loop(2 * MIB, buffers, latency, demands).rate >= loop(MIB, buffers, latency, demands).rate * (1 - 1e-9)


@given(DEMANDS, st.floats(0.0, 0.2), st.integers(1, 40), st.floats(1.0, 10.0))
def test_a_slower_centre_never_speeds_up(demands: list[float], latency: float, buffers: int, factor: float) -> None:
    slower = [demands[0] * factor, *demands[1:]]
    assert loop(MIB, buffers, latency, slower).rate <= loop(MIB, buffers, latency, demands).rate * (1 + 1e-9)
