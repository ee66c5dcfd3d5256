"""CPU time of a night in which all servers begin at midnight, for each job, compared with a timeout of bare SimPy.

The scenario `planning/midnight` with more and more servers: each reads its own disks, crosses its own card and a shared
link, and writes through the page cache of the target to a shared array. The array has one more group of ten disks for
each 400 servers more, so that all backups fit. Loading and building are not counted.
"""

from __future__ import annotations

import time

from benchmarks.rows import TIMEOUT, Row, bare_timeout, compared, options, show
from simbackup import load
from simbackup.build import build
from simbackup.collector import seldom
from simbackup.methods.job import start

SERVERS, FEW = (25, 100, 200, 400), (25, 50)
GROUP, DISKS = 400, 10
"""Servers for each group of disks of the array, and disks of a group."""


def run(servers: int) -> tuple[float, int]:
    """CPU microseconds for each job, and the records of the trace."""
    groups = max(servers // GROUP, 1)
    scenario = load("planning/midnight").with_(
        {
            "fleets.servers.count": servers,
            "devices.array.groups": groups,
            "devices.array.disks": DISKS * groups,
        }
    )
    system, jobs = build(scenario.spec, 0)
    began = time.process_time()
    with seldom():  # as `simulate` does
        finished = start(system, jobs)
        while not finished.processed:
            system.env.step()
    return (time.process_time() - began) / servers * 1e6, sum(system.trace.counts().values())


def main() -> None:
    """Print one row for each number of servers."""
    parser = options("CPU time of a night in which all servers begin at midnight")
    parser.add_argument("servers", nargs="*", type=int, help=f"how many ({', '.join(map(str, SERVERS))})")
    asked = parser.parse_args()
    runs = 1 if asked.quick else asked.runs
    for servers in asked.servers or (FEW if asked.quick else SERVERS):
        ours, timeout = compared([lambda servers=servers: run(servers)[0], bare_timeout], runs)
        row = Row("midnight", f"midnight_{servers}", "engine", TIMEOUT, timeout / ours, ours, "job", runs)
        show(row, as_json=asked.json)


if __name__ == "__main__":
    main()
