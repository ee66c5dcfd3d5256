"""Rates of circulating customers of one kind, by the Linearizer of Chandy and Neuse (1982), without numpy.

They are those of `linearizer`, to nine digits, in a hundredth of the time. With one kind, the rate of the rounds gives
each queue by itself, and the queues must add up to all customers: one equation in one unknown, for Newton's method.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

PRECISION = 1e-15
"""Share of a queue by which it may still change when it is found."""
ENOUGH = 1e-10
"""Share of all customers that may be missing."""
MOST_STEPS = 100
REFINEMENTS = 2
"""Times that the change of queue lengths by one customer is taken anew, as Chandy and Neuse do."""

SCATTER = 2.0 / math.pi
"""The square of twice the mean excess of a normal variable over its mean, in variances."""

Visits = Sequence[tuple[int, float, float, float]]
"""The number of a queue, seconds of waiting alone, share held, and how often it is visited in a round."""
Throughput = tuple[float, tuple[float, ...]]
"""Rounds a second of all customers, and the seconds that one takes at each visit."""


def excess(found: float, most: float, free: float) -> float:
    """Mean number of customers beyond those who find a free server, of a mean that one finds, out of so many at most.

    `E[(n - f)+]` of a normal n with the mean and the variance of a binomial one, `q (1 - q / most)`, as the root
    `(q - f + sqrt((q - f)^2 + 2 v / pi)) / 2`, which is exact at q = f and far from it. With it, mean-value analysis of
    pooled servers is within 2 % of exact rates (`queueing.mva_pooled`; worst of 400 networks of up to 16 customers and
    8 servers), and within 7 % with `max(0, q - f)`.

    >>> excess(2.0, 8.0, 0.0), excess(2.0, 3.0, 3.0)  # one server; as many as customers
    (2.0, 0.0)
    >>> round(excess(3.0, 7.0, 3.0), 3)  # of a binomial distribution, 0.528
    0.522
    """
    if free <= 0.0 or most <= free:
        return found - free if most > free else 0.0
    beyond = found - free
    return 0.5 * (beyond + math.sqrt(beyond * beyond + SCATTER * found * max(1.0 - found / most, 0.0)))


def throughput(
    customers: int, delay: float, visits: Visits, others: Sequence[float], pooled: Sequence[float | None]
) -> Throughput | None:
    """The rate of customers, and where they spend a round; None where it takes `linearizer` to say so.

    Equation, arguments and range are those of `circuits.closed_network`, for customers of one kind.

    Parameters
    ----------
    customers
        How many circulate.
    delay
        Seconds of a round outside all queues.
    visits
        Where they queue: in different queues, each with a share that others leave.
    others
        Share of each queue that others use.
    pooled
        For each queue, the number of servers if they share it; None if each server has its own queue.

    >>> throughput(1, 1.0, [(0, 1.0, 1.0, 1.0)], [0.5], [None])  # one finds nobody, and others stretch its service
    (0.3333333333333333, (2.0,))
    >>> throughput(1, 1.0, [(0, 1.0, 1.0, 1.0)], [1.0], [None]) is None  # others take all of the queue
    True
    """
    if len({visit[0] for visit in visits}) < len(visits):
        return None
    queues: list[tuple[float, float, float, float]] = []
    for queue, wait, held, _ in visits:
        servers, left = pooled[queue], 1.0 - others[queue]
        if servers is not None:
            queues.append((wait, wait / servers, servers - 1.0, 1.0))
        elif left > 0.0:
            queues.append((wait, held, 0.0, left))
        else:
            return None
    return _Circuit(delay, queues).throughput(float(customers))


class _Queue:
    """A queue that customers visit in each round.

    Parameters
    ----------
    alone
        Seconds of a visit when nobody else is there.
    behind
        Seconds more for each customer that is found.
    free
        How many can be found without a wait, as further servers are free.
    left
        Share of the queue that others leave.
    """

    def __init__(self, alone: float, behind: float, free: float, left: float) -> None:
        self.alone, self.behind, self.free, self.left = alone, behind, free, left
        self.part = self.less = self.most = 0.0

    def meet(self, customers: float, change: float) -> None:
        """Set how many circulate, and by how much the share of each here changes when one is missing.

        One who comes then finds `part` of the queue and `less` (if negative) customers more, out of `most`.
        """
        self.part, self.less, self.most = 1.0 - 1.0 / customers, customers * change - change, customers - 1.0

    @property
    def greatest(self) -> float:
        """The rate of rounds below which the queue stays finite."""
        growth = self.behind * self.part
        return self.left / growth if growth > 0.0 else math.inf

    def seconds(self, length: float) -> float:
        """Seconds at the queue, of a length with all customers."""
        found = max(self.part * length + self.less, 0.0)
        return (self.alone + self.behind * excess(found, self.most, self.free)) / self.left

    def length(self, rate: float) -> tuple[float, float]:
        """The customers here at a rate of rounds, and the derivative of that by the rate."""
        empty = rate * self.alone / self.left
        if self.part * empty + self.less <= 0.0 or self.most <= self.free:  # one who comes finds nobody, or a server
            return empty, self.alone / self.left
        if self.free > 0.0:
            return self._length_of_pool(rate, empty)
        first, room = self.alone + self.behind * self.less, self.left - rate * self.behind * self.part
        if room <= 0.0:
            return math.inf, math.inf
        return rate * first / room, first * self.left / (room * room)

    def _length_of_pool(self, rate: float, length: float) -> tuple[float, float]:
        """The same where servers are pooled, by Newton's method from an empty queue, which does not overshoot."""
        growth, each = rate * self.behind * self.part / self.left, self.alone / self.left
        for _ in range(MOST_STEPS):
            each, room = self.seconds(length), 1.0 - growth * self._slope(self.part * length + self.less)
            if room <= 0.0:
                return math.inf, math.inf
            step = (rate * each - length) / room
            length += step
            if abs(step) <= PRECISION * length:
                break
        room = 1.0 - growth * self._slope(self.part * length + self.less)
        return (length, each / room) if room > 0.0 else (math.inf, math.inf)

    def _slope(self, found: float) -> float:
        """The derivative of `excess` by what one finds; at most one, so that a queue has a finite length."""
        beyond = found - self.free
        spread = SCATTER * found * (1.0 - found / self.most)
        if found <= 0.0 or spread <= 0.0:
            return 1.0 if found > 0.0 and beyond > 0.0 else 0.0
        bend = 2.0 * beyond + SCATTER * (1.0 - 2.0 * found / self.most)
        return min(0.5 * (1.0 + 0.5 * bend / math.sqrt(beyond * beyond + spread)), 1.0)


