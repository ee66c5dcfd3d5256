"""A synchronisation goes on at its own pace once others have left its disks."""

import pytest

import simbackup as sb

SCENARIO = """\
title: A mirror of 10 GB on two disks, and a database on the same volume
hosts:
  server: {model: host/linux-modern-server, owns: [disk, spare, remote]}
devices:
  disk: {model: disk/sata-7200-1tb-2008}
  spare: {model: disk/sata-7200-1tb-2008}
  remote: {model: disk/sata-7200-1tb-2008}
  volume: {kind: logical_volume, on: disk, size: 10 GB}
  mirror: {model: mirror/vxvm-split-mirror, of: volume, on: spare, state: new}
data:
  db: {on: volume, size: 400 MB, compression: 2, database: database/mysql-5.0-innodb}
jobs:
  synchronise: {method: synchronise, mirror: mirror}
"""
BACKUP = (
    "  {name}: {{method: database_native, data: db, to: remote, engine: backup_engine/sql-server-2008, buffers: 10,"
    " compress: false, begin: {begin} s}}\n"
)


def elapsed(*begins: float) -> tuple[float, list[float]]:
    """Seconds of the synchronisation, and of each backup beside it."""
    jobs = [BACKUP.format(name=f"b{i}", begin=begin) for i, begin in enumerate(begins)]
    found = sb.simulate(SCENARIO + "".join(jobs))
    return found.get("jobs.synchronise.elapsed"), [found.get(f"jobs.b{i}.elapsed") for i in range(len(begins))]


@pytest.mark.parametrize("begin", [0.0, 200.0])
def test_a_synchronisation_loses_no_more_than_the_time_of_a_backup_beside_it(begin: float) -> None:
    alone, _ = elapsed()
    beside, [backup] = elapsed(begin)
    assert alone < beside <= alone + backup


def test_each_backup_costs_it_the_same_whenever_it_comes() -> None:
    alone, _ = elapsed()
    early, late, both = elapsed(0.0)[0], elapsed(200.0)[0], elapsed(0.0, 200.0)[0]
    assert early - alone == pytest.approx(late - alone, rel=0.05)
    assert both - alone == pytest.approx(early - alone + late - alone, rel=0.05)
