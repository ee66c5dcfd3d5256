"""Waits at an adapter for any queue: shares, and the directions in which they go."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from simbackup.equations.waiting import Queue, late_share, loop_queue, mean_wait

SECONDS = st.floats(1e-4, 1e2)
DEMANDS = st.lists(st.floats(1e-3, 10.0), min_size=1, max_size=4)


@given(DEMANDS, st.integers(0, 60), st.floats(0.0, 100.0))
def test_fewer_stand_further_back(demands: list[float], buffers: int, latency: float) -> None:
    found = loop_queue(demands, buffers, latency, 0)
    assert len(found) == buffers
    assert all(0.0 <= after <= before <= 1.0 for before, after in pairwise((1.0, *found)))


@given(DEMANDS, st.integers(1, 60), st.floats(0.0, 100.0))
def test_one_more_buffer_makes_no_queue_shorter(demands: list[float], buffers: int, latency: float) -> None:
    less, more = (sum(loop_queue(demands, n, latency, 0)) for n in (buffers, buffers + 1))
    assert more >= less * (1 - 1e-9)


def queue_of(buffers: int, share: float, times: tuple[float, float], load: float) -> Queue:
    return Queue(tuple(share**k for k in range(1, buffers + 1)), *times, load)


QUEUES = st.builds(queue_of, st.integers(0, 80), st.floats(0.0, 1.0), st.tuples(SECONDS, SECONDS), st.floats(0.0, 0.99))


@given(QUEUES, SECONDS, st.floats(1.0, 10.0))
def test_a_longer_wait_is_rarer(queue: Queue, timeout: float, factor: float) -> None:
    late, later = late_share(queue, timeout), late_share(queue, timeout * factor)
    assert 0.0 <= later <= late + 1e-9
    assert late <= 1.0
    assert late * timeout <= mean_wait(queue) * (1 + 1e-6) + 1e-9


@given(st.integers(1, 80), SECONDS, SECONDS, st.floats(0.0, 0.98), SECONDS)
def test_more_load_makes_nobody_wait_less(
    buffers: int, stage: float, request: float, load: float, timeout: float
) -> None:
    queue = Queue((0.9,) * buffers, stage, request, load)
    more = queue._replace(load=load + 0.01)
    assert mean_wait(more) >= mean_wait(queue)
    assert late_share(more, timeout) >= late_share(queue, timeout) - 1e-9
