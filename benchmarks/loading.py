"""CPU time of loading and of building a site, for each client, compared with a timeout of bare SimPy."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.racked import racked
from benchmarks.rows import TIMEOUT, Row, bare_timeout, compared, options, show
from simbackup import load
from simbackup.build import build

CLIENTS, FEW = (100, 1_000, 10_000), (40, 80)


def cost(clients: int, *, built: bool) -> float:
    """CPU microseconds for each client of loading a site, or of building it from what was loaded."""
    with tempfile.TemporaryDirectory() as folder:
        file = racked(Path(folder), clients)
        began = time.process_time()
        scenario = load(file)
        if built:
            began = time.process_time()
            build(scenario.spec, 0)
    return (time.process_time() - began) / clients * 1e6


def main() -> None:
    """Print two rows for each number of clients."""
    parser = options("CPU time of loading and building a site, for each client")
    parser.add_argument("clients", nargs="*", type=int, help=f"how many ({', '.join(map(str, CLIENTS))})")
    asked = parser.parse_args()
    runs = 1 if asked.quick else asked.runs
    cost(1, built=True)  # datasheets are read once in a process
    for clients in asked.clients or (FEW if asked.quick else CLIENTS):
        loading, building, timeout = compared(
            [lambda n=clients: cost(n, built=False), lambda n=clients: cost(n, built=True), bare_timeout], runs
        )
        for what, ours in (("load", loading), ("build", building)):
            show(
                Row("loading", f"{what}_{clients}", "scenario", TIMEOUT, timeout / ours, ours, "client", runs),
                as_json=asked.json,
            )


if __name__ == "__main__":
    main()
