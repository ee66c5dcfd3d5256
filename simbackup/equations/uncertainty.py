"""Uncertain values, the uncertainty of the figures that depend on them, and scores of predictions that state theirs.

A value is known by a best estimate and a range. The range counts as the middle 90 % of the possible values: a
two-piece normal distribution whose median is the best estimate and whose 5th and 95th percentiles are the ends
(Wallis, "The two-piece normal, binormal, or double Gaussian distribution", Statistical Science 29, 2014). Positive
values vary by factors, so the distribution is that of their logarithms.

A score is less where a prediction is better. A wide interval holds more and says less: scores weigh the two against
each other, and cannot be improved by stating anything but what one believes (Gneiting and Raftery, "Strictly proper
scoring rules, prediction, and estimation", Journal of the American Statistical Association 102, 2007).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

LEVEL = 0.90
"""The share of cases that an interval holds, everywhere in the program."""
NORMAL = NormalDist()
SCORE = NORMAL.inv_cdf(0.5 + LEVEL / 2.0)
"""Standard deviations from the median to the end of an interval."""
TAIL = 4.0
"""Standard deviations beyond all values of a sample within which the ends of its interval are sought."""
BISECTIONS = 50
LARGE = 700.0
"""A logarithm above which no error lies, whose number can still be written."""


class CentralInterval(NamedTuple):
    """A figure's best estimate and the ends of its interval; `by_factor` if its logarithm varies."""

    best: float
    low: float
    high: float
    by_factor: bool = True

    def probability_below(self, limit: float) -> float:
        """The share of cases in which the figure is at most `limit`.

        >>> spread = CentralInterval(100.0, 80.0, 125.0)
        >>> [round(spread.probability_below(limit), 2) for limit in (80.0, 100.0, 125.0)]
        [0.05, 0.5, 0.95]
        """
        if self.by_factor and limit <= 0.0:
            return 0.0
        at = _scale(limit, self.by_factor) - _scale(self.best, self.by_factor)
        end = self.low if at < 0.0 else self.high
        width = abs(_scale(end, self.by_factor) - _scale(self.best, self.by_factor)) / SCORE
        if width == 0.0:
            return 0.0 if at < 0.0 else 1.0
        return NORMAL.cdf(at / width)

    def widened(self, deviation: float) -> CentralInterval:
        """The interval with one more independent error, of this standard deviation (relative, if by a factor).

        Independent errors add as squares, on each side.

        >>> CentralInterval(100.0, 100.0, 100.0).widened(0.1)
        CentralInterval(best=100.0, low=84.83..., high=117.87..., by_factor=True)
        """
        if deviation == 0.0 or (self.by_factor and self.best <= 0.0):
            return self
        best = _scale(self.best, self.by_factor)
        error = SCORE * deviation * (1.0 if self.by_factor else abs(self.best))
        below = math.hypot(best - _scale(self.low, self.by_factor), error)
        above = math.hypot(_scale(self.high, self.by_factor) - best, error)
        return CentralInterval(
            self.best, _unscale(best - below, self.by_factor), _unscale(best + above, self.by_factor), self.by_factor
        )

    def within(self, least: float, most: float) -> CentralInterval:
        """The interval without impossible values, below `least` or above `most`; the best estimate stays.

        >>> CentralInterval(0.8, 0.5, 1.3).within(0.6, 1.0)
        CentralInterval(best=0.8, low=0.6, high=1.0, by_factor=True)
        """
        low, high = max(self.low, min(least, self.best)), min(self.high, max(most, self.best))
        return CentralInterval(self.best, low, high, self.by_factor)


def value_at(best: float, low: float, high: float, score: float) -> float:
    """The value at a number of standard deviations from its best estimate, within its range.

    Parameters
    ----------
    best, low, high
        The best estimate and the ends of the range, in one unit; `low <= best <= high`.
    score
        Standard deviations from the median. A value beyond an end becomes that end.

    >>> [value_at(10.0, 5.0, 40.0, score) for score in (-9.0, 0.0, 9.0)]
    [5.0, 10.0, 40.0]
    >>> round(value_at(10.0, 5.0, 40.0, SCORE / 2.0), 3)
    20.0
    """
    end = low if score < 0.0 else high
    if score == 0.0 or abs(score) >= SCORE:
        return end if score else best
    by_factor = low > 0.0
    middle = _scale(best, by_factor)
    return _within(_unscale(middle + abs(score) / SCORE * (_scale(end, by_factor) - middle), by_factor), low, high)


