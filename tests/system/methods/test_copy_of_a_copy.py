"""Copies that are copied once more, or called back from tape, by hand; and backups of a database's own server so."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.shared import LIBRARY_BY_HAND

CACHE = "cores: 8, memory: 100 GB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 100 GB/s, speed: 1"
SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s"
ENGINE = (
    "transfer_size: 1 MiB, io_depth: 4, request_latency: 0 s, compress_cpu: 0 s/B, expand_cpu: 0 s/B, buffer_sets: 1,"
    " memory_limit: 1 GB"
)
SITE = f"""\
title: A server, a keeper with a disk and a library, and a second site with disks
hosts:
  server: {{owns: [a], {CACHE}}}
  keeper: {{owns: [b, d, library], {CACHE}}}
  second: {{owns: [c], {CACHE}}}
devices:
  a: {{{SSD}, read_rate: 2 GB/s, write_rate: 2 GB/s}}
  b: {{{SSD}, read_rate: 1 GB/s, write_rate: 1 GB/s}}
  c: {{{SSD}, read_rate: 1 GB/s, write_rate: 1 GB/s}}
  d: {{{SSD}, read_rate: 1 GB/s, write_rate: 1 GB/s}}
{LIBRARY_BY_HAND}links:
  lan: {{joins: [server, keeper], rate: 500 MB/s, latency: 0 s, duplex: full}}
  wan: {{joins: [keeper, second], rate: 20 MB/s, latency: 0 s, duplex: full}}
data:
  db: {{on: a, size: 8 GB}}
  log: {{on: a, size: 8 GB, compression: 4}}
jobs:
"""
IMAGE = "  full: {method: image, data: db, to: b}\n"
NATIVE = f"  full: {{method: database_native, data: db, to: [b, b], buffers: 32, engine: {{{ENGINE}}}}}\n"
VAULT = "  vault: {method: copy_save_set, save_set: full, to: library, after: full}\n"
RECALL = "  recall: {method: copy_save_set, save_set: full, copied_by: vault, to: d, after: vault}\n"
BACK = "  back: {restore: full, copied_by: recall, after: recall}\n"
TAPE = 10.0 + 30.0 + 8e9 / 80e6 + 10.0 + 10.0  # two passes end where the tape begins


def run(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(SITE + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


@pytest.mark.parametrize("backup", [IMAGE, NATIVE])
def test_what_is_on_tape_comes_back_to_a_disk_and_is_restored_from_there(backup: str) -> None:
    result = run(backup + VAULT + RECALL + BACK)
    assert result.get("jobs.vault.elapsed") == pytest.approx(TAPE, abs=0.1)
    assert result.get("jobs.recall.elapsed") == pytest.approx(TAPE, abs=0.1)
    assert result.get("devices.b.bytes") == pytest.approx(16e9)  # written, and copied to tape
    assert result.get("devices.d.bytes") == pytest.approx(16e9)  # written, and restored
    assert result.get("jobs.back.elapsed") == pytest.approx(8e9 / 500e6, rel=0.05)  # the line is the slowest


def test_what_expired_is_called_back_to_the_disk_where_it_was() -> None:
    result = run(IMAGE + VAULT + RECALL.replace("to: d", "to: b"))
    assert result.get("jobs.recall.elapsed") == pytest.approx(TAPE, abs=0.1)
    again = run(IMAGE + VAULT + RECALL.replace("to: d, after: vault", "to: b, begin: 1 h, every: 1 h, until: 3 h"))
    assert [row["bytes"] for row in again.job_rows if row["job"].startswith("recall")] == [8e9, 0.0, 0.0]


def test_a_compressed_native_backup_stays_compressed_everywhere() -> None:
    """8 GB at 1:1 and 8 GB at 4:1 are 10 GB, and 1.6:1; the engine has done what a drive could do."""
    jobs = NATIVE.replace("data: db", "data: [db, log]").replace("buffers", "compress: true, buffers")
    result = run(jobs + VAULT + RECALL + BACK)
    assert result.get("devices.b.bytes") == pytest.approx(20e9)
    assert result.get("devices.d.bytes") == pytest.approx(20e9)
    assert result.activities("vault")["devices.library.drive.1", "transfer"] == pytest.approx(10e9 / 80e6, rel=1e-3)
    assert result.get("links.lan.back.bytes") == pytest.approx(10e9)


def test_a_drive_compresses_what_an_engine_did_not() -> None:
    result = run(NATIVE.replace("data: db", "data: [db, log]") + VAULT)
    assert result.activities("vault")["devices.library.drive.1", "transfer"] == pytest.approx(10e9 / 80e6, rel=1e-3)


def test_a_copy_exists_where_that_which_it_reads_does() -> None:
    jobs = (IMAGE + VAULT + RECALL + BACK).replace("}", ", exists: true}", 3)
    jobs = jobs.replace(", after: full", "").replace(", after: vault", "").replace(", after: recall", "")
    result = run(jobs)
    assert result.get("devices.d.bytes") == pytest.approx(8e9)
