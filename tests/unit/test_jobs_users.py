"""What users of a database feel of a backup, against calculations by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import simbackup as sb
from simbackup.results.result import Result

MACHINE = """\
title: A database whose disk moves 100 MB/s, and users who read 1 MB at a time
hosts:
  server: {owns: [source, target], cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %,
    copy_rate: 1 GB/s}
devices:
  source: {kind: ssd, capacity: 10 GB, read_rate: 100 MB/s, write_rate: 100 MB/s,
    read_latency: 0.1 ms, write_latency: 0.1 ms}
  target: {kind: ssd, capacity: 10 GB, read_rate: 500 MB/s, write_rate: 500 MB/s,
    read_latency: 0.1 ms, write_latency: 0.1 ms}
data:
  db:
    on: source
    size: 1 GB
    database: {dump_ratio: 1, dump_cpu: 50 ns/B, load_cpu: 400 ns/B, replay_cpu: 300 ns/B, flush_time: 0.25 s,
      locks_for_snapshot: true}
workloads:
  users: {data: db, transactions: RATE, writes: WRITES, reads: 1, read_size: 1 MB, cpu: 1 ms}
jobs:
"""
COPY = (
    "  copy: {method: hot_copy, data: db, to: target, tool: {start_time: 1 s, mount_time: 0 s, check_cpu: 10 ns/B}}\n"
)
DUMP = "  dump: {method: logical_dump, data: db, to: target}\n"
FLUSH = 0.25


def run(tmp_path: Path, rate: float, writes: float, jobs: str = COPY) -> Result:
    file = tmp_path / "case.yaml"
    text = MACHINE.replace("RATE", f"{rate} /s").replace("WRITES", f"{writes} %")
    file.write_text(text + jobs, encoding="utf-8")
    return sb.simulate(file)


def felt(result: Result, job: str = "copy") -> dict[str, float]:
    return next(row for row in result.user_rows if row["job"] == job)


def test_writers_wait_for_the_end_of_the_lock_and_readers_do_not(tmp_path: Path) -> None:
    """Twenty a second of 10 ms, half of them held: the copy has 0.9 of the disk and takes 11.1 s."""
    result = run(tmp_path, rate=20, writes=50)
    lock = FLUSH + 1e9 / 90e6
    assert result.get("jobs.copy.lock") == pytest.approx(lock)
    waits = felt(result)
    assert waits["waited"] == pytest.approx(10 * lock)
    assert waits["longest_wait"] == pytest.approx(lock)
    assert waits["mean_wait"] == pytest.approx(lock / 2)
    assert waits["lost"] == 0.0


def test_users_slow_the_backup_and_the_backup_slows_them(tmp_path: Path) -> None:
    """Without writers the users keep 0.2 of the disk; the copy has it for 10 of its seconds."""
    result = run(tmp_path, rate=20, writes=0)
    elapsed = 1.0 + FLUSH + 1e9 / 80e6 + 10.0
    assert result.get("jobs.copy.elapsed") == pytest.approx(elapsed)
    assert felt(result)["slowdown"] == pytest.approx(1 / (1 - 10.0 / elapsed))
    assert felt(result)["waited"] == 0.0
    assert felt(result)["mean_wait"] == 0.0


def test_a_disk_that_both_want_whole_is_shared_by_halves(tmp_path: Path) -> None:
    """200 a second ask for two disks: 100 get through while they are alone, 50 beside the copy."""
    result = run(tmp_path, rate=200, writes=0)
    elapsed = 1.0 + FLUSH + 20.0 + 10.0
    assert result.get("jobs.copy.elapsed") == pytest.approx(elapsed)
    done = 100 * (1.0 + FLUSH + 10.0) + 50 * 20.0
    assert felt(result)["offered"] == pytest.approx(200 * elapsed)
    assert felt(result)["lost"] == pytest.approx(1 - done / (200 * elapsed))


def test_users_do_not_starve_a_backup(tmp_path: Path) -> None:
    """However many they are, a stream keeps its half: shares are of the disk's time, not of transactions and bytes."""
    few, many = (run(tmp_path, rate, writes=0).get("jobs.copy.elapsed") for rate in (200, 20_000))
    assert many == pytest.approx(few)


def test_where_all_of_them_write_the_lock_stops_them_all(tmp_path: Path) -> None:
    result = run(tmp_path, rate=20, writes=100)
    assert result.get("jobs.copy.lock") == pytest.approx(FLUSH + 10.0)
    assert felt(result)["waited"] == pytest.approx(20 * (FLUSH + 10.0))


def test_locks_that_overlap_are_one_lock(tmp_path: Path) -> None:
    """Each dump locks for itself; who waits goes on when the last of them has given up its lock."""
    second = DUMP.replace("dump:", "second:").replace("to: target", "to: target, begin: 20 s")
    result = run(tmp_path, rate=20, writes=50, jobs=DUMP + second)
    first, both = felt(result, "dump"), felt(result, "second")
    length = result.get("jobs.dump.lock")
    assert result.get("jobs.second.lock") == pytest.approx(length)
    assert first["waited"] == pytest.approx(10 * length)
    assert both["waited"] == pytest.approx(10 * length)
    assert both["longest_wait"] == pytest.approx(length)
    assert both["lost"] == first["lost"] == 0.0
    done = 20 * result.end - 10 * (20 + length)  # nobody who writes gets through from the first lock to the last unlock
    assert result.get("devices.source.bytes") == pytest.approx(2 * 1e9 + done * 1e6)


def test_a_job_that_takes_no_lock_tells_of_no_wait(tmp_path: Path) -> None:
    restore = "  back: {restore: copy, after: copy, begin: 1 h}\n"
    waits = felt(run(tmp_path, rate=20, writes=50, jobs=COPY + restore), "back")
    assert (waits["waited"], waits["longest_wait"], waits["mean_wait"]) == (0.0, 0.0, 0.0)


def test_figures_of_users_are_read_by_address(tmp_path: Path) -> None:
    result = run(tmp_path, rate=20, writes=50)
    assert result.get("workloads.users.copy.waited") == felt(result)["waited"]
