"""Restores and copies by programs that end when their last bytes are in memory, by hand."""

import pytest

import simbackup as sb
from tests.cases import for_each

SITE = """\
title: 1 GB comes from a fast disk at 100 MB/s to one that takes 20 MB/s, through a memory that holds all of it
hosts:
  host: {owns: [fast, slow], cores: 4, memory: 10 GB, dirty_limit: LIMIT, dirty_background: 0 %, copy_rate: 1000 GB/s}
devices:
  fast: {kind: ssd, capacity: 100 GB, read_rate: 100 MB/s, write_rate: 100 MB/s, read_latency: 0 s, write_latency: 0 s}
  slow: {kind: ssd, capacity: 100 GB, read_rate: 20 MB/s, write_rate: 20 MB/s, read_latency: 0 s, write_latency: 0 s}
  bucket: {kind: object_store, write_latency: 0 s, read_latency: 0 s, connection_rate: 100 MB/s, part: 8 MB,
    write_requests: 100000 /s, read_requests: 100000 /s}
links:
  line: {joins: [host, bucket], rate: 1 GB/s, latency: 0 s}
data:
  here: {on: slow, size: 1 GB, files: 10, filesystem: {cpu_per_file: 0 s/file, reads_per_file: 0, fragment: 64 KiB}}
  there: {on: fast, size: 1 GB, files: 10, filesystem: {cpu_per_file: 0 s/file, reads_per_file: 0, fragment: 64 KiB}}
jobs:
"""
TOOL = "tool: {start_time: 0 s, mount_time: 0 s, ends_in_cache: CACHE}"
PROGRAM = """\
  job: {method: program, operation: restore, data: here, target: fast, program: {operations: {restore: {
    serial_share: 0 %, phases: {all: {one: {items: files, of: all, steps: {make: {at: data, do: create}, FLUSH
      read: {at: target, do: read}, write: {at: data, do: write}}}}}}}}}
"""
JOBS = {
    "disk": f"  save: {{method: image, data: here, to: fast, exists: true, {TOOL}}}\n  job: {{restore: save}}\n",
    "objects": f"  save: {{method: image, data: here, to: bucket, exists: true, {TOOL}}}\n  job: {{restore: save}}\n",
    "list": PROGRAM,
}


def elapsed(kind: str, *, cache: bool, limit: str) -> float:
    text = (SITE + JOBS[kind]).replace("CACHE", str(cache).lower()).replace("LIMIT", limit)
    text = text.replace("FLUSH", "" if cache else "sync: {at: data, do: flush},")
    return float(sb.simulate(text).get("jobs.job.elapsed"))


@for_each("kind", list(JOBS))
def test_it_ends_in_memory_or_on_disk(kind: str) -> None:
    """10 s until all is in memory, 50 s until all is on disk, which writes from the beginning on."""
    assert elapsed(kind, cache=True, limit="90 %") == pytest.approx(10.0, rel=0.01)
    assert elapsed(kind, cache=False, limit="90 %") == pytest.approx(50.0, rel=0.01)
