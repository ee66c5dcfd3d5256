from typing import Any

import pytest

from simbackup import load
from simbackup.results.causes import Cause
from simbackup.results.result import Result
from simbackup.results.shown import note_rows
from simbackup.run import simulate
from tests.cases import for_each

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


def test_who_waits_says_for_what() -> None:
    result = simulate(FLEET)
    causes = result.causes("save-a")
    assert next(iter(causes)) == ("devices.jobs", "wait for a turn")
    assert jobs(result)["save-a"]["waits"] == pytest.approx(causes[Cause("devices.jobs", "wait for a turn")])


@for_each(
    "order, keys, first",
    [
        ("first_come", {}, ["a", "b", "c"]),
        ("longest_first", {}, ["j", "k", "l"]),
        ("priority", {"jobs.save-b.priority": 1, "jobs.save-g.priority": 2, "jobs.save-d.priority": 3},
         ["b", "d", "g"]),
        ("deadline", {"jobs.save-h.window": "1 h", "jobs.save-c.window": "2 h", "jobs.save-a.window": "3 h"},
         ["a", "c", "h"]),
    ],
)  # fmt: skip
def test_orders(order: str, keys: dict[str, object], first: list[str]) -> None:
    result = simulate(FLEET, {"devices.jobs.order": order, **keys})
    at_once = [name.removeprefix("save-") for name, row in jobs(result).items() if not row["waits"]]
    assert sorted(at_once) == first


def test_a_target_without_the_queue_is_not_held_up() -> None:
    free = simulate(FLEET, {"jobs.save-a.queues": []})
    assert ("devices.jobs", "wait for a turn") not in free.causes("save-a")


def test_a_job_that_fails_is_tried_again() -> None:
    """A frozen image that does not exist yet: it is created 60 s later, so the third try, after 2 x 40 s, is good."""
    text = """
title: A backup of a snapshot that is not there yet
hosts:
  server: {model: host/linux-modern-server, owns: [disk, target]}
devices:
  disk: {model: ssd/nvme-gen3-2018, capacity: 1 TB}
  target: {model: ssd/nvme-gen3-2018, capacity: 1 TB}
  volume: {kind: logical_volume, on: disk, size: 100 GB}
  cow: {model: snapshot/lvm2-2.6.9, of: volume, on: disk, size: 10 GB}
data:
  a: {on: volume, size: 1 GB}
jobs:
  freeze: {method: create_snapshot, snapshot: cow, begin: 60 s}
  save: {method: image, data: a, to: target, source: cow, retries: 2, retry_after: 40 s}
"""
    tried = simulate(load(text))
    row = jobs(tried)["save"]
    assert row["status"] == "done"
    assert tried.causes("save")[Cause("jobs.save", "wait")] == pytest.approx(80.0)
    assert [note["what"].partition(":")[0] for note in note_rows(tried.trace)] == ["is tried again"] * 2
    assert jobs(simulate(load(text), {"jobs.save.retries": 1}))["save"]["status"] == "failed"
    late = simulate(load(text), {"jobs.save.retry_after": "70 s"})
    assert jobs(late)["save"]["end"] == pytest.approx(row["end"] - 10.0)
