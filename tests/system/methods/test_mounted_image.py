"""Single files from an image on a disk, which a program mounts, against calculations by hand."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from simbackup.results.shown import note_rows

CACHE = "cores: 8, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 100 GB/s, speed: 1"
SITE = f"""\
title: A machine, and a backup server with a disk of 1 ms and 100 MB/s, over a line of 50 MB/s
hosts:
  client: {{owns: [a], {CACHE}}}
  server: {{owns: [b], {CACHE}}}
devices:
  a: {{kind: ssd, capacity: 1 TB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0 s, write_latency: 0 s}}
  b: {{kind: ssd, capacity: 1 TB, read_rate: 100 MB/s, write_rate: 2 GB/s, read_latency: 1 ms, write_latency: 0 s}}
links:
  lan: {{joins: [client, server], rate: 50 MB/s, latency: 0 s, duplex: full}}
data:
  d:
    on: a
    size: 8 GB
    files: 8000
    layout: LAYOUT
    filesystem: {{reads_per_file: 2, cpu_per_file: 5 ms, fragment: 100 kB, record: 1 kB, create_cpu: 0 s}}
jobs:
  full: {{method: image, data: d, to: b, tool: {{start_time: 7 s, mount_time: 30 s, mounts_images: true}}}}
"""
FIND = 2 * (1e-3 + 1e3 / 100e6) + 5e-3
"""Seconds to find a file: its directory and its record, and the processor."""
SEEK = 1e-3 + 1 / 100e6


def back(files: int, size: str, more: str = "") -> str:
    return f"  back: {{restore: full, after: full, select: {{files: {files}, size: {size}{more}}}}}\n"


def run(jobs: str, layout: str = "together", changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(SITE.replace("LAYOUT", layout) + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


@pytest.mark.parametrize(("layout", "runs"), [("together", 1), ("scattered", 50)])
def test_one_file_is_found_and_read_in_its_runs(layout: str, runs: int) -> None:
    """5 MB lie in one run, or in 50 runs of 100 kB; they cross the line, and the page cache goes to disk."""
    result = run(back(1, "5 MB", ", at: 50 %"), layout)
    expected = 7.0 + 30.0 + FIND + runs * SEEK + 5e6 / 50e6 + 5e6 / 2e9
    assert result.get("jobs.back.elapsed") == pytest.approx(expected, rel=1e-3)
    assert result.get("jobs.back.bytes") == 5e6
    assert result.get("devices.b.bytes") == pytest.approx(8e9 + 5e6)


@pytest.mark.parametrize("at", ["", ", at: 10 %"])
def test_each_file_is_found_by_itself(at: str) -> None:
    result = run(back(100, "100 MB", at))
    written = 1e6 / 2e9 if not at else 100e6 / 2e9
    expected = 7.0 + 30.0 + 100 * (FIND + SEEK) + 100e6 / 50e6 + written
    assert result.get("jobs.back.elapsed") == pytest.approx(expected, rel=1e-3)
    spent = result.activities("back")
    assert spent["devices.b", "mount"] == 30.0
    assert spent["devices.b", "walk"] == pytest.approx(100 * 2 * (1e-3 + 1e-5))
    assert spent["hosts.server.cores", "open"] == pytest.approx(100 * 5e-3)


def test_files_that_lie_in_their_records_need_no_further_reads() -> None:
    small = {"data.d.filesystem.resident": "2 kB", "jobs.full.tool.mount_time": "0 s"}
    result = run(back(100, "100 kB", ", at: 50 %"), changes=small)
    expected = 7.0 + 100 * FIND + 100e3 / 50e6 + 100e3 / 2e9
    assert result.get("jobs.back.elapsed") == pytest.approx(expected, rel=1e-3)


def test_a_copy_on_another_disk_is_mounted_there() -> None:
    site = SITE.replace("owns: [b]", "owns: [b, c]").replace(
        "links:\n", "  c: {kind: ssd, capacity: 1 TB, read_rate: 100 MB/s, write_rate: 2 GB/s, read_latency: 9 ms,"
        " write_latency: 0 s}\nlinks:\n"
    ).replace("LAYOUT", "together")  # fmt: skip
    jobs = "  copy: {method: copy_save_set, save_set: full, to: c, after: full}\n"
    jobs += back(1, "5 MB", ", at: 50 %").replace("after: full", "after: copy, copied_by: copy")
    result = sb.simulate(sb.load(site + jobs))
    assert result.activities("back")["devices.c", "walk"] == pytest.approx(2 * (9e-3 + 1e-5))


def test_a_program_that_does_not_mount_brings_back_all() -> None:
    result = run(back(1, "5 MB", ", at: 50 %"), changes={"jobs.full.tool.mounts_images": "false"})
    assert result.get("jobs.back.bytes") == 8e9
    assert [note["what"] for note in note_rows(result.trace)] == [
        "ignores 'select': an image can only be restored as a whole"
    ]
