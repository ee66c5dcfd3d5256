import pytest

from simbackup.equations.arrival import Party, Run, work_found
from tests.cases import for_each

STREAM = Party(used=0.25, mean=0.02, left=0.01, waited=0.02)


def test_nobody_is_found_where_nobody_is() -> None:
    assert work_found([]) == work_found([], 0.9, 0.01, 0.1) == 0.0
    assert work_found([Party(0.0, 0.02, 0.01, 0.02)]) == 0.0


def test_what_is_left_of_runs_of_two_lengths() -> None:
    """Half of the runs take 1 s, half 3 s: three of four moments are in a long one."""
    assert Run(1.0, 2.0, 3.0).left == pytest.approx(0.25 * 0.5 + 0.75 * 1.5)
    assert Run(0.0, 0.0, 0.0).left == 0.0


@for_each("streams", [1, 2, 5])
def test_streams_that_fill_a_server_have_a_run_there_each(streams: int) -> None:
    """One is in service, of which half is left; the others wait."""
    each = Party(used=1.0 / streams, mean=0.02, left=0.01, waited=0.02, number=1.0)
    assert work_found([each] * streams) == pytest.approx((streams - 1) * 0.02 + 0.01)


def test_a_stream_that_comes_at_times_waits_for_others() -> None:
    """Two of them at a quarter of the server: each finds the other there for q, of which a quarter is in service."""
    found = work_found([STREAM, STREAM])
    number = found / 2.0 / 0.02 + 0.125  # f / 2 = (q - u) r + u r / 2
    assert number == pytest.approx(0.25 / 0.02 * (0.02 + found / 2.0))


def test_requests_at_random_let_a_stream_wait() -> None:
    """Half of the server, of 10 ms each: a run waits for 10 ms, and so is there for 1.5 times its own time."""
    assert work_found([STREAM], 0.5, 0.01) == pytest.approx((0.375 - 0.25) * 0.02 + 0.25 * 0.01)


def test_the_more_others_do_the_more_is_found() -> None:
    parties = [STREAM._replace(used=share / 10) for share in range(8)]
    found = [work_found([party], 0.3, 0.01) for party in parties]
    assert found == sorted(found)
    assert work_found(parties[:3]) < work_found(parties[:4])
    loads = [work_found([STREAM], load / 10, 0.01) for load in range(10)]
    assert loads == sorted(loads)
    assert work_found([STREAM], 1.0, 0.01) == pytest.approx(0.75 * 0.02 + 0.25 * 0.01)  # it is always there


def test_workers_of_one_flow_wait_for_each_other() -> None:
    """Four that are never elsewhere: one is in service, three wait."""
    four = Party(used=1.0, mean=0.01, left=0.01, waited=0.01, number=4.0, most=4.0)
    assert work_found([four]) == pytest.approx(0.04)
    assert work_found([four._replace(number=None, used=0.5)]) < 0.04
