"""Backups and restores of a database on devices whose every second can be worked out by hand."""

from pathlib import Path

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

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
LOGICAL = f"  full: {{method: logical_dump, data: db, to: target, {TOOL}}}\n"
HOT = f"  full: {{method: hot_copy, data: db, to: target, {TOOL}}}\n"
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


def test_logical_dump_takes_a_core_for_each_byte_of_text_and_locks_while_it_flushes_and_dumps(tmp_path: Path) -> None:
    result = run(tmp_path, LOGICAL)
    text = 1.5 * 800e6
    dump = text * 50e-9 + 1e9 / 1e9  # the rows are moved once from the page cache, at 1 GB/s
    assert phases(result, "full") == pytest.approx(
        {"start": START, "flush": FLUSH, "dump": dump, "check": text * 10e-9}
    )
    assert result.get("jobs.full.lock") == pytest.approx(FLUSH + dump)
    assert result.get("jobs.full.bytes") == pytest.approx(text)
    assert result.activities("full")["hosts.server.cores", "dump"] == pytest.approx(dump)


def test_hot_copy_is_held_by_the_device_and_locks_while_it_flushes_and_copies(tmp_path: Path) -> None:
    result = run(tmp_path, HOT)
    assert phases(result, "full") == pytest.approx({"start": START, "flush": FLUSH, "copy": 10.0, "check": 10.0})
    assert result.get("jobs.full.lock") == pytest.approx(FLUSH + 10.0)
    assert result.activities("full")["devices.source", "copy"] == pytest.approx(10.0)


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


def test_restore_of_a_dump_takes_a_core_for_each_byte_of_text(tmp_path: Path) -> None:
    result = run(tmp_path, LOGICAL + "  back: {restore: full, after: full, begin: 1 h}\n")
    assert phases(result, "back") == pytest.approx({"start": START, "load": 1.2e9 * (400e-9 + 1e-9)})
    assert result.get("jobs.back.elapsed") > 2 * result.get("jobs.full.elapsed")


@for_each("method", [LOGICAL, HOT, FROZEN])
def test_every_byte_reaches_the_target_and_comes_back(tmp_path: Path, method: str) -> None:
    """The volume is read once and written once, the target is written once and read once."""
    result = run(tmp_path, method + "  back: {restore: full, after: full, begin: 1 h}\n")
    saved = result.get("jobs.full.bytes")
    assert saved == pytest.approx(1.2e9 if method is LOGICAL else 1e9)
    assert result.get("jobs.back.bytes") == pytest.approx(saved)
    assert result.get("devices.source.bytes") == pytest.approx(2e9)
    assert result.get("devices.target.bytes") == pytest.approx(2 * saved)


LOGS = f"""\
  daily:
    {{method: binary_log, data: db, to: target, changed: 5 %, {TOOL}, begin: 1 h, every: 1 h, until: 6 h}}
"""


def test_an_incremental_copies_the_log_and_takes_no_lock(tmp_path: Path) -> None:
    result = run(tmp_path, HOT + LOGS)
    assert phases(result, "daily.3") == pytest.approx({"start": START, "flush": FLUSH, "copy": 0.5, "check": 0.5})
    assert result.get("jobs.daily.3.bytes") == pytest.approx(50e6)
    assert result.get("jobs.daily.3.lock") == 0.0


def test_a_restore_replays_every_log_since_the_full_backup(tmp_path: Path) -> None:
    result = run(tmp_path, HOT + LOGS + "  back: {restore: full, replay: daily, after: daily, begin: 7 h}\n")
    expected = {"start": START, "copy": 8.0, "replay": 6 * 50e6 * (300e-9 + 1e-9)}
    assert phases(result, "back") == pytest.approx(expected)
    assert result.get("jobs.back.bytes") == pytest.approx(1e9 + 6 * 50e6)


def test_logs_older_than_the_full_backup_are_left_out(tmp_path: Path) -> None:
    later = HOT.replace("to: target", "to: target, begin: 3.5 h")
    result = run(tmp_path, later + LOGS + "  back: {restore: full, replay: daily, begin: 7 h}\n")
    assert result.get("jobs.back.bytes") == pytest.approx(1e9 + 3 * 50e6)


