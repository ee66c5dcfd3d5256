"""Backups that are frozen images, and restores from them, against calculations by hand."""

import math
from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

TOOL = "{start_time: 1 s, mount_time: 2 s, file_time: 0.5 s, request: 1 MB, copy_cpu: 4 ns/B}"
SITE = f"""\
title: A volume, what freezes it, and a tool that copies 1 MB at a time
hosts:
  server: {{owns: [a, b, c], cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 1 GB/s}}
devices:
  a: {{kind: ssd, capacity: 100 GB, read_rate: 100 MB/s, write_rate: 100 MB/s, read_latency: 1 ms,
    write_latency: 1 ms}}
  b: {{kind: ssd, capacity: 100 GB, read_rate: 100 MB/s, write_rate: 100 MB/s, read_latency: 1 ms,
    write_latency: 1 ms}}
  c: {{kind: ssd, capacity: 100 GB, read_rate: 100 MB/s, write_rate: 50 MB/s, read_latency: 1 ms,
    write_latency: 2 ms}}
  v: {{kind: logical_volume, on: a, size: 20 GB}}
  w: {{kind: logical_volume, on: c, size: 20 GB}}
  IMAGE
  library: {{model: tape_library/autoloader-8, drive: tape_drive/lto-3, drives: 1}}
links:
  lan: {{model: network/gigabit-ethernet, joins: [server, library]}}
data:
  db: {{on: v, size: 1 GB, files: 100}}
  other: {{on: w, size: 1 GB, files: 100}}
jobs:
  backup: {{method: frozen_image, data: db, to: NAME, tool: {TOOL}}}
"""
KEPT = "chunk: 8 KiB, record: 16 B, in_flight: 1 MiB, commit_backlog: 64 KiB, create_time: 3 s, remove_time: 2 s"
IMAGES = {
    "mirror": "{kind: mirror, of: v, on: b, region: 1 MB, request: 1 MB, in_flight: 1, fast_resync: true, "
    "create_time: 3 s, remove_time: 2 s}",
    "point": f"{{kind: checkpoint, of: v, {KEPT}, lookup_time: 8 us}}",
    "area": f"{{kind: snapshot, method: copy_on_write, of: v, on: b, size: 10 GB, {KEPT}, lookup_time: 0 s}}",
}
ALL = "  back: {restore: backup, after: backup}\n"
READ, WRITE, CPU = 0.011, 0.011, 0.004
"""Seconds of a request: read, written, and of a core."""
CYCLE = READ + WRITE + CPU


def run(image: str, jobs: str = ALL, changes: dict[str, Any] | None = None, tool: str = f", tool: {TOOL}") -> Result:
    text = SITE.replace("IMAGE", f"{image}: {IMAGES[image]}").replace("NAME", image)
    return sb.simulate(text.replace(f", tool: {TOOL}", tool) + jobs, changes)


def row(result: Result, job: str) -> dict[str, Any]:
    return next(row for row in result.job_rows if row["job"] == job)


@for_each("image", ["mirror", "point", "area"])
def test_a_backup_is_its_preparation_and_the_creation(image: str) -> None:
    result = run(image, "")
    assert result.get("jobs.backup.elapsed") == pytest.approx(1.0 + 100 * 0.5 + 3.0)
    assert (result.get("jobs.backup.bytes"), result.get("jobs.backup.files")) == (1e9, 100.0)
    assert result.activities("backup") == {
        ("data.db", "start"): 1.0, ("data.db", "prepare"): 50.0, (f"devices.{image}", "create"): 3.0,
    }  # fmt: skip
    assert result.get("devices.a.bytes") == 0.0


@for_each("image, source", [("mirror", "b"), ("point", "a"), ("area", "a")])
def test_a_restore_to_another_place_is_read_here_and_written_there(image: str, source: str) -> None:
    result = run(image, "  back: {restore: backup, after: backup, to: other}\n")
    write = 2e-3 + 20e-3
    lookup = 1e6 / 8192 * 8e-6 if image == "point" else 0.0
    assert result.get("jobs.back.elapsed") == pytest.approx(53.0 + 1000 * (READ + write + CPU + lookup))
    assert result.get(f"devices.{source}.bytes") == pytest.approx(1e9)
    assert result.get("devices.c.bytes") == pytest.approx(1e9)


