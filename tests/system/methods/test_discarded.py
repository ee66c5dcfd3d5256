"""Restores to a device that keeps nothing: what a check of a save set takes, against calculations by hand."""

from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.equations import tape
from simbackup.results.result import Result
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("no_serial_share")

CACHE = "cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 100 GB/s, speed: 1"
SSD = "kind: ssd, capacity: 100 GB, read_latency: 1 ms, write_latency: 1 ms"
SITE = f"""\
title: A client with a slow disk, and a backup server with a disk, a library, a bucket and a place that keeps nothing
hosts:
  client: {{owns: [a, there], {CACHE}}}
  server: {{owns: [b, here], {CACHE}}}
devices:
  a: {{{SSD}, read_rate: 400 MB/s, write_rate: 20 MB/s}}
  b: {{{SSD}, read_rate: 200 MB/s, write_rate: 400 MB/s}}
  here: {{kind: nul}}
  there: {{kind: nul}}
  nobodys: {{kind: nul}}
  bucket: {{model: object_store/amazon-s3-standard, connection_rate: 40 MB/s, read_latency: 0 s, part: 1 GB}}
  jukebox:
    {{model: tape_library/autoloader-8, bays: 4, robots: 1, exchange_time: 10 s, drives: 1, slots: 4, drive: {{
      model: tape_drive/lto-3, native_rate: 80 MB/s, slowest_rate: 20 MB/s, cartridge_capacity: 40 GB,
      tape_length: 100 m, passes: 10, read_speed: 1 m/s, search_speed: 5 m/s, load_time: 30 s, unload_time: 10 s,
      locate_overhead: 2 s, turn_time: 1 s, reposition_time: 3 s, buffer: 64 MB, host_rate: 1 GB/s}}}}
links:
  lan: {{joins: [client, server], rate: 50 MB/s, latency: 0 s}}
  bus: {{joins: [server, jukebox], rate: 1 GB/s, latency: 0 s}}
  line: {{joins: [server, bucket], rate: 1 GB/s, latency: 0 s}}
data:
  d: {{on: a, size: 8 GB, files: 8000, filesystem: filesystem/xfs}}
jobs:
  disk: {{method: file_level, data: d, to: b}}
  tape: {{method: copy_save_set, save_set: disk, to: jukebox, after: disk}}
  cloud: {{method: copy_save_set, save_set: disk, to: bucket, object_size: 1 GB, after: tape}}
"""
DRIVE = tape.TapeDriveParameters(80e6, 40e9, 100.0, 10, 1.0, 5.0, 30.0, 10.0, 2.0, 1.0, 64e6, reposition_time=3.0)
MECHANICS = 10.0 + 30.0 + tape.rewind_time(DRIVE, 8e9) + 10.0 + 10.0
SEEK = 1e-3 + 1 / 200e6


def run(tmp_path: Path, jobs: str, changes: dict[str, Any] | None = None) -> Result:
    (tmp_path / "case.yaml").write_text(SITE + jobs, encoding="utf-8")
    return sb.simulate(tmp_path / "case.yaml", changes)


@for_each(
    "keys, seconds",
    [
        ("copied_by: disk, to: here", SEEK + 8e9 / 200e6),
        ("copied_by: disk, to: here, streams: 2", SEEK + 8e9 / 200e6),
        ("copied_by: disk, to: there", SEEK + 8e9 / 50e6),
        ("copied_by: disk, to: nobodys", SEEK + 8e9 / 50e6),
        ("copied_by: tape, to: here", MECHANICS + 8e9 / 80e6),
        ("copied_by: tape, to: there", MECHANICS + 8e9 / 50e6),
        ("copied_by: cloud, to: here", 8e9 / 40e6),
        ("copied_by: cloud, to: here, connections: 4", 8e9 / 160e6),
        ("copied_by: disk, to: here, most_rate: 100 MB/s", SEEK + 8e9 / 100e6),
    ],
)
def test_a_check_takes_as_long_as_reading_to_where_it_runs(tmp_path: Path, keys: str, seconds: float) -> None:
    """Data of the client are not written, no file is made of them, and no link is crossed to where nobody is."""
    result = run(tmp_path, f"  check: {{restore: disk, {keys}, after: cloud}}\n")
    row = next(row for row in result.job_rows if row["job"] == "check")
    assert row["elapsed"] == pytest.approx(seconds, rel=1e-4)
    assert (row["bytes"], row["files"], row["status"]) == (8e9, 8000, "done")
    assert result.get("devices.a.bytes") == pytest.approx(8e9)  # read once, by the backup


@for_each("copied, restored, rate", [("", "", 40e6), (3, "", 120e6), (3, 2, 80e6), ("", 2, 80e6)])
def test_a_restore_uses_as_many_connections_as_the_copy_that_it_reads(
    tmp_path: Path, copied: int | str, restored: int | str, rate: float
) -> None:
    """A connection to the bucket brings 40 MB/s, and the line and the server more than three do."""
    changes = {"jobs.cloud.connections": copied} if copied else {}
    more = f", connections: {restored}" if restored else ""
    result = run(tmp_path, f"  back: {{restore: disk, copied_by: cloud, to: here, after: cloud{more}}}\n", changes)
    assert result.get("jobs.back.elapsed") == pytest.approx(8e9 / rate, rel=0.01)
