"""Buffers that go round: against calculations by hand, limits, and a simulation of each request."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.equations.buffers import default_buffers, loop, visits
from tests.cases import for_each
from tests.oracles.requests import Mechanics, buffers_round

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


SIZE = 2**20


def seek(here: int, there: int) -> float:
    """Any way takes as long."""
    del here, there
    return 0.005


DISK = Mechanics(200e6, 1 / 120, seek)


def requests(volumes: int, files: int, waiting: float) -> float:
    """Requests for each turn, of all places."""
    places = volumes + files
    if volumes and files:
        after_read, after_write = [0.0] * volumes + [1 / files] * files, [1 / volumes] * volumes + [0.0] * files
        following = [after_read] * volumes + [after_write] * files
        shares = [0.5 / volumes] * volumes + [0.5 / files] * files
    else:
        following, shares = [[1 / places] * places] * places, [1 / places] * places
    found = visits(following, shares, waiting)
    return 1.0 / sum(share / visit.requests for share, visit in zip(shares, found, strict=True))


@pytest.mark.slow
@for_each(
    "volumes, files, buffers",
    [
        *[(0, 2, 1), (0, 2, 7), (0, 2, 24), (0, 4, 2), (0, 4, 7), (0, 8, 4), (0, 8, 12), (0, 8, 50)],
        *[(1, 1, 7), (1, 2, 2), (1, 2, 7), (1, 4, 24), (2, 2, 7), (3, 2, 12)],
    ],
)
def test_as_many_requests_are_served_at_a_place_as_one_by_one(volumes: int, files: int, buffers: int) -> None:
    """All buffers wait at the disk, but for 0.1 ms between two requests."""
    measured = buffers_round(buffers, SIZE, DISK, files=files, volumes=volumes, latency=1e-4, count=6000)
    assert requests(volumes, files, buffers) == pytest.approx(measured.requests, rel=0.05)


def test_the_arm_comes_from_the_place_before() -> None:
    """With many buffers somebody waits at each place; with one, any other place is as likely."""
    even = [[1 / 3] * 3] * 3
    many, one = visits(even, [1 / 3] * 3, 1000.0), visits(even, [1 / 3] * 3, 1.0)
    assert [visit.came_from for visit in many] == [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    assert all(sum(visit.came_from) == pytest.approx(1.0) for visit in one)
    assert one[0].requests == pytest.approx(1.5)  # a third of all go to the same place again


def test_more_disks_for_each_request_are_passed_with_fewer_of_them() -> None:
    two = [[0.5, 0.5], [0.5, 0.5]]
    served = [visits(two, [0.5, 0.5], 20.0, disks)[0].requests for disks in (1, 2, 12, 1000)]
    assert served == sorted(served, reverse=True)
    assert served[3] == pytest.approx(20.0 / 3.0, rel=0.01)
