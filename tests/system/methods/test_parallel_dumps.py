"""Logical dumps and loads by several workers, and what paces each of them."""

import pytest

import simbackup as sb

pytestmark = pytest.mark.usefixtures("no_serial_share")

SITE = """\
title: A database on flash, dumped to flash
hosts:
  server: {owns: [a, b], cores: 16, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 100 GB/s}
devices:
  a: {kind: ssd, capacity: 100 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  b: {kind: ssd, capacity: 100 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
data:
  db:
    on: a
    size: 10 GB
    database: {dump_ratio: 1, dump_cpu: 100 ns/B, load_cpu: 400 ns/B, replay_cpu: 100 ns/B, flush_time: 0 s,
      locks_for_snapshot: false}
jobs:
  dump: {method: logical_dump, data: db, to: b, workers: WORKERS}
  load: {restore: dump, after: dump, workers: WORKERS}
"""


def test_a_dump_on_few_cores_is_bound_by_what_both_take() -> None:
    result = sb.simulate(
        SITE.replace("WORKERS", "8"),
        {"data.db.database.dump_client": "50 %", "hosts.server.cores": 2},
    )
    assert result.get("jobs.dump.elapsed") == pytest.approx(10e9 * (100e-9 + 2 / 100e9) / 2, rel=0.05)
