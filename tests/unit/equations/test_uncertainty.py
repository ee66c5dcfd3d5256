"""Uncertain values and intervals."""

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.equations.uncertainty import LEVEL, SCORE, CentralInterval, rank_correlation, spread_of, value_at

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


def test_nine_cases_in_ten_are_between_the_ends() -> None:
    scores = [NormalDist().inv_cdf((i + 0.5) / 1000) for i in range(1000)]
    inside = sum(8.0 < value_at(10.0, 8.0, 20.0, score) < 20.0 for score in scores)
    assert inside == pytest.approx(1000 * LEVEL, abs=1)


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
