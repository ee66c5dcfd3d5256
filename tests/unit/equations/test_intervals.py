"""Intervals, uncertain values, and scores of predictions: against numerical integrals and the quantiles of scipy."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

from simbackup.equations.intervals import mean_interval, replications_needed, student_quantile, student_within
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
from tests.cases import for_each


# Means
@for_each("freedom", [1, 2, 3, 4, 9, 10, 29, 30, 200, 999])
@for_each("confidence", [0.5, 0.95, 0.999])
def test_the_quantiles_are_those_of_student(freedom: int, confidence: float) -> None:
    wanted = float(stats.t.ppf((1 + confidence) / 2, freedom))  # pyright: ignore[reportUnknownMemberType]
    assert student_quantile(freedom, confidence) == pytest.approx(wanted, rel=1e-9)
    assert student_within(wanted, freedom) == pytest.approx(confidence, rel=1e-9)


def test_an_interval_holds_the_mean_as_often_as_it_says() -> None:
    """Of 2000 intervals over five normal values 95 % hold their mean, within four standard errors."""
    random, trials = np.random.default_rng(6), 2000
    intervals = [mean_interval(list(map(float, random.normal(3.0, 2.0, 5)))) for _ in range(trials)]
    held = sum(abs(mean - 3.0) <= half for mean, half in intervals) / trials
    assert held == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / trials))


def test_equal_values_leave_no_doubt() -> None:
    assert mean_interval([7.0] * 4) == (7.0, 0.0)


def test_the_bound_of_many_degrees_of_freedom_goes_on_from_that_of_few() -> None:
    for confidence in (0.5, 0.95, 0.999):
        assert student_quantile(1001, confidence) == pytest.approx(student_quantile(1000, confidence), rel=1e-5)
        assert student_quantile(1001, confidence) == pytest.approx(stats.t.ppf(0.5 + confidence / 2, 1001), rel=1e-7)


def test_the_runs_that_are_needed_make_the_interval_as_narrow_as_wanted() -> None:
    assert replications_needed([10.0, 10.0], 0.01) == 2
    pilot = [9.0, 10.0, 11.0, 10.0]
    assert replications_needed(pilot, 0.01) > replications_needed(pilot, 0.05) > replications_needed(pilot, 0.2) == 4
    with pytest.raises(ValueError, match="a mean of 0"):
        replications_needed([-1.0, 1.0], 0.05)


# Uncertain values and scores
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
