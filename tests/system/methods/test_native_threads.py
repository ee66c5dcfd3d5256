"""Threads that compress the buffers of one set, by hand."""

import simbackup as sb
from tests.cases import for_each

MIB, DISK, CODE, REQUEST = 2.0**20, 4e9, 12e-9, 1e-4
SITE = """\
title: One set of buffers, which six threads compress in place
hosts:
  server: {owns: [a, b], cores: 16, memory: 64 GiB, dirty_limit: 10 %, dirty_background: 0 %, copy_rate: 100 GB/s,
    speed: 1}
devices:
  a: {kind: ssd, capacity: 1 TB, read_rate: 4 GB/s, write_rate: 4 GB/s, read_latency: 0 s, write_latency: 0 s}
  b: {kind: ssd, capacity: 1 TB, read_rate: 4 GB/s, write_rate: 4 GB/s, read_latency: 0 s, write_latency: 0 s}
data:
  db: {on: a, size: 4 GB, compression: 2}
jobs:
  full: {method: database_native, data: db, to: b, buffers: BUFFERS, compress: true, engine: {
    transfer_size: 1 MiB, io_depth: 4, request_latency: 0.1 ms, compress_cpu: 12 ns/B, expand_cpu: 12 ns/B,
    buffer_sets: 1, memory_limit: 4 GiB, compress_threads: 6}}
"""


def rate_of(buffers: int) -> float:
    return float(sb.simulate(SITE.replace("BUFFERS", str(buffers))).get("jobs.full.rate"))


@for_each("buffers", [1, 3, 6])
def test_no_buffer_waits_for_one_of_as_many_threads(buffers: int) -> None:
    """A round takes two requests, a read, 12 ns a byte of a thread, and a write of half the bytes; few queue."""
    alone = buffers * MIB / (2 * REQUEST + MIB * (1 / DISK + CODE + 0.5 / DISK))
    assert 0.985 * alone < rate_of(buffers) <= alone * (1 + 1e-9)
