from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simbackup import Result, simulate

BASE = """
title: A volume and its snapshots
hosts:
  server: {model: host/linux-modern-server, memory: 100 MB, dirty_limit: 20 %, dirty_background: 1 %, copy_rate: 1 GB/s,
           owns: [sda]}
devices:
  sda: {model: disk/scsi-10k-146gb-2004, outer_rate: 50 MB/s, inner_rate: 50 MB/s}
  home: {kind: logical_volume, on: sda, size: 10 GB}
  cow: {model: snapshot/lvm2-2.6.9, of: home, on: sda, size: 5 GB, create_time: 1 s, remove_time: 2 s}
  two: {model: snapshot/lvm2-2.6.9, of: home, on: sda, size: 5 GB, create_time: 1 s, remove_time: 2 s}
data:
  file: {on: home, size: 400 MB}
jobs:
"""
DD = "  dd: {method: write, data: file}\n"
OFF = "  off: {method: create_snapshot, snapshot: two, begin: 100000 s}\n"
NONE = "  later: {method: create_snapshot, snapshot: cow, begin: 99999 s}\n" + OFF


def run(tmp_path: Path, jobs: str, changes: dict[str, Any] | None = None) -> Result:
    path = tmp_path / "scenario.yaml"
    path.write_text(BASE + jobs, encoding="utf-8")
    return simulate(path, changes)


def dd(result: Result, job: str = "dd") -> float:
    return result.get(f"jobs.{job}.elapsed")


def state(result: Result, device: str) -> str:
    return next(row["state"] for row in result.device_rows if row["device"] == f"devices.{device}")


def status(result: Result) -> dict[str, tuple[str, str]]:
    return {row["job"]: (row["status"], row["reason"]) for row in result.job_rows}


def test_each_snapshot_of_the_origin_costs_a_copy(tmp_path: Path) -> None:
    none, one, two = (dd(run(tmp_path, DD + extra)) for extra in (NONE, OFF, ""))
    assert none == pytest.approx(8.0, rel=0.1)
    assert one > 5.0 * none
    assert two > 1.6 * one


def test_rewriting_what_was_copied_runs_as_without_a_snapshot(tmp_path: Path) -> None:
    twice = "  first: {method: write, data: file, begin: 1000 s}\n  again: {method: write, data: file, begin: 5000 s}\n"
    none, one = run(tmp_path, twice + NONE), run(tmp_path, twice + OFF)
    assert dd(one, "first") > 5.0 * dd(none, "first")
    assert dd(one, "again") == pytest.approx(dd(none, "again"), rel=1e-9)


def test_a_full_copy_area_ends_the_snapshot_and_frees_the_writer(tmp_path: Path) -> None:
    whole = run(tmp_path, DD + OFF)
    small = run(tmp_path, DD + OFF, {"devices.cow.size": "100 MB"})
    none = run(tmp_path, DD + NONE)
    start, event = small.trace.events
    assert start.what == "is in place from the start, as no job creates it"
    assert (event.address, event.what) == ("devices.cow", "is invalid, as its copy area is full")
    assert state(small, "cow") == "invalid"
    assert state(whole, "cow") == "active"
    assert whole.trace.events == [start]
    copied = small.get("devices.cow.copied_bytes")
    assert 99e6 < copied <= 100e6
    # what came before was slow, the rest runs at the pace without a snapshot
    slow = event.time / copied
    assert slow == pytest.approx((dd(whole) + 20e6 * slow) / 400e6, rel=0.02)
    assert dd(small) == pytest.approx(event.time + dd(none) * (300e6 / 400e6), rel=0.02)


def test_a_snapshot_created_in_mid_write_slows_what_follows(tmp_path: Path) -> None:
    fast, slow = dd(run(tmp_path, DD + NONE)), dd(run(tmp_path, DD + OFF))
    middle = run(tmp_path, DD + OFF + "  make: {method: create_snapshot, snapshot: cow, begin: 3 s}\n")
    assert middle.get("jobs.make.elapsed") == 1.0
    written = 4.0 / fast  # share of dd that was over when the snapshot came
    assert dd(middle) == pytest.approx(4.0 + (1.0 - written) * slow, rel=0.05)
    assert middle.get("devices.cow.copied_bytes") == pytest.approx(400e6 - 4.0 * 50e6, rel=0.01)


def test_a_snapshot_removed_in_mid_write_lets_the_writer_go(tmp_path: Path) -> None:
    fast, slow = dd(run(tmp_path, DD + NONE)), dd(run(tmp_path, DD + OFF))
    removed = run(tmp_path, DD + OFF + "  drop: {method: remove_snapshot, snapshot: cow, begin: 20 s}\n")
    assert removed.get("jobs.drop.elapsed") == 2.0
    assert dd(removed) == pytest.approx(22.0 + (1.0 - 22.0 / slow) * fast, rel=0.05)
    assert state(removed, "cow") == "removed"


def test_an_invalid_snapshot_can_be_removed_and_made_again(tmp_path: Path) -> None:
    jobs = """
  drop: {method: remove_snapshot, snapshot: cow, after: dd}
  drop-again: {method: remove_snapshot, snapshot: cow, after: drop}
  make: {method: create_snapshot, snapshot: cow, after: drop}
"""
    start = "  start: {method: create_snapshot, snapshot: cow}\n"
    writer = DD.replace("}", ", after: start}")
    result = run(tmp_path, start + writer + OFF + jobs, {"devices.cow.size": "100 MB"})
    assert status(result)["drop"] == ("done", "")
    assert status(result)["drop-again"] == ("failed", "there is no snapshot 'cow' to remove")
    assert status(result)["make"] == ("done", "")
    assert state(result, "cow") == "active"


def test_a_snapshot_is_created_once(tmp_path: Path) -> None:
    one = "  one: {method: create_snapshot, snapshot: cow}\n"
    more = "  more: {method: create_snapshot, snapshot: cow, after: one}\n"
    assert status(run(tmp_path, one + more))["more"] == ("failed", "snapshot 'cow' exists already")


def test_what_reaches_the_disk_is_what_was_written_and_copied(tmp_path: Path) -> None:
    result = run(tmp_path, DD + OFF)
    # own write, copy read, copy write, and a commit of 8 KiB for every group of commit_backlog
    figures = {v.address: v.value for v in result.values}
    group, chunk, record = (figures[f"devices.cow.{key}"] for key in ("commit_backlog", "chunk", "record"))
    commits = 1.0 + group / chunk / (chunk // record)
    assert result.get("devices.sda.bytes") == pytest.approx(400e6 * (3.0 + commits * chunk / group), rel=1e-6)
    assert result.get("devices.cow.copied_bytes") == pytest.approx(400e6, abs=chunk)
