"""Native backups that come back from a copy on tape, by hand: the slower of drive, line, cores and volumes."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each
from tests.shared import LIBRARY_BY_HAND

pytestmark = pytest.mark.usefixtures("no_serial_share")

SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s"
HOST = "cores: 4, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, copy_rate: 1 TB/s, speed: 1"
ENGINE = (
    "transfer_size: 1 MiB, io_depth: 4, request_latency: 0 s, compress_cpu: 1 ns/B, expand_cpu: 40 ns/B,"
    " buffer_sets: 1, memory_limit: 10 GB"
)
SITE = f"""\
title: A database server whose backups go to a library of another host
hosts:
  server: {{owns: [a, b, c], {HOST}}}
  keeper: {{owns: [library], {HOST}}}
devices:
  a: {{{SSD}, read_rate: 4 GB/s, write_rate: 4 GB/s}}
  b: {{{SSD}, read_rate: 4 GB/s, write_rate: 4 GB/s}}
  c: {{{SSD}, read_rate: 4 GB/s, write_rate: 4 GB/s}}
{LIBRARY_BY_HAND}links:
  lan: {{joins: [server, keeper], rate: 2 GB/s, latency: 0 s, duplex: full}}
data:
  db: {{on: a, size: 12 GB, compression: 2}}
  log: {{on: b, size: 4 GB, compression: 2}}
jobs:
"""
FULL = f"  full: {{method: database_native, data: [db, log], to: c, engine: {{{ENGINE}}}}}\n"
VAULT = "  vault: {method: copy_save_set, save_set: full, to: library, after: full}\n"
BACK = "  back: {restore: full, copied_by: vault, after: vault}\n"
OTHER = 10.0 + 30.0 + 10.0 + 10.0
"""Mount and load, unload and dismount: 8 GB are two passes of 4 GB, which end where the tape begins."""


def run(changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(SITE + FULL + VAULT + BACK, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


@for_each(
    "changes, rate",
    [
        ({}, 160e6),  # the drive, which compresses 2:1
        ({"jobs.full.compress": True}, 4 / 40e-9),  # expanded on four cores: 100 MB/s, 50 MB/s of the tape
        ({"devices.library.drive.native_rate": "400 MB/s", "links.lan.rate": "200 MB/s"}, 200e6),
        ({"devices.library.drive.native_rate": "400 MB/s", "devices.a.write_rate": "300 MB/s"}, 400e6),
    ],
)
def test_the_slowest_of_all_sets_the_pace(changes: dict[str, Any], rate: float) -> None:
    """Of four bytes three go to the database, and one to its log. A drive that waits does not stop here."""
    steady = {"devices.library.drive.slowest_rate": "1 MB/s"}
    result = run(steady | changes)
    assert result.get("jobs.back.bytes") == pytest.approx(16e9)
    assert result.get("jobs.back.elapsed") == pytest.approx(OTHER + 16e9 / rate, rel=0.02)
    assert [result.get(f"devices.{name}.bytes") for name in "ab"] == pytest.approx([24e9, 8e9])


def test_zeros_are_written_before() -> None:
    waits = run({"jobs.full.engine.fills_files": True}).get("jobs.back.elapsed") - run().get("jobs.back.elapsed")
    assert waits == pytest.approx(12e9 / 4e9, rel=1e-3)
