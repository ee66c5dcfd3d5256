"""Values that only some numbers may have, and times that a file states."""

import pytest

from simbackup import load
from simbackup.run import simulate
from simbackup.uncertainty.inputs import Use
from simbackup.uncertainty.verdict import job_intervals

SITE = """\
title: An image of a snapshot
hosts: {server: {model: host/linux-modern-server, owns: [disk]}}
devices:
  disk: {model: disk/sata-7200-1tb-2008}
  volume: {kind: logical_volume, 'on': disk, size: 200 GB}
  cow: {model: snapshot/lvm2-5.3, of: volume, 'on': disk, size: 100 GB}
data: {file: {'on': volume, size: 10 GB}}
workloads: {users: {data: file, transactions: 5 /s, reads: 1, read_size: 4 KiB, cpu: 0 s, writes: 0 %}}
jobs:
  freeze: {method: create_snapshot, snapshot: cow}
  save: {method: image, data: file, source: cow, to: disk, after: freeze}
  see: {method: observe, workload: users, duration: 10 min}
"""


def test_a_chunk_stays_a_power_of_two_so_that_no_case_is_refused() -> None:
    use = Use("a", "devices.cow.chunk", 4096.0, 4096.0, 524288.0, "B")
    sizes = {use.at(score) for score in (0.5, 1.0, 1.5, 2.0)}
    assert sizes <= {"8 KiB", "16 KiB", "32 KiB", "64 KiB", "128 KiB", "256 KiB", "512 KiB"}
    assert len(sizes) > 2
    found = job_intervals(simulate(load(SITE)))
    assert found["save"].cases == found["save"].asked


def test_files_whose_updates_are_stated_were_written_in_sequence() -> None:
    """What the updates scattered is not scattered twice: without any, files are read as fast as the blocks."""
    filer = "raid/zfs-raidz2, disk: disk/nearline-8tb-2016, disks: 8"
    site = f"""\
title: A pool that is sent
hosts: {{server: {{model: host/linux-2016-server, speed: 20, owns: [pool, nowhere]}}}}
devices:
  pool: {{model: {filer}}}
  volume: {{model: redirect_volume/zfs, 'on': pool, size: 40 TB}}
  nowhere: {{kind: nul}}
data: {{tree: {{'on': volume, size: 4 TB, files: 100, filesystem: filesystem/zfs,
  aged: {{updates: 0, update_size: 128 KiB}}}}}}
jobs: {{send: {{method: program, program: program/zfs-send, operation: send, data: tree, target: nowhere}}}}
"""
    (value,) = [v for v in load(site).values if v.address == "data.tree.layout"]
    assert (value.given.basis, value.given.si, value.given.low) == ("derived", 0.0, None)
    image = site.replace("method: program, program: program/zfs-send, operation: send", "method: image")
    blocks = simulate(load(image.replace("target:", "to:"))).get("jobs.send.elapsed")
    sent = {n: simulate(load(site), {"data.tree.aged.updates": n}).get("jobs.send.elapsed") for n in (0, 10**6, 10**8)}
    assert sent[0] == pytest.approx(blocks + 2.0, rel=1e-3)  # the program starts in 2 s; many records are read at once
    assert sent[10**8] > 5.0 * sent[10**6] > 25.0 * sent[0]
