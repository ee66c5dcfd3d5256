"""One kind of customers circulates as the general solution with numpy says, to the last bit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simbackup.equations.linearizer import Linearizer
from simbackup.equations.one_kind import MOST_QUEUES, turnout

SECONDS = st.floats(1e-6, 10.0)
QUEUE = st.tuples(SECONDS | st.just(0.0), SECONDS, st.floats(0.0, 0.999), st.none() | st.integers(1, 64).map(float))


@given(st.integers(1, 2000), SECONDS, st.lists(QUEUE, max_size=MOST_QUEUES))
def test_it_is_what_the_general_solution_gives(
    customers: int, delay: float, queues: list[tuple[float, float, float, float | None]]
) -> None:
    visits = [(i, wait, held, 1.0) for i, (wait, held, _, _) in enumerate(queues)]
    others, pooled = [each[2] for each in queues], [each[3] for each in queues]
    [general] = Linearizer([(customers, delay, visits)], others, pooled).solved()
    assert turnout(customers, delay, visits, others, pooled) == general


def test_more_queues_are_left_to_the_general_solution() -> None:
    visits = [(i, 1.0, 1.0, 1.0) for i in range(MOST_QUEUES + 1)]
    assert turnout(2, 1.0, visits, [0.0] * len(visits), [None] * len(visits)) is None


def test_a_queue_that_others_fill_is_left_to_the_general_solution() -> None:
    assert turnout(2, 1.0, [(0, 1.0, 1.0, 1.0), (1, 1.0, 1.0, 1.0)], [0.0, 1.0], [None, None]) is None
    assert turnout(2, 1.0, [(0, 1.0, 1.0, 1.0)], [1.0], [3.0]) is not None  # of servers, others take a share otherwise
