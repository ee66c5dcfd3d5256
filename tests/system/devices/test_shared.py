"""Devices that several use: arrays, copy areas, mirrors and the room of volumes."""

from pathlib import Path

import pytest

import simbackup as sb
from simbackup.results.result import Result
from simbackup.run import simulate
from tests.cases import for_each

# Several hosts use one array, each a volume or a frozen image of its own
FAST = "read_latency: 0 s, write_latency: 0 s"
OFF_HOST = f"""\
title: A clone that the backup server reads
hosts:
  server: {{model: host/linux-2016-server, owns: [volume]}}
  backup: {{model: host/linux-2016-server, owns: [clone, pool]}}
devices:
  array: {{kind: ssd, capacity: 40 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, {FAST}}}
  disks: {{kind: ssd, capacity: 40 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, {FAST}}}
  pool: {{kind: ssd, capacity: 90 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, {FAST}}}
  volume: {{kind: logical_volume, on: array, size: 40 GB}}
  clone: {{kind: mirror, of: volume, on: disks, region: 1 MB, request: 1 MB, in_flight: 64, fast_resync: true,
    create_time: 1 s, remove_time: 0 s}}
links:
  san: {{rate: 200 MB/s, latency: 0 s, duplex: full, storage: true, joins: [server, backup, array, disks]}}
  lan: {{rate: 10 MB/s, latency: 0 s, duplex: full, joins: [server, backup]}}
data:
  files: {{on: volume, size: 20 GB, files: 1000, filesystem: filesystem/ext4, layout: together}}
jobs:
  split: {{method: create_snapshot, snapshot: clone}}
  save: {{method: image, data: files, source: clone, to: pool, after: split}}
  back: {{restore: save, after: save, delay: 1 s}}
"""


def test_the_host_that_owns_an_image_reads_it_past_the_host_of_the_volume() -> None:
    result = sb.simulate(OFF_HOST)
    assert result.get("jobs.save.elapsed") == pytest.approx(20e9 / 200e6, rel=0.01)
    assert result.get("links.san.disks.send.bytes") == pytest.approx(20e9)
    assert result.get("links.san.backup.receive.bytes") == pytest.approx(20e9)
    assert "links.san.server.receive" not in result.devices.index or not result.get("links.san.server.receive.bytes")
    assert result.get("jobs.back.elapsed") == pytest.approx(
        20e9 / 10e6, rel=0.01
    )  # the server writes what comes by LAN


def test_hosts_send_over_a_link_of_storage_only_what_no_other_link_carries() -> None:
    result = sb.simulate(OFF_HOST, {"hosts.backup.owns": ["pool"]})
    assert result.get("links.lan.bytes") == pytest.approx(20e9)  # the server reads the image, and sends it by LAN
    without = "".join(line for line in OFF_HOST.splitlines(keepends=True) if not line.startswith("  lan:"))
    there = sb.simulate(without)
    assert there.get("links.san.backup.send.bytes") == pytest.approx(20e9)  # of the restore


def test_a_walk_over_a_mounted_image_loads_the_host_that_owns_it() -> None:
    result = sb.simulate(OFF_HOST, {"jobs.save.method": "file_level"})
    assert result.get("links.san.backup.receive.bytes") == pytest.approx(20e9, rel=0.01)
    assert result.get("hosts.backup.cores.busy") > 0.0


def test_the_host_of_the_volume_fills_the_copy_area_of_an_image_that_another_host_owns() -> None:
    begin, end = OFF_HOST.index("  clone: {kind"), OFF_HOST.index("links:")
    snapshot = "  clone: {model: snapshot/vxvm-instant-snapshot, of: volume, on: disks, size: 30 GB}\n"
    text = OFF_HOST[:begin] + snapshot + OFF_HOST[end:]
    text = text[: text.index("  back:")] + "  update: {method: write, data: files, flush: true, after: save}\n"
    result = sb.simulate(text)
    assert result.get("links.san.backup.receive.bytes") == pytest.approx(20e9, rel=0.01)  # of the backup
    assert result.get("links.san.backup.send.bytes") == 0.0
    assert result.get("links.san.server.send.bytes") > 40e9  # what is written, the copies, and their records


def test_an_image_out_of_reach_is_reported() -> None:
    text = OFF_HOST.replace("joins: [server, backup, array, disks]", "joins: [server, array, disks]")
    text = text.replace("joins: [server, backup]}", "joins: [pool, backup]}")
    with pytest.raises(sb.InputError) as caught:
        sb.simulate(text)
    message = "'clone' is on 'disks', to which there is no connection from 'backup'"
    assert message in str(caught.value)
    assert "let a link join 'backup' and 'disks'" in str(caught.value)


# Positions at which a byte is less than what numbers tell apart
SITE = """\
title: A save set behind eleven petabytes
hosts:
  server: {model: host/linux-2020-server, owns: [pool, flash]}
devices:
  pool: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 600}
  flash: {model: ssd/nvme-gen4-2021}
data:
  old: {on: pool, size: 11 PB}
  new: {on: flash, size: SIZE}
jobs:
  save: {method: image, data: new, to: pool}
"""


