"""Files that are made, in restores, copies and by programs; workers, queues and shares of scattering: by hand."""

import pytest

import simbackup as sb
from simbackup.results.result import Result

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


def test_writes_behind_take_the_disk_and_writes_that_are_waited_for_the_program() -> None:
    """A write of the disk takes a seek of 5 ms and half a turn of 10 ms; behind or waited for, it is the limit."""
    for costs in ("create_cpu: 0 s/file, create_writes: 1", "create_cpu: 0 s/file, create_syncs: 1"):
        result = run("  write: {method: write, data: e, flush: true}\n", costs)
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
