"""CPU time and memory of many nights of a site in racks: incrementals each day and fulls each week, for each job."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.racked import WEEKS, racked
from benchmarks.rows import TIMEOUT, Row, bare_timeout, compared, options, show
from simbackup import load
from simbackup.run import simulate

SITES, FEW = ("20x28", "20x112", "100x28"), ("5x7", "5x14")
YEAR = "1000x365"


def cost(site: str) -> float:
    """CPU microseconds for each job of so many clients on so many days."""
    clients, days = site.split("x")
    with tempfile.TemporaryDirectory() as folder:
        scenario = load(racked(Path(folder), int(clients), WEEKS.replace("DAYS", str(int(days) + 1))))
    began = time.process_time()
    result = simulate(scenario)
    return (time.process_time() - began) / len(result.trace.jobs) * 1e6


def main() -> None:
    """Print one row for each site, and the greatest memory of all of them so far."""
    parser = options("CPU time of many nights of a site in racks, for each job")
    parser.add_argument("sites", nargs="*", help=f"clients x days ({', '.join(SITES)}; a whole year: {YEAR})")
    asked = parser.parse_args()
    runs = 1 if asked.quick else asked.runs
    cost("1x7")  # datasheets are read once in a process
    for site in asked.sites or (FEW if asked.quick else SITES):
        ours, timeout = compared([lambda site=site: cost(site), bare_timeout], runs)
        show(Row("year", f"days_{site}", "program", TIMEOUT, timeout / ours, ours, "job", runs), as_json=asked.json)
        print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB", file=sys.stderr)


if __name__ == "__main__":
    main()
