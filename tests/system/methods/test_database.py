"""Backups and restores of a database on devices whose every second can be worked out by hand."""

from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.equations import tape
from simbackup.results.result import Result
from tests.shared import LIBRARY_BY_HAND

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
  cow: {kind: snapshot, of: volume, on: area, size: AREA, chunk: 64 KiB, record: 16 B,
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


# From tape: mounts, drive or database, and the way back
CACHE = "cores: 8, memory: 100 GB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 100 GB/s, speed: 1"
SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s"
SITE = f"""\
title: A database, a disk of its host for backups, and a library and a disk of another host
hosts:
  server: {{owns: [a, b], {CACHE}}}
  keeper: {{owns: [c, library], {CACHE}}}
devices:
  a: {{{SSD}, read_rate: 2 GB/s, write_rate: 2 GB/s}}
  b: {{{SSD}, read_rate: 2 GB/s, write_rate: 2 GB/s}}
  c: {{{SSD}, read_rate: 2 GB/s, write_rate: 2 GB/s}}
{LIBRARY_BY_HAND}links:
  lan: {{joins: [server, keeper], rate: 500 MB/s, latency: 0 s, duplex: full}}
data:
  db:
    on: a
    size: 8 GB
    database: {{dump_ratio: 1, dump_cpu: 1 ns/B, load_cpu: 25 ns/B, replay_cpu: 300 ns/B, flush_time: 0 s,
      locks_for_snapshot: false, locks_for_dump: false, hot_copy: true}}
jobs:
"""
HOT = "  full: {method: hot_copy, data: db, to: b}\n"
DUMP = "  full: {method: logical_dump, data: db, to: b}\n"
COPY = "  vault: {method: copy_save_set, save_set: full, to: library, after: full}\n"
BACK = "  back: {restore: full, copied_by: vault, after: vault}\n"
FIGURES = tape.TapeDriveParameters(80e6, 40e9, 100.0, 10, 1.0, 5.0, 30.0, 10.0, 2.0, 1.0, 64e6, reposition_time=3.0)
TAPE_MOUNT = 10.0 + 30.0


def away(byte: float) -> float:
    return tape.rewind_time(FIGURES, byte) + 10.0 + 10.0


def run_tape(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(SITE + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


def test_a_load_so_slow_that_the_buffer_lasts_goes_at_its_own_pace() -> None:
    """400 ns a byte are 2.5 MB/s, for which 64 MB last 26 s; the indexes are then built by one session, too."""
    built = {
        "data.db.database.load_cpu": "400 ns/B",
        "data.db.indexes": "2 GB",
        "data.db.database.index_cpu": "50 ns/B",
    }
    result = run_tape(DUMP + COPY + BACK, built)
    assert result.get("jobs.back.elapsed") == pytest.approx(TAPE_MOUNT + 6e9 * 400e-9 + away(6e9) + 2e9 * 50e-9)


@pytest.mark.parametrize("how", ["", "compressor: {at: client, compress_cpu: 1 ns/B, expand_cpu: 1 ns/B}, "])
def test_what_was_compressed_by_a_program_or_by_the_drive_comes_back_faster(how: str) -> None:
    """Half as many bytes are on tape; a program that compressed also sends half as many over the line."""
    result = run_tape(HOT.replace("data: db,", f"data: db, {how}") + COPY + BACK, {"data.db.compression": 2})
    assert result.get("jobs.back.elapsed") == pytest.approx(TAPE_MOUNT + 8e9 / 160e6 + away(4e9))
    assert result.get("links.lan.back.bytes") == pytest.approx(4e9 if how else 8e9)


def test_the_log_of_a_hot_copy_is_replayed_from_the_same_mount() -> None:
    """4 s of copying at 2 GB/s bring 40 MB of log, which lie behind the files and take 12 s."""
    hot = HOT.replace("to: b", "to: b, log_rate: 10 MB/s, tool: {start_time: 0 s, mount_time: 0 s, copies_log: true}")
    result = run_tape(hot + COPY + BACK)
    log = result.get("jobs.full.bytes") - 8e9
    assert log == pytest.approx(10e6 * 4.0, rel=0.05)
    expected = TAPE_MOUNT + 8e9 / 80e6 + log * 300e-9 + away(8e9 + log)
    assert result.get("jobs.back.elapsed") == pytest.approx(expected)


def test_logs_come_from_where_they_were_saved() -> None:
    """The full backup is on tape, and 0.8 GB of logs on the keeper's disk, from where they cross the line."""
    daily = "  daily: {method: binary_log, data: db, to: c, changed: 10 %, after: vault}\n"
    result = run_tape(HOT + COPY + daily + BACK.replace("after: vault", "after: daily, replay: daily"))
    expected = TAPE_MOUNT + 8e9 / 80e6 + away(8e9) + 0.8e9 * 300e-9
    assert result.get("jobs.back.elapsed") == pytest.approx(expected, rel=1e-4)
    assert result.get("devices.c.bytes") == pytest.approx(2 * 0.8e9)


def test_another_reader_waits_for_the_cartridge() -> None:
    jobs = HOT + COPY + BACK + BACK.replace("back:", "other:").replace("}", ", to: twin}")
    site = SITE.replace("jobs:\n", "  twin: {on: a, size: 8 GB, database: database/mysql-8.0-innodb}\njobs:\n")
    result = sb.simulate(sb.load(site + jobs, {"data.twin.database.load_cpu": "25 ns/B"}))
    once = TAPE_MOUNT + 8e9 / 80e6 + away(8e9)
    assert sorted(result.get(f"jobs.{job}.elapsed") for job in ("back", "other")) == pytest.approx([once, 2 * once])


LOG = "  log: {method: binary_log, data: db, to: b, changed: 10 %, after: full}\n"
FAR = "  far: {method: copy_save_set, save_set: full, to: c, after: log}\n"
FAR_LOG = "  far_log: {method: copy_save_set, save_set: log, to: c, after: far}\n"


def test_logs_of_a_native_backup_come_from_beside_its_copy() -> None:
    engine = (
        "transfer_size: 1 MiB, io_depth: 4, request_latency: 0 s, compress_cpu: 0 s/B, expand_cpu: 0 s/B,"
        " buffer_sets: 1, memory_limit: 1 GB"
    )
    native = f"  full: {{method: database_native, data: db, to: b, engine: {{{engine}}}}}\n"
    back = "  back: {restore: full, copied_by: far, replay: log, after: far_log}\n"
    result = run_tape(native + LOG + FAR + FAR_LOG + back)
    assert [result.get(f"devices.{name}.bytes") for name in "cb"] == pytest.approx([17.6e9, 17.6e9])


# Logs that a restore of an image replays
LOGS_SITE = """\
title: A database that its server saves as an image, with incrementals and logs
hosts:
  server: {owns: [a, b, library], cores: 16, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, speed: 1,
    copy_rate: 10000 GB/s}
  other: {owns: [c], cores: 16, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, speed: 1,
    copy_rate: 10000 GB/s}
devices:
  a: {kind: ssd, capacity: 100 GB, read_rate: 2 GB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}
  b: {kind: ssd, capacity: 100 GB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0 s, write_latency: 0 s}
  c: {kind: ssd, capacity: 100 GB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0 s, write_latency: 0 s}
  library: {model: tape_library/autoloader-8, drive: tape_drive/lto-6, drives: 1}
data:
  db:
    on: a
    size: 10 GB
    change: {daily: 10 %, run: 1 MB}
    database: {dump_ratio: 1, dump_cpu: 1 ns/B, load_cpu: 1 ns/B, replay_cpu: 50 ns/B, flush_time: 0 s,
      locks_for_snapshot: false}
  copy: {on: c, size: 10 GB}
  files: {on: b, size: 1 GB}
jobs:
  full: {method: image, data: db, to: TARGET}
  early: {method: binary_log, data: db, to: b, changed: 20 %, after: full}
  more: {method: image, data: db, to: TARGET, level: incremental, since: 24 h, after: early}
  late: {method: binary_log, data: db, to: b, changed: 5 %, after: more}
  plain: {restore: full, replay: more, after: late}
  back: {restore: full, replay: [more, early, late], after: plain}
"""


def run_logs(target: str = "b", **changes: Any) -> Result:
    result = sb.simulate(sb.load(LOGS_SITE.replace("TARGET", target), changes))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


@pytest.mark.parametrize("target", ["b", "library"])
def test_the_logs_since_the_last_incremental_are_replayed(target: str) -> None:
    """Those of 500 MB since take 50 ns a byte; those before the incremental are in it."""
    result = run_logs(target)
    assert result.get("jobs.back.bytes") == result.get("jobs.plain.bytes") + 0.5e9
    replayed = sum(seconds for (_, what), seconds in result.activities("back").items() if what == "replay")
    assert replayed == pytest.approx(0.5e9 * 50e-9, rel=1e-3)
    longer = result.get("jobs.back.elapsed") - result.get("jobs.plain.elapsed")
    assert longer == pytest.approx(0.5e9 * 50e-9, rel=0.05)


def test_all_logs_follow_a_full_backup_alone() -> None:
    result = run_logs(**{"jobs.back.replay": ["early", "late"]})
    assert result.get("jobs.back.bytes") == 10e9 + 2.5e9
    replayed = sum(seconds for (_, what), seconds in result.activities("back").items() if what == "replay")
    assert replayed == pytest.approx(2.5e9 * 50e-9, rel=1e-3)
