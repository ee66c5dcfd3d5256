"""Scores of predictions that state how unsure they are: less is better, and only an honest interval scores best.

A wide interval holds more and says less. Both scores weigh the two against each other, and cannot be improved by
stating anything but what one believes (Gneiting and Raftery, "Strictly proper scoring rules, prediction, and
estimation", Journal of the American Statistical Association 102, 2007).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from simbackup.equations.uncertainty import LEVEL

NORMAL = NormalDist()


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
