"""Time of a run with many files, compared with the same run with few: files are flows, not events.

One file-level backup is run with more and more files of the same size. The runs take turns in one process, so that a
busy machine slows all of them alike. A scenario is checked before it is run; the two times are taken apart.
"""

from __future__ import annotations

import argparse
import statistics
import time

import simbackup

SCENARIO = "planning/small-files"
DISK = "devices.nvme.capacity"
MEAN_SIZE = 1024
"""Bytes of a file."""
COUNTS = (10**4, 10**5, 10**6, 10**7, 10**8)
"""Files; the others are compared with the first."""


def times(files: int) -> tuple[float, float, float]:
    """Seconds to check a scenario with so many files, seconds to run it, and the seconds that the backup then takes."""
    base = simbackup.load(SCENARIO)
    size = files * MEAN_SIZE
    began = time.perf_counter()
    scenario = base.with_({"data.files.files": files, "data.files.size": f"{size} B", DISK: f"{4 * size + 10**9} B"})
    checked = time.perf_counter()
    result = simbackup.simulate(scenario)
    ended = time.perf_counter()
    return checked - began, ended - checked, result.get("jobs.backup.elapsed")


def main() -> None:
    """Print one line for each number of files."""
    parser = argparse.ArgumentParser(description="time of a run with many files, compared with the same run with few")
    parser.add_argument("--rounds", type=int, default=41, help="counted runs of each number of files (41)")
    asked = parser.parse_args()
    taken: dict[int, list[tuple[float, float, float]]] = {files: [] for files in COUNTS}
    for _ in range(asked.rounds + 1):  # the first round fills the caches of datasheets, and is not counted
        for files in COUNTS:
            taken[files].append(times(files))
    few = taken[COUNTS[0]][1:]
    print(f"{'files':>12}{'check, ms':>12}{'run, ms':>10}{'ratio of runs':>15}{'simulated hours':>18}")
    for files, each in taken.items():
        check, run = (statistics.median(one[i] for one in each[1:]) for i in (0, 1))
        ratio = statistics.median(one[1] / first[1] for one, first in zip(each[1:], few, strict=True))
        print(f"{files:>12}{check * 1e3:>12.2f}{run * 1e3:>10.2f}{ratio:>15.2f}{each[0][2] / 3600:>18.3f}")


if __name__ == "__main__":
    main()
