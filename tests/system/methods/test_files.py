"""Files that are made, read from a share, or restored to a device that keeps nothing, by hand."""

from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.equations import tape
from simbackup.results.result import Result
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("no_serial_share")


SITE = """\
title: Files that are made
hosts:
  host: {owns: [a, b, nul], cores: 8, memory: 100 GB, dirty_limit: 0.01 %, dirty_background: 0 %, copy_rate: 100 GB/s}
devices:
  a: {kind: ssd, capacity: 100 GB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 1 ms, write_latency: 1 ms}
  b: {kind: disk, capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: 5 ms, average_seek: 5 ms,
    full_stroke_seek: 5 ms, outer_rate: 50 MB/s, inner_rate: 50 MB/s, command_overhead: 0 s, stream_turn: 1 MB}
  library: {model: tape_library/autoloader-8, drive: tape_drive/lto-9, drives: 1}
  nul: {kind: nul}
links:
  bus: {joins: [host, library], rate: 1 GB/s, latency: 0 s}
data:
  d: {on: a, size: 100 MB, files: 10000, directories: 0, layout: scattered, cached: 100 %,
    filesystem: {reads_per_file: 1, cpu_per_file: 0.1 ms/file, fragment: 1 MB, record: 1 kB, MAKING}}
  e: {on: b, size: 100 MB, files: 10000, directories: 0, layout: scattered,
    filesystem: {reads_per_file: 1, cpu_per_file: 0.1 ms/file, fragment: 1 MB, record: 1 kB, MAKING}}
jobs:
"""
COSTS = "create_cpu: 2 ms/file, attribute_cpu: 1 ms/file"
FILES = 10_000


def run(jobs: str, making: str = COSTS) -> Result:
    return sb.simulate(SITE.replace("MAKING", making) + jobs)


def test_a_program_and_a_copy_make_files_too() -> None:
    result = run("  write: {method: write, data: d}\n  copy: {method: copy, data: d, to: e, after: write}\n")
    assert result.get("jobs.write.elapsed") == pytest.approx(FILES * 2e-3, rel=0.01)
    assert result.get("jobs.write.files") == FILES
    assert result.get("jobs.copy.elapsed") == pytest.approx(FILES * 2.1e-3, rel=0.01)


def test_writes_behind_take_the_disk() -> None:
    """A write of the disk takes a seek of 5 ms and half a turn of 10 ms, and is the limit."""
    result = run("  write: {method: write, data: e, flush: true}\n", "create_cpu: 0 s/file, create_writes: 1")
    bytes_too = (10e3 + 1e3 + 1e3) / 50e6
    assert result.get("jobs.write.elapsed") == pytest.approx(FILES * (10e-3 + bytes_too), rel=0.02)


FAR = """\
title: Files of a share, which a host reads that asks for nothing ahead
hosts:
  keeper: {owns: [a], cores: 8, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, copy_rate: 100 GB/s}
  reader:
    {owns: [nul, b], cores: 8, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, copy_rate: 100 GB/s,
     read_ahead: 1 MB}
devices:
  a: {kind: ssd, capacity: 100 GB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}
  b: {kind: ssd, capacity: 100 GB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}
  nul: {kind: nul}
links:
  lan: {joins: [keeper, reader], rate: 100 MB/s, latency: 0.5 ms}
data:
  d: {on: a, size: 100 MB, files: 10000, cached: 100 %,
    filesystem: {reads_per_file: 1, cpu_per_file: 0 ms/file, fragment: 1 MB, record: 1 kB}}
jobs:
"""


def far(job: str, more: str = "") -> Result:
    return sb.simulate(FAR + f"  save: {{method: file_level, data: d, {job}}}\n" + more)


