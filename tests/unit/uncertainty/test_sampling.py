import math

import numpy as np
import pytest

from simbackup.equations.uncertainty import SCORE, spread_of, value_at
from simbackup.uncertainty.effort import LEAN, QUICK, THOROUGH
from simbackup.uncertainty.inputs import Input, Use
from simbackup.uncertainty.sampling import latin_hypercube, permutation, scores_of
from tests.cases import for_each


@for_each("count", [LEAN.cases, QUICK.cases, 30, 40, 50, 100, THOROUGH.cases])
def test_an_interval_from_a_single_input_has_the_ends_of_its_range(count: int) -> None:
    """A range holds nine values in ten, so what is inversely proportional to the value lies in its range as often."""
    best, low, high = 10.0, 8.0, 40.0
    found = spread_of(1.0 / best, [1.0 / value_at(best, low, high, score) for score in scores_of(count)])
    assert (found.low, found.high) == (pytest.approx(1.0 / high), pytest.approx(1.0 / low))


def test_an_interval_from_many_inputs_is_nearly_that_of_their_sum() -> None:
    """The 90 % interval of a sum of independent normal values grows with the root of their number.

    What lies beyond the ends of ranges is left out, which makes it narrower: the variance of a normal distribution that
    is cut at its 5th and 95th percentiles, where the rest stays, is 0.831, so that a sum has 0.912 of the width.
    """
    names = [f"input {n}" for n in range(12)]
    many = [Input(name, (Use("0", name, 1.0, 0.5, 2.0, "1"),)) for name in names]
    widths = list[float]()
    for seed in range(200):
        sums = [
            sum(max(-SCORE, min(SCORE, score)) for score in case) for case in latin_hypercube(many, QUICK.cases, seed)
        ]
        found = spread_of(0.0, sums)
        widths.append((found.high - found.low) / 2.0)
    whole = SCORE * math.sqrt(len(many))
    assert 0.912 * whole < np.mean(widths) < whole


def test_each_seed_and_each_path_has_a_permutation_of_its_own() -> None:
    drawn = {tuple(permutation(seed, path, 20)) for seed in range(5) for path in ("a", "b", "c")}
    assert len(drawn) == 15
    assert all(sorted(order) == list(range(20)) for order in drawn)
