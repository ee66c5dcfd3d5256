"""Copies that a backup writes while it writes its own, by hand: one read, and the pace of the slowest target."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each
from tests.shared import LIBRARY_BY_HAND

CACHE = "cores: 8, memory: 100 GB, dirty_limit: 1 %, dirty_background: 0 %, copy_rate: 100 GB/s, speed: 1"
SSD = "kind: ssd, capacity: 1 TB, read_latency: 0 s, write_latency: 0 s"
SITE = f"""\
title: A server, a keeper with two disks and a library, and a second site with a disk
hosts:
  server: {{owns: [a, e], {CACHE}}}
  keeper: {{owns: [b, d, library], {CACHE}}}
  second: {{owns: [c], {CACHE}}}
devices:
  a: {{{SSD}, read_rate: 4 GB/s, write_rate: 4 GB/s}}
  b: {{{SSD}, read_rate: 1 GB/s, write_rate: 1 GB/s}}
  c: {{{SSD}, read_rate: 200 MB/s, write_rate: 200 MB/s}}
  d: {{{SSD}, read_rate: 400 MB/s, write_rate: 400 MB/s}}
  e: {{{SSD}, read_rate: 800 MB/s, write_rate: 800 MB/s}}
  bucket: {{kind: object_store, write_latency: 0 s, read_latency: 0 s, connection_rate: 50 MB/s, part: 10 MB,
    read_requests: 1000000 /s, write_requests: 1000000 /s}}
{LIBRARY_BY_HAND}links:
  lan: {{joins: [server, keeper, second, bucket], rate: 2 GB/s, latency: 0 s}}
data:
  db: {{on: a, size: 100 GB, files: 100000, filesystem: filesystem/ext3, layout: 1}}