def test_logs_that_are_not_there_yet_are_left_out(tmp_path: Path) -> None:
    result = run(tmp_path, HOT + LOGS + "  back: {restore: full, replay: daily, begin: 2.5 h}\n")
    assert result.get("jobs.back.bytes") == pytest.approx(1e9 + 2 * 50e6)


def test_logs_of_several_jobs_are_replayed_in_the_order_of_their_times(tmp_path: Path) -> None:
    """Those of 10 % were made half an hour before those of 5 %, and are named after them."""
    other = LOGS.replace("daily", "nightly").replace("5 %", "10 %").replace("begin: 1 h", "begin: 30 min")
    back = "  back: {restore: full, replay: [daily, nightly], begin: 2.75 h}\n"
    result = run(tmp_path, HOT + LOGS + other + back)
    spans = [s for s in result.trace.spans if s.job == "jobs.back" and s.activity == "replay"]
    large, small = 100e6 * 301e-9, 50e6 * 301e-9
    assert [s.end - s.start for s in spans] == pytest.approx([large, small, large, small, large])


def test_a_full_target_fails_the_job_with_its_reason_and_the_rest_goes_on(tmp_path: Path) -> None:
    again = HOT.replace("to: target", "to: target, every: 1 h, until: 5 h")
    after = "  depends: {restore: full, after: full}\n"
    result = run(tmp_path, again + after + "  back: {restore: full, begin: 9 h}\n")
    states = [row(result, f"full.{i}")["status"] for i in range(1, 7)]
    assert states == ["done"] * 4 + ["failed"] * 2
    assert row(result, "full.5")["reason"] == "'target' is full"
    assert result.get("jobs.full.5.bytes") == 0.0
    assert row(result, "depends")["status"] == "skipped"
    assert row(result, "back")["status"] == "done"
    assert result.get("devices.target.bytes") == pytest.approx(4e9 + 1e9)


def test_a_restore_without_a_save_set_fails_with_its_reason(tmp_path: Path) -> None:
    result = run(tmp_path, HOT.replace("to: target", "to: target, begin: 1 h") + "  back: {restore: full}\n")
    assert row(result, "back")["status"] == "failed"
    assert "no save set" in str(row(result, "back")["reason"])


WRITER = "  users: {method: write, data: db, flush: true, begin: 4 s}\n"


def test_heavy_writes_make_the_snapshot_invalid_and_its_backup_fails(tmp_path: Path) -> None:
    result = run(tmp_path, FROZEN + WRITER + "  back: {restore: full, after: full}\n", area="2 MiB")
    assert row(result, "full")["status"] == "failed"
    assert row(result, "full")["reason"] == "'cow' became invalid: its copy area is full"
    assert row(result, "users")["status"] == "done"
    assert row(result, "back")["status"] == "skipped"


def test_the_same_writes_do_no_harm_to_a_snapshot_with_room(tmp_path: Path) -> None:
    result = run(tmp_path, FROZEN + WRITER, area="2 GB")
    assert row(result, "full")["status"] == "done"


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


def test_a_program_may_state_what_copied_files_cost_that_come_back(tmp_path: Path) -> None:
    """A core at 20 MB/s is slower than the disks, which read 125 MB/s and write 80 MB/s."""
    tool = "tool: {start_time: 0.5 s, mount_time: 0 s, restore_cpu: 50 ns/B}"
    jobs = f"  full: {{method: hot_copy, data: db, to: target, {tool}}}\n  back: {{restore: full, after: full}}\n"
    plain = run(tmp_path, jobs.replace(", restore_cpu: 50 ns/B", ""))
    assert row(plain, "back")["elapsed"] == pytest.approx(0.5 + 1e9 / 80e6, rel=0.01)
    result = run(tmp_path, jobs)
    assert row(result, "back")["elapsed"] == pytest.approx(
        0.5 + 1e9 * (1e-9 + 50e-9), rel=0.01
    )  # and one copy to read it
