"""Scores of predictions: against numerical integrals, and nothing but the truth scores best."""

import math
from statistics import NormalDist

import pytest

from simbackup.equations.scores import crps, interval_score
from simbackup.equations.uncertainty import SCORE

STEP = 1e-3


def integral(middles: list[float], deviation: float, observed: float) -> float:
    """The squared distance between the distribution and a step at what was observed, by the midpoint rule."""
    total = 0.0
    for n in range(20_000):
        at = -10.0 + (n + 0.5) * STEP
        below = sum(NormalDist(middle, deviation).cdf(at) for middle in middles) / len(middles)
        total += (below - (observed <= at)) ** 2 * STEP
    return total


@pytest.mark.parametrize(("middles", "deviation", "observed"), [([0.0], 1.0, 1.5), ([-1.0, 0.5, 0.5], 0.3, 0.0)])
def test_the_closed_form_is_the_integral(middles: list[float], deviation: float, observed: float) -> None:
    assert crps(middles, deviation, observed) == pytest.approx(integral(middles, deviation, observed), abs=1e-4)


def test_certain_values_that_disagree_are_scored_by_their_distances() -> None:
    assert crps([0.0, 2.0], 0.0, 1.0) == pytest.approx(1.0 - 2.0 * 2.0 / 8.0)


def test_the_right_width_scores_best() -> None:
    """Over many values of a standard normal distribution, as its quantiles have them."""
    values = [NormalDist().inv_cdf((n + 0.5) / 2000) for n in range(2000)]

    def mean(factor: float) -> float:
        return sum(interval_score(-factor * SCORE, factor * SCORE, value) for value in values) / len(values)

    def spread(factor: float) -> float:
        return sum(crps([0.0], factor, value) for value in values) / len(values)

    assert mean(1.0) < min(mean(0.8), mean(1.25))
    assert spread(1.0) < min(spread(0.8), spread(1.25))
    assert math.isclose(spread(1.0), 1.0 / math.sqrt(math.pi), rel_tol=1e-3)
