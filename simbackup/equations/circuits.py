"""Requests of several kinds that go round between shared queues: who waits how long behind whom.

Reiser and Lavenberg, "Mean-Value Analysis of Closed Multichain Queuing Networks", Journal of the ACM 27(2), 1980, for
the equations; Chandy and Neuse, "Linearizer: A Heuristic Algorithm for Queueing Network Models of Computing Systems",
Communications of the ACM 25(2), 1982, for their solution without all smaller populations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple


class Visit(NamedTuple):
    """A shared queue on the way round.

    Its number, the seconds of one round that a customer takes there while alone, and the share of the queue that one
    round a second holds: less than the seconds where several equal servers are visited at random, such as disks.
    """

    queue: int
    wait: float
    held: float


@dataclass(frozen=True, slots=True)
class Round:
    """Customers of one kind: how many go round, the seconds outside all queues, and where they queue."""

    customers: int
    delay: float
    visits: tuple[Visit, ...]


class Turnout(NamedTuple):
    """Rounds a second of all customers of one kind, and the seconds that one takes at each of its visits."""

    rate: float
    residence: tuple[float, ...]


PRECISION = 1e-9
MOST_ROUNDS = 500
REFINEMENTS = 2
"""Times that the change of queue lengths by one customer is taken anew, as Chandy and Neuse do."""


def circulate(rounds: Sequence[Round], others: Sequence[float], pooled: Sequence[float | None]) -> tuple[Turnout, ...]:
    """Rates of several kinds of customers who go round at once.

    A customer that arrives sees the queue without itself, `R_ck = (w_ck + h_ck Q_k(N - 1_c)) / (1 - o_k)`, and its kind
    goes round `X_c = N_c / (Z_c + sum R_ck)` times a second. Where servers share one queue (`pooled`, their number m),
    nobody waits before all m are taken: `R = w + w / m max(0, Q - (m - 1))`. Exact for one customer, and where no two
    meet; within 2 % of exact mean value analysis for service times that spread exponentially. Service times of one
    length wait less: at most by half of the wait, where one queue is half used. What others take without waiting, o,
    stretches each service as in an open queue.

    Parameters
    ----------
    rounds
        The kinds.
    others
        Share of each queue that goes to others.
    pooled
        For each queue the number of its servers, if they share it; None where each has its own.

    Raises
    ------
    ValueError
        If a round takes no time at all.

    >>> one = Round(2, 0.0, (Visit(0, 1.0, 1.0), Visit(1, 1.0, 1.0)))
    >>> round(circulate([one], [0.0, 0.0], [None, None])[0].rate, 2)  # mva_closed gives 2 / 3
    0.67
    """
    return _circulate(tuple(rounds), tuple(others), tuple(pooled))


@lru_cache(maxsize=4096)
def _circulate(
    rounds: tuple[Round, ...], others: tuple[float, ...], pooled: tuple[float | None, ...]
) -> tuple[Turnout, ...]:
    if any(one.delay + math.fsum(visit.wait for visit in one.visits) <= 0.0 for one in rounds):
        raise ValueError("a round without service or delay has no finite rate")
    merged: dict[tuple[float, tuple[Visit, ...]], int] = {}
    for one in rounds:  # equal kinds are one kind
        merged[one.delay, one.visits] = merged.get((one.delay, one.visits), 0) + one.customers
    kinds = [Round(customers, *key) for key, customers in merged.items()]
    found = dict(zip(merged, _Linearizer(kinds, others, pooled).solved(), strict=True))
    turned: list[Turnout] = []
    for one in rounds:
        all_of_them = found[one.delay, one.visits]
        turned.append(all_of_them._replace(rate=all_of_them.rate * one.customers / merged[one.delay, one.visits]))
    return tuple(turned)


class _Linearizer:
    """Kinds of customers, and how the share of each kind in a queue changes when one customer is missing."""

    def __init__(self, kinds: list[Round], others: Sequence[float], pooled: Sequence[float | None]) -> None:
        self.kinds, self.others, self.pooled = kinds, others, pooled
        self.visits = [{visit.queue: visit for visit in kind.visits} for kind in kinds]
        self.every = range(len(kinds))
        self.sharing = self._shared()
        self.changes = [[dict.fromkeys(there, 0.0) for there in self.visits] for _ in kinds]  # by who is missing
        self.most_missed = self._most_missed()

    def _shared(self) -> dict[int, list[int]]:
        """The queues in which customers of several kinds meet, with these."""
        at: dict[int, list[int]] = {}
        for kind, there in enumerate(self.visits):
            for queue in there:
                at.setdefault(queue, []).append(kind)
        return {queue: kinds for queue, kinds in at.items() if len(kinds) > 1}

    def _most_missed(self) -> dict[tuple[int, int], float]:
        """By how much less of each kind is in a queue when one of the customers there is missing, at the most."""
        return {
            (queue, kind): max(-self.changes[missing][kind][queue] for missing in kinds)
            for queue, kinds in self.sharing.items()
            for kind in kinds
        }

    def solved(self) -> list[Turnout]:
        """The turnout of each kind."""
        full = [kind.customers for kind in self.kinds]
        queues = self._even(full)
        turned, queues = self._core(full, queues)
        if sum(full) > 1:
            for _ in range(REFINEMENTS):
                changes = [[dict(there) for there in of] for of in self.changes]
                for missing in self.every:
                    fewer = [n - (kind == missing) for kind, n in enumerate(full)]
                    _, without = self._core(fewer, self._even(fewer))
                    for kind in self.every:
                        for queue in self.visits[kind]:
                            before = queues[kind][queue] / full[kind]
                            after = without[kind][queue] / fewer[kind] if fewer[kind] else before
                            changes[missing][kind][queue] = after - before
                self.changes = changes
                self.most_missed = self._most_missed()
                turned, queues = self._core(full, queues)
        return turned

    def _even(self, customers: list[int]) -> list[dict[int, float]]:
        """Queue lengths to begin with: customers spread evenly."""
        return [dict.fromkeys(there, n / max(len(there), 1)) for n, there in zip(customers, self.visits, strict=True)]

    def _core(
        self, customers: list[int], queues: list[dict[int, float]]
    ) -> tuple[list[Turnout], list[dict[int, float]]]:
        """Turnouts and queue lengths of a population, by successive substitution."""
        turned: list[Turnout] = []
        fewer = self._fewer(customers)
        for _ in range(MOST_ROUNDS):
            turned, following, change = [], list[dict[int, float]](), 0.0
            lengths = self._lengths(customers, queues)
            for kind, there in enumerate(queues):
                seconds = self._seconds(kind, customers, queues, lengths, fewer[kind])
                total, n = self.kinds[kind].delay + math.fsum(seconds), customers[kind]
                turned.append(Turnout(n / total, tuple(seconds)))
                ended = math.isfinite(total)
                halfway: dict[int, float] = {}
                for (q, before), each in zip(there.items(), seconds, strict=True):
                    length = n * (each / total if ended else 1.0)
                    change = max(change, abs(length - before))
                    halfway[q] = (before + length) / 2.0
                following.append(halfway)
            queues = following
            if change <= PRECISION * max(sum(customers), 1):
                break
        return turned, queues

    def _seconds(
        self,
        kind: int,
        customers: list[int],
        queues: list[dict[int, float]],
        lengths: dict[int, float],
        fewer: dict[int, float],
    ) -> list[float]:
        """Seconds that one customer of a kind takes in each of its visits, its waiting included."""
        own, there, seconds = customers[kind], queues[kind], list[float]()
        for q, visit in self.visits[kind].items():
            if q in lengths:  # all but itself, and as many fewer as are not there while it is missing
                found = lengths[q] + fewer[q] - (there[q] / own if own else 0.0)
                found = max(found, 0.0)
            else:
                found = self._found(kind, q, customers, queues)
            left, servers = 1.0 - self.others[q], self.pooled[q]
            if servers is not None:
                seconds.append(visit.wait + visit.wait / servers * max(found - (servers - 1.0), 0.0))
            else:
                seconds.append((visit.wait + visit.held * found) / left if left > 0.0 else math.inf)
        return seconds

    def _fewer(self, customers: list[int]) -> list[dict[int, float]]:
        """By how many customers each kind finds shared queues longer than they are, but for itself."""
        return [
            {
                q: sum((customers[other] - (other == kind)) * self.changes[kind][other][q]
                       for other in self.sharing[q] if customers[other])
                for q in there if q in self.sharing
            }
            for kind, there in enumerate(self.visits)
        ]  # fmt: skip

    def _lengths(self, customers: list[int], queues: list[dict[int, float]]) -> dict[int, float]:
        """The lengths of shared queues, where no kind would be found with less than nobody."""
        found: dict[int, float] = {}
        for q, kinds in self.sharing.items():
            here = [kind for kind in kinds if customers[kind]]
            if all(queues[kind][q] >= customers[kind] * self.most_missed[q, kind] for kind in here):
                found[q] = sum(queues[kind][q] for kind in here)
        return found

    def _found(self, kind: int, queue: int, customers: list[int], queues: list[dict[int, float]]) -> float:
        """How many customers one of a kind finds in a queue, of no kind fewer than nobody."""
        found = 0.0
        for other in self.sharing.get(queue, (kind,)):
            if n := customers[other]:
                share = queues[other][queue] / n + self.changes[kind][other][queue]
                found += max((n - (other == kind)) * share, 0.0)
        return found
