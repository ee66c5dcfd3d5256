"""Two loops of buffers that meet where data are compressed: their joint rate."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from simbackup.equations.queueing import mva_closed

STEPS = 40
"""Halvings of the interval in which a rate lies."""


class HalfLoop(NamedTuple):
    """Where the buffers of one loop spend their time: seconds of one buffer at each centre, and outside all queues.

    Both loops number the centres in the same way; a shared centre counts for both.
    """

    demands: tuple[float, ...]
    latency: float


def joined_rate(buffers: int, before: HalfLoop, after: HalfLoop, coding: float, threads: int) -> float:
    """Buffers per second through two loops, joined where a buffer of one is emptied into a buffer of the other.

    A buffer is filled (`before`), and waits for an empty one of the other loop and for a thread. While it is
    compressed, both buffers are in use; then the other is written (`after`). The slower loop sets the rate of both,

        X = min(MVA(N; before, threads), MVA(N; after))

    by exact mean value analysis of each (`queueing.mva_closed`). The m threads are a queue of 1/m of their time behind
    a delay of the rest (Seidmann, Schweitzer and Shalev-Oren, "Computerized closed queueing network models of flexible
    manufacturing systems", Large Scale Systems 12, 1987). A centre of both loops is slower for each by the share that
    the other takes of it, less one of its N buffers (Schweitzer, 1979). Latencies are constant, service times
    exponential. Within 2 % of a simulation of each buffer if one loop is slower by a fifth. If both are equally slow,
    chance costs more: these rates are too high by up to 5 % where latencies are most of a round, and by up to 15 %
    with few buffers and no latencies.

    Parameters
    ----------
    buffers
        Buffers of each loop, N.
    before, after
        The two sides.
    coding
        Seconds of a thread for one buffer.
    threads
        Threads that compress at once, m.

    >>> one = HalfLoop((0.0,), 0.1)  # three buffers that take 0.1 s to fill, and none to write
    >>> round(joined_rate(3, one, HalfLoop((0.0,), 0.0), coding=0.001, threads=1), 3)
    29.697
    """
    return _joined_rate(buffers, before, after, coding, threads)


@lru_cache(maxsize=4096)
def _joined_rate(buffers: int, before: HalfLoop, after: HalfLoop, coding: float, threads: int) -> float:
    both = [one + other for one, other in zip(before.demands, after.demands, strict=True)]
    most = min((1.0 / demand for demand in (*both, coding / threads) if demand > 0.0), default=math.inf)
    for side in (before, after):
        alone = side.latency + math.fsum(side.demands) + coding
        most = min(most, buffers / alone if alone > 0.0 else math.inf)
    if most <= 0.0 or math.isinf(most):
        return most

    def through(rate: float) -> float:
        """The rate of the slower loop when each finds the other at some rate."""
        seen = rate * (1.0 - 1.0 / buffers)
        rates = list[float]()
        for side, other in ((before, after), (after, before)):
            demands = [mine / (1.0 - seen * its) for mine, its in zip(side.demands, other.demands, strict=True) if mine]
            delay = side.latency + coding
            if side is before and threads < buffers:  # otherwise nobody waits for a thread
                demands.append(coding / threads)
                delay -= coding / threads
            if delay + sum(demands) > 0.0:
                rates.append(mva_closed(demands, buffers, delay).throughput)
        return min(rates)

    low, high = 0.0, most * (1.0 - 1e-9)
    if through(high) >= high:
        return high
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if through(middle) > middle else (low, middle)
    return (low + high) / 2.0


def serial_part(share: float, together: float, alone: float, slowest: float) -> float:
    """Share of the work of a group that one of its workers does while the pace of all groups is that of this worker.

    `max((1 - s) T + s A - M, 0) / (A - M)`, at most s, of the group for which `(1 - s) T + s A` is longest: all
    groups, at one pace, then take that time, but no less than M. If it sets the pace anyway, `T = M`, and the part is
    s. What one worker does alone in a group that is far from setting the pace holds nobody up, as its others catch up.

    Parameters
    ----------
    share
        Share of the work that one worker of each group does while the others of the group wait, s.
    together, alone
        Seconds of the group by itself if all its workers work, T, and if one does, A.
    slowest
        Seconds of the slowest group if all workers work, M.

    >>> serial_part(0.1, together=10.0, alone=40.0, slowest=10.0)
    0.1
    >>> serial_part(0.1, together=2.0, alone=60.0, slowest=10.0), round(serial_part(0.1, 8.0, 60.0, 10.0), 3)
    (0.0, 0.064)
    """
    if alone <= slowest:
        return 0.0
    return min(max((1.0 - share) * together + share * alone - slowest, 0.0) / (alone - slowest), share)
