"""Groups of workers that queue at shared stations, simulated event by event, as an oracle for how fast they go.

A group has some workers. A worker takes an item from the buffer before its group, waits out a delay, visits stations
one after the other, puts the item in the buffer behind its group, and takes the next one. The first group always finds
items, and behind the last one there is always room. A station has some servers and one queue, first come first served;
a lock is a station of one server. Groups of one job, and of several jobs, meet at stations.

`worker_groups.csv` has the items a second of each job, and the standard error of each as a share of it: at most 0.3 %.
Run this file to write it anew (20 minutes).
"""

import csv
import math
import random
import statistics
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import simpy

FILE = Path(__file__).with_suffix(".csv")
ALONE, MEETING = range(200), range(1000, 1050)
"""Seeds of one job, and of two or three jobs at the same stations."""
PRECISION = 0.003
"""Greatest standard error of a rate, as a share of it."""
BATCH, LEAST, MOST = 500, 20, 2000
"""Items of a batch of the slowest job, and how many batches are simulated at least and at most."""
WARM = 4
"""Batches before these, which do not count."""
KINDS = ("exponential", "erlang", "constant")
"""Distributions of services and delays; Erlang's has two stages."""


@dataclass(frozen=True)
class Group:
    """Workers, the seconds of a delay, and the stations that each item visits in turn, with the seconds of service."""

    workers: int
    delay: float
    visits: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Job:
    """Groups one behind the other, and the items that fit between each two."""

    groups: tuple[Group, ...]
    buffers: tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """Jobs that run at once, and the servers of each station."""

    servers: tuple[int, ...]
    jobs: tuple[Job, ...]


class Found(NamedTuple):
    """Items a second of a job, and the standard error as a share of it."""

    rate: float
    error: float


@cache
def case(seed: int) -> Case:
    """The case of a seed: one job of one to four groups, or two or three jobs of one or two groups."""
    draw = random.Random(seed)  # noqa: S311
    alone = seed in ALONE
    servers = tuple(1 if draw.random() < 0.5 else draw.randint(2, 8) for _ in range(draw.randint(2, 5 if alone else 3)))
    jobs = 1 if alone else draw.randint(2, 3)
    return Case(servers, tuple(_job(draw, servers, draw.randint(1, 4 if alone else 2)) for _ in range(jobs)))


def _job(draw: random.Random, servers: Sequence[int], groups: int) -> Job:
    made: list[Group] = []
    for _ in range(groups):
        workers = draw.choice([1, 1, 2, 3, 4, 6, 8, 12, 16])
        delay = draw.choice([0.0, 0.5, 2.0]) * draw.random()
        stations = draw.sample(range(len(servers)), draw.randint(1, min(3, len(servers))))
        # those with several servers serve longer, so that they are no less often the bottleneck
        sizes = [draw.choice([0.1, 0.5, 1.0]) * draw.uniform(0.2, 1.0) * max(1.0, 0.7 * servers[k]) for k in stations]
        made.append(Group(workers, delay, tuple(zip(stations, sizes, strict=True))))
    return Job(tuple(made), tuple(draw.choice([1, 2, 4, 8, 16, 32]) for _ in made[1:]))


class _Station:
    """Equal servers with one queue: who comes when all are busy waits for the first that is free, in order."""

    def __init__(self, env: simpy.Environment, servers: int) -> None:
        self.env, self.free, self.waiting = env, servers, deque[simpy.Event]()

    def enter(self) -> simpy.Event | None:
        """Take a server, or return what to wait for."""
        if self.free:
            self.free -= 1
            return None
        self.waiting.append(event := self.env.event())
        return event

    def leave(self) -> None:
        """Leave the server to who has waited longest."""
        if self.waiting:
            self.waiting.popleft().succeed()
        else:
            self.free += 1


