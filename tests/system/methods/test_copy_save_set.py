"""Copies of save sets, and restores from either copy, against calculations by hand."""

from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.build import build
from simbackup.equations import streaming, tape
from simbackup.methods.job import start
from simbackup.results.result import Result

CACHE = "cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 100 GB/s, speed: 1"
SSD = "kind: ssd, capacity: 100 GB, read_latency: 1 ms, write_latency: 1 ms"
SITE = f"""\
title: A client, two backup servers with disks, and a library at the first of them
hosts:
  client: {{owns: [a], {CACHE}}}
  first: {{owns: [b, e], {CACHE}}}
  second: {{owns: [c], {CACHE}}}
devices:
  a: {{{SSD}, read_rate: 400 MB/s, write_rate: 400 MB/s}}
  b: {{{SSD}, read_rate: 100 MB/s, write_rate: 400 MB/s}}
  c: {{{SSD}, read_rate: 100 MB/s, write_rate: 50 MB/s}}
  e: {{{SSD}, read_rate: 100 MB/s, write_rate: 50 MB/s}}
  jukebox:
    {{model: tape_library/autoloader-8, bays: 4, robots: 1, exchange_time: 10 s, drives: 1, slots: 4, drive: {{
      model: tape_drive/lto-3, native_rate: 80 MB/s, slowest_rate: 80 MB/s, cartridge_capacity: 40 GB,
      tape_length: 100 m, passes: 10, read_speed: 1 m/s, search_speed: 5 m/s, load_time: 30 s, unload_time: 10 s,
      locate_overhead: 2 s, turn_time: 1 s, reposition_time: 3 s, buffer: 64 MB, host_rate: 1 GB/s}}}}
links:
  lan: {{joins: [client, first, second], rate: 50 MB/s, latency: 0 s}}
  bus: {{joins: [first, jukebox], rate: 1 GB/s, latency: 0 s}}
data:
  d: {{on: a, size: 8 GB, files: 8000, filesystem: filesystem/xfs}}
jobs:
"""
DRIVE = tape.TapeDriveParameters(80e6, 40e9, 100.0, 10, 1.0, 5.0, 30.0, 10.0, 2.0, 1.0, 64e6, reposition_time=3.0)
SEEK = 1e-3 + 1 / 100e6
NIGHT = "  night: {method: file_level, data: d, to: b}\n"
TAPE = "  to_tape: {method: copy_save_set, save_set: night, to: jukebox, after: night}\n"
DISK = "  to_disk: {method: copy_save_set, save_set: night, to: DISK, after: night}\n"
BACK = "  back: {restore: night, after: AFTER}\n"
PLANNING = "planning/disk-then-tape"


def run(tmp_path: Path, jobs: str, changes: dict[str, Any] | None = None) -> Result:
    (tmp_path / "case.yaml").write_text(SITE + jobs, encoding="utf-8")
    return sb.simulate(tmp_path / "case.yaml", changes)


def row(result: Result, job: str) -> dict[str, Any]:
    return next(row for row in result.job_rows if row["job"] == job)


def test_a_save_set_on_disk_goes_to_tape_as_a_backup_does(tmp_path: Path) -> None:
    result = run(tmp_path, NIGHT + TAPE)
    moved = 8e9 / 80e6
    mechanics = 10.0 + 30.0 + tape.rewind_time(DRIVE, 8e9) + 10.0 + 10.0
    assert row(result, "to_tape")["elapsed"] == pytest.approx(SEEK + moved + mechanics)
    assert result.activities("to_tape")["devices.jukebox.drive.1", "transfer"] == pytest.approx(moved)
    assert result.get("devices.b.bytes") == pytest.approx(16e9)  # written once, read once: no file is walked again
    assert result.get("devices.a.bytes") == pytest.approx(8e9)


def test_what_lies_on_a_pool_goes_to_tape_as_a_copy_of_a_save_set_does(tmp_path: Path) -> None:
    """Save sets that exist already are described as data on the pool."""
    site = SITE.replace("jobs:\n", "  older: {on: b, size: 8 GB}\njobs:\n")
    (tmp_path / "case.yaml").write_text(
        site + "  to_tape: {method: image, data: older, to: jukebox}\n", encoding="utf-8"
    )
    saved = row(sb.simulate(tmp_path / "case.yaml"), "to_tape")["elapsed"]
    assert saved == pytest.approx(row(run(tmp_path, NIGHT + TAPE), "to_tape")["elapsed"], abs=0.1)


def test_a_disk_that_is_too_slow_makes_the_tape_stop_and_start(tmp_path: Path) -> None:
    result = run(tmp_path, NIGHT + TAPE, {"devices.b.read_rate": "40 MB/s"})
    spent = result.activities("to_tape")
    assert spent["devices.b", "transfer"] == pytest.approx(8e9 / 40e6)
    lost = spent["devices.jukebox.drive.1", "reposition"]
    assert lost == pytest.approx(8e9 / streaming.stop_start_rate(DRIVE, 40e6) - 8e9 / 40e6)


