"""Means of runs that differ by chance, their confidence intervals, and how many runs these take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

CONFIDENCE = 0.95
"""Share of such intervals that hold the true mean."""
HALVINGS = 60
MANY = 1000
"""Degrees of freedom above which a bound is expanded about that of the normal distribution."""


class Interval(NamedTuple):
    """A mean, and half the width of its confidence interval."""

    mean: float
    half: float


def student_within(t: float, freedom: int) -> float:
    """Probability that Student's t lies within ± t.

    Finite sums for whole degrees of freedom: Abramowitz and Stegun, 26.7.3 and 26.7.4.

    Parameters
    ----------
    t
        The bound, zero or more.
    freedom
        Degrees of freedom, at least 1.

    >>> round(student_within(2.262, 9), 4), round(student_within(12.706, 1), 4)
    (0.95, 0.95)
    """
    angle = math.atan(t / math.sqrt(freedom))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    term = math.cos(angle) if freedom % 2 else 1.0
    total = term if freedom > 1 else 0.0
    for i in range(3 if freedom % 2 else 2, freedom - 1, 2):
        term *= square * (i - 1) / i
        total += term
    return 2.0 / math.pi * (angle + sine * total) if freedom % 2 else sine * total


def student_quantile(freedom: int, confidence: float = CONFIDENCE) -> float:
    """The bound that Student's t stays within, on both sides, with a given probability.

    For many degrees of freedom, by the first terms of its expansion about the normal distribution: Abramowitz and
    Stegun, 26.7.5, here to less than 1e-7 of the bound.

    >>> round(student_quantile(9), 3), round(student_quantile(29, 0.999), 2)
    (2.262, 3.66)
    """
    if freedom > MANY:
        z = NormalDist().inv_cdf(0.5 + confidence / 2.0)
        return z + (z**3 + z) / (4.0 * freedom) + (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / (96.0 * freedom**2)
    low, high = 0.0, math.pi / 2.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        within = student_within(math.sqrt(freedom) * math.tan(middle), freedom)
        low, high = (middle, high) if within < confidence else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def mean_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """The mean of independent values and the half-width of its confidence interval, by Student's t.

    Holds for values that are approximately normally distributed, as means and sums over many draws are.

    Parameters
    ----------
    values
        At least two.
    confidence
        Share of such intervals that hold the true mean.

    >>> mean, half = mean_interval([9.0, 10.0, 11.0])
    >>> mean, round(half, 3)
    (10.0, 2.484)
    """
    count = len(values)
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return Interval(mean, student_quantile(count - 1, confidence) * math.sqrt(variance / count))


def unpaired_difference(values: Sequence[float], others: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """The difference of the means of two independent samples, and the half-width of its confidence interval.

    Welch, "The generalization of Student's problem when several different population variances are involved",
    Biometrika 34, 1947, with the degrees of freedom rounded down. Runs that share their random numbers are paired
    instead: `mean_interval` of their differences is narrower where both go up and down together.

    Parameters
    ----------
    values, others
        At least two each.
    confidence
        Share of such intervals that hold the true difference.

    >>> difference, half = unpaired_difference([9.0, 10.0, 11.0], [7.0, 8.0, 9.0])
    >>> difference, round(half, 3)
    (2.0, 2.267)
    """
    means, errors, freedom = [0.0, 0.0], [0.0, 0.0], 0.0
    for i, sample in enumerate((values, others)):
        means[i] = math.fsum(sample) / len(sample)
        errors[i] = math.fsum((value - means[i]) ** 2 for value in sample) / (len(sample) - 1) / len(sample)
        freedom += errors[i] ** 2 / (len(sample) - 1)
    whole = errors[0] + errors[1]
    if whole == 0.0:
        return Interval(means[0] - means[1], 0.0)
    return Interval(
        means[0] - means[1], student_quantile(max(1, int(whole**2 / freedom)), confidence) * math.sqrt(whole)
    )  # fmt: skip


def replications_needed(pilot: Sequence[float], share: float, confidence: float = CONFIDENCE) -> int:
    """Independent runs needed for a confidence interval of a given half-width, estimated from a few first runs.

    The least n with `t(n-1) s / sqrt(n) <= share |mean|` (Law, 9.4.1), with mean and deviation of the first runs.

    Parameters
    ----------
    pilot
        Figures of the first runs, at least two.
    share
        Half the width as a share of the mean, such as 0.05.
    confidence
        Confidence of the interval.

    >>> replications_needed([9.0, 10.0, 11.0], 0.05), replications_needed([9.0, 10.0, 11.0], 0.0001)
    (18, 3841462)
    """
    mean, half = mean_interval(pilot, confidence)
    deviation = half * math.sqrt(len(pilot)) / student_quantile(len(pilot) - 1, confidence)
    wanted = share * abs(mean)
    if deviation == 0.0:
        return len(pilot)
    if wanted == 0.0:
        raise ValueError("a mean of 0 has no relative width")
    low, high = max(2, len(pilot)) - 1, max(2, len(pilot))
    while student_quantile(high - 1, confidence) * deviation / math.sqrt(high) > wanted:
        low, high = high, 2 * high
    while high - low > 1:  # more runs give a narrower interval
        middle = (low + high) // 2
        enough = student_quantile(middle - 1, confidence) * deviation / math.sqrt(middle) <= wanted
        low, high = (low, middle) if enough else (middle, high)
    return high
