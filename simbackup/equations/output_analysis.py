"""Analysis of simulation output: warm-up, and confidence intervals of means and percentiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from simbackup.equations.intervals import CONFIDENCE, Interval, mean_interval, student_quantile

BATCH = 5
"""Neighbouring values whose mean counts as one in MSER-5."""
ROUNDED = 9
"""Decimals of the number of values below a percentile: 0.07 times 100 is a little more than 7."""


class PercentileInterval(NamedTuple):
    """A percentile of a sample, and the ends of its confidence interval."""

    value: float
    low: float
    high: float


def warm_up(values: Sequence[float]) -> int:
    """The number of values to discard at the beginning of a series: MSER-5.

    The means of five neighbours each are cut where the standard error of the mean of the rest is least, in the first
    half at most (White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69,
    1997).

    Parameters
    ----------
    values
        One long series, in order.

    >>> warm_up([100.0, 80.0, 60.0, 40.0, 20.0] + [1.0, 2.0] * 20)
    5
    """
    means = [math.fsum(values[i : i + BATCH]) / BATCH for i in range(0, len(values) - BATCH + 1, BATCH)]
    best, cut = math.inf, 0
    middle, squares = 0.0, 0.0
    found: list[tuple[float, int]] = []
    for n, mean in enumerate(reversed(means), start=1):  # from the end, so that each sum is the last one and a term
        away = mean - middle
        middle += away / n
        squares += away * (mean - middle)  # about the mean: squares of great numbers lose their digits
        found.append((squares / n**2, len(means) - n))
    for error, at in reversed(found):
        if at <= len(means) // 2 and error < best:
            best, cut = error, at
    return cut * BATCH


def batch_means(values: Sequence[float], batches: int = 20, confidence: float = CONFIDENCE) -> Interval:
    """The mean of one long, correlated series, and the half-width of its confidence interval.

    The means of long batches are nearly independent (Law, Simulation Modeling and Analysis, 5th ed., 9.5.3). Valid
    where a batch is much longer than the correlation. Values that do not fill a batch are dropped at the beginning.

    Parameters
    ----------
    values
        The series after its warm-up, at least two values for each batch.
    batches
        How many batches, at least two.
    confidence
        Share of such intervals that hold the true mean.

    >>> batch_means([1.0, 3.0] * 20, 10)
    Interval(mean=2.0, half=0.0)
    """
    length = len(values) // batches
    kept = values[len(values) - length * batches :]
    return mean_interval(
        [math.fsum(kept[i : i + length]) / length for i in range(0, len(kept), length)], confidence
    )  # fmt: skip


def percentile_interval(
    values: Sequence[float], share: float, confidence: float = CONFIDENCE
) -> PercentileInterval | None:
    """A percentile of independent values with its confidence interval, for any distribution; None if there are too few.

    The ends are values of the sample: the number of values below the percentile is binomial (Conover, Practical
    Nonparametric Statistics, 3rd ed., 3.2). So the interval has at least the stated confidence.

    Parameters
    ----------
    values
        The sample.
    share
        The percentile as a share, such as 0.95, between 0 and 1.
    confidence
        Least share of such intervals that hold the true percentile.

    >>> percentile_interval([float(n) for n in range(1, 101)], 0.5)
    PercentileInterval(value=50.0, low=40.0, high=61.0)
    >>> percentile_interval([1.0, 2.0, 3.0], 0.95) is None
    True
    """
    ordered, count = sorted(values), len(values)
    tail = (1.0 - confidence) / 2.0
    below, low, high = 0.0, 0, None
    for k in range(count + 1):  # the probability that k values or fewer lie below the percentile
        log = math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
        below += math.exp(log + k * math.log(share) + (count - k) * math.log1p(-share))
        if below <= tail:
            low = k + 1
        if high is None and below >= 1.0 - tail:
            high = k + 1
    if low == 0 or high is None or high > count:
        return None
    which = math.ceil(round(share * count, ROUNDED))
    return PercentileInterval(ordered[which - 1], ordered[low - 1], ordered[high - 1])


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
