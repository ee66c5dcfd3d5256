"""Backups of a database by its own server to an object store, and back, by hand."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("no_serial_share")

MIB = 2.0**20
SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s"
ENGINE = (
    "transfer_size: 1 MiB, io_depth: 4, request_latency: 1 ms, compress_cpu: 0 s/B, expand_cpu: 0 s/B, buffer_sets: 1,"
    " memory_limit: 10 GB"
)
SITE = f"""\
title: A database server that backs up to a bucket
hosts:
  server: {{owns: [a, c], cores: 8, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, speed: 1,
    copy_rate: 1 TB/s}}
devices:
  a: {{{SSD}, read_rate: 4 GB/s, write_rate: 2 GB/s}}
  c: {{{SSD}, read_rate: 4 GB/s, write_rate: 2 GB/s}}
  bucket: {{kind: object_store, write_latency: 100 ms, read_latency: 40 ms, connection_rate: 50 MB/s, part: 10 MB,
    read_requests: 1000000 /s, write_requests: 1000000 /s}}
links:
  wan: {{joins: [server, bucket], rate: 1 GB/s, latency: 10 ms, window: 1 GB, duplex: full}}
data:
  db: {{on: a, size: 1000 MiB}}
jobs:
"""
FULL = f"  full: {{method: database_native, data: db, to: bucket, buffers: 1, engine: {{{ENGINE}}}}}\n"
BACK = "  back: {restore: full, after: full}\n"


def run(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(SITE + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


def round_of(size: float, device: float, latency: float) -> float:
    """Seconds of a buffer: engine at both ends, disk, one of a million requests a second, the store, and its bytes.

    These go at the 50 MB/s of a connection, whatever the line; a round trip of 10 ms each way goes before.
    """
    return 2 * 0.001 + size / device + 1e-6 + latency + TRIP + size / 50e6


TRIP = 0.010


@pytest.mark.slow
@for_each("mib", [0.25, 1, 4])
def test_one_buffer_makes_one_round_after_the_other(mib: float) -> None:
    given = {"jobs.full.transfer_size": f"{mib} MiB"}
    result = run(FULL + BACK, given)
    size, number = mib * MIB, 1000 / mib
    assert result.get("jobs.full.elapsed") == pytest.approx(number * round_of(size, 4e9, 0.1), rel=1e-3)
    assert result.get("jobs.back.elapsed") == pytest.approx(number * round_of(size, 2e9, 0.04), rel=1e-3)


def test_compressed_files_send_fewer_bytes() -> None:
    result = run(FULL, {"jobs.full.compress": True, "data.db.compression": 2})
    assert result.get("links.wan.bytes") == pytest.approx(500 * MIB)


def test_an_archive_gives_its_files_back_after_a_time() -> None:
    changes = {"devices.bucket.retrieval_time": "1 h"}
    waits = run(FULL + BACK, changes).get("jobs.back.elapsed") - run(FULL + BACK).get("jobs.back.elapsed")
    assert waits == pytest.approx(3600.0, abs=0.1)


def test_a_copy_in_a_bucket_comes_back_from_there() -> None:
    jobs = (
        FULL.replace("to: bucket", "to: c") + "  up: {method: copy_save_set, save_set: full, to: bucket, after: full}\n"
    )
    result = run(jobs + "  back: {restore: full, copied_by: up, after: up}\n")
    assert result.get("jobs.back.elapsed") == pytest.approx(1000 * round_of(MIB, 2e9, 0.04), rel=1e-3)


def test_a_file_in_a_bucket_is_copied_to_a_disk() -> None:
    jobs = FULL + "  down: {method: copy_save_set, save_set: full, to: c, after: full}\n"
    result = run(jobs + "  back: {restore: full, copied_by: down, after: down}\n")
    assert result.get("jobs.down.bytes") == pytest.approx(1000 * MIB)
    assert result.get("jobs.back.elapsed") < 30.0


def test_buffers_for_objects_alone_may_be_larger() -> None:
    assert run(FULL, {"jobs.full.transfer_size": "20 MiB"}).get("jobs.full.elapsed") < 40.0
