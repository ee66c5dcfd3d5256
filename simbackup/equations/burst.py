"""Burst credits: how long a device can exceed its baseline, and what happens when the credits are used up.

A token bucket, the leaky bucket of Turner (*New directions in communications*, IEEE Communications Magazine, 1986): it
fills at the baseline rate up to its size, and each operation takes a token. Published for volumes of
Amazon EBS (*General Purpose SSD volumes*, section gp2 volume performance, and *Throughput Optimized HDD volumes*,
section Throughput credits and burst performance, Amazon EC2 user guide).
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bucket:
    """Operations a second that a device does with credits and without, and the credits that it can save up."""

    burst: float
    baseline: float
    credits: float


def operations(size: float, unit: float) -> int:
    """Operations that a request counts as: one for each started unit of bytes, and at least one.

    >>> operations(4096, 262144), operations(262144, 262144), operations(1e6, 262144)
    (1, 1, 4)
    """
    return max(math.ceil(size / unit), 1)


def credits_after(bucket: Bucket, left: float, rate: float, seconds: float) -> float:
    """Credits after some seconds at a given rate of operations: L + (baseline - rate) t, within the bucket.

    An empty bucket of 100 GiB gp2 is full again after 18 000 s without a request.

    Parameters
    ----------
    bucket
        How many credits fit in, and the baseline, operations a second.
    left
        Credits at the beginning, L.
    rate
        Operations a second in the meantime.
    seconds
        The time t, s.

    >>> credits_after(Bucket(3000.0, 300.0, 5.4e6), 0.0, 0.0, 18_000.0)
    5400000.0
    """
    return min(max(left + (bucket.baseline - rate) * seconds, 0.0), bucket.credits)


def time_to(bucket: Bucket, left: float, rate: float, level: float) -> float:
    """Seconds until the credits reach a level at a given rate of operations; infinite if they never do.

    A full bucket of 100 GiB gp2 lasts 2 000 s at 3 000 operations a second:

    >>> time_to(Bucket(3000.0, 300.0, 5.4e6), 5.4e6, 3000.0, 0.0)
    2000.0
    """
    change = bucket.baseline - rate
    missing = level - left
    if missing == 0.0:
        return 0.0
    return missing / change if missing * change > 0.0 else math.inf
