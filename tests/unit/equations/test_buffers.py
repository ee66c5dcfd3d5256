"""Buffers that go round between readers and writers, against calculations by hand and limits."""

import math

from hypothesis import given
from hypothesis import strategies as st

from simbackup.equations.buffers import default_buffers, loop
from tests.cases import for_each

MIB = 2.0**20
DEMANDS = st.lists(st.floats(1e-10, 1e-7), min_size=1, max_size=4)


@for_each("files, volumes, buffers", [(1, 1, 7), (2, 1, 12), (1, 2, 9), (2, 2, 14), (4, 1, 22)])
def test_default_number_of_buffers_at_a_depth_of_four(files: int, volumes: int, buffers: int) -> None:
    assert default_buffers(files, volumes, depth=4) == buffers


def test_each_file_takes_its_depth_and_one_and_each_volume_two() -> None:
    assert default_buffers(3, 2, 10) - default_buffers(2, 2, 10) == 11
    assert default_buffers(3, 2, 10) - default_buffers(3, 1, 10) == 2


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
