"""Uncertain values, intervals, and scores of predictions: against numerical integrals."""

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.equations.uncertainty import (
    LEVEL,
    SCORE,
    CentralInterval,
    crps,
    interval_score,
    rank_correlation,
    spread_of,
    value_at,
)

POSITIVE = st.floats(1e-6, 1e6)


@given(POSITIVE, POSITIVE, POSITIVE, st.floats(-5.0, 5.0), st.floats(0.0, 5.0))
def test_a_value_rises_with_its_score_and_stays_in_its_range(
    one: float, two: float, three: float, score: float, more: float
) -> None:
    low, best, high = sorted((one, two, three))
    assert (
        low
        <= value_at(best, low, high, score)
        <= value_at(best, low, high, score + more) * (1.0 + 1e-12)
        <= high * (1.0 + 1e-12)
    )


def test_the_percentiles_of_a_lognormal_sample_are_its_interval() -> None:
    sample = [math.exp(0.2 * NormalDist().inv_cdf((i + 0.5) / 400)) for i in range(400)]
    spread = spread_of(1.0, sample)
    assert spread.low == pytest.approx(math.exp(-0.2 * SCORE), rel=0.01)
    assert spread.high == pytest.approx(math.exp(0.2 * SCORE), rel=0.01)


def test_independent_errors_add_as_squares() -> None:
    narrow = CentralInterval(100.0, 100.0 * math.exp(-0.3 * SCORE), 100.0 * math.exp(0.3 * SCORE))
    wide = narrow.widened(0.4)
    assert math.log(wide.high / 100.0) == pytest.approx(0.5 * SCORE)
    assert math.log(wide.low / 100.0) == pytest.approx(-0.5 * SCORE)


def test_the_ends_of_an_interval_have_their_probabilities() -> None:
    for spread in (CentralInterval(10.0, 5.0, 40.0), CentralInterval(0.0, -3.0, 1.0, by_factor=False)):
        assert spread.probability_below(spread.low) == pytest.approx((1.0 - LEVEL) / 2.0)
        assert spread.probability_below(spread.best) == pytest.approx(0.5)
        assert spread.probability_below(spread.high) == pytest.approx((1.0 + LEVEL) / 2.0)


def test_a_certain_figure_is_below_any_larger_limit() -> None:
    certain = CentralInterval(10.0, 10.0, 10.0)
    assert [certain.probability_below(limit) for limit in (-1.0, 9.9, 10.0)] == [0.0, 0.0, 1.0]


def test_rank_correlation_ignores_the_shape_of_a_curve() -> None:
    xs = [1.0, 2.0, 3.0, 4.0]
    assert rank_correlation(xs, [math.exp(x) for x in xs]) == 1.0
    assert rank_correlation(xs, [-x for x in xs]) == -1.0
    assert rank_correlation(xs, [1.0] * 4) == 0.0


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