def test_a_copy_goes_to_tape_with_the_blocks_of_the_program_of_its_backup(tmp_path: Path) -> None:
    tool = "  night: {method: file_level, data: d, to: b, tool: {model: backup_tool/zrm-1.1, block: 100 kB}}\n"
    changes = {"devices.b.read_rate": "400 MB/s", "devices.jukebox.drive.command_time": "1900 us"}
    result = run(tmp_path, tool + TAPE, changes)
    # 100 kB pass the interface in 0.1 ms, and a command takes 1.9 ms
    spent = result.activities("to_tape")
    assert spent["devices.jukebox.drive.1.interface", "transfer"] == pytest.approx(8e9 / 50e6)


def test_a_copy_onto_a_drive_that_writes_through_needs_the_size_of_a_block(tmp_path: Path) -> None:
    with pytest.raises(sb.InputError, match=r"jobs\.to_tape\.to: .*write 'block: 10 KiB' under jobs\.night\.tool"):
        run(tmp_path, NIGHT + TAPE, {"devices.jukebox.drive.write_through": True})


def test_data_that_shrink_are_compressed_by_the_drive(tmp_path: Path) -> None:
    result = run(tmp_path, NIGHT + TAPE, {"data.d.compression": "2:1"})
    # the drive would take 160 MB/s; the disk brings 100 MB/s, and a drive of one speed stops and starts
    moved = 8e9 / streaming.stop_start_rate(DRIVE, 100e6, 2.0)
    mechanics = 10.0 + 30.0 + tape.rewind_time(DRIVE, 4e9) + 10.0 + 10.0
    assert row(result, "to_tape")["elapsed"] == pytest.approx(SEEK + moved + mechanics)


def test_parts_are_copied_on_drives_of_their_own(tmp_path: Path) -> None:
    changes = {"devices.jukebox.drives": 2, "devices.jukebox.robots": 2, "devices.b.read_rate": "160 MB/s"}
    result = run(tmp_path, NIGHT + TAPE.replace("}", ", streams: 2}"), changes)
    mechanics = 10.0 + 30.0 + tape.rewind_time(DRIVE, 4e9) + 10.0 + 10.0
    assert row(result, "to_tape")["elapsed"] == pytest.approx(1e-3 + 1 / 160e6 + 4e9 / 80e6 + mechanics)


@pytest.mark.parametrize(("disk", "seconds"), [("c", 8e9 / 50e6 + 8e9 / 50e6), ("e", 8e9 / 100e6 + 8e9 / 50e6)])
def test_a_save_set_goes_to_another_disk_here_or_over_links(tmp_path: Path, disk: str, seconds: float) -> None:
    # all of it fits into the page cache, from where it is written back when the last byte has come
    result = run(tmp_path, NIGHT + DISK.replace("DISK", disk))
    assert row(result, "to_disk")["elapsed"] == pytest.approx(SEEK + seconds, rel=1e-3)


def test_a_restore_reads_the_copy_that_it_names(tmp_path: Path) -> None:
    jobs = NIGHT + TAPE + BACK.replace("AFTER", "to_tape")
    by_tape = BACK.replace("back", "far").replace("AFTER", "back, copied_by: to_tape")
    result = run(tmp_path, jobs + by_tape)
    # 50 MB/s of the network, and then the page cache is written back at 400 MB/s
    assert row(result, "back")["elapsed"] == pytest.approx(SEEK + 8e9 / 50e6 + 8e9 / 400e6, rel=1e-3)
    activities = result.activities("far")
    assert activities["devices.jukebox.drive.1", "load"] == pytest.approx(30.0)
    assert ("devices.jukebox.drive.1", "load") not in result.activities("back")
    assert result.get("devices.b.bytes") == pytest.approx(24e9)


def test_a_restore_from_a_copy_on_another_disk_reads_there(tmp_path: Path) -> None:
    jobs = NIGHT + DISK.replace("DISK", "c") + BACK.replace("AFTER", "to_disk, copied_by: to_disk")
    assert run(tmp_path, jobs).get("devices.c.bytes") == pytest.approx(16e9)


def test_a_restore_from_a_copy_that_is_not_there_fails(tmp_path: Path) -> None:
    result = run(
        tmp_path,
        NIGHT + TAPE.replace("after: night", "begin: 10 h") + BACK.replace("AFTER", "night, copied_by: to_tape"),
    )
    assert row(result, "back")["reason"] == "the catalogue has no copy of 'night' by 'to_tape'"


def test_what_is_on_tape_already_is_not_copied_again(tmp_path: Path) -> None:
    again = TAPE.replace("after: night", "begin: 1 h, every: 1 h, until: 2 h")
    result = run(tmp_path, NIGHT + again)
    assert [row(result, f"to_tape.{i}")["bytes"] for i in (1, 2)] == [pytest.approx(8e9), 0.0]
    [note] = result.as_dict()["notes"]
    assert note["address"] == "jobs.to_tape.2"
    assert note["what"] == "has nothing to do: the newest save set is already on 'jukebox'"