def spread_of(best: float, sample: Sequence[float]) -> CentralInterval:
    """The interval of a figure from its values in a sample of cases, around its best estimate.

    The ends are percentiles of the sample (Hazen's positions, linear between them), and always enclose the best
    estimate. Figures that are positive throughout vary by factors.

    >>> spread_of(10.0, [float(n) for n in range(1, 21)])
    CentralInterval(best=10.0, low=1.4999999999999998, high=19.5, by_factor=True)
    """
    values = sorted(sample)
    tail = (1.0 - LEVEL) / 2.0
    low, high = _percentile(values, tail), _percentile(values, 1.0 - tail)
    return CentralInterval(best, min(best, low), max(best, high), by_factor=min(best, values[0]) > 0.0)


def spread_with_error(
    best: float, sample: Sequence[float], deviation: float, declared: Sequence[float] = ()
) -> CentralInterval:
    """The interval of a figure from its values in a sample, each with one more independent error.

    Its ends are the percentiles of the mixture of one normal distribution about each value. It always includes the
    best estimate, which may lie at an end of the sample: if an unknown can only be better than its best estimate, most
    cases are better, too.

    Parameters
    ----------
    best, sample
        The best estimate, and the values in cases that are equally likely, at least one.
    deviation
        Standard deviation of the error: of the logarithm of figures that are positive throughout, otherwise relative to
        the best estimate.
    declared
        The share of each value of the sample that has no error, from 0 to 1; 0 of all of them unless given. A value
        `v` with a share `s` becomes `v (s + (1 - s) exp(error))`.

    >>> same = spread_with_error(100.0, [100.0] * 9, 0.1)
    >>> [round(end, 2) for end in same[:3]] == [round(end, 2) for end in spread_of(100.0, [100.0]).widened(0.1)[:3]]
    True
    >>> [round(end, 1) for end in spread_with_error(100.0, [100.0], 0.1, [0.9])[:3]]
    [100.0, 98.5, 101.8]
    """
    plain = spread_of(best, sample)
    if deviation == 0.0 or (error := _error(plain, deviation)) == 0.0:
        return plain
    at = [_scale(value, plain.by_factor) for value in sample]
    mixed = _Mixture(at, error, plain.by_factor, declared or [0.0] * len(at))
    low, high = (_unscale(mixed.percentile(share), plain.by_factor) for share in ((1.0 - LEVEL) / 2, (1.0 + LEVEL) / 2))
    return plain._replace(low=min(best, low), high=max(best, high))


def share_below(
    limit: float, best: float, sample: Sequence[float], deviation: float, declared: Sequence[float] = ()
) -> float:
    """The share of cases in which a figure is at most `limit`, for what `spread_with_error` takes.

    >>> share_below(100.0, 100.0, [50.0, 100.0, 200.0], 0.1)
    0.5
    >>> share_below(89.0, 100.0, [100.0], 0.5, [0.9])
    0.0
    """
    plain = spread_of(best, sample)
    if plain.by_factor and limit <= 0.0:
        return 0.0
    error = _error(plain, deviation)
    if error == 0.0:
        return sum([value <= limit for value in sample]) / len(sample)
    at = [_scale(value, plain.by_factor) for value in sample]
    return _Mixture(at, error, plain.by_factor, declared or [0.0] * len(at)).below(_scale(limit, plain.by_factor))


def _error(spread: CentralInterval, deviation: float) -> float:
    return deviation * (1.0 if spread.by_factor else abs(spread.best))


