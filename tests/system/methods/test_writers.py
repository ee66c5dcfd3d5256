from typing import Any

import pytest

from simbackup.results.result import Result
from simbackup.run import simulate
from tests.cases import for_each

BASE = """
title: A server with two disks
hosts:
  server: {model: host/linux-modern-server, speed: 1, cores: 4, memory: 1 GB, dirty_limit: 40 %, dirty_background: 10 %,
           copy_rate: 200 MB/s, owns: [sda, sdb]}
  client: {model: host/linux-modern-server}
links:
  lan: {model: network/gigabit-ethernet, rate: 100 MB/s, latency: 1 ms, joins: [server, client]}
devices:
  sda: {model: disk/nearline-20tb-2022, rotation_speed: 6000 rpm, outer_rate: 50 MB/s, inner_rate: 50 MB/s,
        command_overhead: 0.1 ms}
  sdb: {model: disk/nearline-20tb-2022, rotation_speed: 6000 rpm, outer_rate: 50 MB/s, inner_rate: 50 MB/s}
data:
  a: {on: sda, size: 1 GB, files: 10}
  b: {on: sdb, size: 1 GB}
jobs:
"""


def run(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    return simulate(BASE + jobs, changes)


def test_a_synchronous_writer_pays_a_revolution_for_each_request() -> None:
    jobs = "  db: {method: write, data: a, portion: 1 %, request: 10 kB}\n"
    assert run(jobs).get("jobs.db.elapsed") == pytest.approx(1000 * 0.01)


def test_a_synchronous_writer_over_a_network_also_pays_its_round_trip() -> None:
    jobs = "  db: {method: write, data: a, portion: 1 %, request: 10 kB, over: lan}\n"
    result = run(jobs)
    assert result.get("jobs.db.elapsed") == pytest.approx(1000 * (0.01 + 1e-3 + 1e-4))
    lan = next(row for row in result.device_rows if row["device"] == "links.lan")
    assert lan["bytes"] == pytest.approx(10e6)


@for_each("request_size", ["4 KiB", "8 KiB", "64 KiB"])
def test_a_synchronous_writer_is_never_faster_under_a_snapshot(request_size: str) -> None:
    changes = {"jobs.dd.request": request_size, "jobs.dd.portion": "1 %"}
    folder = "published/003-lvm-snapshots"
    none, same, second = (
        simulate(f"{folder}/{name}", changes).get("jobs.dd.elapsed")
        for name in ("no-snapshot", "same-disk", "second-disk")
    )
    assert none < second < same