class _Circuit:
    """Queues on a round, and the seconds that it takes outside of them."""

    def __init__(self, delay: float, queues: list[tuple[float, float, float, float]]) -> None:
        self.delay = delay
        self.queues = [_Queue(*queue) for queue in queues]

    def throughput(self, customers: float) -> Throughput | None:
        """The rounds a second of so many customers, and the seconds that one takes at each queue."""
        changes = [0.0 for _ in self.queues]
        found = self._rounds(customers, changes)
        for _ in range(REFINEMENTS if customers > 1.0 else 0):
            without = self._rounds(customers - 1.0, changes)
            if found is None or without is None:
                return None
            changes = [
                less / (customers - 1.0) - full / customers for less, full in zip(without[1], found[1], strict=True)
            ]
            found = self._rounds(customers, changes)
        if found is None:
            return None
        seconds = tuple([queue.seconds(length) for queue, length in zip(self.queues, found[1], strict=True)])
        return customers / (self.delay + sum(seconds)), seconds

    def _rounds(self, customers: float, changes: list[float]) -> tuple[float, list[float]] | None:
        """The rate at which all customers are somewhere, and the queue lengths, by Newton's method between bounds.

        None if there is no such rate, where a queue is served faster than it holds those who come.
        """
        for queue, change in zip(self.queues, changes, strict=True):
            queue.meet(customers, change)
        low, high = (
            0.0,
            min(
                customers / (self.delay + sum([queue.alone / queue.left for queue in self.queues])),
                min([queue.greatest for queue in self.queues], default=math.inf),
            ),
        )
        even = customers / len(self.queues) if self.queues else 0.0
        rate = min(customers / (self.delay + sum([queue.seconds(even) for queue in self.queues])), 0.99 * high)
        nearest, best = math.inf, (rate, list[float]())
        for _ in range(MOST_STEPS):
            found = [queue.length(rate) for queue in self.queues]
            there = self.delay * rate + sum([length for length, _ in found])
            missing = abs(there - customers)
            if missing < nearest:
                nearest, best = missing, (rate, [length for length, _ in found])
            elif nearest <= ENOUGH * customers:
                break  # only rounding is left
            low, high = (rate, high) if there < customers else (low, rate)
            growth = self.delay + sum([growth for _, growth in found])
            following = rate + there / growth * (1.0 - there / customers)  # of 1 / there, which is nearly straight
            if following == rate:
                break
            rate = following if low < following < high else 0.5 * (low + high)
        return best if nearest <= ENOUGH * customers else None
