from typing import Any

import pytest

from simbackup.methods.job import Schedule
from simbackup.results.result import Result
from simbackup.run import simulate
from tests.cases import for_each

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


def starts(result: Result) -> dict[str, float]:
    return {row["job"]: row["start"] for row in result.job_rows}


@for_each(
    "schedule, times",
    [
        (Schedule(), [0.0]),
        (Schedule(begin=5.0), [5.0]),
        (Schedule(every=10.0, until=30.0), [0.0, 10.0, 20.0, 30.0]),
        (Schedule(begin=5.0, every=10.0, until=30.0), [5.0, 15.0, 25.0]),
        (Schedule(begin=31.0, every=10.0, until=30.0), []),
    ],
)
def test_times_of_a_schedule(schedule: Schedule, times: list[float]) -> None:
    assert list(schedule.starts()) == times
    assert schedule.runs == len(times)


@for_each("begin, second", [("90 s", 90.0), ("00:02", 120.0), ("22:00", 79_200.0)])
def test_begin(begin: str, second: float) -> None:
    assert starts(run(f'  dd: {{method: write, data: a, begin: "{begin}"}}\n')) == {"dd": second}


def test_after_waits_for_all_that_it_names() -> None:
    jobs = """
  one: {method: write, data: a, begin: 10 s}
  two: {method: write, data: b, begin: 20 s}
  three: {method: write, data: a, after: [one, two]}
  four: {method: write, data: b, after: one, begin: 500 s}
"""
    result = run(jobs)
    assert starts(result)["three"] == pytest.approx(20.05)
    assert starts(result)["four"] == 500.0


def test_a_repeated_job_reports_each_run() -> None:
    result = run("  dd: {method: write, data: a, every: 1 h, until: 3 h}\n")
    assert starts(result) == {"dd.1": 0.0, "dd.2": 3600.0, "dd.3": 7200.0, "dd.4": 10800.0}
    assert result.get("jobs.dd.3.bytes") == 50e6


def test_a_run_that_takes_longer_than_its_period_delays_the_next() -> None:
    result = run("  dd: {method: write, data: a, most_rate: 1 MB/s, every: 30 s, until: 30 s}\n")
    assert starts(result) == {"dd.1": 0.0, "dd.2": pytest.approx(50.0)}


@pytest.mark.parametrize(("window", "status"), [("1 h", "done"), ("10 ms", "late")])
def test_a_job_outside_its_window_is_late_but_done(window: str, status: str) -> None:
    result = run(f"  dd: {{method: write, data: a, window: {window}}}\n  next: {{method: write, data: b, after: dd}}\n")
    rows: dict[str, dict[str, Any]] = {row["job"]: row for row in result.job_rows}
    assert rows["dd"]["status"] == status
    assert rows["next"]["status"] == "done"


def test_a_window_counts_from_when_a_run_was_due() -> None:
    """Each run of 25 s is due every 10 s: the third begins 30 s late, and ends outside its 40 s."""
    line = "  dd: {method: write, data: a, most_rate: 2 MB/s, every: 10 s, until: 20 s, window: 40 s}\n"
    rows = run(line).job_rows
    assert [row["start"] for row in rows] == pytest.approx([0.0, 25.0, 50.0])
    assert [row["status"] for row in rows] == ["done", "done", "late"]


def test_a_deadline_counts_from_the_beginning_of_a_chain() -> None:
    """The first of two jobs of 25 s begins 30 s before midnight, so that the second ends after the deadline of both."""
    first = '  dd: {method: write, data: a, most_rate: 2 MB/s, begin: "23:59:30", deadline: "00:00:10"}\n'
    second = '  next: {method: write, data: b, most_rate: 2 MB/s, after: dd, deadline: "00:00:10"}\n'
    rows = run(first + second).job_rows
    assert [row["status"] for row in rows] == ["done", "late"]


def test_the_deadline_of_a_repeated_job_is_that_of_its_day() -> None:
    line = '  dd: {method: write, data: a, begin: "22:00", every: 1 day, until: 3 days, deadline: "06:00"}\n'
    rows = run(line).job_rows
    assert [(row["status"], row["window"]) for row in rows] == [("done", 8 * 3600.0)] * 3


@pytest.mark.parametrize(("first_day", "hours", "status"), [("friday", 78, "done"), ("monday", 6, "late")])
def test_a_deadline_on_a_weekday_counts_from_the_first_day(first_day: str, hours: int, status: str) -> None:
    """50 MB at 2 ms/B take 28 h."""
    line = "  dd: {method: write, data: a, most_rate: 500 B/s, deadline: Monday 06:00}\n"
    [row] = run(line + f"first_day: {first_day}\n").job_rows
    assert (row["window"], row["status"]) == (hours * 3600.0, status)


def test_the_earlier_of_window_and_deadline_counts() -> None:
    schedule = Schedule(window=3600.0, deadline=6 * 3600.0)
    assert schedule.allowed(due=20 * 3600.0, since=20 * 3600.0) == (3600.0, "outside its window")
    assert schedule.allowed(due=29.5 * 3600.0, since=20 * 3600.0) == (1800.0, "after its deadline")
