"""Copies of native backups whose files lie on several disks of one host: read one after the other, by hand."""

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.shared import LIBRARY_BY_HAND

pytestmark = pytest.mark.usefixtures("no_serial_share")

SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s"
HOST = "cores: 8, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, copy_rate: 1 TB/s, speed: 1"
ENGINE = (
    "transfer_size: 1 MiB, io_depth: 4, request_latency: 0 s, compress_cpu: 0 s/B, expand_cpu: 0 s/B, buffer_sets: 1,"
    " memory_limit: 10 GB"
)
SITE = f"""\
title: A database server with three disks for its backup files
hosts:
  server: {{owns: [a, c, d, e, library], {HOST}}}
  other: {{owns: [far], {HOST}}}
devices:
  a: {{{SSD}, read_rate: 4 GB/s, write_rate: 4 GB/s}}
  c: {{{SSD}, read_rate: 1 GB/s, write_rate: 1 GB/s}}
  d: {{{SSD}, read_rate: 250 MB/s, write_rate: 1 GB/s}}
  e: {{{SSD}, read_rate: 2 GB/s, write_rate: 2 GB/s}}
  far: {{{SSD}, read_rate: 2 GB/s, write_rate: 2 GB/s}}
{LIBRARY_BY_HAND}links:
  lan: {{joins: [server, other], rate: 10 GB/s, latency: 0 s}}
data:
  db: {{on: a, size: 9 GB, compression: 2}}
jobs:
"""
FULL = f"  full: {{method: database_native, data: db, to: [c, c, d], buffers: 32, engine: {{{ENGINE}}}}}\n"


def run(jobs: str) -> Result:
    result = sb.simulate(SITE + jobs)
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


@pytest.mark.parametrize("to", ["e", "far"])
def test_one_disk_after_the_other_is_read(to: str) -> None:
    """Two files of 3 GB at 1 GB/s, and one at 250 MB/s; then all three are on one disk, from which they come back."""
    jobs = FULL + f"  up: {{method: copy_save_set, save_set: full, to: {to}, after: full}}\n"
    result = run(jobs + "  back: {restore: full, copied_by: up, after: up}\n")
    assert result.get("jobs.up.elapsed") == pytest.approx(6.0 + 12.0, rel=0.05)
    assert [result.get(f"devices.{name}.bytes") for name in ("c", "d", to)] == pytest.approx([12e9, 6e9, 18e9])
    assert result.get("jobs.back.elapsed") == pytest.approx(9e9 / 2e9, rel=0.05)


def test_all_of_them_go_onto_one_tape() -> None:
    """At 160 MB/s with the compression of the drive; 4.5 GB on the tape are 1.125 passes of 100 m: 12.5 m from the end.

    The cartridge is released between the disks and stays in its drive, where the tape is at its place.
    """
    result = run(FULL + "  up: {method: copy_save_set, save_set: full, to: library, after: full}\n")
    moved, wound = 9e9 / 160e6, 2.0 + 87.5 / 5.0
    assert result.get("jobs.up.elapsed") == pytest.approx(10.0 + 30.0 + moved + wound + 10.0 + 10.0, abs=0.2)
    assert result.get("devices.library.drive.1.bytes") == pytest.approx(9e9)
