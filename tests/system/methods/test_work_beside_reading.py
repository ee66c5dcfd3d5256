"""What is read while a program works on what came before, by hand and window by window."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

WINDOW, SIZE = 1e6, 10e9
LATENCY, RATE = 0.010, 1e9  # of the disk that is read: 11 ns for each byte of a window
FETCH = (LATENCY + WINDOW / RATE) / WINDOW
SITE = """\
title: A disk with a long latency, hosts that read one window ahead, and a bucket
hosts:
  server: {owns: [a, d], cores: 16, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 10000 GB/s,
    speed: 1, read_ahead: 1 MB, looks_ahead: true}
  other: {owns: [c], cores: 16, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 10000 GB/s,
    speed: 1, read_ahead: 1 MB, looks_ahead: true}
devices:
  a: {kind: ssd, capacity: 100 GB, read_rate: 100 GB/s, write_rate: 100 GB/s, read_latency: 0 s, write_latency: 0 s}
  d: {kind: ssd, capacity: 100 GB, read_rate: 1 GB/s, write_rate: 100 GB/s, read_latency: 10 ms, write_latency: 0 s}
  c: {kind: ssd, capacity: 100 GB, read_rate: 1 GB/s, write_rate: 100 GB/s, read_latency: 10 ms, write_latency: 0 s}
  bucket: {kind: object_store, write_latency: 0 s, read_latency: 10 ms, connection_rate: 1 GB/s, part: 1 MB,
    read_requests: 1000000 /s, write_requests: 1000000 /s}
links:
  lan: {joins: [server, other], rate: 10 GB/s, latency: 0 s, duplex: full}
  wan: {joins: [server, bucket], rate: 100 GB/s, latency: 0 s, duplex: full}
data:
  db:
    on: a
    size: 10 GB
    compression: 2
    database: {dump_ratio: 1, dump_cpu: 1 ns/B, load_cpu: LOAD ns/B, replay_cpu: 1 ns/B, flush_time: 0 s,
      locks_for_snapshot: false, locks_for_dump: false}
  files: {on: d, size: 10 GB, compression: 2}
jobs:
"""
TOOL = "tool: {start_time: 0 s, mount_time: 0 s, copy_cpu: 1 ns/B, restore_cpu: WORK ns/B, server_cpu: 0 s/B}"


def seconds_of(job: str, jobs: str, work: float, **changes: Any) -> float:
    text = SITE.replace("LOAD", f"{work}") + jobs.replace("WORK", f"{work}")
    result: Result = sb.simulate(sb.load(text, changes))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return float(result.get(f"jobs.{job}.elapsed"))


def periods(fetch: float, work: float, windows: int = 10_000) -> float:
    """Seconds of a byte when a host asks for the next window as its program begins one, whether that is there or not.

    Two windows are on their way at most: T(n + 1) = max(T(n), T(n - 1) + t) + w.
    """
    before, now = 0.0, fetch + work
    for _ in range(windows):
        before, now = now, max(now, before + fetch) + work
    return now / windows


@for_each("work", [1.0, 5.0, 11.0, 40.0])
def test_a_client_works_while_a_server_reads_on(work: float) -> None:
    """Two processes: the server sends a byte each (t + 0) / 2, and the client takes its own time."""
    jobs = f"  save: {{method: image, data: db, to: c, {TOOL}}}\n  back: {{restore: save, after: save, delay: 1 h}}\n"
    assert seconds_of("back", jobs, work) == pytest.approx(SIZE * max(FETCH / 2, work * 1e-9), rel=2e-3)


@pytest.mark.parametrize("work", [1.0, 11.0])
def test_a_program_that_alternates_does_one_after_the_other(work: float) -> None:
    """It waits for half of each fetch, as two windows are on their way, sends the bytes, and then the client works."""
    tool = TOOL.replace("tool: {", "tool: {alternates: true, ")
    jobs = f"  save: {{method: image, data: db, to: c, {tool}}}\n  back: {{restore: save, after: save, delay: 1 h}}\n"
    each = periods(FETCH, work * 1e-9) + 1 / 10e9
    assert seconds_of("back", jobs, work) == pytest.approx(SIZE * each, rel=2e-3)


@for_each("work", [1.0, 5.0, 40.0])
def test_objects_come_while_rows_are_loaded(work: float) -> None:
    """A connection brings 1 MB in 10 ms and 1 ms, 11 ns a byte, whatever the loader does with those before."""
    jobs = "  dump: {method: logical_dump, data: db, to: bucket}\n  load: {restore: dump, after: dump}\n"
    assert seconds_of("load", jobs, work) == pytest.approx(SIZE * max(11e-9, work * 1e-9), rel=2e-3)
