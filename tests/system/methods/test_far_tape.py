"""Tape drives at the end of a long line, whose commands go there one at a time: command by command, and by hand."""

from collections.abc import Generator
from typing import Any

import pytest
import simpy

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

SITE = """\
title: A drive far away
hosts:
  server: {owns: [array], cores: 8, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 1000 GB/s}
devices:
  array: {kind: ssd, capacity: 1 TB, read_rate: 5 GB/s, write_rate: 5 GB/s, read_latency: 1 us, write_latency: 1 us}
  vault:
    model: tape_library/autoloader-8
    drives: DRIVES
    bays: 4
    drive:
      {model: tape_drive/lto-3, native_rate: 80 MB/s, slowest_rate: 1 kB/s, host_rate: 320 MB/s, command_time: 0.1 ms}
links:
  line: {joins: [server, vault], rate: 20 MB/s, latency: 10 ms, duplex: full, LINE}
data:
  one: {on: array, size: 1 GB}
  two: {on: array, size: 1 GB}
jobs:
"""
TOOL = "tool: {start_time: 0 s, mount_time: 0 s, copy_cpu: 0.001 ns/B, block: 100 kB, MORE}"
FULL = f"  full: {{method: image, data: one, to: vault, {TOOL}}}\n"
BACK = "  back: {restore: full, after: full}\n"


def ran(
    jobs: str, line: str = "storage: true", more: str = "unload_after: 0 s", drives: int = 1, site: str = SITE
) -> Result:
    text = (site + jobs).replace("LINE", line).replace("MORE", more).replace("DRIVES", str(drives))
    result = sb.simulate(text)
    assert all(row["status"] == "done" for row in result.job_rows), result.job_rows
    return result


def moved(result: Result, job: str) -> float:
    return float(result.get(f"jobs.{job}.bytes") / result.get(f"jobs.{job}.transfer_rate"))


def one_by_one(trips: int, block: float, size: float, latency: float, rate: float) -> float:
    """Seconds until so many bytes have gone to a drive, each command after the answer to the one before."""
    env = simpy.Environment()

    def host() -> Generator[simpy.Event, Any, None]:
        for _ in range(round(size / block)):
            for _ in range(trips - 1):  # the command, and the word that the drive is ready for its bytes
                yield env.timeout(latency / 2.0)
                yield env.timeout(latency / 2.0)
            yield env.timeout(latency / 2.0 + block / rate)  # the last bit of the block arrives
            yield env.timeout(latency / 2.0)  # the status

    env.run(env.process(host()))
    return float(env.now)


@pytest.mark.parametrize("line", ["storage: true", "storage: true, command_trips: 1"])
def test_each_block_that_is_read_takes_one_round_trip(line: str) -> None:
    assert moved(ran(FULL + BACK, line), "back") == pytest.approx(one_by_one(1, 100e3, 1e9, 0.01, 20e6), rel=1e-3)


def test_a_restore_in_turns_waits_once_for_each_round_trip() -> None:
    result = ran(FULL + BACK, more="alternates: true, restore_cpu: 1 ns/B")
    each = 0.01 + 100e3 / 20e6 + 100e3 / 320e6 + 100e3 * 1e-9
    assert moved(result, "back") == pytest.approx(1e9 / 100e3 * each, rel=2e-3)


def test_a_copy_to_other_cartridges_waits_for_reads_and_writes_side_by_side() -> None:
    pools = "drives: DRIVES\n    pools: {near: 2, far: 2}"
    text = (SITE + FULL.replace("to: vault,", "to: vault, pool: near,")).replace("drives: DRIVES", pools)
    copy = "  copy: {method: copy_save_set, save_set: full, to: vault, pool: far, after: full}\n"
    result = ran(copy, drives=2, site=text)
    assert moved(result, "copy") == pytest.approx(one_by_one(2, 100e3, 1e9, 0.01, 20e6), rel=1e-3)


def test_the_line_is_the_bottleneck() -> None:
    assert sb.explain(ran(FULL))["full"].bottleneck == "links.line"


@for_each("workers", [1, 2, 3, 8])
def test_workers_that_alternate_write_to_a_drive_one_at_a_time(workers: int) -> None:
    rmt = SITE.replace("size: 1 GB}", "size: 1 GB, files: 1000, filesystem: FS}")
    free = "{reads_per_file: 0, cpu_per_file: 0 ms/file, fragment: 1 GB}"
    job = FULL.replace("method: image", f"method: file_level, workers: {workers}")
    result = ran(job, "storage: false", "alternates: true, request: 100 kB", site=rmt.replace("FS", free))
    each = 0.01 + 100e3 / 20e6 + 100e3 / 320e6 + 0.1e-3  # away and back, on the line, and into the drive
    assert moved(result, "full") == pytest.approx(1e9 / 100e3 * each, rel=2e-3)  # reading takes 20 us of it
