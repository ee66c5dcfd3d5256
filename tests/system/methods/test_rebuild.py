"""Rebuilds of arrays: how long they take alone and beside others, in closed form, and what they leave."""

import math
from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

SITE = """\
title: An array of flash disks that has lost one, and a disk of 1 TB for copies
hosts:
  server: {owns: [array, other], cores: 8, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %,
    copy_rate: 100 GB/s}
devices:
  array: {kind: raid, level: 5, stripe_unit: 64 KiB, controller_overhead: 0 s, prefetches: true, disks: 5,
    failed: 1, ssd: {capacity: 100 GB, read_rate: 500 MB/s, write_rate: 400 MB/s,
    read_latency: 0.1 ms, write_latency: 0.1 ms}}
  other: {kind: ssd, capacity: 1 TB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
data:
  data: {on: array, size: 200 GB}
jobs:
"""
ALONE = 100e9 / 400e6
"""The new disk is written at its own rate; the others read faster."""


def run(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(SITE + jobs, changes)
    assert all(row["status"] == "done" for row in result.job_rows), result.job_rows
    return result


def test_no_faster_than_its_greatest_rate() -> None:
    result = run("  rebuild: {method: rebuild, of: array, most_rate: 50 MB/s}\n")
    assert result.get("jobs.rebuild.elapsed") == pytest.approx(100e9 / 50e6)


@for_each("weight, share", [(1.0, 0.5), (0.25, 0.2), (4.0, 0.8), (1e-6, 0.0)])
def test_beside_a_stream_it_gets_its_weight_of_the_time(weight: float, share: float) -> None:
    """Until one of both is done the rebuild has w / (1 + w) of the time, and all of it then."""
    jobs = f"  rebuild: {{method: rebuild, of: array, precedence: {weight}}}\n"
    result = run(jobs + "  copy: {method: image, data: data, to: other, tool: {start_time: 0 s, mount_time: 0 s}}\n")
    read = run("  copy: {method: image, data: data, to: other, tool: {start_time: 0 s, mount_time: 0 s}}\n")
    alone = read.get("jobs.copy.elapsed")
    ends = min(alone / (1.0 - share), ALONE / share if share else alone)
    if alone / (1.0 - share) <= ends:  # the copy ends first
        assert result.get("jobs.copy.elapsed") == pytest.approx(alone / (1.0 - share), rel=0.02)
        assert result.get("jobs.rebuild.elapsed") == pytest.approx(ends + ALONE - share * ends, rel=0.02)
    else:
        assert result.get("jobs.rebuild.elapsed") == pytest.approx(ALONE / share, rel=0.02)


USERS = """
workloads:
  users: {model: workload/oltp, data: files, clients: 8}
jobs:
  rebuild: {method: rebuild, of: pool}
"""
DISKS = """
title: A rebuild beside users
hosts:
  server: {model: host/linux-modern-server, owns: [pool]}
devices:
  pool: {model: raid/hardware-raid6-2018, disks: 4, level: 5, failed: 1, disk: {model: disk/nearline-4tb-2013,
    capacity: 200 GB}}
data:
  files: {on: pool, size: 50 GB}
"""


def _beside_users(weight: float) -> tuple[float, float]:
    """Seconds of a rebuild, and transactions a second of eight users of the array meanwhile."""
    result = sb.simulate(DISKS + USERS, {"jobs.rebuild.precedence": weight})
    return result.get("jobs.rebuild.elapsed"), result.user_rows[0]["rate"]


def test_no_precedence_is_special() -> None:
    """With three disks' worth of data, a precedence of 3 once meant 1, as the weight was that of no weight."""
    before = _beside_users(0.25)
    for weight in (0.5, 0.75, 0.995, 1.0, 1.005, 2.0, 2.985, 3.0, 3.015, 4.0):
        elapsed, rate = _beside_users(weight)
        assert elapsed < before[0]
        assert rate < before[1]
        if weight in {1.0, 1.005, 3.0, 3.015}:  # half a percent more
            assert elapsed == pytest.approx(before[0], rel=0.006)
            assert rate == pytest.approx(before[1], rel=0.006)
        before = elapsed, rate


def test_a_rebuild_that_comes_last_works_in_idle_time() -> None:
    """Users of an idle disk lose only the rest of a run that is under way when they come, whatever the precedence."""
    last = sb.simulate(DISKS + USERS, {"jobs.rebuild.precedence": 1e-6}).user_rows[0]
    undisturbed = last["offered"] / last["served"] * last["rate"]
    one = _beside_users(1.0)[1]
    assert 0.8 * undisturbed < one < 0.9 * undisturbed  # one run for each request of each of eight users
    assert 0.98 * undisturbed < last["rate"] < undisturbed
    assert _beside_users(1e-6) == pytest.approx(_beside_users(1e-4), rel=1e-3)


POOL = """\
title: A ZFS pool of six disks that has lost one, and is nearly empty
hosts:
  server: {model: host/linux-2020-server, owns: [pool]}
devices:
  pool: {model: raid/zfs-raidz2, disk: disk/nearline-12tb-2018, disks: 6, failed: 1}
data:
  files: {on: pool, size: 1 TB}
jobs:
  resilver: {method: rebuild, of: pool}
"""


def test_backups_and_what_snapshots_keep_are_allocated_too() -> None:
    volume = "  vol: {model: redirect_volume/zfs, on: pool, size: 5 TB}\n"
    text = POOL.replace("files: {on: pool", "files: {on: vol").replace("data:\n", volume + "data:\n")
    save = "  save: {method: image, data: files, to: pool}\n  resilver: {after: save, "
    result = sb.simulate(text.replace("  resilver: {", save))
    assert result.get("jobs.resilver.bytes") == pytest.approx(2 * 0.25e12)


def test_in_the_order_of_age_scattered_files_are_read_piece_by_piece() -> None:
    files = "files: {on: pool, size: 1 TB, files: 1_000_000, filesystem: filesystem/zfs, layout: LAYOUT}"
    text = POOL.replace("files: {on: pool, size: 1 TB}", files).replace("failed: 1", "failed: 1, rebuilds: by_age")
    scattered, together = (
        sb.simulate(text.replace("LAYOUT", layout)).get("jobs.resilver.elapsed") for layout in ("scattered", "together")
    )
    assert together < 3600.0
    assert scattered > 20.0 * together


def test_in_the_order_of_age_pieces_that_wait_are_read_on_the_way_of_the_arm() -> None:
    """Of 32 pieces, the next one is a 64th of the allocated cylinders away: a short seek, half a revolution, a unit."""
    files = "files: {on: pool, size: 1 TB, files: 1_000_000, filesystem: filesystem/zfs, layout: scattered}"
    text = POOL.replace("files: {on: pool, size: 1 TB}", files).replace("failed: 1", "failed: 1, rebuilds: by_age")
    disk = "track_to_track_seek: 2 ms, average_seek: 8 ms, full_stroke_seek: 16 ms, command_overhead: 0 s"
    disk = f"disk: {{model: disk/nearline-12tb-2018, outer_rate: 200 MB/s, inner_rate: 200 MB/s, {disk}}}"
    text = text.replace("disk: disk/nearline-12tb-2018", f"{disk}, stripe_unit: 16 KiB, rebuild_requests: 32")
    size, unit = 0.25e12, 16384.0
    seek = 2e-3 + 6e-3 * math.sqrt(3.0 * size / 12e12 / 64.0)
    seconds = size * (1 / 200e6 + (seek + 60 / 7200 / 2) / unit)
    assert sb.simulate(text).get("jobs.resilver.elapsed") == pytest.approx(seconds, rel=1e-3)


@for_each("row, hop", [("16 MiB", 16 * 2**20), ("64 KiB", None)])
def test_of_a_declustered_array_all_disks_read_and_write(row: str, hop: float | None) -> None:
    """Four groups of 13 on 52 disks: a byte is made of 12 others, and written; the 51 disks share these 13.

    They go over the rest with a seek and half a revolution for each long row, or let short ones pass below the heads.
    """
    disk = "track_to_track_seek: 1 ms, average_seek: 1 ms, full_stroke_seek: 1 ms, command_overhead: 0 s"
    disk = f"disk: {{model: disk/nearline-12tb-2018, outer_rate: 200 MB/s, inner_rate: 200 MB/s, {disk}}}"
    more = f"{disk}, disks: 52, groups: 4, declustered: {row}"
    text = POOL.replace("disk: disk/nearline-12tb-2018, disks: 6", more).replace("size: 1 TB", "size: 44 TB")
    made = 44e12 / 44  # each of as many disks for data
    positioned = (1e-3 + 60 / 7200 / 2) / hop if hop else math.inf
    seconds = made * min(13 / 51 * (1 / 200e6 + positioned), 1 / 200e6)
    result = sb.simulate(text)
    assert result.get("jobs.resilver.bytes") == pytest.approx(made)
    assert result.get("jobs.resilver.elapsed") == pytest.approx(seconds, rel=1e-3)
