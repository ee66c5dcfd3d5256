"""Copies of dumps of databases, and of save sets in object stores, against calculations by hand."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

CACHE = "cores: 8, memory: 100 GB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 90 GB/s, speed: 1"
SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s, read_rate: 2 GB/s, write_rate: 1 GB/s"
STORE = (
    "kind: object_store, write_latency: 50 ms, read_latency: 40 ms, connection_rate: 50 MB/s, part: 8 MB,"
    " write_requests: 3500 /s, read_requests: 5500 /s"
)
DRIVE = (
    "model: tape_drive/lto-3, native_rate: 80 MB/s, slowest_rate: 20 MB/s, cartridge_capacity: 400 GB, load_time: 30 s,"
    " host_rate: 1 GB/s"
)
SITE = f"""\
title: A database server, a backup server with a disk and a library, and two object stores
hosts:
  db: {{owns: [data, dumps], {CACHE}}}
  backup: {{owns: [disk, library], {CACHE}}}
devices:
  data: {{{SSD}}}
  dumps: {{{SSD}}}
  disk: {{{SSD}}}
  near: {{{STORE}}}
  far: {{{STORE}}}
  library: {{model: tape_library/autoloader-8, drives: 1, drive: {{{DRIVE}}}}}
links:
  lan: {{joins: [db, backup, near, far], rate: 500 MB/s, latency: 0 s, duplex: full}}
data:
  shop:
    on: data
    size: 40 GB
    database: {{dump_ratio: 1, dump_cpu: 1 ns/B, load_cpu: 4 ns/B, replay_cpu: 1 ns/B, flush_time: 0 s,
      locks_for_snapshot: false}}
jobs:
  full: {{method: METHOD, data: shop, to: TO}}
"""
SIZE = 40e9
BACK = "  back: {restore: full, copied_by: copy, after: copy}\n"


def run(jobs: str, method: str = "logical_dump", to: str = "dumps", changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(SITE.replace("METHOD", method).replace("TO", to) + jobs, changes or {}))
    assert [row["reason"] for row in result.job_rows if row["status"] != "done"] == []
    return result


def copy(to: str, more: str = "") -> str:
    return f"  copy: {{method: copy_save_set, save_set: full, to: {to}, after: full}}\n{more}"


@pytest.mark.parametrize("to", ["dumps", "near"])
def test_the_log_of_a_hot_copy_is_replayed_from_a_copy_too(to: str) -> None:
    hot = "hot_copy, log_rate: 10 MB/s, tool: {model: backup_tool/xtrabackup-8}"
    slowly = {"data.shop.database.replay_cpu": "1 us/B"}
    fast, slow = (run(copy("disk", BACK), hot, to, changes) for changes in ({}, slowly))
    log = fast.get("jobs.full.bytes") - SIZE
    assert log > 100e6
    assert slow.get("jobs.back.elapsed") - fast.get("jobs.back.elapsed") == pytest.approx(log * 1e-6, rel=0.01)


def test_a_database_comes_back_from_a_copy_in_an_archive() -> None:
    more = "  back: {restore: full, copied_by: copy, connections: 16, after: copy}\n"
    result = run(copy("far, connections: 16", more), changes={"devices.far.retrieval_time": "5 h"})
    waited = {activity: seconds for (_, activity), seconds in result.causes("back").items()}
    assert waited["wait for retrieval"] == pytest.approx(5 * 3600.0)
    assert result.get("devices.far.bytes") == pytest.approx(2 * SIZE)


@for_each("method", ["image", "logical_dump"])
@for_each("to", ["disk", "library", "far"])
def test_objects_are_copied_at_the_rate_of_their_connections(method: str, to: str) -> None:
    """Four connections have an answer of 8 MB each 0.2 s: 160 MB/s, unless the drive or the other store take less."""
    result = run(copy(f"{to}, connections: 4"), method, "near")
    read, written = 4 * 8e6 / (0.04 + 8e6 / 50e6), 4 * 8e6 / (0.05 + 8e6 / 50e6)
    rate = {"disk": read, "library": 80e6, "far": written}[to]
    assert result.get("devices.near.bytes") == pytest.approx(2 * SIZE)
    if to == "library":
        spent = {activity: seconds for (_, activity), seconds in result.causes("copy").items()}
        assert spent["transfer"] == pytest.approx(SIZE / rate, rel=0.02)
    else:
        assert result.get("jobs.copy.elapsed") == pytest.approx(SIZE / rate, rel=0.05)


def test_the_server_of_the_target_copies_objects() -> None:
    result = run(copy("disk, connections: 4"), "image", "near")
    assert result.get("jobs.full.bytes") == result.get("jobs.copy.bytes") == SIZE
    assert result.get("links.lan.db.send.bytes") == pytest.approx(SIZE)  # for the backup alone
    assert result.get("links.lan.backup.receive.bytes") == pytest.approx(SIZE)


def test_an_archive_is_asked_before_it_is_copied() -> None:
    result = run(copy("library, connections: 4"), "image", "near", {"devices.near.retrieval_time": "12 h"})
    waited = {activity: seconds for (_, activity), seconds in result.causes("copy").items()}
    assert waited["wait for retrieval"] == pytest.approx(12 * 3600.0)


def test_an_image_comes_back_from_tapes_that_were_objects() -> None:
    result = run(copy("library, connections: 4", BACK), "image", "near")
    assert result.get("devices.library.drive.1.bytes") == pytest.approx(2 * SIZE)
