"""Copies of save sets that are on tape, against calculations by hand."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.equations import tape
from simbackup.results.result import Result
from tests.cases import for_each

CACHE = "cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 100 GB/s, speed: 1"
DRIVE = (
    "model: tape_drive/lto-3, cartridge_capacity: 40 GB, tape_length: 100 m, passes: 10, read_speed: 1 m/s,"
    " search_speed: 5 m/s, load_time: 30 s, unload_time: 10 s, locate_overhead: 2 s, turn_time: 1 s, host_rate: 1 GB/s"
)
SITE = f"""\
title: A client, a media server with two libraries and a disk
hosts:
  client: {{owns: [a], {CACHE}}}
  server: {{owns: [b, old, new, second], {CACHE}}}
devices:
  a: {{kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s, read_rate: 2 GB/s, write_rate: 2 GB/s}}
  b: {{kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s, read_rate: 2 GB/s, write_rate: 2 GB/s}}
  old:
    {{model: tape_library/autoloader-8, bays: 4, slots: 8, robots: 2, exchange_time: 10 s, drives: 2,
     pools: {{vault: 4}},
     drive: {{{DRIVE}, native_rate: 80 MB/s, slowest_rate: 80 MB/s, reposition_time: 3 s, buffer: 64 MB}}}}
  new:
    {{model: tape_library/autoloader-8, bays: 4, slots: 8, robots: 2, exchange_time: 10 s, drives: 2,
     drive: {{{DRIVE}, native_rate: 100 MB/s, slowest_rate: 20 MB/s, reposition_time: 3 s, buffer: 64 MB}}}}
  second:
    {{model: tape_library/autoloader-8, bays: 4, slots: 8, robots: 2, exchange_time: 10 s, drives: 2,
     drive: {{{DRIVE}, native_rate: 100 MB/s, slowest_rate: 100 MB/s, reposition_time: 3 s, buffer: 64 MB}}}}
links:
  lan: {{joins: [client, server], rate: 10 MB/s, latency: 0 s}}
data:
  d: {{on: a, size: 30 GB}}
jobs:
  full: {{method: image, data: d, to: old, exists: true}}
"""
FIGURES = tape.TapeDriveParameters(80e6, 40e9, 100.0, 10, 1.0, 5.0, 30.0, 10.0, 2.0, 1.0, 64e6, reposition_time=3.0)
MOUNT = 10.0 + 30.0
AWAY = tape.rewind_time(FIGURES, 30e9) + 10.0 + 10.0


def run(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(SITE + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}
    return result


def copy(to: str, more: str = "") -> str:
    return f"  copy: {{method: copy_save_set, save_set: full, to: {to}}}\n{more}"


def test_a_writer_that_cannot_slow_down_stops_and_starts() -> None:
    """Its buffer of 64 MB fills in less than the 3 s in which it is back: B d / (B + r (d - h)), `stop_start_rate`."""
    rate = 64e6 * 100e6 / (64e6 + 3.0 * (100e6 - 80e6))
    assert run(copy("second")).get("jobs.copy.elapsed") == pytest.approx(2 * MOUNT + 30e9 / rate + 2 * AWAY)


@pytest.mark.parametrize("compression", [1.0, 2.0])
def test_what_was_multiplexed_is_read_in_one_pass_and_comes_back_from_the_copy(compression: float) -> None:
    how = {"jobs.full.streams": 2, "jobs.full.multiplexing": 2, "data.d.compression": compression}
    result = run(copy("new", "  back: {restore: full, copied_by: copy, after: copy}\n"), how)
    assert result.activities("copy")["devices.old.drive.1", "copy"] == pytest.approx(30e9 / 80e6 / compression)
    assert result.get("jobs.back.elapsed") == pytest.approx(30e9 / 10e6 + MOUNT + AWAY, rel=0.01)


@for_each("ratio", [1.0, 2.0])
@for_each("connections", [1, 4])
def test_a_tape_goes_to_a_bucket_as_fast_as_tape_and_connections_allow(ratio: float, connections: int) -> None:
    """What was compressed is fewer bytes. One connection of 30 MB/s stops the drive: `B d / (B + r (d - h))`."""
    bucket = "  bucket: {model: object_store/amazon-s3-standard, connection_rate: 30 MB/s, write_latency: 0 s}\n"
    line = "  wan: {joins: [server, bucket], rate: 1 GB/s, latency: 0 s}\n"
    how = "exists: true, compressor: compressor/lz4" if ratio > 1.0 else "exists: true"
    site = SITE.replace("links:\n", f"{bucket}links:\n{line}").replace("exists: true", how)
    jobs = f"  copy: {{method: copy_save_set, save_set: full, to: bucket, connections: {connections}}}\n"
    result = sb.simulate(sb.load(site + jobs, {"data.d.compression": ratio}))
    rate = 80e6 if connections == 4 else 64e6 * 80e6 / (64e6 + 3.0 * (80e6 - 30e6))
    away = tape.rewind_time(FIGURES, 30e9 / ratio) + 10.0 + 10.0
    assert result.get("jobs.copy.elapsed") == pytest.approx(MOUNT + 30e9 / ratio / rate + away, rel=1e-3)


def test_two_copies_within_a_library_do_not_wait_for_each_others_drives() -> None:
    """Each would hold one of the two drives, and wait for the other."""
    jobs = "  more: {method: image, data: d, to: old, exists: true}\n"
    jobs += "  copy: {method: copy_save_set, save_set: full, to: old, pool: vault}\n"
    jobs += "  other: {method: copy_save_set, save_set: more, to: old, pool: vault}\n"
    result = run(jobs)
    ends = sorted(result.get(f"jobs.{job}.end") for job in ("copy", "other"))
    assert ends[1] > 2 * 30e9 / 80e6


def test_a_copy_that_a_library_has_is_not_made_again() -> None:
    result = run(copy("old, pool: vault", "  back: {restore: full, after: copy}\n"), {"jobs.copy.exists": True})
    assert [row["job"] for row in result.job_rows] == ["back"]
