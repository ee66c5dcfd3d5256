"""Copies before a write in rounds of what is in flight, by hand."""

import pytest

import simbackup as sb
from tests.cases import for_each

SITE = """\
title: A program writes 256 KiB at a time over a volume whose blocks of 1 MiB are copied before
hosts:
  host: {owns: [disk], cores: 1, memory: 8 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 1000 GB/s}
devices:
  disk: {kind: ssd, capacity: 100 GB, read_rate: 2 GiB/s, write_rate: 1 GiB/s, read_latency: 0.2 ms,
    write_latency: 0.1 ms}
  volume: {kind: logical_volume, on: disk, size: 1 GiB}
  copies: {kind: snapshot, method: copy_on_write, of: volume, on: disk, size: 2 GiB, chunk: 1 MiB, record: 0 B,
    in_flight: FLIGHT, commit_backlog: 1 MiB, create_time: 0 s, remove_time: 0 s, lookup_time: 0 s}
data:
  all: {on: volume, size: 1 GiB}
jobs:
  dd: {method: write, data: all, request: 256 KiB}
"""


@for_each("flight, rounds", [("128 KiB", 8), ("512 KiB", 2), ("1 MiB", 1), ("8 MiB", 1)])
def test_a_chunk_larger_than_what_is_in_flight_is_copied_in_rounds(flight: str, rounds: int) -> None:
    """A round waits for a read and for a write, and nothing is committed: n (l + m) + s (1/r + 2/w) + 4 m."""
    chunk = rounds * (0.2e-3 + 0.1e-3) + 2.0**20 * (1.0 / 2.0**31 + 2.0 / 2.0**30) + 4 * 0.1e-3
    result = sb.simulate(SITE.replace("FLIGHT", flight))
    assert result.get("jobs.dd.elapsed") == pytest.approx(1024 * chunk, rel=1e-6)
