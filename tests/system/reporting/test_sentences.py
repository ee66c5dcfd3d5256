"""What a report says in words is what happened."""

from typing import Any

import pytest

from simbackup.reporting import answer, sentences
from simbackup.results.groups import Group, equals, runs
from tests.cases import for_each
from tests.shared import simulated


def row(job: str = "full", elapsed: float = 60.0, **more: Any) -> dict[str, Any]:
    own = {"job": job, "method": "image", "status": "done", "reason": "", "elapsed": elapsed, "start": 0.0, "due": 0.0}
    return own | {"end": elapsed, "bytes": 6e9, "files": 0.0, "rate": 6e9 / elapsed if elapsed else 0.0} | more


LATE = row("late", 90.0, status="late", window=60.0)
IN_TIME = row("back", 60.0, window=100.0)
FAILED = row("bad", 5.0, status="failed", reason="no space")


@for_each(
    "one, said",
    [
        (row(), "Took 1 min for 6 GB (100 MB/s)."),
        (IN_TIME, "Took 1 min for 6 GB (100 MB/s) and finished within its window of 1 min 40 s, with 40 s to spare."),
        (LATE | {"bytes": 0.0}, "Took 1 min 30 s and missed its window of 1 min by 30 s."),
        (FAILED, "Failed after 5 s: no space."),
        (row(elapsed=0.0, status="skipped", reason="'full' did not complete"), "Did not run: 'full' did not complete."),
        (row(method="observe"), "Observed the users for 1 min."),
    ],
)
def test_the_fate_of_one_run(one: dict[str, Any], said: str) -> None:
    assert sentences.fate(one) == said


@for_each(
    "rows, said",
    [
        ([LATE, LATE], "Both jobs missed their windows."),
        ([IN_TIME] * 3, "All 3 jobs finished within their windows."),
        ([LATE, IN_TIME], "Of 2 jobs, 1 missed its window and 1 finished within its window."),
        ([IN_TIME, IN_TIME, row()], "All 3 jobs completed; the 2 with a window finished within it."),
    ],
)
def test_how_several_ended(rows: list[dict[str, Any]], said: str) -> None:
    assert sentences.ended(rows, "jobs") == said


def test_many_runs_are_reported_by_the_slowest_and_the_nearest_to_its_window() -> None:
    own = [
        row(f"save.{i}", 60.0 + i, start=100.0 * i, due=100.0 * i, end=101.0 * i + 60.0, window=70.0) for i in range(4)
    ]
    assert sentences.fate_of_many(Group("save", tuple(own))) == (
        "All 4 runs finished within their windows. The slowest took 1 min 3 s, the mean 1 min 1.5 s. "
        "The closest to its window's end had 7 s to spare."
    )


def test_jobs_that_run_once_are_reported_with_what_passed_from_the_first_to_the_last() -> None:
    own = [row(f"save-{name}", 60.0, start=start, end=start + 60.0) for name, start in (("a", 0.0), ("b", 300.0))]
    reported = "Each took 1 min; 6 min from the first start to the last end."
    assert reported in sentences.fate_of_many(Group("save-*", tuple(own)))


def test_the_short_answer_names_what_failed_and_what_was_late() -> None:
    said = sentences.in_short([FAILED, LATE, IN_TIME], [])
    assert said == (
        "Of 3 jobs, 1 failed, 1 missed its window, and 1 finished within its window. bad failed: no space. "
        "late took 1 min 30 s (30 s late) and back took 1 min."
    )


def test_the_worst_impact_on_users_is_reported_with_its_job() -> None:
    users = [
        {"users": "workloads.app", "job": "full", "lost": 0.2, "longest_wait": 3.0, "waited": 4.0, "mean_wait": 1.0},
        {"users": "workloads.app", "job": "back", "lost": 0.999_9, "timed_out": 0.5},
    ]
    assert sentences.worst(users) == (
        "Users lost up to 99.99 % of their throughput (during back), waited for locks up to 3 s (during full), "
        "and had up to 50 % of their requests time out (during back)."
    )
    assert sentences.impact(users[:1]) == (
        "Meanwhile the users (workloads.app) lost 20 % of their throughput and had 4 transactions wait for locks "
        "(1 s on average, 3 s at most)."
    )
    assert sentences.worst([{"job": "full", "lost": 0.0}]) == "Users lost no throughput."
    assert sentences.worst([]) == ""


@pytest.mark.slow
def test_watching_users_for_a_day_leaves_the_backups_their_lines() -> None:
    shown = [one.name for one in answer.answers(simulated("planning/frequent-images"), {}, {})]
    assert shown == ["day", "image (6)", "remove (5)"]


def test_many_equal_jobs_stand_together_and_unequal_ones_do_not() -> None:
    rows = [row(f"s{i}") for i in range(4)] + [row("other", 61.0), row("windowed", window=100.0)]
    found = list(equals(rows, 4))
    assert [one.name if isinstance(one, Group) else one["job"] for one in found] == [
        "s0 to s3 (4)",
        "other",
        "windowed",
    ]
    assert list(equals(rows, 5)) == rows


def test_runs_of_a_job_stand_together_from_as_many_as_asked_for() -> None:
    result = simulated("planning/frequent-images")
    names = [one.name for one in runs(result, result.job_rows, 6) if isinstance(one, Group)]
    assert names == ["image (6)"]


def test_a_skipped_job_is_reported_after_that_it_waits_for() -> None:
    found = answer.answers(simulated("published/002-sql-server-tuning/out-of-memory"), {}, {})
    assert [(one.name, one.verdict, one.took) for one in found] == [("backup", "failed", ""), ("back", "skipped", "")]