class _Run:
    """The workers of a case at work."""

    def __init__(self, one: Case, draw: Callable[[float], float], start: Callable[[], float]) -> None:
        self.env, self.draw, self.start = simpy.Environment(), draw, start
        self.stations = [_Station(self.env, servers) for servers in one.servers]
        self.done = [0 for _ in one.jobs]
        for number, job in enumerate(one.jobs):
            # a buffer is two queues: that of its items and that of its free places
            items = [_Station(self.env, 0) for _ in job.buffers]
            room = [_Station(self.env, places) for places in job.buffers]
            for place, group in enumerate(job.groups):
                taken = (items[place - 1], room[place - 1]) if place else None
                put = (items[place], room[place]) if place < len(job.buffers) else None
                for _ in range(group.workers):
                    self.env.process(self._work(number, group, taken, put))

    def _work(
        self, job: int, group: Group, taken: tuple[_Station, _Station] | None, put: tuple[_Station, _Station] | None
    ) -> Generator[simpy.Event, Any, None]:
        env, draw = self.env, self.draw
        yield env.timeout(self.start())
        while True:
            if taken is not None:
                if (wait := taken[0].enter()) is not None:
                    yield wait
                taken[1].leave()
            if group.delay > 0.0:
                yield env.timeout(draw(group.delay))
            for number, seconds in group.visits:
                station = self.stations[number]
                if (wait := station.enter()) is not None:
                    yield wait
                yield env.timeout(draw(seconds))
                station.leave()
            if put is None:
                self.done[job] += 1
                continue
            if (wait := put[1].enter()) is not None:
                yield wait
            put[0].leave()

    def batches(self) -> Iterator[list[float]]:
        """Items a second of each job in one batch after the other, each of the same time."""
        while min(self.done) < WARM * BATCH:
            self.env.step()
        span, before = self.env.now * BATCH / min(self.done), list(self.done)
        while True:
            self.env.run(until=self.env.now + span)
            yield [(now - then) / span for now, then in zip(self.done, before, strict=True)]
            before = list(self.done)


def simulate(one: Case, kind: str, seed: int = 0) -> list[Found]:
    """Items a second of each job of a case when services and delays are of a kind."""
    random_ = random.Random(f"{kind} {seed}")  # noqa: S311
    draws: Mapping[str, Callable[[float], float]] = {
        "exponential": lambda mean: random_.expovariate(1.0 / mean),
        "erlang": lambda mean: random_.expovariate(2.0 / mean) + random_.expovariate(2.0 / mean),
        "constant": lambda mean: mean,
    }
    rates: list[list[float]] = [[] for _ in one.jobs]
    found: list[Found] = []
    for number, batch in enumerate(_Run(one, draws[kind], random_.random).batches(), 1):
        for series, rate in zip(rates, batch, strict=True):
            series.append(rate)
        if number < LEAST:
            continue
        found = [_found(series) for series in rates]
        if number == MOST or max(each.error for each in found) <= PRECISION:
            break
    return found


def _found(series: Sequence[float]) -> Found:
    rate = statistics.fmean(series)
    return Found(rate, statistics.stdev(series) / math.sqrt(len(series)) / rate)


@cache
def found() -> dict[tuple[int, str], tuple[Found, ...]]:
    """For each case by its seed and each kind, what `worker_groups.csv` has of its jobs."""
    rows: dict[tuple[int, str], tuple[Found, ...]] = {}
    with FILE.open(newline="") as file:
        for row in csv.DictReader(file):
            key = int(row["seed"]), row["kind"]
            rows[key] = (*rows.get(key, ()), Found(float(row["items_per_s"]), float(row["standard_error"])))
    return rows


if __name__ == "__main__":
    with FILE.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["seed", "kind", "job", "items_per_s", "standard_error"])
        for seed in (*ALONE, *MEETING):
            for kind in KINDS:
                for job, (rate, error) in enumerate(simulate(case(seed), kind, seed)):
                    out.writerow([seed, kind, job, f"{rate:.5g}", f"{error:.2g}"])
