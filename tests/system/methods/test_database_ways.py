"""Dumps, copies and loads of databases over links, compressed, by several workers, with indexes and logs, by hand."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("no_serial_share")


SITE = """\
title: A database on flash, and a server with another flash disk, over a network of 50 MB/s
hosts:
  server: {owns: [a, b], cores: 16, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 100 GB/s}
  other: {owns: [c], cores: 16, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 100 GB/s}
devices:
  a: {kind: ssd, capacity: 100 GB, read_rate: 9 GB/s, write_rate: 500 MB/s, read_latency: 0 s, write_latency: 0 s}
  b: {kind: ssd, capacity: 100 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  c: {kind: ssd, capacity: 100 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
links:
  lan: {joins: [server, other], rate: 50 MB/s, latency: 0 s}
data:
  db:
    on: a
    size: 10 GB
    indexes: 4 GB
    compression: 2
    database: {dump_ratio: 1, dump_cpu: 100 ns/B, load_cpu: 400 ns/B, replay_cpu: 300 ns/B, flush_time: 2 s,
      locks_for_snapshot: false, locks_for_dump: false, hot_copy: false}
jobs:
"""
DUMP = "  dump: {method: logical_dump, data: db, to: b, workers: 4}\n"
LOAD = DUMP + "  load: {restore: dump, after: dump, workers: 4}\n"
HOT = "  hot: {method: hot_copy, data: db, to: b, MORE tool: {start_time: 0 s, mount_time: 0 s, copies_log: true}}\n"


def run(jobs: str, **changes: Any) -> Result:
    result = sb.simulate(SITE + jobs, {f"data.db.{key}": value for key, value in changes.items()})
    assert all(row["status"] == "done" for row in result.job_rows), result.job_rows
    return result


def moved(result: Result, device: str) -> float:
    return next((float(row["bytes"]) for row in result.device_rows if row["device"] == device), 0.0)


def test_an_engine_without_old_versions_of_rows_locks() -> None:
    result = run(DUMP, **{"database.locks_for_dump": "true"})
    assert result.get("jobs.dump.lock") == pytest.approx(result.get("jobs.dump.elapsed"))


@for_each("largest, expected", [(0.1, 1 / 4), (0.25, 1 / 4), (0.4, 0.4), (0.9, 0.9), (1.0, 1.0)])
def test_the_largest_table_is_dumped_and_loaded_by_one_worker(largest: float, expected: float) -> None:
    """No order of tables ends before the largest does: the greater of a worker's share and the largest table."""
    result = run(LOAD, largest=largest, **{"database.dump_cpu": "10 ns/B"})
    assert result.get("jobs.dump.elapsed") == pytest.approx(6e9 * expected * 10e-9, rel=0.02)
    rows = run(LOAD, largest=largest)  # rows and indexes go together: 400 ns for each byte of the dump
    assert rows.get("jobs.load.elapsed") == pytest.approx(6e9 * expected * 400e-9, rel=0.02)


def test_indexes_are_built_when_all_rows_are_there() -> None:
    """A core reads rows 3 times for each byte of index, and takes 200 ns to sort it and write it."""
    built = {"database.index_cpu": "200 ns/B", "database.index_reads": 3}
    result = run(LOAD, **built)
    load, build = 6e9 * 400e-9 / 4, 4e9 * 200e-9 / 4
    assert result.get("jobs.load.elapsed") == pytest.approx(load + build, rel=0.02)
    spent = {activity: seconds for (_, activity), seconds in result.activities("load").items()}
    assert spent["index"] == pytest.approx(build, rel=0.02)
    assert moved(result, "devices.a") == pytest.approx(6e9 + 6e9 + 4e9 + 3 * 4e9)  # dump, rows, indexes, their reads


def test_a_load_writes_a_log_beside_rows() -> None:
    """The disk is held by both: twice 10 GB at 500 MB/s take 40 s, where the cores would take 3.75."""
    quick = {"database.load_cpu": "2.5 ns/B", "database.load_log": 1}
    jobs = LOAD + "  again: {method: write, data: db, flush: true, after: load}\n"
    result = run(jobs, **quick)
    assert moved(result, "devices.a") == pytest.approx(6e9 + 20e9 + 10e9)
    end = result.get("jobs.again.start") + result.get("jobs.again.elapsed")
    assert end - result.get("jobs.load.start") == pytest.approx(20e9 / 500e6 + 10e9 / 500e6, rel=0.02)


@for_each("at, sent", [("client", 0.5), ("server", 1.0), ("wire", 0.5)])
def test_a_dump_to_another_host_crosses_the_link_compressed_or_not(at: str, sent: float) -> None:
    coder = f"compressor: {{at: {at}, compress_cpu: 20 ns/B, expand_cpu: 5 ns/B}}"
    result = run(LOAD.replace("to: b", f"to: c, {coder}"), **{"database.dump_cpu": "10 ns/B"})
    assert result.get("jobs.dump.elapsed") == pytest.approx(6e9 * sent / 50e6, rel=0.02)
    assert moved(result, "links.lan") + moved(result, "links.lan.back") == pytest.approx(2 * 6e9 * sent)
    assert moved(result, "devices.c") == pytest.approx(2 * 6e9 * (1.0 if at == "wire" else 0.5))
    assert result.get("jobs.load.elapsed") == pytest.approx(6e9 * 400e-9 / 4, rel=0.02)  # another thread expands


def test_a_hot_copy_with_its_log_needs_no_lock_and_replays_the_log() -> None:
    """Copying 10 GB at 9 GB/s takes 1.1 s, in which users write 100 MB/s of log; replaying takes 300 ns a byte."""
    jobs = HOT.replace("MORE", "log_rate: 100 MB/s,") + "  back: {restore: hot, after: hot}\n"
    result = run(jobs)
    log = 100e6 * 10e9 / 9e9
    assert result.get("jobs.hot.lock") == 0.0
    assert result.get("jobs.hot.bytes") == pytest.approx(10e9 + log, rel=1e-3)
    replay = sum(s for (_, what), s in result.activities("back").items() if what == "replay")
    assert replay == pytest.approx(log * 300e-9, rel=0.02)


@for_each("written, longer", [(1, 1.02), (10, 1.25), (20, 5 / 3), (25, 2.0), (50, 3.0), (100, 5.0)])
def test_the_log_shares_the_line_with_the_files(written: float, longer: float) -> None:
    """10 GB over 50 MB/s take 200 s. A log of L leaves them R - L, and R / (R - L) times as long; half at the least."""
    hot = HOT.replace("to: b", "to: c").replace("MORE", f"log_rate: {written} MB/s,")
    elapsed = run(hot).get("jobs.hot.elapsed") - run(HOT.replace("to: b", "to: c").replace("MORE", "")).get(
        "jobs.hot.elapsed"
    )
    assert elapsed == pytest.approx(200.0 * (longer - 1.0), rel=0.03)


def test_workers_copy_side_by_side() -> None:
    slow = HOT.replace("copies_log: true", "copies_log: true, copy_cpu: 50 ns/B")
    one, four = (run(slow.replace("MORE", f"workers: {n},")).get("jobs.hot.elapsed") for n in (1, 4))
    assert one == pytest.approx(2.0 + 10e9 * 50e-9, rel=0.01)
    assert four == pytest.approx(2.0 + 10e9 * 50e-9 / 4, rel=0.01)
    largest = run(slow.replace("MORE", "workers: 4,"), largest=0.5).get("jobs.hot.elapsed")
    assert largest == pytest.approx(2.0 + 10e9 * 50e-9 / 2, rel=0.01)


# Dumps and loads by several workers, and what paces each of them
PARALLEL_SITE = """\
title: A database on flash, dumped to flash
hosts:
  server: {owns: [a, b], cores: 16, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 100 GB/s}
devices:
  a: {kind: ssd, capacity: 100 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  b: {kind: ssd, capacity: 100 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
data:
  db:
    on: a
    size: 10 GB
    database: {dump_ratio: 1, dump_cpu: 100 ns/B, load_cpu: 400 ns/B, replay_cpu: 100 ns/B, flush_time: 0 s,
      locks_for_snapshot: false}
jobs:
  dump: {method: logical_dump, data: db, to: b, workers: WORKERS}
  load: {restore: dump, after: dump, workers: WORKERS}
"""


def test_a_dump_on_few_cores_is_bound_by_what_both_take() -> None:
    result = sb.simulate(
        PARALLEL_SITE.replace("WORKERS", "8"),
        {"data.db.database.dump_client": "50 %", "hosts.server.cores": 2},
    )
    assert result.get("jobs.dump.elapsed") == pytest.approx(10e9 * (100e-9 + 2 / 100e9) / 2, rel=0.05)