@for_each("size", ["1 B", "3 B", "1234567 B", "123456789 B"])
def test_what_is_written_there_comes_to_an_end(size: str) -> None:
    result = sb.simulate(SITE.replace("SIZE", size))
    assert result.get("jobs.save.elapsed") > 0.0
    assert result.get("jobs.save.bytes") == pytest.approx(float(size.split(maxsplit=1)[0]))


# A synchronisation goes on at its own pace once others have left its disks
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


# What volumes that share the room of a device give to writes that are under way at the same time
REDIRECT_SCENARIO = """\
title: Two volumes that take what they use of one disk, and backups that do not both fit
hosts:
  server: {model: host/linux-2.6.9-dual-xeon-2800, owns: [sda, sdb]}
devices:
  sda: {model: disk/scsi-10k-146gb-2004}
  sdb: {model: disk/scsi-10k-146gb-2004}
  one: {model: redirect_volume/wafl-lun, on: sdb, size: 100 GB, guarantee: none}
  two: {model: redirect_volume/wafl-lun, on: sdb, size: 100 GB, guarantee: none}
data:
  files: {on: sda, size: 80 GB}
jobs:
  first: {method: image, data: files, to: one}
  second: {method: image, data: files, to: two, begin: SECOND}
"""


@pytest.mark.parametrize("second", ["10 s", "1 h"])
def test_room_that_a_write_under_way_will_take_is_taken(second: str) -> None:
    """146 GB hold one backup of 80 GB and not two, whether they run at once or one after the other."""
    result = sb.simulate(REDIRECT_SCENARIO.replace("SECOND", second))
    status = {row["job"]: row["status"] for row in result.job_rows}
    used = {row["device"]: row["used_bytes"] for row in result.device_rows if "used_bytes" in row}
    assert status == {"first": "done", "second": "failed"}
    assert used["devices.one"] == pytest.approx(80e9, abs=10.0)
    assert sum(used.values()) == pytest.approx(146e9, abs=1e6)


def test_a_write_that_is_done_keeps_no_room(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    both = REDIRECT_SCENARIO.replace("SECOND", "1 s").replace("size: 80 GB", "size: 30 GB")
    path.write_text(both + "  third: {method: image, data: files, to: two, after: [first, second]}\n", encoding="utf-8")
    result = sb.simulate(path)
    assert {row["status"] for row in result.job_rows} == {"done"}
    used = [row["used_bytes"] for row in result.device_rows if "used_bytes" in row]
    assert sum(used) == pytest.approx(90e9, abs=10.0)


# Several writers of one volume fill a copy area no further than it goes
AREA_SITE = """\
title: Writers of one volume
hosts: {{server: {{model: host/linux-modern-server, owns: [disk, spare, other]}}}}
devices:
  disk: {{model: disk/sata-7200-1tb-2008}}
  spare: {{model: disk/sata-7200-1tb-2008}}
  other: {{model: disk/sata-7200-1tb-2008}}
  volume: {{kind: logical_volume, 'on': disk, size: 100 GB}}
  cow: {{model: snapshot/lvm2-2.6.18, of: volume, 'on': spare, size: 4 MB}}
data:
  one: {{'on': volume, size: 40 GB}}
  two: {{'on': volume, size: 40 GB}}
  back: {{'on': other, size: 20 GB}}
workloads:
{users}
jobs:
  freeze: {{method: create_snapshot, snapshot: cow}}
  wait: {{method: image, data: back, to: spare, after: freeze}}
{jobs}
"""
USERS = """\
  {name}:
    {{data: {name}, transactions: {rate} /s, reads: 1, read_size: 4 KiB, cpu: 0 s, writes: 100 %, updates: 1}}
"""
WRITER = "  new: {method: write, data: two, portion: 1 %, after: freeze}\n"


def ran(groups: dict[str, float], jobs: str = "") -> Result:
    users = "".join(USERS.format(name=name, rate=rate) for name, rate in groups.items())
    return simulate(AREA_SITE.format(users=users, jobs=jobs))


def filled_at(result: Result) -> float:
    """Seconds at which the copy area was full."""
    return next(event.time for event in result.trace.events if "copy area is full" in event.what)


@pytest.mark.parametrize("jobs", ["", WRITER])
def test_no_more_is_copied_than_the_area_holds(jobs: str) -> None:
    result = ran({"one": 10, "two": 10}, jobs)
    copied, area = result.get("devices.cow.copied_bytes"), result.get("devices.cow.area_bytes")
    assert 0.95 * area < copied <= area


def test_two_groups_fill_it_when_one_of_both_would() -> None:
    assert filled_at(ran({"one": 5, "two": 15})) == pytest.approx(filled_at(ran({"one": 20})), rel=0.01)
