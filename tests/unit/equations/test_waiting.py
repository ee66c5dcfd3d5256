"""Waits at an adapter in the cases that can be worked out by hand."""

import math

import pytest
from oracles.queues import mm1_wait

from simbackup.equations.queueing import mva_closed
from simbackup.equations.waiting import Queue, late_behind_all, late_share, loop_queue, mean_wait
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


def test_no_request_waits_where_nothing_stands() -> None:
    queue = Queue((), 0.0, 0.0, 0.0)
    assert (mean_wait(queue), late_share(queue, 0.1)) == (0.0, 0.0)


def test_waits_at_two_adapters_add_up() -> None:
    """Two queues of M/M/1: waits of mass 1 - load at zero, exponential beyond."""
    load, mean, t = 0.5, 2.0, 3.0
    queue = Queue((), 0.0, 1.0, load)
    both = load**2 * (1 + t / mean) * math.exp(-t / mean)
    one = 2 * load * (1 - load) * math.exp(-t / mean)
    assert late_behind_all([queue, queue], t) == pytest.approx(both + one, rel=5e-3)
