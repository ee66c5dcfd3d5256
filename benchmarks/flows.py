"""CPU time of the flow engine for each completed flow, compared with a bare SimPy timeout.

A synthetic backup site: every client has a disk and a network card, forty clients share the link of their rack, and ten
clients share one tape drive. Jobs begin at uniformly drawn times; their sizes are lognormal. Where fewer jobs are drawn
than a day holds, the day is shortened in proportion, so that as many flows run at once as on the full day.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal

import simpy

from simbackup.engine.flows import FlowNetwork, Link

Kind = Literal["local", "random"]

DAY_S = 86_400.0
JOBS_A_DAY = 50
DISK, CARD, RACK, DRIVE = 200e6, 125e6, 1.25e9, 300e6
"""Bytes per second of a client's disk, its card of 1 Gb/s, a rack's link of 10 Gb/s, and a tape drive."""
CLIENTS_A_RACK, CLIENTS_A_DRIVE = 40, 10
MEAN_SIZE, SPREAD = 30e9, 1.0
"""Mean bytes of a job, and the standard deviation of their logarithm."""
TIMEOUTS = 200_000
SIZES = ((10, JOBS_A_DAY), (100, 10), (1000, 1))
"""Clients, and jobs of each: few enough that all ends within a minute."""


@dataclass(frozen=True, slots=True)
class Job:
    """One backup: when it begins (seconds), its bytes, and the links that it crosses."""

    begin: float
    size: float
    links: tuple[Link, ...]


def workload(clients: int, jobs: int, kind: Kind, seed: int) -> list[Job]:
    """The jobs of all clients in the order of their beginnings; `local` ones stay with the drives of their rack."""
    draw = random.Random(f"{kind}/{clients}/{jobs}/{seed}")  # noqa: S311 (a workload is no secret)
    racks = [Link(f"rack.{i}", RACK) for i in range(math.ceil(clients / CLIENTS_A_RACK))]
    drives = [Link(f"drive.{i}", DRIVE) for i in range(math.ceil(clients / CLIENTS_A_DRIVE))]
    each = CLIENTS_A_RACK // CLIENTS_A_DRIVE
    made: list[Job] = []
    for client in range(clients):
        rack = client // CLIENTS_A_RACK
        own = (Link(f"disk.{client}", DISK), Link(f"card.{client}", CARD), racks[rack])
        near = drives if kind == "random" else drives[rack * each : (rack + 1) * each]
        for _ in range(jobs):
            begin = draw.uniform(0.0, DAY_S * jobs / JOBS_A_DAY)
            size = draw.lognormvariate(math.log(MEAN_SIZE) - SPREAD**2 / 2, SPREAD)
            made.append(Job(begin, size, (*own, draw.choice(near))))
    return sorted(made, key=lambda job: job.begin)


def run(jobs: list[Job]) -> float:
    """CPU microseconds for each completed flow."""
    env = simpy.Environment()
    network = FlowNetwork(env)

    def operator() -> Generator[simpy.Event, Any]:
        flows: list[simpy.Event] = []
        for number, job in enumerate(jobs):
            yield env.timeout(job.begin - env.now)
            demands = dict.fromkeys(job.links, 1.0)
            flows.append(network.start(f"jobs.{number}", "backup", job.size, demands).done)
        yield env.all_of(flows)

    began = time.process_time()
    env.run(until=env.process(operator()))
    return (time.process_time() - began) / len(jobs) * 1e6


def bare_timeout() -> float:
    """CPU microseconds of one timeout of one process, the least that an event in SimPy costs."""
    env = simpy.Environment()

    def clock() -> Generator[simpy.Event, Any]:
        for _ in range(TIMEOUTS):
            yield env.timeout(1.0)

    began = time.process_time()
    env.run(until=env.process(clock()))
    return (time.process_time() - began) / TIMEOUTS * 1e6


def main() -> None:
    """Print one line for each workload."""
    parser = argparse.ArgumentParser(description="CPU time of the flow engine for each completed flow")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full-day", action="store_true", help=f"{JOBS_A_DAY} jobs a client: minutes, not seconds")
    asked = parser.parse_args()
    bare = min(bare_timeout() for _ in range(3))
    print(f"bare SimPy timeout: {bare:.2f} us\n")
    print(f"{'kind':<8}{'clients':>9}{'flows':>8}{'us a completion':>18}{'ratio to a timeout':>21}")
    kinds: tuple[Kind, ...] = ("local", "random")
    for kind in kinds:
        for clients, few in SIZES:
            jobs = workload(clients, JOBS_A_DAY if asked.full_day else few, kind, asked.seed)
            spent = run(jobs)
            print(f"{kind:<8}{clients:>9}{len(jobs):>8}{spent:>18.0f}{spent / bare:>21.0f}")


if __name__ == "__main__":
    main()
