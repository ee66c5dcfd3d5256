"""Closed loops of buffers between readers and writers: how many buffers, how fast, and how their disks turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from simbackup.equations.queueing import mva_closed, mva_pooled

STEPS = 40
"""Halvings of the interval in which a rate lies."""


def default_buffers(files: int, volumes: int, depth: int) -> int:
    """Buffers that SQL Server takes by default: (depth + 1) for each backup file, and two for each volume.

    Kehayias, quoting Banerjee: files x depth + files + 2 x volumes.

    Parameters
    ----------
    files
        Backup files.
    volumes
        Volumes of the database.
    depth
        Requests in flight for each file.

    >>> default_buffers(files=1, volumes=1, depth=4), default_buffers(files=2, volumes=1, depth=4)
    (7, 12)
    """
    return files * depth + files + 2 * volumes


class LoopState(NamedTuple):
    """Bytes per second that pass through a loop, and the mean share of its buffers at each centre; the others wait."""

    rate: float
    standing: tuple[float, ...]


def loop(
    buffer: float, buffers: int, latency: float, demands: Sequence[float], pool: tuple[float, int] | None = None
) -> LoopState:
    """Bytes per second through a closed loop of buffers in the steady state, and the mean share of them at each centre.

    Buffers wait out their latencies in parallel, and queue at each centre: exact mean value analysis
    (`queueing.mva_closed`), X = n B / (Z + sum of residences). By Little's law, the share of the buffers at a centre is
    the share of each round that a buffer spends there. Holds for exponential service. Short runs begin with all buffers
    empty and are a little slower. If a centre has no capacity left, all buffers queue there.

    Parameters
    ----------
    buffer
        Bytes of one buffer.
    buffers
        Buffers in the loop.
    latency
        Seconds of one round outside all queues.
    demands
        Seconds that a byte needs at each centre; infinite where a centre has no capacity left.
    pool
        Seconds that a byte needs of one of several equal threads, and how many there are (`queueing.mva_pooled`): one
        centre more, the last. None by default.

    >>> loop(1e6, 1, 0.09, [10e-9])
    LoopState(rate=10000000.0, standing=(0.1,))
    >>> round(loop(1e6, 1000, 0.09, [10e-9]).rate / 1e6, 3)
    100.0
    """
    stuck = [math.isinf(demand) for demand in (*demands, *(pool or ())[:1])]
    if any(stuck):
        return LoopState(0.0, tuple(float(halted) / sum(stuck) for halted in stuck))
    seconds = [demand * buffer for demand in demands]
    if pool is None or not pool[0]:
        found = mva_closed(seconds if pool is None else [*seconds, 0.0], buffers, latency)
    else:
        found = mva_pooled(seconds, buffers, latency, (pool[0] * buffer, pool[1]))
    return LoopState(buffer * found.throughput, tuple(length / buffers for length in found.queue_lengths))


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


class Stay(NamedTuple):
    """Requests that a disk serves at a place before it turns, and with which probabilities it came from each other."""

    requests: float
    came_from: tuple[float, ...]


def visits(following: Sequence[Sequence[float]], shares: Sequence[float], waiting: float, disks: int = 1) -> list[Stay]:
    """How long a one-way elevator stays at each of several places with requests in sequence.

    It serves the requests at one place, and those that come there meanwhile, since they lie ahead of the arm; then it
    goes on to the next place at which somebody waits (C-LOOK: Worthington, Ganger and Patt, "Scheduling Algorithms for
    Modern Disk Drives", SIGMETRICS 1994). A buffer that leaves place i for j is served after d(i, j) more of the k
    places have been passed. These steps do not depend on how long each visit takes, so that each of n buffers is
    served at a place with the probability

        q_i = k l_i / sum of l_i p_ij d(i, j)

    where l_i are the shares of buffers that leave i for another place: somebody is found with `1 - (1 - q_i)^n`, and
    n q_i / (1 - p_ii) requests are served each time on average, without visits to nobody. The last request of a visit
    comes back too late for it if it comes back at all: n is the number of buffers that wait or are served while the
    disk works, less the sum of all p_ii, and at least one.

    A buffer that is spread over m disks is done when the last of them is, and comes to each at any time of its round,
    too late for the visit that goes on: it is served after 0 to k + 1 steps, and by the last of m disks after (k + 1)
    m / (m + 1). So many steps are between two requests of n buffers, wherever they go.

    Range: each buffer chooses its place by chance; buffers that take places in turn do so for the same visits if there
    are several for each place. Against a simulation of each request, native backups to one disk are up to 10 % slower,
    and those to arrays of 12 disks up to 15 % slower or faster, with buffers of 256 KiB or more.

    Parameters
    ----------
    following
        Probability that the next request of a buffer, after one at place i, is at place j; places in the order of the
        arm, at least two.
    shares
        Shares of requests at each place.
    waiting
        Buffers that wait or are served at the disks while they work, on average.
    disks
        Disks over which each buffer is spread.

    Examples
    --------
    >>> two = [[0.5, 0.5], [0.5, 0.5]]  # two files: half of the buffers come back to the same
    >>> [round(visits(two, [0.5, 0.5], waiting)[0].requests, 3) for waiting in (1, 2, 11)]
    [2.0, 2.0, 20.0]
    >>> copy = [[0.0, 1.0], [1.0, 0.0]]  # each buffer is read and then written: all of them, and then all of them
    >>> [round(visit.requests, 3) for visit in visits(copy, [0.5, 0.5], 7)]
    [7.0, 7.0]
    >>> round(visits(two, [0.5, 0.5], 11, disks=12)[0].requests, 3)
    4.001
    """
    count = len(shares)
    places = range(count)
    own = [following[i][i] for i in places]
    if disks > 1:
        number, late = max(waiting, 1.0), own
        steps = (count + 1) * disks / (disks + 1)
        leaving = list(shares)
    else:
        number, late = max(waiting - sum(own), 1.0), [0.0] * count
        leaving = [shares[i] * (1.0 - own[i]) for i in places]
        steps = sum([shares[i] * following[i][j] * ((j - i) % count) for i in places for j in places])
    served = [min(count * out / steps, 1.0) for out in leaving]
    found = [1.0 - (1.0 - share) ** number for share in served]
    visited: list[Stay] = []
    for i in places:  # the arm stays where all that it served come back to while nobody waits elsewhere
        turned = found[i] - (served[i] * late[i]) ** number
        requests = number * served[i] * shares[i] / leaving[i] / turned
        visited.append(Stay(requests, _before(i, found)))
    return visited


def _before(place: int, found: Sequence[float]) -> tuple[float, ...]:
    """Probabilities that each of the others was the last place before this one at which somebody waited."""
    weights, passed = [0.0] * len(found), 1.0
    for back in range(1, len(found)):
        other = (place - back) % len(found)
        weights[other] = passed * found[other]
        passed *= 1.0 - found[other]
    total = sum(weights)
    return tuple(weight / total for weight in weights)