class _Mixture(NamedTuple):
    """Normal distributions with one standard deviation, about values or their logarithms, of which shares are fixed."""

    at: Sequence[float]
    error: float
    by_factor: bool
    declared: Sequence[float]

    def percentile(self, share: float) -> float:
        """The place below which a share of the cases lies, by bisection."""
        low, high = min(self.at) - TAIL * self.error, max(self.at) + TAIL * self.error
        for _ in range(BISECTIONS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if self.below(middle) < share else (low, middle)
        return (low + high) / 2.0

    def below(self, limit: float) -> float:
        """The share of the cases that lie below a place."""
        width, erfc = self.error * math.sqrt(2.0), math.erfc
        if not any(self.declared):
            return 0.5 * sum([erfc((value - limit) / width) for value in self.at]) / len(self.at)
        away = [self._needed(limit - value, own) for value, own in zip(self.at, self.declared, strict=True)]
        return sum([0.5 * erfc(-error / width) for error in away]) / len(away)

    def _needed(self, away: float, declared: float) -> float:
        """The error with which a value is so far from where it is without one."""
        if declared == 0.0:
            return away
        if not self.by_factor:
            return away / (1.0 - declared) if declared < 1.0 else math.copysign(math.inf, away)
        computed = math.exp(min(away, LARGE)) - declared  # of which 1 - declared is there without an error
        if declared >= 1.0 or computed <= 0.0:
            return -math.inf if away < 0.0 else math.inf
        return math.log(computed / (1.0 - declared))


def _percentile(values: Sequence[float], share: float) -> float:
    at = share * len(values) - 0.5
    below = max(0, min(len(values) - 1, math.floor(at)))
    above = min(len(values) - 1, below + 1)
    return values[below] + max(0.0, at - below) * (values[above] - values[below])


def weighted_percentile(values: Sequence[tuple[float, float]], share: float) -> float:
    """The value below which a share of the weight lies, from values with their weights, at least one.

    Each value lies at the middle of its weight (Hazen's positions). The percentile is linear between two values, and
    constant beyond the first and the last one.

    >>> weighted_percentile([(1.0, 1.0), (2.0, 1.0), (3.0, 2.0)], 0.5)
    2.33...
    >>> weighted_percentile([(1.0, 1.0), (3.0, 1.0)], 0.9)
    3.0
    """
    total = sum([weight for _, weight in values])
    before, last = 0.0, (0.0, -math.inf)
    for value, weight in sorted(values):
        at = (before + weight / 2.0) / total
        if at >= share:
            left, below = last
            return value if math.isinf(below) else left + (value - left) * (share - below) / (at - below)
        before, last = before + weight, (value, at)
    return last[0]


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value, from 1; equal values get the mean of their ranks.

    >>> ranks([3.0, 1.0, 3.0])
    [2.5, 1.0, 2.5]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in range(start, end + 1):
            found[order[place]] = (start + end) / 2.0 + 1.0
        start = end + 1
    return found


def rank_correlation(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Spearman's rank correlation, from -1 to 1; 0 where either does not vary.

    >>> rank_correlation([1.0, 2.0, 3.0], [10.0, 30.0, 20.0])
    0.5
    """
    rx, ry = ranks(xs), ranks(ys)
    middle = (len(xs) + 1) / 2.0
    both = sum([(a - middle) * (b - middle) for a, b in zip(rx, ry, strict=True)])
    one, other = (sum([(a - middle) ** 2 for a in r]) for r in (rx, ry))
    return both / math.sqrt(one * other) if one and other else 0.0


def _scale(value: float, by_factor: bool) -> float:
    return math.log(value) if by_factor else value


def _unscale(value: float, by_factor: bool) -> float:
    return math.exp(value) if by_factor else value


def _within(value: float, low: float, high: float) -> float:
    return max(low, min(high, value))


def interval_score(low: float, high: float, observed: float) -> float:
    """The width of a 90 % interval, and twenty times the distance by which it misses what was observed.

    >>> interval_score(1.0, 3.0, 2.0), round(interval_score(1.0, 3.0, 3.5), 6)
    (2.0, 12.0)
    """
    missed = max(low - observed, 0.0, observed - high)
    return high - low + 2.0 / (1.0 - LEVEL) * missed


def crps(middles: Sequence[float], deviation: float, observed: float) -> float:
    """The continuous ranked probability score of equally likely normal distributions that share a standard deviation.

    In the unit of what was observed; of a single certain value, how far it is off. Grimit et al., "The continuous
    ranked probability score for circular variables and its application to mesoscale forecast ensemble verification",
    Quarterly Journal of the Royal Meteorological Society 132, 2006, have the closed form.

    >>> crps([1.0], 0.0, 3.0)
    2.0
    >>> round(crps([0.0], 1.0, 0.0), 4)  # the square root of 2 over pi, less one over the square root of pi
    0.2337
    """
    count = len(middles)
    off = sum([_mean_distance(observed - middle, deviation) for middle in middles]) / count
    apart = sum([_mean_distance(one - other, deviation * math.sqrt(2.0)) for one in middles for other in middles])
    return off - apart / (2.0 * count**2)


def clustered(values: Sequence[float], clusters: Sequence[object]) -> tuple[float, float]:
    """The mean of values, and its standard error if those of one cluster share their causes; infinite for one cluster.

    Liang and Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73, 1986.

    >>> clustered([1.0, 3.0], "ab"), clustered([1.0, 1.0, 3.0, 3.0], "aabb")  # saying a thing twice adds nothing
    ((2.0, 1.0), (2.0, 1.0))
    """
    mean, sums = math.fsum(values) / len(values), dict[object, float]()
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + value - mean
    square = math.fsum(each**2 for each in sums.values()) * len(sums)
    return mean, math.sqrt(square / (len(sums) - 1)) / len(values) if len(sums) > 1 else math.inf


def _mean_distance(mean: float, deviation: float) -> float:
    """How far from zero a normally distributed value is in the mean."""
    if deviation == 0.0:
        return abs(mean)
    at = mean / deviation
    return 2.0 * deviation * NORMAL.pdf(at) + mean * (2.0 * NORMAL.cdf(at) - 1.0)
