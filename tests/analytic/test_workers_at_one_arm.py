"""Several workers request random places of rotating disks: the more requests wait, the nearer is the next one."""

import random
from typing import Any

import pytest

import simbackup as sb
from simbackup.equations import disk as disks
from simbackup.equations.disk import scattered_seek_time, waiting_seek_time
from tests.cases import for_each

FILES, EACH, RECORD, RATE = 100_000, 8192.0, 1024.0, 100e6
DISK = disks.DiskParameters(1e12, 120.0, 1e-3, 8.5e-3, 18e-3, RATE, RATE, 0.3e-3, 1e6)
SITE = """\
title: Workers read small files that lie anywhere on a disk
hosts:
  server: {cores: 64, memory: 1 GiB, dirty_limit: 20 %, dirty_background: 0 %, copy_rate: 900 GB/s, owns: [a, nul]}
devices:
  a: {kind: disk, capacity: 1 TB, rotation_speed: 120 /s, track_to_track_seek: 1 ms, average_seek: 8.5 ms,
    full_stroke_seek: 18 ms, outer_rate: 100 MB/s, inner_rate: 100 MB/s, command_overhead: 0.3 ms, stream_turn: 1 MB}
  nul: {kind: nul}
data:
  files: {on: a, size: 1 TB, files: 100_000, file_size: 8 KiB, layout: scattered,
    filesystem: {cpu_per_file: 0 s/file, reads_per_file: 1, record: 1 KiB, fragment: 64 KiB}}
jobs:
  walk: {method: file_level, data: files, to: nul, serial_share: 0 %, tool: {start_time: 0 s, mount_time: 0 s}}
"""
ROTATION, OVERHEAD = 0.5 / 120.0, 0.3e-3
MOVED = (EACH + RECORD) / RATE
"""Seconds in which the record and the data of a file pass the heads."""


def seconds(workers: int, changes: dict[str, Any] | None = None) -> float:
    """Seconds of a file when so many workers read all of them."""
    found = sb.simulate(SITE, {"jobs.walk.tool.workers": workers, **(changes or {})})
    return found.get("jobs.walk.elapsed") / FILES


def by_hand(workers: int, at_each: float) -> float:
    """Seconds of a file by mean value analysis, for workers who do nothing but wait for one disk.

    A request finds those of all others, which take what the disk takes on its way: N / X = S(1) + (N - 1) S(n).
    """
    alone, served = (
        2.0 * (waiting_seek_time(DISK, 1.0, number) + ROTATION + OVERHEAD) + MOVED for number in (1.0, at_each)
    )
    return (alone + (workers - 1.0) * served) / workers


def one_by_one(workers: int, requests: int = 20_000) -> float:
    """Seconds of a request of such workers, each simulated: the disk goes on to the nearest place ahead of its arm.

    Behind the last one it returns to the first (C-LOOK), and who has been served asks for a new place at random.
    """
    draws, arm, now = random.Random(1), 0.0, 0.0  # noqa: S311 (no secret)
    places = [draws.random() for _ in range(workers)]
    for _ in range(requests):
        ahead = [place for place in places if place >= arm]
        following = min(ahead or places)
        now += disks.seek_time(DISK, abs(following - arm)) + draws.random() / 120.0 + OVERHEAD + MOVED / 2.0
        places.remove(following)
        places.append(draws.random())
        arm = following
    return now / requests


@for_each("workers", [1, 2, 8, 32])
def test_many_workers_are_served_on_the_way_of_the_arm(workers: int) -> None:
    found = seconds(workers)
    assert found == pytest.approx(by_hand(workers, workers), rel=1e-3)
    assert found / 2.0 == pytest.approx(one_by_one(workers), rel=0.1)


def test_one_worker_seeks_a_mean_distance() -> None:
    one = scattered_seek_time(DISK, 1.0) + ROTATION + OVERHEAD
    assert seconds(1) == pytest.approx(2.0 * one + MOVED, rel=1e-3)


def test_more_workers_never_take_longer() -> None:
    times = [seconds(workers) for workers in (1, 2, 3, 4, 6, 8, 16, 64)]
    assert times == sorted(times, reverse=True)
    assert times[0] / times[-1] == pytest.approx(1.9, abs=0.1)


def test_the_disks_of_an_array_have_a_part_of_the_workers_each() -> None:
    """Eight workers at four disks, two at each: as fast as two at one, four times."""
    member = SITE[SITE.index("capacity: 1 TB") : SITE.index("}\n  nul")]
    array = SITE.replace(
        SITE[SITE.index("  a: {") : SITE.index("}\n  nul")],
        f"  a: {{kind: raid, level: 0, stripe_unit: 64 KiB, controller_overhead: 0 s, disks: 4, disk: {{{member}}}",
    ).replace("size: 1 TB", "size: 4 TB")
    found = sb.simulate(array, {"jobs.walk.tool.workers": 8}).get("jobs.walk.elapsed") / FILES
    alone, served = (
        2.0 * (waiting_seek_time(DISK, 1.0, number) + ROTATION + OVERHEAD) + MOVED for number in (1.0, 2.0)
    )
    assert found == pytest.approx((alone + 7.0 / 4.0 * served) / 8.0, rel=1e-3)