def test_a_restore_to_a_share_waits_for_each_request_its_answer_and_the_wire() -> None:
    """Five calls and four requests for data to make a file, six and four to read it: 0.5 ms away, and 0.2 ms of the
    host that keeps it; 0.1 ms on the wire."""
    share = "share: {host: reader, calls: 6, make_calls: 5, request: 2500 B, call_cpu: 0.2 ms"
    back = f"  back: {{restore: save, after: save, {share}}}}}\n"
    result = far(f"to: b, {share}}}", back)
    assert result.get("jobs.save.elapsed") == pytest.approx(FILES * (10 * 0.7e-3 + 0.1e-3), rel=0.01)
    assert result.get("jobs.back.elapsed") == pytest.approx(FILES * (9 * 0.7e-3 + 0.1e-3), rel=0.01)
    busy = next(row["busy_s"] for row in result.device_rows if row["device"] == "hosts.keeper.cores")
    assert busy * 8 == pytest.approx(FILES * 19 * 0.2e-3, rel=0.02)


# Restores to a device that keeps nothing: what a check of a save set takes
CACHE = "cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 100 GB/s, speed: 1"
SSD = "kind: ssd, capacity: 100 GB, read_latency: 1 ms, write_latency: 1 ms"
DISCARDED_SITE = f"""\
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


def run_discarded(tmp_path: Path, jobs: str, changes: dict[str, Any] | None = None) -> Result:
    (tmp_path / "case.yaml").write_text(DISCARDED_SITE + jobs, encoding="utf-8")
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
    result = run_discarded(tmp_path, f"  check: {{restore: disk, {keys}, after: cloud}}\n")
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
    result = run_discarded(
        tmp_path, f"  back: {{restore: disk, copied_by: cloud, to: here, after: cloud{more}}}\n", changes
    )
    assert result.get("jobs.back.elapsed") == pytest.approx(8e9 / rate, rel=0.01)


# Large files: hosts ask for what follows while programs work on what came before
LARGE_FAR = """\
title: Large files of a share
hosts:
  filer: {model: host/linux-2020-server, owns: [flash], copy_rate: 1000 GB/s, read_ahead: 1 GiB}
  server: {model: host/linux-2020-server, owns: [sink, store], speed: 1, copy_rate: 1000 GB/s}
devices:
  flash: {model: ssd/nvme-gen4-2021, read_rate: 1000 GB/s, read_latency: 0 s, write_rate: 1000 GB/s}
  store: {model: ssd/nvme-gen4-2021, read_rate: 1000 GB/s, read_latency: 0 s, write_rate: 1000 GB/s}
  sink: {kind: nul}
links:
  lan: {rate: 100 MB/s, latency: LATENCY, duplex: full, joins: [filer, server]}
data:
  files: {on: flash, size: 100 GB, files: 10, layout: together, filesystem: filesystem/xfs}
jobs:
  save:
    method: file_level
    data: files
    to: sink
    share: {host: server, calls: 3, request: 1 MB}
    tool: {start_time: 0 s, mount_time: 0 s, copy_cpu: 4 ns/B}
  kept:
    method: file_level
    data: files
    to: store
    tool: {start_time: 0 s, mount_time: 0 s, copy_cpu: 4 ns/B}
    after: save
  back: {restore: kept, share: {host: server, calls: 3, request: 1 MB}, after: kept}
"""


@for_each("job", ["save", "back"])
@for_each("latency, window", [(0.001, 0.010), (0.021, 0.0175), (0.091, 0.0525)])
def test_two_requests_for_a_large_file_are_under_way_on_a_line(job: str, latency: float, window: float) -> None:
    """A megabyte takes a round trip and 10 ms on the line, and 4 ms of a core: `(l + 10 + 4) / 2`, but at least 10."""
    result = sb.simulate(LARGE_FAR.replace("LATENCY", f"{latency} s"))
    assert result.jobs.loc[job, "elapsed"] == pytest.approx(100e9 / 1e6 * window, rel=0.01)


def test_a_host_that_does_not_look_ahead_has_one_request_under_way() -> None:
    old = {"hosts.server.looks_ahead": False, "hosts.server.read_ahead": "128 KiB"}
    result = sb.simulate(LARGE_FAR.replace("LATENCY", "21 ms"), old)
    assert result.jobs.loc["save", "elapsed"] == pytest.approx(100e9 / 1e6 * 0.035, rel=0.01)
