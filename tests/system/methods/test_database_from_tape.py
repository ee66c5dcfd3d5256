"""Backups of databases that come back from tape, by hand: mounts, drive or database, and the way back."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.equations import tape
from simbackup.results.result import Result
from tests.shared import LIBRARY_BY_HAND

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
MOUNT = 10.0 + 30.0


def away(byte: float) -> float:
    return tape.rewind_time(FIGURES, byte) + 10.0 + 10.0


def run(jobs: str, changes: dict[str, Any] | None = None) -> Result:
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
    result = run(DUMP + COPY + BACK, built)
    assert result.get("jobs.back.elapsed") == pytest.approx(MOUNT + 6e9 * 400e-9 + away(6e9) + 2e9 * 50e-9)


@pytest.mark.parametrize("how", ["", "compressor: {at: client, compress_cpu: 1 ns/B, expand_cpu: 1 ns/B}, "])
def test_what_was_compressed_by_a_program_or_by_the_drive_comes_back_faster(how: str) -> None:
    """Half as many bytes are on tape; a program that compressed also sends half as many over the line."""
    result = run(HOT.replace("data: db,", f"data: db, {how}") + COPY + BACK, {"data.db.compression": 2})
    assert result.get("jobs.back.elapsed") == pytest.approx(MOUNT + 8e9 / 160e6 + away(4e9))
    assert result.get("links.lan.back.bytes") == pytest.approx(4e9 if how else 8e9)


def test_the_log_of_a_hot_copy_is_replayed_from_the_same_mount() -> None:
    """4 s of copying at 2 GB/s bring 40 MB of log, which lie behind the files and take 12 s."""
    hot = HOT.replace("to: b", "to: b, log_rate: 10 MB/s, tool: {start_time: 0 s, mount_time: 0 s, copies_log: true}")
    result = run(hot + COPY + BACK)
    log = result.get("jobs.full.bytes") - 8e9
    assert log == pytest.approx(10e6 * 4.0, rel=0.05)
    expected = MOUNT + 8e9 / 80e6 + log * 300e-9 + away(8e9 + log)
    assert result.get("jobs.back.elapsed") == pytest.approx(expected)


def test_logs_come_from_where_they_were_saved() -> None:
    """The full backup is on tape, and 0.8 GB of logs on the keeper's disk, from where they cross the line."""
    daily = "  daily: {method: binary_log, data: db, to: c, changed: 10 %, after: vault}\n"
    result = run(HOT + COPY + daily + BACK.replace("after: vault", "after: daily, replay: daily"))
    expected = MOUNT + 8e9 / 80e6 + away(8e9) + 0.8e9 * 300e-9
    assert result.get("jobs.back.elapsed") == pytest.approx(expected, rel=1e-4)
    assert result.get("devices.c.bytes") == pytest.approx(2 * 0.8e9)


def test_another_reader_waits_for_the_cartridge() -> None:
    jobs = HOT + COPY + BACK + BACK.replace("back:", "other:").replace("}", ", to: twin}")
    site = SITE.replace("jobs:\n", "  twin: {on: a, size: 8 GB, database: database/mysql-8.0-innodb}\njobs:\n")
    result = sb.simulate(sb.load(site + jobs, {"data.twin.database.load_cpu": "25 ns/B"}))
    once = MOUNT + 8e9 / 80e6 + away(8e9)
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
    result = run(native + LOG + FAR + FAR_LOG + back)
    assert [result.get(f"devices.{name}.bytes") for name in "cb"] == pytest.approx([17.6e9, 17.6e9])
