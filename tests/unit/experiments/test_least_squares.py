"""Searches for constants: also where nothing moves in the middle of a range."""

import math

import pytest

from simbackup.experiments.least_squares import least_squares


def test_a_search_begins_where_something_moves() -> None:
    """Until it takes half a second, something else limits the figure."""

    def misfit(logarithms: list[float]) -> list[float]:
        return [math.log(max(math.exp(logarithms[0]), 0.5) / 0.7)]

    assert least_squares(misfit, [(1e-4, 2.0)]) == pytest.approx([0.7], rel=1e-3)  # type: ignore[arg-type]
