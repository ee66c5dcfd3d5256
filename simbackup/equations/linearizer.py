"""Rates of circulating customers of several kinds, by the Linearizer of Chandy and Neuse (1982), with numpy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from simbackup.equations.one_kind import REFINEMENTS, SCATTER

Numbers = NDArray[np.float64]
Kind = tuple[int, float, Sequence[tuple[int, float, float, float]]]
"""Customers, seconds of delay, and visits: the number of a queue, seconds of waiting alone, share held, and how often.
"""

PRECISION = 1e-9
"""Customers, for each customer, by which a queue may still change when it is found."""
MOST_ROUNDS = 500
FARTHEST = 50.0
"""Times the last change that one round goes further at most."""
MOST_PASSES = 30
"""Times that the rates behind what each service delays are taken anew."""
CLOSE = 1e-9
"""Share of a round by which it may still change then."""


class Linearizer:
    """Kinds of customers, and how the share of each kind in a queue changes when one customer is missing.

    Arrays have a plane for each population that is solved at the same time, a row for each kind, and a column for each
    queue where kinds meet, then one for each further queue that a kind has to itself.
    """

    def __init__(self, kinds: Sequence[Kind], others: Sequence[float], pooled: Sequence[float | None]) -> None:
        visits = [{queue: visit for queue, *visit in each} for *_, each in kinds]
        at = Counter(queue for there in visits for queue in there)
        shared = {queue: column for column, queue in enumerate(sorted(queue for queue in at if at[queue] > 1))}
        self.columns: list[list[int]] = []
        for there in visits:
            own = count(len(shared))
            self.columns.append([shared[queue] if queue in shared else next(own) for queue in there])
        self.shared = len(shared)
        shape = len(kinds), max((column + 1 for columns in self.columns for column in columns), default=0)
        self.there, self.blocked, self.pooled = (np.zeros(shape, dtype=bool) for _ in range(3))
        self.wait, self.held, self.free, self.left = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.ones(shape)
        ordered = {queue for queue in shared if all(there[queue][2] > 0.0 for there in visits if queue in there)}
        self.size: Numbers | None = np.ones(shape) if ordered else None
        """Seconds of a queue that one visit holds, where those who come are served in order; one where all share it."""
        self.ordered = np.zeros(shape, dtype=bool)
        for row, (there, columns) in enumerate(zip(visits, self.columns, strict=True)):
            for (queue, (wait, held, times)), column in zip(there.items(), columns, strict=True):
                here, servers, left = (row, column), pooled[queue], 1.0 - others[queue]
                self.there[here], self.wait[here] = True, wait
                if servers is not None:
                    self.pooled[here], self.free[here], self.held[here] = True, servers - 1.0, wait / servers
                elif left > 0.0:
                    self.held[here], self.left[here] = held, left
                else:
                    self.blocked[here] = True
                if self.size is not None and queue in ordered:
                    self.size[here], self.held[here], self.ordered[here] = self.held[here] / times, times, True
        self.delay = np.array([delay for _, delay, _ in kinds])
        self.full = np.array([float(customers) for customers, *_ in kinds])
        self.changes = np.zeros((len(kinds), *shape))  # by who is missing

    def solved(self) -> list[tuple[float, tuple[float, ...]]]:
        """For each kind, the rounds a second of all its customers, and the seconds that one takes at each visit."""
        full = self.full[None]
        rates, seconds, queues = self._core(full, self._even(full))
        if full.sum() > 1.0:
            fewer = full - np.eye(len(self.full))
            present = fewer[:, :, None] > 0.0
            without = queues * (fewer / full)[:, :, None]  # nearly what is there without one
            for _ in range(REFINEMENTS):
                *_, without = self._core(fewer, without)
                changes = without / np.maximum(fewer, 1.0)[:, :, None] - queues / full[:, :, None]
                self.changes = np.where(present, changes, 0.0)
                rates, seconds, queues = self._core(full, queues)
        return [
            (float(rate), tuple(float(row[column]) for column in columns))
            for rate, row, columns in zip(rates[0], seconds[0], self.columns, strict=True)
        ]

    def _even(self, customers: Numbers) -> Numbers:
        """Queue lengths to begin with: customers spread evenly."""
        return np.where(self.there, (customers / np.maximum(self.there.sum(axis=1), 1))[:, :, None], 0.0)

    def _core(self, customers: Numbers, queues: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Rates, seconds of each visit, and queue lengths of some populations, by successive substitution."""
        rates = seconds = queues
        precision = PRECISION * np.maximum(customers.sum(axis=1), 1.0)
        count = _Found(customers, self.changes, self.shared)
        size = self.size
        work = _Found(customers, self.changes * size, self.shared) if size is not None else None
        most, pools = self._most(customers), bool(self.pooled.any())
        last: tuple[Numbers, Numbers] | None = None
        for _ in range(MOST_ROUNDS):
            found = count.of(queues)
            ahead = work.of(queues * size) if work is not None and size is not None else found
            if pools:
                beyond = self._excess(found, most)
                ahead = beyond if work is None else ahead * beyond / np.where(found > 0.0, found, 1.0)
            seconds = (self.wait + self.held * ahead) / self.left
            if size is not None:
                seconds = self._met_once(customers, queues * size, seconds)
            total = self.delay + seconds.sum(axis=2)
            rates = customers / total
            lengths = rates[:, :, None] * seconds
            if self.blocked.any():
                self._stop(customers, rates, seconds, lengths)
            steps = lengths - queues
            done = (np.abs(steps).max(axis=(1, 2), initial=0.0) <= precision).all()
            before, queues = queues, _further(queues, steps, last)
            last = before, steps
            if done:
                break
        return rates, seconds, queues

    def _met_once(self, customers: Numbers, work: Numbers, seconds: Numbers) -> Numbers:
        """The seconds of each visit, where each service at a queue in order delays a customer of another kind once.

        Mean-value analysis takes each visit to meet the mean queue. A customer who comes often meets a long service
        at one visit only, and comes again when it has gone: in a round of T, it waits `T sum_j U_j` for others at most.
        """
        own = (self.wait + self.held * work * (1.0 - 1.0 / np.maximum(customers, 1.0))[:, :, None]) / self.left
        found, total = seconds, self.delay + seconds.sum(axis=2)
        for _ in range(MOST_PASSES):
            used = np.where(self.ordered, (customers / total)[:, :, None] * self.held * self.size, 0.0)
            others = used.sum(axis=1, keepdims=True) - used
            found = np.where(self.ordered, np.minimum(seconds, own + others * total[:, :, None]), seconds)
            before, total = total, self.delay + found.sum(axis=2)
            if (np.abs(total - before) <= CLOSE * total).all():
                break
        return found

    def _stop(self, customers: Numbers, rates: Numbers, seconds: Numbers, lengths: Numbers) -> None:
        """Let nobody go on where others take all of a queue on the way."""
        seconds[:, self.blocked] = math.inf
        ended = self.blocked.any(axis=1)
        rates[:, ended] = 0.0
        lengths[:, ended] = np.where(self.there, customers[:, :, None], 0.0)[:, ended]

    def _most(self, customers: Numbers) -> Numbers:
        """How many a customer of each kind can find at most in each queue."""
        there = np.where(self.there, customers[:, :, None], 0.0)
        there[:, :, : self.shared] = there[:, :, : self.shared].sum(axis=1, keepdims=True)
        return np.maximum(there - 1.0, 0.0)

    def _excess(self, found: Numbers, most: Numbers) -> Numbers:
        """`one_kind.excess` where servers are pooled; elsewhere all who are found."""
        room, beyond = most > self.free, found - self.free
        spread = SCATTER * found * np.maximum(1.0 - found / np.where(most > 0.0, most, 1.0), 0.0)
        beyond = np.where(self.free > 0.0, 0.5 * (beyond + np.sqrt(beyond * beyond + spread)), beyond)
        return np.where(self.pooled, np.where(room, beyond, 0.0), found)


