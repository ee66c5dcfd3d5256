"""CPU time of a night of a site in racks and of the restores after it, for each job, loading and tables included."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.racked import racked
from benchmarks.rows import TIMEOUT, Row, bare_timeout, compared, options, show
from simbackup import load
from simbackup.run import simulate

CLIENTS, FEW = (40, 200, 1_000), (20, 40)


def cost(clients: int) -> float:
    """CPU microseconds for each job, from the file to the tables of jobs and devices."""
    with tempfile.TemporaryDirectory() as folder:
        file = racked(Path(folder), clients)
        began = time.process_time()
        result = simulate(load(file))
        jobs = len(result.job_rows) if result.device_rows else 0
    return (time.process_time() - began) / jobs * 1e6


def main() -> None:
    """Print one row for each number of clients."""
    parser = options("CPU time of a night of a site in racks, for each job")
    parser.add_argument("clients", nargs="*", type=int, help=f"how many ({', '.join(map(str, CLIENTS))})")
    asked = parser.parse_args()
    runs = 1 if asked.quick else asked.runs
    cost(1)  # datasheets are read once in a process
    for clients in asked.clients or (FEW if asked.quick else CLIENTS):
        ours, timeout = compared([lambda n=clients: cost(n), bare_timeout], runs)
        show(
            Row("fleet", f"night_{clients}", "program", TIMEOUT, timeout / ours, ours, "job", runs), as_json=asked.json
        )


if __name__ == "__main__":
    main()
