"""One kind of customers circulates as the general solution with numpy says, and all of them are somewhere."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.equations.linearizer import Linearizer
from simbackup.equations.one_kind import throughput

SECONDS = st.floats(1e-6, 10.0)
QUEUE = st.builds(
    lambda wait, part, others, servers: (wait, wait * part, others, servers),
    SECONDS | st.just(0.0), st.floats(0.01, 1.0), st.floats(0.0, 0.999), st.none() | st.integers(1, 64).map(float),
)  # fmt: skip
"""Seconds of waiting alone, share held, the share of others, and pooled servers."""
Queues = list[tuple[float, float, float, float | None]]


def circulating(
    customers: int, delay: float, queues: Queues
) -> tuple[tuple[float, tuple[float, ...]], tuple[float, tuple[float, ...]]]:
    """What one equation says, and what the general solution does."""
    visits = [(i, wait, held, 1.0) for i, (wait, held, _, _) in enumerate(queues)]
    others, pooled = [each[2] for each in queues], [each[3] for each in queues]
    found = throughput(customers, delay, visits, others, pooled)
    assert found is not None
    [general] = Linearizer([(customers, delay, visits)], others, pooled).solved()
    return found, general


@given(st.integers(1, 24), SECONDS, st.lists(QUEUE, max_size=9))
def test_it_is_what_the_general_solution_gives(customers: int, delay: float, queues: Queues) -> None:
    (rate, seconds), (general, each) = circulating(customers, delay, queues)
    assert rate == pytest.approx(general, rel=1e-6)
    assert seconds == pytest.approx(each, rel=1e-5)


@given(st.integers(1, 5000), SECONDS, st.lists(QUEUE, max_size=9))
def test_all_customers_are_somewhere(customers: int, delay: float, queues: Queues) -> None:
    """Of many customers, where the substitution of the general solution ends too early."""
    visits = [(i, wait, held, 1.0) for i, (wait, held, _, _) in enumerate(queues)]
    found = throughput(customers, delay, visits, [each[2] for each in queues], [each[3] for each in queues])
    assert found is not None
    rate, seconds = found
    assert rate * (delay + math.fsum(seconds)) == pytest.approx(customers, rel=1e-9)
    for each, (wait, _, share, servers) in zip(seconds, queues, strict=True):
        assert each >= (wait if servers is not None else wait / (1.0 - share)) * (1.0 - 1e-12)


def test_one_queue_is_always_full() -> None:
    """Two thousand customers at one server of a second: one leaves each second."""
    assert throughput(2000, 0.0, [(0, 1.0, 1.0, 1.0)], [0.0], [None]) == (
        pytest.approx(1.0, rel=1e-9),
        (pytest.approx(2000.0, rel=1e-9),),
    )


def test_two_visits_to_one_queue_are_left_to_the_general_solution() -> None:
    assert throughput(2, 1.0, [(0, 1.0, 1.0, 1.0), (0, 2.0, 2.0, 1.0)], [0.0], [None]) is None


def test_a_queue_that_holds_longer_than_it_takes_is_left_to_the_general_solution() -> None:
    visits = [(0, 1e-6, 1.0, 1.0)]
    assert throughput(14, 2.0, visits, [0.0], [None]) is None
    [(rate, _)] = Linearizer([(14, 2.0, visits)], [0.0], [None]).solved()
    assert rate > 0.0


def test_a_queue_that_others_fill_is_left_to_the_general_solution() -> None:
    assert throughput(2, 1.0, [(0, 1.0, 1.0, 1.0), (1, 1.0, 1.0, 1.0)], [0.0, 1.0], [None, None]) is None
    assert (
        throughput(2, 1.0, [(0, 1.0, 1.0, 1.0)], [1.0], [3.0]) is not None
    )  # of servers, others take a share otherwise
