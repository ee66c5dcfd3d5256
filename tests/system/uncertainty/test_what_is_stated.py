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


FILES = """\
title: A tree of files
hosts: {server: {model: host/linux-modern-server, owns: [disk, pool]}}
devices: {disk: {model: disk/sata-7200-1tb-2008}, pool: {model: ssd/sata-ssd-2015}}
data: {tree: {'on': disk, size: 20 GB, files: 200_000, filesystem: filesystem/ext4}}
jobs: {save: {method: file_level, data: tree, to: pool}}
"""


def test_a_layout_that_nobody_states_is_an_unknown_with_all_of_its_range() -> None:
    """The interval reaches from files that lie together nearly to those that lie scattered, and names what decides."""
    unstated = simulate(load(FILES))
    (value,) = [v for v in load(FILES).values if v.address == "data.tree.layout"]
    assert (value.given.basis, value.given.si, value.given.low, value.given.high) == ("assumed", 0.5, 0.0, 1.0)
    found = job_intervals(unstated)["save"]
    times = {
        layout: float(simulate(load(FILES), {"data.tree.layout": layout}).get("jobs.save.elapsed"))
        for layout in ("together", "scattered")
    }
    assert unstated.get("jobs.save.elapsed") == pytest.approx(sum(times.values()) / 2.0, rel=0.01)
    assert found.elapsed.low < (times["together"] + times["scattered"]) / 2.0 < found.elapsed.high
    assert found.decides[0].input.name == "data.tree.layout"


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


def test_a_layout_that_is_stated_is_certain() -> None:
    result = simulate(load(FILES), {"data.tree.layout": "scattered"})
    (value,) = [v for v in load(FILES, {"data.tree.layout": "scattered"}).values if v.address == "data.tree.layout"]
    assert value.given.low is None
    assert "data.tree.layout" not in job_intervals(result)["save"].sentence()


def test_where_a_single_file_lies_that_nobody_states_is_an_unknown() -> None:
    """One file may lie far along a wrap of the tape, and its interval counts that; several are spread over it."""
    tape = SITE.replace("owns: [disk]", "owns: [disk, library]").replace(
        "devices:\n", "devices:\n  library: {model: tape_library/autoloader-8, drive: tape_drive/lto-5, drives: 1}\n"
    )
    tape = tape[: tape.index("workloads:")].replace("10 GB", "150 GB, files: 100") + (
        "jobs:\n  save: {method: image, data: file, to: library}\n"
        "  one: {restore: save, select: {files: 1, size: 1 MB}, after: save}\n"
    )
    (value,) = [v for v in load(tape).values if v.address == "jobs.one.select.at"]
    assert (value.given.si, value.given.low, value.given.high) == (0.5, 0.0, 1.0)
    anywhere = job_intervals(simulate(load(tape)))["one"].from_inputs
    stated = job_intervals(simulate(load(tape), {"jobs.one.select.at": "50 %"}))["one"].from_inputs
    # a wrap is 846 m at 6.3 m/s: far from the ends of one, a file is up to 134 s away in each direction
    assert anywhere.high - anywhere.low > 2.0 * (stated.high - stated.low)
    assert not [v for v in load(tape.replace("files: 1,", "files: 2,")).values if "select.at" in v.address]