def test_a_restore_from_a_checkpoint_writes_behind_and_copies_nothing() -> None:
    """What is overwritten is not moved: the file system gives new blocks, which take what was free."""
    result = run("point")
    lookup = 1e6 / 8192 * 8e-6
    assert result.get("jobs.back.elapsed") == pytest.approx(53.0 + 1000 * (CYCLE + lookup))
    assert result.get("devices.a.bytes") == pytest.approx(2e9)
    assert result.get("devices.point.copied_bytes") == pytest.approx(1e9, abs=8192)
    assert result.get("devices.point.area_bytes") == pytest.approx(19e9)


def test_a_restore_over_a_snapshot_first_copies_what_it_overwrites() -> None:
    """The chunks of each request are read, copied to the area, committed at once; then the data are written."""
    result = run("area")
    group, chunk = 1e6, 8192.0
    commits = 1 + group / chunk / 512
    copy = 2 * (1e-3 + group / 100e6) + commits * (1e-3 + chunk / 100e6)
    assert result.get("devices.area.copied_bytes") == pytest.approx(1e9, abs=8192)
    assert result.get("devices.b.bytes") == pytest.approx(1e9 * (1 + commits * chunk / group))
    assert result.get("devices.a.bytes") == pytest.approx(3e9)  # read, read for the copy, written
    assert result.get("jobs.back.elapsed") == pytest.approx(53.0 + 1000 * CYCLE + 1e9 / group * copy)


DISK = """kind: disk, capacity: 90 GB, rotation_speed: 6000 rpm, track_to_track_seek: 1 ms, average_seek: 5 ms,
  full_stroke_seek: 9 ms, outer_rate: 50 MB/s, inner_rate: 50 MB/s, command_overhead: 0 s, stream_turn: 1 MB"""
TURNING = f"""\
title: A volume of 60 GB on a disk, half full, and a mirror on another
hosts:
  server: {{owns: [a, b], cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 1 GB/s}}
devices:
  a: {{{DISK}}}
  b: {{{DISK}}}
  v: {{kind: logical_volume, on: a, size: 60 GB}}
  mirror: {{kind: mirror, of: v, on: b, region: 1 MB, request: 1 MB, in_flight: 1, fast_resync: true,
    create_time: 3 s, remove_time: 2 s}}
  point: {{kind: checkpoint, of: v, chunk: 8 KiB, record: 16 B, in_flight: 1 MiB, commit_backlog: 64 KiB,
    create_time: 3 s, remove_time: 2 s, lookup_time: 0 s}}
data:
  db: {{on: v, size: 30 GB, files: 100}}
jobs:
  split: {{method: frozen_image, data: db, to: mirror, tool: {TOOL}}}
  freeze: {{method: frozen_image, data: db, to: point, tool: {TOOL}, after: apart}}
  apart: {{restore: split, select: {{files: 1, size: 300 MB}}, after: split}}
  same: {{restore: freeze, select: {{files: 1, size: 300 MB}}, after: freeze}}
"""


def test_on_the_same_disk_both_streams_pay_for_taking_turns() -> None:
    """The free room begins a third of the stroke behind: two average seeks and half a revolution for each MB."""
    result = sb.simulate(TURNING)
    transfer, revolution = 0.02, 0.01
    apart = transfer + (revolution / 2 + transfer) + CPU
    same = apart + 2 * 5e-3 + revolution / 2
    fixed = 1.0 + 0.5 + 2.0
    assert result.get("jobs.apart.elapsed") == pytest.approx(fixed + 300 * apart)
    assert result.get("jobs.same.elapsed") == pytest.approx(fixed + 300 * same, rel=1e-3)


@pytest.mark.parametrize("image", ["point", "area"])
def test_what_becomes_invalid_in_a_restore_fails_it_and_not_the_run(image: str) -> None:
    """Room for 400 MB, behind the data or in the copy area, and 1 GB to overwrite."""
    changes = {"point": {"devices.v.size": "1.4 GB"}, "area": {"devices.area.size": "400 MB"}}[image]
    last = "  last: {method: write, data: other, portion: 1 %, begin: 1 h}\n  after: {restore: backup, after: back}\n"
    result = run(image, ALL + last, changes)
    assert (row(result, "back")["status"], row(result, "back")["reason"]) == (
        "failed", f"'{image}' became invalid: its copy area is full",
    )  # fmt: skip
    assert (row(result, "after")["status"], row(result, "after")["reason"]) == ("skipped", "'back' did not complete")
    assert row(result, "last")["status"] == "done"
    (event,) = [event for event in result.trace.events if "invalid" in event.what]
    assert event.address == f"devices.{image}"
    assert result.get(f"devices.{image}.copied_bytes") == pytest.approx(400e6, rel=3e-3)