def _further(queues: Numbers, steps: Numbers, last: tuple[Numbers, Numbers] | None) -> Numbers:
    """The next queue lengths of each population, from these, what substitution would add, and both of the round before.

    Anderson, "Iterative Procedures for Nonlinear Integral Equations", Journal of the ACM 12(4), 1965, with one round
    before and half steps; half a step alone where it would go far or below zero.
    """
    half = queues + 0.5 * steps
    if last is None:
        return half
    bends = steps - last[1]
    square, product = ((each * bends).sum(axis=2).sum(axis=1)[:, None, None] for each in (bends, steps))
    part = product / np.where(square > 0.0, square, 1.0)
    found = half - part * ((queues - last[0]) + 0.5 * bends)
    good = (np.abs(part) <= FARTHEST) & (found >= 0.0).all(axis=(1, 2), keepdims=True)
    return np.where(good, found, half)


class _Found:
    """What one customer of each kind finds in each queue, of some populations: how many customers, or their work.

    Parameters
    ----------
    customers
        Of each kind, in each population.
    changes
        How the share of each customer in each queue changes with one missing, by who is missing.
    shared
        In how many of the queues kinds meet.
    """

    def __init__(self, customers: Numbers, changes: Numbers, shared: int) -> None:
        self.here, self.changes, self.shared = customers, changes, shared
        self.n = customers[:, :, None]
        self.part = 1.0 / np.maximum(self.n, 1.0)
        self.fewer = self._fewer()
        self.missed = self.n * np.max(-changes, axis=0) if shared else self.n

    def of(self, queues: Numbers) -> Numbers:
        """What a customer of each kind finds on arrival: customers if `queues` are lengths, or else their work."""
        found = queues - queues * self.part + self.fewer
        if self.shared:
            self._meet(found, queues)
        return np.maximum(found, 0.0)

    def _fewer(self) -> Numbers:
        """By how many customers each kind finds queues longer than they are, but for itself."""
        own = np.arange(len(self.changes))
        itself = self.changes[own, own]
        found = np.zeros((len(self.here), *itself.shape))
        for other, changes in enumerate(self.changes.transpose(1, 0, 2)):  # one by one, as sums of BLAS vary by machine
            found += self.here[:, other, None, None] * changes
        found[:, :, self.shared :] = self.n * itself[:, self.shared :]
        return found - np.where(self.n > 0.0, itself, 0.0)

    def _meet(self, found: Numbers, queues: Numbers) -> None:
        """Add those of other kinds to what one of each finds in each shared queue, of no kind fewer than nobody."""
        meet = slice(self.shared)
        there = queues[:, :, meet]
        found[:, :, meet] += there.sum(axis=1, keepdims=True) - there
        for population, queue in np.argwhere((there < self.missed[:, :, meet]).any(axis=1)):
            here = self.here[population]
            shares = queues[population, :, queue] / np.maximum(here, 1.0) + self.changes[:, :, queue]
            others = np.maximum(here - np.eye(len(here)), 0.0)
            found[population, :, queue] = np.maximum(others * shares, 0.0).sum(axis=1)
