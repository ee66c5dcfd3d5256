"""The least that a transfer costs in a program written by hand for SimPy: a start, a change of an equal share, an end.

Each transfer crosses only the busiest of its links, which all on it share equally. There are no other links, caps or
weights, no totals, no records and no causes. What the engine costs beyond this is the price of these.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from heapq import heappop, heappush
from typing import Any

import simpy

from benchmarks.transfers import DataSet
from simbackup.collector import seldom


class EqualLink:
    """A link that all on it share equally, with a clock that shows the bytes that each has moved."""

    def __init__(self, env: simpy.Environment, capacity: float) -> None:
        self.env, self.capacity = env, capacity
        self.shown = self.since = 0.0
        self.order: list[tuple[float, int, simpy.Event]] = []
        self.alarm: simpy.Event | None = None

    def start(self, number: int, size: float) -> simpy.Event:
        """An event that happens when so many bytes have been moved."""
        self._advance()
        done = self.env.event()
        heappush(self.order, (self.shown + size, number, done))
        self._expect()
        return done

    def _advance(self) -> None:
        now = float(self.env.now)
        if self.order:
            self.shown += (now - self.since) * self.capacity / len(self.order)
        self.since = now

    def _expect(self) -> None:
        self.alarm = None
        if self.order:
            left = max(0.0, self.order[0][0] - self.shown)
            self.alarm = timeout = self.env.timeout(left * len(self.order) / self.capacity)
            timeout.callbacks = [self._ring]

    def _ring(self, alarm: simpy.Event) -> None:
        if alarm is self.alarm:
            self._advance()
            self.shown, _, done = heappop(self.order)
            done.succeed()
            self._expect()


def busiest(data: DataSet) -> list[int]:
    """The link of each transfer that all transfers together keep busy for longest."""
    seconds = [0.0] * len(data.capacities)
    for transfer in data.transfers:
        for link in transfer.links:
            seconds[link] += transfer.size / data.capacities[link]
    return [max(transfer.links, key=seconds.__getitem__) for transfer in data.transfers]


def run(data: DataSet) -> float:
    """CPU microseconds for each transfer."""
    env = simpy.Environment()
    links, crossed = [EqualLink(env, capacity) for capacity in data.capacities], busiest(data)

    def operator() -> Generator[simpy.Event, Any]:
        done: list[simpy.Event] = []
        for number, transfer in enumerate(data.transfers):
            if transfer.begin > env.now:
                yield env.timeout(transfer.begin - env.now)
            done.append(links[crossed[number]].start(number, transfer.size))
        yield env.all_of(done)

    began = time.process_time()
    with seldom():  # as for the engine
        env.run(until=env.process(operator()))
    return (time.process_time() - began) / len(data.transfers) * 1e6