jobs:
"""
IMAGE = "  full: {method: image, data: db, to: b}\n"
ON_D, ON_C = (f"  twin: {{method: copy_save_set, save_set: full, to: {to}, inline: true}}\n" for to in "dc")
VAULT = "  vault: {method: copy_save_set, save_set: full, to: library, inline: true}\n"
TAPE = 3 * (10.0 + 30.0 + 10.0 + 10.0) + 100e9 / 80e6 + 100.0 / 5.0 + 2.0
"""Three cartridges of 40 GB, of which the last ends at the far end of the tape: it winds 100 m back at 5 m/s."""


def run(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(SITE + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


@for_each("twin, crossed", [(ON_D, 100e9), (ON_C, 200e9), (VAULT, 100e9)])
def test_a_host_passes_on_what_it_has(twin: str, crossed: float) -> None:
    """The keeper gets the bytes once for its disks and its library; another host gets them for itself."""
    assert run(IMAGE + twin).get("links.lan.server.bytes") == pytest.approx(crossed)


def test_a_tape_waits_for_no_disk_and_a_disk_for_each_cartridge() -> None:
    result = run(IMAGE + ON_D + VAULT)
    assert result.get("jobs.full.elapsed") == pytest.approx(TAPE, abs=0.1)
    tape = run("  full: {method: image, data: db, to: library}\n" + ON_D)
    assert tape.get("jobs.full.elapsed") == pytest.approx(TAPE, abs=0.1)


def test_two_tapes_change_their_cartridges_together() -> None:
    """With one robot, the second cartridge of each exchange waits 10 s for it, to come and to go."""
    jobs = "  full: {method: image, data: db, to: library}\n" + VAULT.replace("inline", "pool: vault, inline")
    pools = {"devices.library.pools": {"vault": 3}, "devices.library.slots": 6}
    two = run(jobs, pools)
    assert two.get("jobs.full.elapsed") == pytest.approx(TAPE, abs=0.1)
    assert [two.get(f"devices.library.drive.{i}.bytes") for i in (1, 2)] == [100e9, 100e9]
    one = run(jobs, pools | {"devices.library.robots": 1})
    assert one.get("jobs.full.elapsed") == pytest.approx(TAPE + 3 * 2 * 10.0, abs=0.1)


def test_cartridges_that_fill_up_at_different_places() -> None:
    """Of 100 GB on cartridges of 40 and of 30 GB, six pieces go at once, and each exchange of 60 s stops both drives.

    One changes after 30, 60 and 90 GB, the other after 40 and 80; full cartridges end where the tape begins. In the end
    both are put away: one with 20 GB, five of its ten passes, 100 m from there, the other with 10 GB, nearer.
    """
    other = LIBRARY_BY_HAND.replace("library:", "vault:", 1).replace("capacity: 40 GB", "capacity: 30 GB")
    site = SITE.replace("links:\n", other + "links:\n", 1).replace("bucket], rate", "bucket, vault], rate")
    jobs = "  full: {method: image, data: db, to: library}\n"
    jobs += "  twin: {method: copy_save_set, save_set: full, to: vault, inline: true}\n"
    result = sb.simulate(site + jobs)
    last = 2.0 + 100.0 / 5.0 + 20.0
    assert result.get("jobs.full.elapsed") == pytest.approx(40.0 + 100e9 / 80e6 + 5 * 60.0 + last, abs=0.1)


def test_objects_are_written_beside_a_disk() -> None:
    """One connection of 50 MB/s sets the pace; the program sends them over the line, too."""
    jobs = IMAGE + "  twin: {method: copy_save_set, save_set: full, to: bucket, inline: true, object_size: 1 GB}\n"
    result = run(jobs)
    assert result.get("jobs.full.elapsed") == pytest.approx(100e9 / 50e6, rel=1e-3)
    assert result.get("links.lan.server.bytes") == pytest.approx(200e9)


@for_each("to", ["b", "bucket", "library"])
@for_each("method", ["image", "file_level"])
@for_each("streams", [1, 2])
def test_a_target_that_is_never_waited_for_changes_nothing(to: str, method: str, streams: int) -> None:
    """Its disk and its memory take no time: the backup takes as long as without it."""
    fast = {f"devices.e.{key}": "1 TB/s" for key in ("read_rate", "write_rate")}
    fast |= {"hosts.server.copy_rate": "1 PB/s", "hosts.keeper.copy_rate": "100 GB/s"}
    many = f", streams: {streams}" if to != "bucket" else ""
    job = f"  full: {{method: {method}, data: db, to: {to}{many}}}\n"
    twin = "  twin: {method: copy_save_set, save_set: full, to: e, inline: true}\n"
    assert run(job + twin, fast).get("jobs.full.elapsed") == pytest.approx(
        run(job, fast).get("jobs.full.elapsed"), rel=1e-6
    )


def test_each_target_but_a_drive_takes_one_more_copy_in_memory() -> None:
    """At 1 GB/s: two copies for a disk, a third for its twin at the host that reads, or at that of both disks."""
    slow = {"hosts.server.copy_rate": "1 GB/s", "devices.d.write_rate": "1 TB/s", "devices.b.write_rate": "1 TB/s"}
    near = "  full: {method: image, data: db, to: e}\n"
    fast = {"devices.e.write_rate": "1 TB/s", "links.lan.rate": "1 TB/s"}
    assert run(near, slow | fast).get("jobs.full.elapsed") == pytest.approx(200.0, rel=1e-3)
    assert run(near + ON_D, slow | fast).get("jobs.full.elapsed") == pytest.approx(300.0, rel=1e-3)
    keeper = {"hosts.keeper.copy_rate": "1 GB/s", "devices.d.write_rate": "1 TB/s", "devices.b.write_rate": "1 TB/s"}
    assert run(IMAGE, keeper | fast).get("jobs.full.elapsed") == pytest.approx(200.0, rel=1e-3)
    assert run(IMAGE + ON_D, keeper | fast).get("jobs.full.elapsed") == pytest.approx(300.0, rel=1e-3)


def test_what_the_client_compresses_is_compressed_everywhere() -> None:
    jobs = IMAGE.replace("to: b", "to: b, compressor: {compress_cpu: 0.1 ns/B, expand_cpu: 0.1 ns/B}")
    result = run(jobs + ON_D + VAULT.replace("vault:", "tape:"), {"data.db.compression": 2})
    assert [result.get(f"devices.{name}.bytes") for name in "bd"] == pytest.approx([50e9] * 2)
    assert result.get("links.lan.server.bytes") == pytest.approx(50e9)


def test_without_room_for_one_copy_there_is_none() -> None:
    jobs = "  other: {method: image, data: db, to: d}\n" + IMAGE.replace("to: b", "to: b, after: other") + ON_D
    jobs += "  again: {method: image, data: db, to: b, after: other, begin: 1 h}\n"
    result = sb.simulate(sb.load(SITE + jobs, {"devices.d.capacity": "150 GB", "devices.b.capacity": "150 GB"}))
    assert [row["status"] for row in result.job_rows] == ["done", "failed", "failed", "done"]
