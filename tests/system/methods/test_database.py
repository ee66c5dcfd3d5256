"""Backups and restores of a database on devices whose every second can be worked out by hand."""

from pathlib import Path

import pytest

import simbackup as sb
from simbackup.results.result import Result

MACHINE = """\
title: A server whose seconds can be worked out by hand
hosts:
  server:
    owns: [source, target, area]
    cores: 4
    memory: 100 GB
    dirty_limit: 90 %
    dirty_background: 80 %
    copy_rate: 1 GB/s
devices:
  source: {kind: ssd, capacity: 50 GB, read_rate: 100 MB/s, write_rate: 80 MB/s,
    read_latency: 0.1 ms, write_latency: 0.1 ms}
  target: {kind: ssd, capacity: 4 GB, read_rate: 125 MB/s, write_rate: 200 MB/s,
    read_latency: 0.1 ms, write_latency: 0.1 ms}
  area: {kind: ssd, capacity: 4 GB, read_rate: 100 MB/s, write_rate: 100 MB/s,
    read_latency: 0.1 ms, write_latency: 0.1 ms}
  volume: {kind: logical_volume, on: source, size: 4 GB}
COWdata:
  db:
    on: volume
    size: 1 GB
    content: 800 MB
    files: 6
    database: {dump_ratio: 1.5, dump_cpu: 50 ns/B, load_cpu: 400 ns/B, replay_cpu: 300 ns/B, flush_time: 0.25 s,
      locks_for_snapshot: LOCKS}
jobs:
"""
COW = """\
  cow: {kind: snapshot, method: copy_on_write, of: volume, on: area, size: AREA, chunk: 64 KiB, record: 16 B,
    in_flight: 1 MiB, commit_backlog: 64 KiB, create_time: 1.5 s, remove_time: 2.5 s, lookup_time: 65.536 us}
"""
TOOL = "tool: {start_time: 0.5 s, mount_time: 0.75 s, check_cpu: 10 ns/B}"
FROZEN = f"  full: {{method: snapshot_copy, data: db, to: target, snapshot: cow, {TOOL}}}\n"
START, FLUSH, MOUNT, CREATE, REMOVE = 0.5, 0.25, 0.75, 1.5, 2.5


def run(tmp_path: Path, jobs: str, *, area: str = "2 GB", locks: str = "true") -> Result:
    """The result of jobs on the machine, which has a snapshot where one of them creates it."""
    file = tmp_path / "case.yaml"
    cow = COW.replace("AREA", area) if "snapshot_copy" in jobs else ""
    file.write_text(MACHINE.replace("COW", cow).replace("LOCKS", locks) + jobs, encoding="utf-8")
    return sb.simulate(file)


def row(result: Result, job: str) -> dict[str, object]:
    return next(row for row in result.job_rows if row["job"] == job)


def phases(result: Result, job: str) -> dict[str, float]:
    """Seconds by activity; together they have to be all of the job's time."""
    spent: dict[str, float] = {}
    for (_, activity), seconds in result.activities(job).items():
        spent[activity] = spent.get(activity, 0.0) + seconds
    assert sum(spent.values()) == pytest.approx(result.get(f"jobs.{job}.elapsed"), rel=1e-9)
    return spent


def test_snapshot_of_an_engine_that_has_to_lock_locks_while_it_flushes_and_creates(tmp_path: Path) -> None:
    result = run(tmp_path, FROZEN)
    copy = 10.0  # a lookup of a nanosecond a byte is quicker than the device
    expected = {
        "start": START, "flush": FLUSH, "create": CREATE, "mount": MOUNT, "copy": copy, "remove": REMOVE, "check": 10.0
    }  # fmt: skip
    assert phases(result, "full") == pytest.approx(expected)
    assert result.get("jobs.full.lock") == pytest.approx(FLUSH + CREATE)
    assert [d.data["state"] for d in result.trace.devices if d.kind == "snapshot"] == ["removed"]


def test_snapshot_of_an_engine_with_transactions_needs_no_lock_and_no_flush(tmp_path: Path) -> None:
    result = run(tmp_path, FROZEN, locks="false")
    assert "flush" not in phases(result, "full")
    assert result.get("jobs.full.lock") == 0.0
    assert not [event for event in result.trace.events if event.what == "read lock"]


WRITER = "  users: {method: write, data: db, flush: true, begin: 4 s}\n"


def test_heavy_writes_make_the_snapshot_invalid_and_its_backup_fails(tmp_path: Path) -> None:
    result = run(tmp_path, FROZEN + WRITER + "  back: {restore: full, after: full}\n", area="2 MiB")
    assert row(result, "full")["status"] == "failed"
    assert row(result, "full")["reason"] == "'cow' became invalid: its copy area is full"
    assert row(result, "users")["status"] == "done"
    assert row(result, "back")["status"] == "skipped"


def test_a_failed_snapshot_backup_leaves_no_lock_behind_and_may_be_tried_again(tmp_path: Path) -> None:
    again = FROZEN.replace("to: target", "to: target, every: 1 h, until: 1 h")
    result = run(tmp_path, again + WRITER, area="2 MiB")
    assert [row(result, f"full.{i}")["status"] for i in (1, 2)] == ["failed", "done"]
    locks = [event.what for event in result.trace.events if event.address == "data.db"]
    assert locks == ["read lock", "unlock"] * 2


def test_a_snapshot_that_stands_already_is_not_created_twice(tmp_path: Path) -> None:
    second = FROZEN.replace("full:", "second:").replace("to: target", "to: target, begin: 5 s")
    result = run(tmp_path, FROZEN + second)
    assert row(result, "second")["status"] == "failed"
    assert row(result, "second")["reason"] == "snapshot 'cow' exists already"
    assert row(result, "full")["status"] == "done"
