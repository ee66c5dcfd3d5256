"""Users who wait for first writes under a snapshot on their own disk, against the same requests one by one."""

from pathlib import Path

import pytest
from oracles.snapshot import scattered_first_writes

import simbackup as sb
from simbackup.devices.disk.live import Disk
from simbackup.devices.store import Region
from simbackup.equations.disk import DiskParameters
from tests.cases import for_each

DISK = DiskParameters(1e12, 120.0, 0.8e-3, 9.4e-3, 18e-3, 111e6, 51.6e6, 0.15e-3, 512 * 1024)
SITE = """\
title: Users who write 4 KiB at a time anywhere in a volume whose snapshot keeps copies on the same disk
hosts:
  server: {model: host/linux-2020-server, owns: [disk]}
devices:
  disk: {kind: disk, capacity: 1 TB, rotation_speed: 7200 rpm, track_to_track_seek: 0.8 ms, average_seek: 9.4 ms,
    full_stroke_seek: 18 ms, outer_rate: 111 MB/s, inner_rate: 51.6 MB/s, command_overhead: 0.15 ms,
    stream_turn: 512 KiB}
  volume: {kind: logical_volume, on: disk, size: 200 GB}
  cow: {model: snapshot/lvm2-5.3, of: volume, on: disk, size: 100 GB, gathers: GATHERS}
data:
  db: {on: volume, size: SIZE GB}
workloads:
  users: {data: db, clients: WRITERS, reads: 0, read_size: 4 KiB, cpu: 0.01 ms, writes: 100 %, updates: 1,
    synchronous: true}
jobs:
  seen: {method: observe, workload: users, duration: 10 s}
"""


@pytest.mark.slow
@for_each("gathers", [True, False])
@for_each("writers, size", [(1, 10), (4, 10), (16, 10), (2, 190), (16, 190)])
def test_arms_move_once_for_all_copies_and_all_writes_that_wait_together(
    tmp_path: Path, writers: int, size: int, *, gathers: bool
) -> None:
    """Reads, copies, one commit, and held writes: each kind follows its like, and the arm changes places in between.

    The seek over the mean distance is longer than the mean seek, by 4 % of both random accesses at most.
    """
    file = tmp_path / "site.yaml"
    text = SITE.replace("WRITERS", str(writers)).replace("SIZE", str(size)).replace("GATHERS", str(gathers).lower())
    file.write_text(text, encoding="utf-8")
    rate = sb.simulate(file).user_rows[0]["rate"]
    region = Region(Disk("disk", DISK), 0.0, size * 1e9)
    expected = scattered_first_writes(writers, region, 200e9, 4096.0, gathers=gathers)
    assert rate == pytest.approx(expected, rel=0.05)


ARRAY = """\
title: A database whose snapshot lies on the same array, with a write cache or without
hosts:
  server: {model: host/linux-2020-server, owns: [array]}
devices:
  array: {model: raid/hardware-raid10-2011, disk: disk/sas-15k-600gb-2009, disks: 8CACHE}
  volume: {kind: logical_volume, on: array, size: 1 TB}
  cow: {model: snapshot/lvm2-5.3, of: volume, on: array, size: 250 GB, chunk: 64 KiB}
data:
  db: {on: volume, size: 20 GB}
workloads:
  users: {data: db, transactions: 300 /s, reads: 0.5, read_size: 16 KiB, cpu: 1 ms, writes: 100 %, updates: 1,
    synchronous: true}
jobs:
  create: {method: create_snapshot, snapshot: cow}
  seen: {method: observe, workload: users, duration: TIME, after: create}
"""


def test_a_write_cache_leaves_the_disks_no_more_to_do(tmp_path: Path) -> None:
    """It gathers copies, and records that are written again replace each other in it; fewer are new as time goes on."""

    def busy(time: str, cache: str = "") -> float:
        file = tmp_path / "site.yaml"
        file.write_text(ARRAY.replace("CACHE", cache).replace("TIME", time), encoding="utf-8")
        return next(row["busy"] for row in sb.simulate(file).device_rows if row["device"] == "devices.array")

    early, late, none = busy("5 min"), busy("30 min"), ", write_cache: null, write_behind: null"
    assert early <= busy("5 min", none)
    assert late <= busy("30 min", none)
    assert late < early
