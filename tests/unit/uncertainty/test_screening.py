import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.uncertainty.screening import STEP, effects, trajectories


@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 99))
def test_each_walk_moves_every_input_once_by_a_step_within_its_range(count: int, inputs: int, seed: int) -> None:
    walks = trajectories(count, inputs, seed)
    assert len(walks) == count
    for walk in walks:
        moved = [n for a, b in itertools.pairwise(walk) for n in range(inputs) if a[n] != b[n]]
        assert sorted(moved) == list(range(inputs))
        assert all(-1e-9 <= place <= 1.0 + 1e-9 for at in walk for place in at)
        for a, b in itertools.pairwise(walk):
            assert sum(abs(x - y) for x, y in zip(a, b, strict=True)) == pytest.approx(STEP)


def test_effects_of_a_linear_figure_are_its_slopes_without_deviation() -> None:
    walks = trajectories(5, 3, 1)
    found = effects(walks, [[7.0 * a - 2.0 * b for a, b, _ in walk] for walk in walks])
    assert [one.mean for one in found] == pytest.approx([7.0, 2.0, 0.0])
    assert [one.signed for one in found] == pytest.approx([7.0, -2.0, 0.0])
    assert [one.deviation for one in found] == pytest.approx([0.0] * 3, abs=1e-9)


def test_an_input_that_acts_through_another_has_a_deviation() -> None:
    walks = trajectories(20, 2, 1)
    found = effects(walks, [[a * b for a, b in walk] for walk in walks])
    assert all(one.deviation > 0.1 for one in found)


def test_steps_without_a_value_are_left_out() -> None:
    walks = trajectories(3, 2, 1)
    values: list[list[float | None]] = [[4.0 * a for a, _ in walk] for walk in walks]
    values[0] = [None, None, None]
    assert effects(walks, values)[0].mean == pytest.approx(4.0)
