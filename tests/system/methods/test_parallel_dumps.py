"""Logical dumps and loads by several workers, against the closed network of one lock."""

import pytest

import simbackup as sb
from simbackup.equations.queueing import mva_closed
from tests.cases import for_each

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
      locks_for_snapshot: false, in_turn: SHARE}
jobs:
  dump: {method: logical_dump, data: db, to: b, workers: WORKERS}
  load: {restore: dump, after: dump, workers: WORKERS}
"""


@for_each("share", [0.0, 0.1, 0.25])
@for_each("workers", [1, 2, 4, 8])
def test_workers_are_customers_of_one_lock(workers: int, share: float) -> None:
    """At most 1 / share times as fast as one; exact mean value analysis says how near they come."""
    result = sb.simulate(SITE.replace("WORKERS", str(workers)).replace("SHARE", f"{share:.0%}"))
    for job, each in (("dump", 100e-9), ("load", 400e-9)):
        seconds = each + 1 / 9e9 + 2 / 100e9
        rate = mva_closed([each * share], workers, seconds - each * share).throughput
        assert result.get(f"jobs.{job}.elapsed") == pytest.approx(10e9 / rate, rel=0.02)


def test_workers_who_all_wait_for_one_index_gain_nothing() -> None:
    one, eight = (
        sb.simulate(SITE.replace("WORKERS", "8").replace("SHARE", "100 %"), {"jobs.load.workers": n}).get(
            "jobs.load.elapsed"
        )
        for n in (1, 8)
    )
    assert eight == pytest.approx(one, rel=0.01)


def test_a_dump_on_few_cores_is_bound_by_what_both_take() -> None:
    result = sb.simulate(
        SITE.replace("WORKERS", "8").replace("SHARE", "0 %"),
        {"data.db.database.dump_client": "50 %", "hosts.server.cores": 2},
    )
    assert result.get("jobs.dump.elapsed") == pytest.approx(10e9 * (100e-9 + 2 / 100e9) / 2, rel=0.05)
