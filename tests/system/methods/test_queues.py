from typing import Any

from simbackup.results.result import Result
from simbackup.run import simulate

FLEET = "planning/uneven-fleet"


def jobs(result: Result) -> dict[str, dict[str, Any]]:
    return {row["job"]: row for row in result.job_rows}


def end(result: Result) -> float:
    return max(row["end"] for row in result.job_rows)


def test_longest_first_is_within_four_thirds_of_work_over_drives() -> None:
    """What a backup takes on its drive is its work, with the mounts; three drives share the sum."""
    longest, first_come = simulate(FLEET), simulate(FLEET, {"devices.jobs.order": "first_come"})
    work = [row["elapsed"] - row["waits"] for row in longest.job_rows]
    bound = max(sum(work) / 3, *work)
    assert bound <= end(longest) <= 4 / 3 * bound
    assert end(longest) < end(first_come)
