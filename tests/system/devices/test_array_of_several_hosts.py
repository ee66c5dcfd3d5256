"""Several hosts use one array, each a volume or a frozen image of its own."""

import pytest

import simbackup as sb

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
