import random
from statistics import fmean

import pytest

from simbackup.equations.output_analysis import batch_means, percentile_interval, replications_needed, warm_up
from tests.cases import for_each


def test_a_series_that_is_steady_loses_little_and_a_slow_start_is_cut() -> None:
    drawn = random.Random(1)  # noqa: S311
    steady = [drawn.gauss(10.0, 1.0) for _ in range(1000)]
    start = [100.0 * 0.97**i for i in range(100)]
    rising = [value + (start[i] if i < len(start) else 0.0) for i, value in enumerate(steady)]
    assert warm_up(steady) <= 500
    assert 60 <= warm_up(rising) <= 500  # by then the start adds less than three deviations
    assert abs(fmean(rising[warm_up(rising) :]) - 10.0) < 0.2 < abs(fmean(rising) - 10.0)


@for_each("value", [0.1, 0.7, 86_400.1])
def test_a_series_that_never_changes_loses_nothing(value: float) -> None:
    assert warm_up([value] * 400) == 0


def test_what_is_cut_does_not_depend_on_where_zero_is() -> None:
    """Sums of squares of numbers near ten millions lose all digits of deviations of a thousandth."""
    drawn = random.Random(1)  # noqa: S311
    values = [drawn.gauss(0.0, 2.0**-10) + (1.0 if i < 40 else 0.0) for i in range(500)]
    assert warm_up(values) == warm_up([2.0**23 + value for value in values]) == 40


def test_batch_means_are_wider_than_the_interval_of_alike_neighbours_taken_as_independent() -> None:
    drawn = random.Random(1)  # noqa: S311
    values = [0.0]
    for _ in range(4000):
        values.append(0.9 * values[-1] + drawn.gauss(0.0, 1.0))
    apart, alike = batch_means(values, 20), batch_means(values, len(values))
    assert apart.half > 3.0 * alike.half  # sqrt((1 + 0.9) / (1 - 0.9)) is 4.4
    assert abs(apart.mean) < 2.0 * apart.half


@for_each("count, share, least", [(100, 0.5, 0.95), (100, 0.9, 0.95), (60, 0.25, 0.95)])
def test_the_interval_of_a_percentile_covers_it(count: int, share: float, least: float) -> None:
    """Of 1,000 samples; the number that cover is binomial, and three of its deviations below 950 are 929."""
    drawn = random.Random(2)  # noqa: S311
    hits = 0
    for _ in range(1000):
        found = percentile_interval([drawn.random() for _ in range(count)], share, least)
        assert found is not None
        hits += found.low <= share <= found.high
    assert hits >= 929


@for_each("share", [0.07, 0.29, 0.55, 0.9])
def test_a_percentile_has_its_share_of_the_values_up_to_it(share: float) -> None:
    """Of 1 to 100, it is 100 times the share, though 0.07 * 100 and 0.55 * 100 are a little more in binary."""
    found = percentile_interval([float(n) for n in range(1, 101)], share)
    assert found is not None
    assert found.value == round(100 * share)


def test_a_percentile_of_too_few_values_has_no_interval() -> None:
    assert percentile_interval([1.0] * 71, 0.95) is None  # 0.95 ** 71 is above 2.5 %
    assert percentile_interval([1.0] * 72, 0.95) is not None


def test_the_runs_that_are_needed_make_the_interval_as_narrow_as_wanted() -> None:
    assert replications_needed([10.0, 10.0], 0.01) == 2
    pilot = [9.0, 10.0, 11.0, 10.0]
    assert replications_needed(pilot, 0.01) > replications_needed(pilot, 0.05) > replications_needed(pilot, 0.2) == 4
    with pytest.raises(ValueError, match="a mean of 0"):
        replications_needed([-1.0, 1.0], 0.05)