@for_each(
    "image, undo, reason",
    [
        ("mirror", "remove_snapshot, snapshot: mirror", "'mirror' does not exist: the mirror is not split"),
        ("mirror", "synchronise, mirror: mirror", "'mirror' does not exist: the mirror is not split"),
        ("point", "remove_snapshot, snapshot: point", "'point' is not there"),
        ("area", "remove_snapshot, snapshot: area", "'area' is not there"),
    ],
)
def test_nothing_is_restored_from_an_image_that_was_given_up(image: str, undo: str, reason: str) -> None:
    jobs = f"  undo: {{method: {undo}, after: backup}}\n  back: {{restore: backup, after: undo}}\n"
    result = run(image, jobs + "  last: {method: write, data: other, begin: 1 h}\n")
    assert (row(result, "back")["status"], row(result, "back")["reason"]) == ("failed", reason)
    assert [row(result, job)["status"] for job in ("undo", "last")] == ["done", "done"]


def test_a_backup_by_an_image_that_exists_fails() -> None:
    again = f"  again: {{method: frozen_image, data: db, to: mirror, tool: {TOOL}, after: backup}}\n"
    result = run("mirror", again)
    assert row(result, "again")["status"] == "failed"
    assert row(result, "again")["reason"] == "snapshot 'mirror' exists already: the mirror is split"
    assert row(result, "backup")["status"] == "done"


SYNC = "  write: {method: write, data: db, request: 1 MB, begin: 100 s}\n"
AGAIN = SYNC.replace("write: {", "again: {").replace("begin: 100 s", "after: write")


def test_only_the_first_update_under_a_checkpoint_costs_a_copy() -> None:
    """As the volume is written without one: after its removal, and where everything has been copied already."""
    removed = run("point", SYNC + AGAIN + "  drop: {method: remove_snapshot, snapshot: point, begin: 60 s}\n")
    result = run("point", SYNC + AGAIN)
    plain = removed.get("jobs.write.elapsed")
    assert plain == pytest.approx(11.0)
    assert removed.get("jobs.again.elapsed") == pytest.approx(plain)
    assert result.get("jobs.again.elapsed") == pytest.approx(plain)
    assert result.get("jobs.write.elapsed") > 3 * plain
    assert removed.get("devices.a.bytes") == pytest.approx(2e9)
    assert removed.get("devices.point.copied_bytes") == 0.0


def test_a_tape_backup_fails_when_its_source_becomes_invalid_meanwhile() -> None:
    """The area has room for 100 MB of the 1 GB that is overwritten while the tape is written."""
    tape = "  tape: {method: image, data: db, to: library, source: area, after: backup}\n"
    changes = {"devices.area.size": "100 MB", "links.lan.rate": "1 MB/s"}
    result = run("area", tape + SYNC, changes)
    invalid = next(event.time for event in result.trace.events if "invalid" in event.what)
    assert row(result, "tape")["start"] < invalid < row(result, "tape")["end"]
    assert (row(result, "tape")["status"], row(result, "tape")["reason"]) == (
        "failed", "'area' became invalid: its copy area is full",
    )  # fmt: skip


USERS = """\
workloads:
  users: {data: db, transactions: 10 /s, writes: 0 %, reads: 0.001, read_size: 8 KiB, cpu: 0 s, updates: 10}
"""


def touched(updates: float) -> float:
    """Bytes of chunks that so many updates of 8 KiB at random places of the data have touched."""
    chunks = 1e9 / 8192
    return 1e9 * (1 - math.exp(-updates / chunks))


@pytest.mark.parametrize("image", ["point", "area"])
def test_users_take_the_room_of_what_they_have_updated_since_the_creation(image: str) -> None:
    """A hundred updates a second, for 54 s before the image exists, and for 1000 s from then on."""
    watch = "  watch: {method: observe, workload: users, duration: 1000 s, after: backup}\n"
    result = run(image, watch + USERS)
    assert result.get(f"devices.{image}.copied_bytes") == pytest.approx(touched(100 * 1000.0), rel=1e-3)
