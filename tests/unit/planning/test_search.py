from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simbackup.planning.search import GUESSES, first_of


@given(st.integers(1, 2000), st.integers(-3000, 3000), st.data())
def test_the_first_is_found_whatever_was_guessed(high: int, off: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(1, high))
    looked: list[int] = []

    def holds(at: int) -> bool:
        looked.append(at)
        return at >= first

    assert first_of(0, high, holds, lambda low, high: first + off) == first  # noqa: ARG005
    assert first in (*looked, high)
    assert first - 1 in (*looked, 0)
    assert len(looked) == len(set(looked)) <= GUESSES + high.bit_length()


def test_a_good_guess_takes_two_looks() -> None:
    looked: list[int] = []
    assert first_of(0, 1000, lambda at: looked.append(at) or at >= 400, lambda low, high: min(400, high)) == 400  # noqa: ARG005
    assert looked == [400, 399]
