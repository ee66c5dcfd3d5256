"""Requests of several kinds that circulate between shared queues, and how long they wait for each other.

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

from simbackup.equations.one_kind import turnout


class Visit(NamedTuple):
    """A shared queue that customers visit in each round.

    Its number, the seconds that a customer takes there in one round when alone, and the share of the queue that one
    round a second holds: less than the seconds where several equal servers are visited at random, such as disks.
    """

    queue: int
    wait: float
    held: float


@dataclass(frozen=True, slots=True)
class Round:
    """Customers of one kind: how many circulate, the seconds outside all queues, and where they queue."""

    customers: int
    delay: float
    visits: tuple[Visit, ...]


class Turnout(NamedTuple):
    """Rounds a second of all customers of one kind, and the seconds that one takes at each of its visits."""

    rate: float
    residence: tuple[float, ...]


def circulate(rounds: Sequence[Round], others: Sequence[float], pooled: Sequence[float | None]) -> tuple[Turnout, ...]:
    """Rates of several kinds of customers that circulate at the same time.

    A customer that arrives sees the queue without itself, `R_ck = (w_ck + h_ck Q_k(N - 1_c)) / (1 - o_k)`, and its
    kind completes `X_c = N_c / (Z_c + sum R_ck)` rounds per second. If servers share one queue (`pooled`, their number
    m), nobody waits before all m are busy: `R = w + w / m max(0, Q - (m - 1))`. Exact for one customer, and where no
    two meet; within 2 % of exact mean value analysis for exponential service times. Waits for constant service times
    are shorter, at most by half, where one queue is half used. The share o that others take without waiting stretches
    each service as in an open queue.

    Parameters
    ----------
    rounds
        The kinds.
    others
        Share of each queue that others use.
    pooled
        For each queue, the number of servers if they share it; None if each server has its own queue.

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
    solved = _solved([(customers, *key) for key, customers in merged.items()], others, pooled)
    found = {key: Turnout(rate, seconds) for key, (rate, seconds) in zip(merged, solved, strict=True)}
    turned: list[Turnout] = []
    for one in rounds:
        all_of_them = found[one.delay, one.visits]
        turned.append(all_of_them._replace(rate=all_of_them.rate * one.customers / merged[one.delay, one.visits]))
    return tuple(turned)


def _solved(
    kinds: Sequence[tuple[int, float, tuple[Visit, ...]]], others: Sequence[float], pooled: Sequence[float | None]
) -> Sequence[tuple[float, tuple[float, ...]]]:
    """For each of several kinds, the rounds a second of all its customers, and the seconds that one takes."""
    alone = turnout(*kinds[0], others, pooled) if len(kinds) == 1 else None
    if alone is not None:
        return [alone]
    from simbackup.equations.linearizer import Linearizer  # noqa: PLC0415 (numpy takes a while to import)

    return Linearizer(kinds, others, pooled).solved()
