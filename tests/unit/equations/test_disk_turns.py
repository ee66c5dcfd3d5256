import pytest
from oracles.disk import mean_seek, runs_beside_users, served_in_turn

from simbackup.equations.disk import DiskParameters, cylinder, scattered_seek_time, transfer_time
from simbackup.equations.disk_turns import Visited, interrupted_share, returns, sweep_turn_time
from tests.cases import for_each

DISK = DiskParameters(100e9, 120.0, 0.8e-3, 8.5e-3, 18e-3, 80e6, 40e6, 0.2e-3, 512 * 1024)
MB = 2**20


@for_each("span", [0.01, 0.1, 1 / 3, 0.5, 0.8, 1.0])
def test_a_seek_between_random_places_takes_the_mean_over_all_pairs(span: float) -> None:
    assert scattered_seek_time(DISK, span) == pytest.approx(mean_seek(DISK, span), rel=0.01)


@for_each("places", [(0.0, 1.0), (0.0, 20.0), (0.0, 98.0), (10.0, 12.0, 60.0), (0.0, 30.0, 60.0, 90.0)])
@for_each("run", [256 * 1024, 4 * MB])
def test_streams_lose_what_a_disk_that_sweeps_over_them_loses(places: tuple[float, ...], run: float) -> None:
    """Adjacent streams, opposite ends, and several between: request by request."""
    streams = [(place * 1e9, 64.0 * MB) for place in places]
    turns = (
        sum(size for _, size in streams) / run * sweep_turn_time(DISK, [cylinder(DISK, begin) for begin, _ in streams])
    )
    moving = sum(transfer_time(DISK, begin, size) for begin, size in streams)
    assert turns + moving == pytest.approx(served_in_turn(DISK, streams, run), rel=0.02)


@for_each("run", [0.25e6, 1e6, 4e6])
@for_each("rate, rel", [(1.0, 0.01), (10.0, 0.01), (30.0, 0.02), (60.0, 0.04), (90.0, 0.16)])
def test_a_stream_comes_back_after_users_as_in_order_of_arrival(rate: float, rel: float, run: float) -> None:
    user, stream = 0.0077, 1 / 132e6
    found = (1.0 - rate * user) / (stream + returns(Visited(stream, user, run, rate, rate * user)))
    assert found == pytest.approx(run * runs_beside_users(rate, user, run * stream, user), rel=rel)


def test_nobody_is_returned_from_more_often_than_for_each_run() -> None:
    assert returns(Visited(1e-8, 0.01, 1e6, 1000.0, 0.999)) == pytest.approx(0.01 / 1e6)
    assert returns(Visited(1e-8, 0.01, 1e6, 1000.0, 1.5)) == 0.01 / 1e6
    assert interrupted_share(10.0, 1e-6) == pytest.approx(1e-5, rel=1e-4)
