"""Snapshots, mirrors and backups that are frozen images, against calculations by hand."""

import math
from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.errors import InputError
from simbackup.results.result import Result
from simbackup.results.shown import note_rows
from simbackup.run import simulate
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
    "area": f"{{kind: snapshot, of: v, on: b, size: 10 GB, {KEPT}, lookup_time: 0 s}}",
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


# Volumes, their snapshots and mirrors
BASE = """
title: A volume and its snapshots
hosts:
  server: {model: host/linux-modern-server, memory: 100 MB, dirty_limit: 20 %, dirty_background: 1 %, copy_rate: 1 GB/s,
           owns: [sda]}
devices:
  sda: {model: disk/scsi-10k-146gb-2004, outer_rate: 50 MB/s, inner_rate: 50 MB/s}
  home: {kind: logical_volume, on: sda, size: 10 GB}
  cow: {model: snapshot/lvm2-2.6.9, of: home, on: sda, size: 5 GB, create_time: 1 s, remove_time: 2 s}
  two: {model: snapshot/lvm2-2.6.9, of: home, on: sda, size: 5 GB, create_time: 1 s, remove_time: 2 s}
data:
  file: {on: home, size: 400 MB}
jobs:
"""
DD = "  dd: {method: write, data: file}\n"
OFF = "  off: {method: create_snapshot, snapshot: two, begin: 100000 s}\n"
NONE = "  later: {method: create_snapshot, snapshot: cow, begin: 99999 s}\n" + OFF


