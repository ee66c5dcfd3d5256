import math

import numpy as np
import pytest
from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

from simbackup.equations.intervals import mean_interval, replications_needed, student_quantile, student_within
from tests.cases import for_each


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
