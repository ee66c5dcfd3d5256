"""Restores of selected files by programs that find them only by reading what lies before them, by hand."""

import pytest

import simbackup as sb
from simbackup.results.result import Result

SITE = """\
title: A program that does not position the tape
hosts:
  server: {owns: [disk, pool, jukebox], cores: 8, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 80 %,
    copy_rate: 1000 GB/s}
devices:
  disk: {kind: ssd, capacity: 1 TB, read_rate: 5 GB/s, write_rate: 5 GB/s, read_latency: 0 s, write_latency: 0 s}
  pool: {kind: ssd, capacity: 1 TB, read_rate: 5 GB/s, write_rate: 5 GB/s, read_latency: 0 s, write_latency: 0 s}
  jukebox:
    model: tape_library/autoloader-8
    drives: 1
    drive: {model: tape_drive/lto-3, native_rate: 10 MB/s, slowest_rate: 1 kB/s, host_rate: 500 MB/s,
      cartridge_capacity: 6 GB, command_time: 0 s}
data:
  users: {on: disk, size: 4 GB, files: 4000, filesystem: {model: filesystem/xfs}, compression: 2}
jobs:
"""
TOOL = "tool: {start_time: 0 s, mount_time: 0 s, restore_cpu: 0.001 ns/B, restore_reads: READS}"
FULL = f"  full: {{method: file_level, data: users, to: jukebox, {TOOL}, exists: true}}\n"
ONE = "  one: {restore: full, select: {files: 1, size: 8 MB, at: 50 %}}\n"
RATE = 20e6
"""Bytes of the save set that come from tape in a second: what the drive reads expands to twice as much."""


def ran(jobs: str, reads: str, **changes: str) -> Result:
    result = sb.simulate((SITE + jobs).replace("READS", reads), changes)
    assert all(row["status"] == "done" for row in result.job_rows), result.job_rows
    return result


def spent(result: Result, job: str) -> dict[str, float]:
    """Seconds of a job at the drive, by activity."""
    found = result.activities(job)
    return {activity: seconds for (where, activity), seconds in found.items() if where == "devices.jukebox.drive.1"}


@pytest.mark.parametrize(("reads", "before"), [("to_last", 2e9), ("all", 4e9 - 8e6)])
def test_what_lies_before_a_file_is_read_at_the_rate_of_the_tape(reads: str, before: float) -> None:
    result = ran(FULL + ONE, reads)
    times = spent(result, "one")
    assert times["read"] == pytest.approx(before / RATE)
    assert times["transfer"] == pytest.approx(8e6 / RATE)
    assert "locate" not in times  # the tape runs on from the beginning of the save set
    assert result.get("jobs.one.bytes") == 8e6


def test_files_that_are_spread_are_found_on_the_way_to_the_last_of_them() -> None:
    times = spent(ran(FULL + "  one: {restore: full, select: {files: 4, size: 4 MB}}\n", "to_last"), "one")
    golden = (5**0.5 - 1) / 2
    last = 3 * 1e9 + (0.5 + 9 * golden) % 1.0 * (1e9 - 1e6)  # where the last of them begins, as the places are chosen
    assert times["read"] == pytest.approx((last - 3e6) / RATE)
    assert times["transfer"] == pytest.approx(4e6 / RATE)
    assert "locate" not in times


def test_cartridges_before_that_of_the_file_are_read_to_their_end() -> None:
    changes = {"devices.jukebox.drive.cartridge_capacity": "0.75 GB"}  # 1.5 GB of the save set each
    result = ran(FULL + ONE, "to_last", **changes)
    assert spent(result, "one")["read"] == pytest.approx(2e9 / RATE)
    assert spent(result, "one")["load"] == pytest.approx(2 * 19.0)
    assert spent(ran(FULL + ONE, "wanted", **changes), "one")["load"] == pytest.approx(19.0)


def test_what_others_have_written_between_is_read_too() -> None:
    jobs = FULL.replace("exists: true", "streams: 2, multiplexing: 2, exists: true")
    times = spent(ran(jobs + "  one: {restore: full, select: {files: 1, size: 8 MB, at: 25 %}}\n", "to_last"), "one")
    # 25 % is the middle of the first of two streams, which lie interleaved: 1 GB of either are passed, and read for one
    assert times["read"] == pytest.approx(2e9 / RATE, rel=1e-6)
    assert times["transfer"] == pytest.approx(16e6 / RATE, rel=1e-6)


PACKED = """\
  full: {method: file_level, data: users, to: pool, exists: true, COMPRESSOR,
    tool: {start_time: 0 s, mount_time: 0 s, restore_cpu: 0.001 ns/B, restore_reads: READS}}
"""
GZIP = "compressor: {compress_cpu: 50 ns/B, expand_cpu: 10 ns/B}"


@pytest.mark.parametrize(("reads", "before"), [("to_last", 2e9), ("all", 4e9 - 8e6)])
def test_a_compressed_archive_on_a_disk_is_expanded_from_its_beginning(reads: str, before: float) -> None:
    result = ran(PACKED.replace("COMPRESSOR", GZIP) + ONE, reads)
    read = sum(seconds for (_, activity), seconds in result.activities("one").items() if activity in {"read", "expand"})
    # while the next bytes are read, each is expanded; those that are passed over are then copied as part of reading
    assert read == pytest.approx(before * 10.001e-9 + 8e6 * 10e-9)
