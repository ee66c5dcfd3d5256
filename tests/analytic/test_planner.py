"""Systems as a planner describes them, against estimates by hand from the figures of their parts.

No measured result stands behind them.
"""

import pytest

import simbackup as sb

SAN = """\
title: A database server with 8 disks in RAID 5 and two LTO-2 drives on one fabric
hosts:
  server: {model: host/linux-2004-server, owns: [array, library]}
devices:
  array: {model: raid/midrange-array-2004, disk: disk/fc-15k-146gb-2005, disks: 8}
  library: {model: tape_library/storagetek-l700, drive: tape_drive/lto-2, drives: 2}
links:
  san: {model: network/fibre-channel-2g, joins: [server, array, library]}
data:
  db: {on: array, size: 400 GB, compression: 2}
jobs:
  full: {method: image, data: db, to: library, streams: 2, tool: backup_tool/network-backup-2000s}
"""
CHANNELS = """\
title: Channels of RMAN from 16 disks in RAID 10 to 12 disks
hosts:
  server: {model: host/linux-2010-server, owns: [array, fra]}
devices:
  array: {model: raid/midrange-array-2008, disk: disk/fc-15k-300gb-2008, disks: 16, level: "10"}
  fra: {model: raid/midrange-array-2008, disk: disk/sata-7200-1tb-2008, disks: 12}
data:
  db: {on: array, size: 1 TB, database: database/oracle}
jobs:
  disk: {method: image, data: db, to: fra, streams: 1, tool: backup_tool/oracle-rman}
"""
POOLS = """\
title: A pool of 12 disks of the operating system, copied over 10 Gb/s
hosts:
  a: {model: host/linux-2016-server, owns: [pa]}
  b: {model: host/linux-2016-server, owns: [pb]}
devices:
  pa: {model: raid/software-raid6, disk: disk/nearline-6tb-2018, disks: 12, groups: 2}
  pb: {model: raid/software-raid6, disk: disk/nearline-6tb-2018, disks: 12, groups: 2}
links:
  lan: {model: network/ten-gigabit-ethernet, joins: [a, b]}
data:
  fs: {on: pa, size: 4 TB}
jobs:
  full: {method: image, data: fs, to: pb}
"""


def test_a_fabric_carries_what_is_read_and_what_is_written_side_by_side() -> None:
    """Two drives of 35 MB/s take 2:1 at 63 MB/s, as commands of 64 KiB cost 0.1 ms; a port has 195 MB/s each way.

    The array reads 4 MiB of each stream before it turns to the other, which costs little then.
    """
    result = sb.simulate(sb.load(SAN, {"devices.array.read_ahead": "4 MiB"}))
    each = 1.0 / (1.0 / 70e6 + 1e-4 / 65536)
    assert result.get("jobs.full.transfer_rate") == pytest.approx(2 * each, rel=0.02)
    assert sb.explain(result, "full")["full"].bottleneck == "devices.library.drive"


def test_channels_take_a_core_each_until_the_arrays_are_full() -> None:
    """One checks 1 GB in 8 s of the reference core, 2.6 of which are here; the arrays write 600 MB/s.

    Disks that turn between four streams after a share of 8 MiB write less, and hardly less after one of 64 MiB.
    """
    one, turning, gathered = (
        sb.simulate(sb.load(CHANNELS, changes)).get("jobs.disk.rate")
        for changes in (
            {},
            {"jobs.disk.streams": 4, "devices.fra.write_behind": "8 MiB"},
            {"jobs.disk.streams": 4, "devices.fra.write_behind": "64 MiB"},
        )
    )
    assert one == pytest.approx(2.6 / 8e-9, rel=0.02)
    assert one < turning < 0.8 * gathered
    assert 1.3 * one < gathered <= 600e6


def test_a_pool_is_read_faster_than_the_line_carries() -> None:
    """Eight disks of data of 100 to 200 MB/s, read two stripes ahead, fill a line of 1.18 GB/s."""
    result = sb.simulate(sb.load(POOLS))
    assert result.get("jobs.full.rate") == pytest.approx(1.177e9, rel=0.02)
    one = sb.simulate(sb.load(POOLS, {"devices.pa.stripes_ahead": "0"}))
    assert one.get("jobs.full.rate") < 0.7 * result.get("jobs.full.rate")
