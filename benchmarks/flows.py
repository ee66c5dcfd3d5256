"""CPU time of the flow engine for each completed flow, and the least that one can cost, beside SimGrid and SimPy."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

import simpy

from benchmarks import floor
from benchmarks.rows import TIMEOUT, Row, bare_timeout, compared, options, show
from benchmarks.simgrid import NAME, SimGrid
from benchmarks.transfers import DataSet, data_set
from simbackup.collector import seldom
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork

SITES = ("w2_100_random", "w2_100_local", "w2_1000_local", "w2_1000_random", "w2_5000_local", "w2_5000_random")
ONE_LINK = ("core_50", "core_500", "core_2000")
MOST, MOST_QUICK = 5_000, 300
"""Transfers of a data set that run, unless others are asked for."""
SAME = 1e-9
"""Share of its time by which an end may differ from the peer's."""


def run(data: DataSet, *, whole: bool = False) -> tuple[float, list[float]]:
    """CPU microseconds for each completed flow, and the time at which each ends."""
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

    began = time.process_time()
    with seldom():  # as `simulate` does
        env.run(until=env.process(operator()))
    return (time.process_time() - began) / len(data.transfers) * 1e6, [flow.segments[-1].end for flow in flows]


def differences(ours: list[float], theirs: list[float]) -> int:
    """How many ends differ."""
    return sum(abs(one - other) > SAME * other for one, other in zip(ours, theirs, strict=True))


def main() -> None:
    """Print the rows of each data set."""
    parser = options("CPU time of the flow engine for each completed flow")
    parser.add_argument("datasets", nargs="*", default=[*SITES, *ONE_LINK], help="such as w2_1000_local, core_50")
    parser.add_argument("--jobs", type=int, default=MOST, help=f"no more than the first of each ({MOST})")
    asked = parser.parse_args()
    peer, runs = SimGrid.installed(), 1 if asked.quick else asked.runs
    for name in asked.datasets:
        data = data_set(name).first(MOST_QUICK if asked.quick else asked.jobs)
        if peer is not None and (wrong := differences(run(data)[1], peer.run(data)[1])):
            raise SystemExit(f"{name}: {wrong} transfers end at another time than in SimGrid")
        costs = [lambda data=data: run(data)[0], lambda data=data: floor.run(data), bare_timeout]
        if peer is not None:
            costs.append(lambda data=data, peer=peer: peer.run(data)[0])
        engine, least, timeout, *theirs = compared(costs, runs)
        for subject, ours in (("engine", engine), ("floor", least)):
            for other, cost in [(TIMEOUT, timeout), *((NAME, cost) for cost in theirs)]:
                show(Row("flows", name, subject, other, cost / ours, ours, "completion", runs), as_json=asked.json)


if __name__ == "__main__":
    main()