def test_the_planning_scenario_comes_out_as_by_hand() -> None:
    result = sb.simulate(PLANNING)
    assert {row["status"] for row in result.job_rows} == {"done"}
    # LTO-5 takes 500 GB at 140 MB/s; robot 13 s, load 12 s, unload 17 s, robot 13 s, and the way back of the tape
    copied = row(result, "to_tape")["elapsed"]
    rewind = result.activities("to_tape")["devices.library.drive.1", "rewind"]
    assert copied == pytest.approx(500e9 / 140e6 + 13 + 12 + rewind + 17 + 13, abs=0.1)
    assert 0 < rewind < 846 / 7
    # straight to tape the drive waits for the walk all night, for its first 7 h and more
    assert row(result, "straight")["elapsed"] > 7 * copied
    # 200 MB cross the network in 1.7 s; on tape each of 20 files is looked for
    assert row(result, "from_disk")["elapsed"] < 3.0
    assert row(result, "from_tape")["elapsed"] > 20 * 4.0 + 13 + 12


def test_a_restore_without_a_choice_reads_the_first_copy_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(SITE + NIGHT + TAPE + BACK.replace("AFTER", "to_tape"), encoding="utf-8")
    system, jobs = build(sb.load(tmp_path / "case.yaml").spec, 0)
    ended = start(system, jobs)
    while len(system.trace.jobs) < 2:  # until the copy is on tape
        system.env.step()
    (saved,) = system.catalogue.save_sets
    del saved.copies[0]  # the save set on disk expires
    system.env.run(until=ended)
    assert [job.data["status"] for job in system.trace.jobs] == ["done"] * 3
    assert any(span.job == "jobs.back" and span.activity == "load" for span in system.trace.spans)


CHUNKS = "{cut_cpu: 0 ns/B, join_cpu: 0 ns/B, together: 1 GB, ratio: 8, at: target}"
REPLICATED = f"""\
  save: {{method: image, data: d, to: b, deduplication: {CHUNKS}}}
  replicate: {{method: copy_save_set, save_set: save, to: c, after: save, new_chunks: true}}
  back: {{restore: save, copied_by: replicate, after: replicate}}
"""


def test_stores_that_replicate_send_what_was_new_and_give_all_back() -> None:
    """An eighth crosses the line of 50 MB/s, which the far disk writes as fast; all of it comes back over that line."""
    at_once = {"hosts.second.dirty_background": "0 %", "hosts.client.dirty_background": "0 %"}
    result = sb.simulate(SITE + REPLICATED, at_once)
    assert result.get("jobs.replicate.elapsed") == pytest.approx(1e9 / 50e6, rel=0.01)
    assert result.get("devices.c.bytes") == pytest.approx(1e9 + 8e9, rel=0.01)
    assert result.get("jobs.back.elapsed") == pytest.approx(8e9 / 50e6, rel=0.05)
    whole = sb.simulate(SITE + REPLICATED, {**at_once, "jobs.replicate.new_chunks": False})
    assert whole.get("jobs.replicate.elapsed") == pytest.approx(8e9 / 50e6, rel=0.01)


def test_a_store_that_got_its_last_copy_a_week_ago_gets_what_is_new_since_then() -> None:
    """After a day 5 % of the chunks are new, after seven 1 - 0.95^7: over a line of 50 MB/s."""
    chunks = {"cut_cpu": "0 ns/B", "join_cpu": "0 ns/B", "together": "1 GB", "last": "1 d", "at": "target"}
    changes = {"data.d.change": {"daily": "5 %", "run": "64 KiB"}, "jobs.save.deduplication": chunks}
    changes |= {"hosts.second.dirty_background": "0 %", "hosts.client.dirty_background": "0 %"}
    text = SITE + REPLICATED.replace(", deduplication: " + CHUNKS, "")
    for last, share in ({}, 0.05), ({"jobs.replicate.new_since": "7 d"}, 1.0 - 0.95**7):
        result = sb.simulate(text, changes | last)
        assert result.get("jobs.replicate.elapsed") == pytest.approx(8e9 * share / 50e6, rel=0.01)
        assert result.get("devices.c.bytes") == pytest.approx(8e9 * (share + 1.0), rel=0.01)


def test_the_age_of_the_last_copy_needs_new_chunks_and_a_change() -> None:
    with pytest.raises(
        sb.InputError, match=r"jobs.replicate.new_since: does not matter to a copy of the whole save set"
    ):
        sb.load(SITE + REPLICATED, {"jobs.replicate.new_since": "7 d", "jobs.replicate.new_chunks": False})
    with pytest.raises(sb.InputError, match=r"jobs.replicate.new_since: 'd' does not say how it changes"):
        sb.load(SITE + REPLICATED, {"jobs.replicate.new_since": "7 d"})


def test_only_deduplicated_save_sets_have_new_chunks() -> None:
    with pytest.raises(sb.InputError, match="'save' is not deduplicated"):
        sb.load(SITE + REPLICATED, {"jobs.save.deduplication": None})
    with pytest.raises(sb.InputError, match="chunks are scattered, and a tape cannot be read in so many places"):
        sb.load(SITE + REPLICATED, {"jobs.replicate.to": "jukebox"})