def run_snapshot(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    return simulate(BASE + jobs, changes)


def dd(result: Result, job: str = "dd") -> float:
    return result.get(f"jobs.{job}.elapsed")


def state(result: Result, device: str) -> str:
    return next(row["state"] for row in result.device_rows if row["device"] == f"devices.{device}")


def status(result: Result) -> dict[str, tuple[str, str]]:
    return {row["job"]: (row["status"], row["reason"]) for row in result.job_rows}


@pytest.mark.slow
def test_rewriting_what_was_copied_runs_as_without_a_snapshot() -> None:
    twice = "  first: {method: write, data: file, begin: 1000 s}\n  again: {method: write, data: file, begin: 5000 s}\n"
    none, one = run_snapshot(twice + NONE), run_snapshot(twice + OFF)
    assert dd(one, "first") > 5.0 * dd(none, "first")
    assert dd(one, "again") == pytest.approx(dd(none, "again"), rel=1e-9)


def test_an_invalid_snapshot_can_be_removed_and_made_again() -> None:
    jobs = """
  drop: {method: remove_snapshot, snapshot: cow, after: dd}
  drop-again: {method: remove_snapshot, snapshot: cow, after: drop}
  make: {method: create_snapshot, snapshot: cow, after: drop}
"""
    start = "  start: {method: create_snapshot, snapshot: cow}\n"
    writer = DD.replace("}", ", after: start}")
    result = run_snapshot(start + writer + OFF + jobs, {"devices.cow.size": "100 MB"})
    assert status(result)["drop"] == ("done", "")
    assert status(result)["drop-again"] == ("failed", "there is no snapshot 'cow' to remove")
    assert status(result)["make"] == ("done", "")
    assert state(result, "cow") == "active"


def test_a_snapshot_is_created_once() -> None:
    one = "  one: {method: create_snapshot, snapshot: cow}\n"
    more = "  more: {method: create_snapshot, snapshot: cow, after: one}\n"
    assert status(run_snapshot(one + more))["more"] == ("failed", "snapshot 'cow' exists already")


MIRROR = """
title: A volume of 2 GB on a solid-state disk, its mirror on another, and a second volume
hosts:
  server: {cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 1 GB/s, owns: [a, b, c]}
devices:
  a: {kind: ssd, capacity: 10 GB, read_rate: 100 MB/s, write_rate: 100 MB/s, read_latency: 1 ms, write_latency: 1 ms}
  b: {kind: ssd, capacity: 10 GB, read_rate: 100 MB/s, write_rate: 50 MB/s, read_latency: 1 ms, write_latency: 1 ms}
  c: {kind: ssd, capacity: 10 GB, read_rate: 100 MB/s, write_rate: 100 MB/s, read_latency: 0 s, write_latency: 0 s}
  home: {kind: logical_volume, on: a, size: 2 GB}
  third: {kind: mirror, of: home, on: b, region: 1 MB, request: 1 MB, in_flight: 1, fast_resync: true,
    create_time: 3 s, remove_time: 2 s, state: STATE}
data:
  file: {on: home, size: 1 GB}
  else: {on: c, size: 1 GB}
jobs:
"""
FAR = (
    MIRROR.replace("STATE", "new")
    .replace("owns: [a, b, c]", "owns: [a, c]")
    .replace(
        "devices:\n",
        "  other: {cores: 1, memory: 1 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 1 GB/s, owns: [b]}\n"
        "links:\n  line: {joins: [server, other], rate: 10 MB/s, latency: 10 ms}\ndevices:\n",
    )
)
SYNC_THIRD = "  sync: {method: synchronise, mirror: third, BEGIN}\n"
SPLIT = "  split: {method: create_snapshot, snapshot: third, BEGIN}\n"
SNAPSHOT_WRITE = "  write: {method: write, data: file, portion: PART, request: 1 MB, BEGIN}\n"
UPDATES = """
workloads:
  users: {data: file, transactions: 1 /s, writes: 0 %, reads: 0.001, read_size: 4 KiB, cpu: 0 s, updates: 1}
"""
EACH = (1e-3 + 0.01) + (1e-3 + 0.02)
"""Seconds of a request of a synchronisation: read, then written."""


def mirror(*jobs: str, state: str = "attached", changes: dict[str, Any] | None = None) -> Result:
    return simulate(MIRROR.replace("STATE", state) + "".join(jobs), changes)


def at(job: str, begin: str, part: str = "100 %") -> str:
    return job.replace("BEGIN", begin).replace("PART", part)


def test_a_mirror_of_another_host_is_synchronised_over_the_link_between(tmp_path: Path) -> None:
    """As an array that replicates to another site: 2 GB over 10 MB/s, 100 requests at once."""
    jobs, more = at(SYNC_THIRD, "begin: 0 s"), {"devices.third.in_flight": 100}
    file = tmp_path / "far.yaml"
    file.write_text(FAR + jobs, encoding="utf-8")
    result = simulate(file, more)
    assert result.get("jobs.sync.elapsed") == pytest.approx(2e9 / 10e6, rel=1e-3)
    assert result.get("links.line.bytes") == pytest.approx(2e9)
    one = simulate(file, {"links.line.latency": "1 s"})  # a round trip for each request, which fill the line by turns
    assert one.get("jobs.sync.elapsed") == pytest.approx(2000 * (EACH + 1.0))
    file.write_text(FAR.replace("joins: [server, other]", "joins: [server, a]") + jobs, encoding="utf-8")
    with pytest.raises(InputError, match="there is no connection from 'server' to 'b'"):
        simulate(file)


def test_a_mirror_in_line_has_nothing_to_copy() -> None:
    with pytest.raises(InputError, match="'third' is synchronised from the start, and no job splits it off"):
        mirror(at(SYNC_THIRD, "begin: 0 s"))
    result = mirror(at(SYNC_THIRD, "begin: 0 s"), at(SPLIT, "after: sync"))
    assert (result.get("jobs.sync.elapsed"), result.get("jobs.sync.bytes")) == (0.0, 0.0)


def test_what_was_written_before_the_split_is_on_the_mirror_already() -> None:
    """1 GB in 20 s; the mirror is split off 13 s after the beginning, and what comes then has to be copied."""
    jobs = (at(SNAPSHOT_WRITE, "begin: 0 s"), at(SPLIT, "begin: 10 s"), at(SYNC_THIRD, "begin: 100 s"))
    result = mirror(*jobs)
    written = 13.0 * 50e6
    assert result.get("devices.b.bytes") == pytest.approx(written + result.get("jobs.sync.bytes"), rel=1e-9)
    assert result.get("jobs.sync.bytes") == pytest.approx(1e9 - written, abs=2e6)


def test_what_is_written_up_to_the_synchronisation_is_copied_by_it() -> None:
    """It begins 5 s after the writer, which has then written 5 s long at 11 ms for 1 MB."""
    jobs = (at(SPLIT, "begin: 0 s"), at(SNAPSHOT_WRITE, "begin: 10 s"), at(SYNC_THIRD, "begin: 15 s"))
    assert mirror(*jobs).get("jobs.sync.bytes") == pytest.approx(5.0 / 0.011 * 1e6, abs=2e6)


def regions(updates: float) -> float:
    """Bytes of regions of 1 MB that so many updates at random places of 1 GB have changed."""
    return 1e9 * (1 - math.exp(-updates / 1000))


def test_a_mirror_whose_image_was_given_up_still_falls_behind() -> None:
    drop = "  drop: {method: remove_snapshot, snapshot: third, after: split}\n"
    jobs = (at(SPLIT, "begin: 0 s"), drop, at(SYNC_THIRD, "begin: 503 s"), UPDATES)
    assert mirror(*jobs).get("jobs.sync.bytes") == pytest.approx(regions(500.0), rel=1e-3)


def test_users_who_come_meanwhile_write_to_both_sides() -> None:
    """What is updated during a synchronisation and after it is not behind at the next split."""
    jobs = (
        at(SYNC_THIRD, "begin: 0 s"), at(SPLIT, "begin: 1000 s"),
        at(SYNC_THIRD, "after: split").replace("sync: {", "again: {"), UPDATES,
    )  # fmt: skip
    result = mirror(*jobs, state="new")
    assert result.get("jobs.sync.bytes") == 2e9
    assert result.get("jobs.again.bytes") == pytest.approx(0.0, abs=1e6)


LAST = "  last: {method: write, data: else, begin: 1000 s}\n"


@for_each(
    "jobs, state, failing, reason",
    [
        (at(SPLIT, "begin: 0 s"), "new", "split",
         "snapshot 'third' cannot be split off: the mirror is not in sync with its volume"),
        (at(SYNC_THIRD, "begin: 0 s") + at(SPLIT, "begin: 1 s"), "new", "split",
         "snapshot 'third' cannot be split off: the mirror is not in sync with its volume"),
        (at(SPLIT, "begin: 0 s") + at(SPLIT, "begin: 9 s").replace("split: {", "again: {"), "attached", "again",
         "snapshot 'third' exists already: the mirror is split"),
        ("  drop: {method: remove_snapshot, snapshot: third}\n", "attached", "drop",
         "there is no snapshot 'third' to remove"),
        (at(SYNC_THIRD, "begin: 0 s") + at(SYNC_THIRD, "begin: 1 s").replace("sync: {", "again: {"), "new", "again",
         "mirror 'third' is already being synchronised"),
    ],
)  # fmt: skip
def test_a_job_that_cannot_be_done_fails_with_its_reason_and_the_others_go_on(
    jobs: str, state: str, failing: str, reason: str
) -> None:
    after = f"  skipped: {{method: observe, workload: users, duration: 1 s, after: {failing}}}\n"
    result = mirror(jobs, after, LAST, UPDATES, state=state)
    assert status(result)[failing] == ("failed", reason)
    assert status(result)["skipped"] == ("skipped", f"'{failing}' did not complete")
    assert [name for name, (how, _) in status(result).items() if how == "failed"] == [failing]
    assert status(result)["last"] == ("done", "")
    assert not result.all_ended_well


def test_to_observe_is_to_let_time_pass_and_to_tell_what_users_do() -> None:
    watch = "  watch: {method: observe, workload: users, duration: 200 s, begin: 5 s}\n"
    result = mirror(watch, UPDATES)
    assert (result.get("jobs.watch.start"), result.get("jobs.watch.elapsed")) == (5.0, 200.0)
    assert result.activities("watch") == {("workloads.users", "observe"): 200.0}
    assert result.get("workloads.users.watch.rate") == pytest.approx(1.0)
    assert result.get("workloads.users.watch.offered") == pytest.approx(200.0)


# Jobs that read an image fail when it is lost, and leave what they held to others
LOST_SITE = """\
title: A volume whose snapshot is lost while it is read
hosts:
  client: {model: host/linux-modern-server, owns: [disk, spare, void, library]}
  server: {model: host/linux-modern-server, owns: [store, second]}
devices:
  disk: {model: disk/nearline-20tb-2022}
  spare: {model: disk/nearline-20tb-2022}
  store: {model: disk/nearline-20tb-2022}
  second: {model: disk/nearline-20tb-2022}
  void: {kind: nul}
  library: {model: tape_library/atl-p3000, drive: tape_drive/lto-5, drives: 1}
  bucket: {model: object_store/amazon-s3-standard}
  volume: {kind: logical_volume, on: disk, size: 200 GB}
  cow: {model: snapshot/lvm2-2.6.9, of: volume, on: disk, size: 1 GB}
links:
  lan: {model: network/ten-gigabit-ethernet, joins: [client, server]}
  wan: {model: network/ten-gigabit-ethernet, joins: [client, bucket]}
data:
  files: {on: volume, size: 100 GB, files: 1000, filesystem: filesystem/xfs}
  other: {on: spare, size: 10 GB}
jobs:
  snapshot: {method: create_snapshot, snapshot: cow}
  change: {method: write, data: files, portion: 50 %, after: snapshot}
"""
TARGETS = {
    "disk": "to: spare",
    "disk of another host": "to: store",
    "streams": "to: store, streams: 3",
    "nothing": "to: void",
    "objects": "to: bucket",
    "tape": "to: library",
    "shared drive": "to: library, multiplexing: 4, streams: 2",
    "spool": "to: library, spool: {on: spare, size: 20 GB}",
}


def lost_at(result: Result) -> float:
    """When the copy area was full, in seconds."""
    (time,) = [note["at"] for note in note_rows(result.trace) if note["address"] == "devices.cow"]
    return time


@for_each("method", ["image", "file_level"])
@for_each("target", TARGETS)
def test_a_backup_fails_when_the_copy_area_is_full(target: str, method: str) -> None:
    """Only what puts a cartridge away ends later; the drive, the room and the disks are free for the next backup."""
    jobs = f"  save: {{method: {method}, data: files, {TARGETS[target]}, source: cow, after: snapshot}}\n"
    jobs += f"  next: {{method: image, data: other, {TARGETS[target]}, after: change}}\n"
    result = sb.simulate(LOST_SITE + jobs)
    save, lost = row(result, "save"), lost_at(result)
    assert (save["status"], save["reason"]) == ("failed", "'cow' became invalid: its copy area is full")
    if "library" in TARGETS[target]:
        assert lost <= save["end"] < lost + 5 * 60.0
    else:
        assert save["end"] == lost
    assert row(result, "next")["status"] == "done"


# Single files from an image on a disk, which a program mounts
CACHE = "cores: 8, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 100 GB/s, speed: 1"
MOUNTED_SITE = f"""\
title: A machine, and a backup server with a disk of 1 ms and 100 MB/s, over a line of 50 MB/s
hosts:
  client: {{owns: [a], {CACHE}}}
  server: {{owns: [b], {CACHE}}}
devices:
  a: {{kind: ssd, capacity: 1 TB, read_rate: 2 GB/s, write_rate: 2 GB/s, read_latency: 0 s, write_latency: 0 s}}
  b: {{kind: ssd, capacity: 1 TB, read_rate: 100 MB/s, write_rate: 2 GB/s, read_latency: 1 ms, write_latency: 0 s}}
links:
  lan: {{joins: [client, server], rate: 50 MB/s, latency: 0 s, duplex: full}}
data:
  d:
    on: a
    size: 8 GB
    files: 8000
    layout: LAYOUT
    filesystem: {{reads_per_file: 2, cpu_per_file: 5 ms, fragment: 100 kB, record: 1 kB, create_cpu: 0 s}}
jobs:
  full: {{method: image, data: d, to: b, tool: {{start_time: 7 s, mount_time: 30 s, mounts_images: true}}}}
"""
FIND = 2 * (1e-3 + 1e3 / 100e6) + 5e-3
"""Seconds to find a file: its directory and its record, and the processor."""
SEEK = 1e-3 + 1 / 100e6


def back(files: int, size: str, more: str = "") -> str:
    return f"  back: {{restore: full, after: full, select: {{files: {files}, size: {size}{more}}}}}\n"


def run_mounted(jobs: str, layout: str = "together", changes: dict[str, Any] | None = None) -> Result:
    result = sb.simulate(sb.load(MOUNTED_SITE.replace("LAYOUT", layout) + jobs, changes or {}))
    assert {row["status"] for row in result.job_rows} == {"done"}, result.job_rows
    return result


@pytest.mark.parametrize(("layout", "runs"), [("together", 1), ("scattered", 50)])
def test_one_file_is_found_and_read_in_its_runs(layout: str, runs: int) -> None:
    """5 MB lie in one run, or in 50 runs of 100 kB; they cross the line, and the page cache goes to disk."""
    result = run_mounted(back(1, "5 MB", ", at: 50 %"), layout)
    expected = 7.0 + 30.0 + FIND + runs * SEEK + 5e6 / 50e6 + 5e6 / 2e9
    assert result.get("jobs.back.elapsed") == pytest.approx(expected, rel=1e-3)
    assert result.get("jobs.back.bytes") == 5e6
    assert result.get("devices.b.bytes") == pytest.approx(8e9 + 5e6)


@pytest.mark.parametrize("at", ["", ", at: 10 %"])
def test_each_file_is_found_by_itself(at: str) -> None:
    result = run_mounted(back(100, "100 MB", at))
    written = 1e6 / 2e9 if not at else 100e6 / 2e9
    expected = 7.0 + 30.0 + 100 * (FIND + SEEK) + 100e6 / 50e6 + written
    assert result.get("jobs.back.elapsed") == pytest.approx(expected, rel=1e-3)
    spent = result.activities("back")
    assert spent["devices.b", "mount"] == 30.0
    assert spent["devices.b", "walk"] == pytest.approx(100 * 2 * (1e-3 + 1e-5))
    assert spent["hosts.server.cores", "open"] == pytest.approx(100 * 5e-3)


def test_files_that_lie_in_their_records_need_no_further_reads() -> None:
    small = {"data.d.filesystem.resident": "2 kB", "jobs.full.tool.mount_time": "0 s"}
    result = run_mounted(back(100, "100 kB", ", at: 50 %"), changes=small)
    expected = 7.0 + 100 * FIND + 100e3 / 50e6 + 100e3 / 2e9
    assert result.get("jobs.back.elapsed") == pytest.approx(expected, rel=1e-3)


def test_a_copy_on_another_disk_is_mounted_there() -> None:
    site = MOUNTED_SITE.replace("owns: [b]", "owns: [b, c]").replace(
        "links:\n", "  c: {kind: ssd, capacity: 1 TB, read_rate: 100 MB/s, write_rate: 2 GB/s, read_latency: 9 ms,"
        " write_latency: 0 s}\nlinks:\n"
    ).replace("LAYOUT", "together")  # fmt: skip
    jobs = "  copy: {method: copy_save_set, save_set: full, to: c, after: full}\n"
    jobs += back(1, "5 MB", ", at: 50 %").replace("after: full", "after: copy, copied_by: copy")
    result = sb.simulate(sb.load(site + jobs))
    assert result.activities("back")["devices.c", "walk"] == pytest.approx(2 * (9e-3 + 1e-5))


def test_a_program_that_does_not_mount_brings_back_all() -> None:
    result = run_mounted(back(1, "5 MB", ", at: 50 %"), changes={"jobs.full.tool.mounts_images": "false"})
    assert result.get("jobs.back.bytes") == 8e9
    assert [note["what"] for note in note_rows(result.trace)] == [
        "ignores 'select': an image can only be restored as a whole"
    ]
