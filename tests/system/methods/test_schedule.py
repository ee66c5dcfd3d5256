import pytest

from simbackup.errors import InputError
from simbackup.results.result import Result
from simbackup.run import simulate

BASE = """
title: Writers on one disk
hosts:
  server:
    {model: host/linux-modern-server, speed: 1, copy_rate: 1 GB/s, memory: 1 GB, dirty_limit: 40 %,
     dirty_background: 10 %, owns: [sda]}
devices:
  sda: {model: disk/nearline-20tb-2022, outer_rate: 100 MB/s, inner_rate: 100 MB/s}
data:
  a: {on: sda, size: 50 MB}
  b: {on: sda, size: 50 MB}
jobs:
"""


def run(jobs: str) -> Result:
    return simulate(BASE + jobs)


@pytest.mark.parametrize(("first_day", "hours", "status"), [("friday", 78, "done"), ("monday", 6, "late")])
def test_a_deadline_on_a_weekday_counts_from_the_first_day(first_day: str, hours: int, status: str) -> None:
    """50 MB at 2 ms/B take 28 h."""
    line = "  dd: {method: write, data: a, most_rate: 500 B/s, deadline: Monday 06:00}\n"
    [row] = run(line + f"first_day: {first_day}\n").job_rows
    assert (row["window"], row["status"]) == (hours * 3600.0, status)


def test_a_deadline_on_a_weekday_needs_the_first_day() -> None:
    line = "  dd: {method: write, data: a, deadline: monday 06:00}\n"
    with pytest.raises(InputError, match="first_day: friday"):
        run(line)
    with pytest.raises(InputError, match="'moonday' is not a weekday"):
        run(line + "first_day: moonday\n")
