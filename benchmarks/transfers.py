"""Data sets of transfers: when each begins, its bytes, and the links that it crosses.

`w2_N_random`, `w2_N_local`: N clients with a disk (200 MB/s) and a card (1 Gb/s) each, one link of a rack (10 Gb/s) for
40 clients and one tape drive (300 MB/s) for 10; 50 jobs a client begin at random times of a day, of 30 GB on average
(lognormal, sigma 1). `local` jobs use a drive of their own rack, `random` ones any: one component.
`core_K`: 4 K transfers over one link that holds 1 MB/s for each of K, with disks and cards of their own.
"""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import simpy

from simbackup.collector import seldom
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork

DAY_S = 86_400.0
JOBS_A_CLIENT = 50
DISK, CARD, RACK, DRIVE, ENDLESS = 200e6, 125e6, 1.25e9, 300e6, 1e12
"""Bytes per second of a client's disk, its card, a rack's link, a tape drive, and of what is never full."""
CLIENTS_A_RACK, CLIENTS_A_DRIVE = 40, 10
MEAN_SIZE, SPREAD = 30e9, 1.0
"""Mean bytes of a job, and the standard deviation of their logarithm."""
CORE_EACH, CORE_LOG_SIZE, CORE_SPREAD, CORE_FIRST_S, CORE_LAST_S = 1e6, 22.0, 0.5, 600.0, 20_000.0
"""One link: bytes per second for each of K, its sizes, and the seconds in which the first K and the others begin."""
W2_SEED, CORE_SEED = 12345, 7


class Transfer(NamedTuple):
    """When it begins (seconds), its bytes, and the numbers of its links; client and target for a peer that asks."""

    begin: float
    size: float
    client: int
    target: int
    links: tuple[int, ...]


@dataclass(frozen=True)
class DataSet:
    """Capacities of links, bytes per second, and the transfers in the order in which they begin."""

    name: str
    capacities: list[float]
    transfers: list[Transfer]

    def first(self, count: int) -> DataSet:
        """The data set with no more than its first transfers."""
        return DataSet(self.name, self.capacities, self.transfers[:count])

    def write(self, folder: Path) -> None:
        """Write it as two CSV files for a peer."""
        with (folder / "resources.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["id", "name", "kind", "capacity"]])
            csv.writer(file).writerows([i, f"link{i}", "link", repr(each)] for i, each in enumerate(self.capacities))
        with (folder / "flows.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["id", "start", "bytes", "client", "target", "resources"]])
            csv.writer(file).writerows(
                [i, repr(each.begin), repr(each.size), each.client, each.target, " ".join(map(str, each.links))]
                for i, each in enumerate(self.transfers)
            )


def data_set(name: str) -> DataSet:
    """The data set of a name, such as `w2_1000_local` or `core_50`."""
    kind, *rest = name.split("_")
    return core(int(rest[0])) if kind == "core" else w2(int(rest[0]), rest[1])


def w2(clients: int, kind: str) -> DataSet:
    """A day of a site of so many clients."""
    draw = random.Random(f"{W2_SEED}-{clients}-{kind}")  # noqa: S311 (a workload is no secret)
    drives, racks = max(1, clients // CLIENTS_A_DRIVE), math.ceil(clients / CLIENTS_A_RACK)
    cards, rack, drive = clients, 2 * clients, 2 * clients + racks
    capacities = [DISK] * clients + [CARD] * clients + [RACK] * racks + [DRIVE] * drives
    each, found = CLIENTS_A_RACK // CLIENTS_A_DRIVE, list[Transfer]()
    for client in range(clients):
        near = client // CLIENTS_A_RACK
        first, last = (each * near, min(drives, each * (near + 1))) if kind == "local" else (0, drives)
        for _ in range(JOBS_A_CLIENT):
            target = draw.randrange(first, last)
            begin = round(draw.uniform(0.0, DAY_S), 6)
            size = max(1, round(draw.lognormvariate(math.log(MEAN_SIZE) - SPREAD**2 / 2, SPREAD)))
            links = (client, cards + client, rack + near, drive + target)
            found.append(Transfer(begin, size, client, target, links))
    return DataSet(f"w2_{clients}_{kind}", capacities, sorted(found))


def core(count: int) -> DataSet:
    """Transfers over one link that is full, so many at a time."""
    draw = random.Random(CORE_SEED)  # noqa: S311 (a workload is no secret)
    link, target = 2 * count, 2 * count + 1
    found: list[Transfer] = []
    for i in range(4 * count):
        begin = round(draw.uniform(0.0, CORE_FIRST_S if i < count else CORE_LAST_S), 6)
        size = round(draw.lognormvariate(CORE_LOG_SIZE, CORE_SPREAD))
        client = i % count
        found.append(Transfer(begin, size, client, 0, (client, count + client, link, target)))
    return DataSet(f"core_{count}", [DISK] * count + [CARD] * count + [CORE_EACH * count, ENDLESS], sorted(found))


def run(data: DataSet, *, whole: bool = False) -> list[float]:
    """The time, seconds, at which each transfer ends in the engine."""
    env = simpy.Environment()
    network = FlowNetwork(env, whole=whole)
    links = [Link(f"link{i}", capacity) for i, capacity in enumerate(data.capacities)]
    flows: list[Flow] = []

    def operator() -> Generator[simpy.Event, Any]:
        for number, (begin, size, _, _, crossed) in enumerate(data.transfers):
            if begin > env.now:
                yield env.timeout(begin - env.now)
            flows.append(network.start(f"jobs.{number}", "backup", size, {links[i]: 1.0 for i in crossed}))
        yield env.all_of([flow.done for flow in flows])

    with seldom():  # as `simulate` does
        env.run(until=env.process(operator()))
    return [flow.segments[-1].end for flow in flows]
