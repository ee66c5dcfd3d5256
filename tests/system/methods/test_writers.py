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


def test_a_writer_by_hand() -> None:
    result = run("  dd: {method: write, data: a}\n")
    assert result.get("jobs.dd.elapsed") == pytest.approx(0.5 + 2.0 + 10.0)
    assert result.end == pytest.approx(20.5)
    assert result.activities("dd") == {
        ("hosts.server.cores", "write"): pytest.approx(2.5),
        ("devices.sda", "write"): pytest.approx(10.0),
    }


def test_a_synchronous_writer_pays_a_revolution_for_each_request() -> None:
    jobs = "  db: {method: write, data: a, portion: 1 %, request: 10 kB}\n"
    assert run(jobs).get("jobs.db.elapsed") == pytest.approx(1000 * 0.01)


def test_a_synchronous_writer_over_a_network_also_pays_its_round_trip() -> None:
    jobs = "  db: {method: write, data: a, portion: 1 %, request: 10 kB, over: lan}\n"
    result = run(jobs)
    assert result.get("jobs.db.elapsed") == pytest.approx(1000 * (0.01 + 1e-3 + 1e-4))
    lan = next(row for row in result.device_rows if row["device"] == "links.lan")
    assert lan["bytes"] == pytest.approx(10e6)


def test_a_copy_reads_one_disk_and_writes_the_other() -> None:
    result = run("  cp: {method: copy, data: a, to: b}\n")
    assert result.get("devices.sda.bytes") == pytest.approx(1e9)
    assert result.get("devices.sdb.bytes") == pytest.approx(1e9)
    assert (result.get("jobs.cp.bytes"), result.get("jobs.cp.files")) == (1e9, 10.0)
    assert result.get("jobs.cp.elapsed") >= 20.0 * (1 - 1e-9)


def test_a_copy_on_one_disk_is_slower_than_between_two() -> None:
    """The disk moves all bytes twice, and turns to the reader and to write-back.

    Write-back begins after 100 MB; until the last byte is read, the two move the same. The kernel puts out 64 MiB of a
    file at once, and the reader is interrupted no more often.
    """
    two = run("  cp: {method: copy, data: a, to: b}\n")
    one = run("  cp: {method: copy, data: a, to: b}\n", {"data.b.on": "sda"})
    assert two.end == pytest.approx(1e9 / 50e6 + 100e6 / 50e6)
    turns = 2 * 900e6 / (64 * 2**20)
    half_a_revolution, overhead = 0.005, 0.1e-3
    least, most = (turns * (half_a_revolution + overhead + seek) for seek in (0.0, 0.5e-3))  # to the next data set
    assert 2e9 / 50e6 + least < one.end < 2e9 / 50e6 + most
    assert one.get("devices.sda.bytes") == pytest.approx(2e9)


@for_each("request_size", ["4 KiB", "8 KiB", "64 KiB"])
def test_a_synchronous_writer_is_never_faster_under_a_snapshot(request_size: str) -> None:
    changes = {"jobs.dd.request": request_size, "jobs.dd.portion": "1 %"}
    folder = "published/003-lvm-snapshots"
    none, same, second = (
        simulate(f"{folder}/{name}", changes).get("jobs.dd.elapsed")
        for name in ("no-snapshot", "same-disk", "second-disk")
    )
    assert none < second < same
