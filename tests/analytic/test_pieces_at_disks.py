"""Restores that ask a store for piece after piece, by hand: they meet at its disks long before these are full."""

import pytest

import simbackup as sb
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("no_serial_share")

DISKS = 8
SITE = """\
title: Streams of one restore read pieces of 64 KiB that lie anywhere on eight disks
hosts:
  server: {owns: [source, pool, sink], cores: 64, memory: 8 GiB, dirty_limit: 90 %, dirty_background: 0 %,
    copy_rate: 1000 GB/s, speed: 1, HOST}
devices:
  source: {kind: ssd, capacity: 4 TB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}
  pool: {kind: raid, level: "0", disks: 8, stripe_unit: 1 MiB, controller_overhead: 0 s,
    disk: disk/nearline-12tb-2018}
  sink: {kind: nul}
data:
  files: {on: source, size: 100 GB}
jobs:
  backup: {method: image, data: files, to: pool, exists: true,
    deduplication: {at: target, ratio: 1000000, together: 64 KiB, cut_cpu: 0 ns/B, join_cpu: 0 ns/B}}
  restore: {restore: backup, to: sink, streams: STREAMS}
"""


def rate(streams: int, host: str) -> float:
    result = sb.simulate(SITE.replace("STREAMS", str(streams)).replace("HOST", host))
    return next(row["rate"] for row in result.job_rows if row["job"] == "restore")


@for_each("host", ["read_ahead: 128 KiB, looks_ahead: true", "read_ahead: 128 KiB", "write_behind: 4 MiB"])
@for_each("streams", [2, 4, 16])
def test_streams_wait_for_each_other_at_the_disks(streams: int, host: str) -> None:
    """Of N requests at D disks, each finds (N - 1) / D of the others at its own: X(N) = X(1) N D / (D + N - 1)."""
    expected = rate(1, host) * streams * DISKS / (DISKS + streams - 1)
    assert rate(streams, host) == pytest.approx(expected, rel=0.02)
