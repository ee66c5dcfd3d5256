"""Visits of a one-way elevator, against a simulation of each request."""

import pytest

from simbackup.equations.elevator import visits
from tests.cases import for_each
from tests.oracles.requests import Mechanics, buffers_round

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


def test_places_with_more_requests_are_visited_longer() -> None:
    """One volume, and two files: all are read at one visit, and half of them are written at each of the others."""
    read, *written = visits([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [0.5, 0.25, 0.25], 100.0)
    assert read.requests == pytest.approx(100.0)
    assert [visit.requests for visit in written] == pytest.approx([50.0, 50.0])


def test_more_disks_for_each_request_are_passed_with_fewer_of_them() -> None:
    two = [[0.5, 0.5], [0.5, 0.5]]
    served = [visits(two, [0.5, 0.5], 20.0, disks)[0].requests for disks in (1, 2, 12, 1000)]
    assert served == sorted(served, reverse=True)
    assert served[3] == pytest.approx(20.0 / 3.0, rel=0.01)
