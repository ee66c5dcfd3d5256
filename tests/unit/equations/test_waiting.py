"""Waits at an adapter and at a server in the cases that can be worked out by hand."""

import math

import pytest
from oracles.queues import mm1_wait

from simbackup.equations.queueing import mva_closed
from simbackup.equations.waiting import Party, Queue, Run, late_share, loop_queue, mean_wait, work_found
from tests.cases import for_each


def test_the_mean_queue_is_that_of_mean_value_analysis() -> None:
    demands = [1.0, 0.4, 2.0]
    expected = mva_closed(demands, customers=9, think_time=3.0).queue_lengths
    for centre, queue in enumerate(expected):
        assert math.fsum(loop_queue(demands, 9, 3.0, centre)) == pytest.approx(queue)


def test_one_buffer_is_where_it_is_served() -> None:
    assert loop_queue([1.0], customers=1, think_time=3.0, centre=0) == pytest.approx((0.25,))
    assert loop_queue([1.0], customers=0, think_time=3.0, centre=0) == ()


def test_without_buffers_requests_wait_as_in_m_m_1() -> None:
    queue = Queue((), 0.0, 0.25, 0.8)
    assert mean_wait(queue) == pytest.approx(mm1_wait(0.8 / 0.25, 0.25))
    assert late_share(queue, 3.0) == pytest.approx(0.8 * math.exp(-0.2 / 0.25 * 3.0))


def test_behind_buffers_that_always_stand_the_wait_is_erlang() -> None:
    """Three buffers and no other requests: three exponential times."""
    queue = Queue((1.0, 1.0, 1.0), 2.0, 0.1, 0.0)
    assert mean_wait(queue) == pytest.approx(6.0)
    assert late_share(queue, 4.0) == pytest.approx(math.exp(-2.0) * (1 + 2 + 2))


@pytest.mark.slow
@for_each("request_s", [0.001, 0.3, 0.51, 0.6, 0.99, 1.0, 1.01, 3.0, 40.0])
@for_each("buffers", [1, 5, 40])
def test_the_mean_is_the_sum_of_all_late_shares(request_s: float, buffers: int) -> None:
    """The integral of the share that waits longer, whichever of request and buffer is larger."""
    queue = Queue(tuple(0.97**k for k in range(1, buffers + 1)), 1.0, request_s, 0.6)
    longest, steps = 12.0 * (mean_wait(queue) + request_s / 0.4), 500
    width = longest / steps
    total = math.fsum(late_share(queue, (i + 0.5) * width) for i in range(steps)) * width
    assert total == pytest.approx(mean_wait(queue), rel=1e-2)


def test_requests_as_large_as_buffers_are_the_limit_of_those_a_little_smaller() -> None:
    at_least = (0.9, 0.8, 0.7, 0.1)
    same, smaller = (late_share(Queue(at_least, 1.0, size, 0.5), 7.0) for size in (1.0, 1.0 - 1e-7))
    assert smaller == pytest.approx(same, rel=1e-5)


def test_a_full_adapter_keeps_everybody_waiting() -> None:
    queue = Queue((), 0.0, 1.0, 1.0)
    assert mean_wait(queue) == math.inf
    assert late_share(queue, 1e9) == 1.0


STREAM = Party(used=0.25, mean=0.02, left=0.01, waited=0.02)


def test_what_is_left_of_runs_of_two_lengths() -> None:
    """Half of the runs take 1 s, half 3 s: three of four moments are in a long one."""
    assert Run(1.0, 2.0, 3.0).left == pytest.approx(0.25 * 0.5 + 0.75 * 1.5)
    assert Run(0.0, 0.0, 0.0).left == 0.0


def test_a_stream_that_comes_at_times_waits_for_others() -> None:
    """Two of them at a quarter of the server: each finds the other there for q, of which a quarter is in service."""
    found = work_found([STREAM, STREAM])
    number = found / 2.0 / 0.02 + 0.125  # f / 2 = (q - u) r + u r / 2
    assert number == pytest.approx(0.25 / 0.02 * (0.02 + found / 2.0))


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
