"""Reverse incrementals by hand, and against a disk that does one request after the other."""

from typing import Any

import pytest
from oracles.in_order import one_by_one

import simbackup as sb
from simbackup.equations import disk as equations
from simbackup.parameters import parameters_of
from simbackup.results.result import Result
from tests.cases import for_each

SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s"
HOST = "cores: 8, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, copy_rate: 100 GB/s, speed: 1"
SITE = f"""\
title: A client whose backups go into one full backup on a server
hosts:
  client: {{owns: [disk], {HOST}}}
  server: {{owns: [pool, other], {HOST}}}
devices:
  disk: {{{SSD}, read_rate: 4 GB/s, write_rate: 4 GB/s}}
  pool: {{{SSD}, read_rate: 1 GB/s, write_rate: 500 MB/s}}
  other: {{{SSD}, read_rate: 1 GB/s, write_rate: 1 GB/s}}
links:
  lan: {{joins: [client, server], rate: 10 GB/s, latency: 0 s}}
data:
  files: {{on: disk, size: 100 GB, change: {{daily: 4 %, run: 256 KiB}}}}
jobs:
"""
FULL = "  full: {method: image, data: files, to: pool}\n"
SAVE = "  save: {method: image, data: files, to: pool, level: reverse, since: 24 h, after: full}\n"
NEXT = "  next: {method: image, data: files, to: pool, level: reverse, since: 24 h, after: save}\n"


def run(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(SITE + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


def test_one_read_and_two_writes_for_what_has_changed() -> None:
    """Of 4 GB: 4 s to read what they replace, 8 s to write that aside, and 8 s to write them."""
    result = run(FULL + SAVE)
    assert result.get("jobs.save.bytes") == pytest.approx(4e9)
    assert result.get("devices.pool.bytes") == pytest.approx(100e9 + 3 * 4e9)
    assert result.get("devices.disk.bytes") == pytest.approx(100e9 + 4e9)
    assert result.get("jobs.save.elapsed") == pytest.approx(4.0 + 8.0 + 8.0, rel=0.01)


def test_the_first_of_a_series_is_a_full_backup() -> None:
    result = run("  save: {method: image, data: files, to: pool, level: reverse, every: 24 h, until: 48 h}\n")
    assert [row["bytes"] for row in result.job_rows] == pytest.approx([100e9, 4e9, 4e9])
    assert result.get("devices.pool.bytes") == pytest.approx(100e9 + 2 * 3 * 4e9)


@for_each("what, moved", [("next", 100e9), ("save", 104e9), ("full", 108e9)])
def test_the_newest_comes_back_at_once_and_older_ones_through_the_chain(what: str, moved: float) -> None:
    result = run(FULL + SAVE + NEXT + f"  back: {{restore: {what}, after: next}}\n")
    assert result.get("jobs.back.bytes") == pytest.approx(moved)
    assert result.get("jobs.back.elapsed") == pytest.approx(moved / 1e9, rel=0.01)
    assert result.get("devices.pool.bytes") == pytest.approx(100e9 + 2 * 3 * 4e9 + moved)


def test_a_copy_elsewhere_stays_what_it_was() -> None:
    jobs = FULL + "  far: {method: copy_save_set, save_set: full, to: other, after: full}\n"
    jobs += SAVE.replace("after: full", "after: far") + "  back: {restore: full, copied_by: far, after: save}\n"
    assert run(jobs).get("jobs.back.bytes") == pytest.approx(100e9)
    late = FULL + SAVE + "  far: {method: copy_save_set, save_set: full, to: other, after: save}\n"
    result = sb.simulate(SITE + late)
    failed = next(row for row in result.job_rows if row["job"] == "far")
    assert "later backups were written into the save set" in failed["reason"]
    newest = FULL + SAVE + "  far: {method: copy_save_set, save_set: save, to: other, after: save}\n"
    assert run(newest).get("jobs.far.bytes") == pytest.approx(100e9)


def test_save_sets_that_exist() -> None:
    jobs = (FULL + SAVE.replace(", after: full", "")).replace("to: pool", "to: pool, exists: true")
    result = run(jobs + "  back: {restore: full}\n  new: {restore: save, after: back}\n")
    assert [result.get(f"jobs.{name}.bytes") for name in ("back", "new")] == pytest.approx([104e9, 100e9])


@pytest.mark.slow
@for_each("run_size", [64, 256, 1024])
@for_each("method", ["image", "file_level"])
def test_each_run_is_read_and_written_where_it_belongs(run_size: int, method: str) -> None:
    """A disk: as many positioned reads as there are runs or files, as many writes, and all of them in sequence.

    The host writes what it gathers for one of the two places before it turns to the other.
    """
    size, change = 400e9, 4e9
    runs = round(change / (run_size * 1024.0))
    model = "{model: disk/nearline-20tb-2022, outer_rate: 200 MB/s, inner_rate: 200 MB/s}"
    site = SITE.replace(f"pool: {{{SSD}, read_rate: 1 GB/s, write_rate: 500 MB/s}}", f"pool: {model}")
    jobs = (FULL.replace("to: pool", "to: pool, exists: true") + SAVE.replace(", after: full", "")).replace(
        "method: image", f"method: {method}"
    )
    given = {
        "data.files.change.run": f"{run_size} KiB", "data.files.change.daily": change / size,
        "data.files.size": f"{size} B", "devices.disk.read_rate": "1 TB/s",
        "hosts.server.write_behind": "1 GB",
    } | ({"data.files.files": round(size / run_size / 1024.0), "data.files.filesystem": {"model": "filesystem/xfs"},
          "data.files.layout": "together"} if method == "file_level" else {})  # fmt: skip
    result = sb.simulate(sb.load(site + jobs, given))
    disk = parameters_of(equations.DiskParameters, sb.load(site + jobs, given).spec.devices["pool"])
    expected = 2.0 * one_by_one(disk, runs, change / runs, size, seed=11) + change / 200e6
    assert result.get("jobs.save.elapsed") == pytest.approx(expected, rel=0.01)
