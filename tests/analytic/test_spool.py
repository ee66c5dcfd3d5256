"""Spooled backups against the sum of both ways, or the longer of them."""

from typing import Any

import pytest

import simbackup as sb

SIZE, LINE, TAPE, ROOM = 100e9, 100e6, 120e6, 8e9
SITE = """\
title: A filer, a backup server with a spool, and a drive
hosts:
  filer: {cores: 4, memory: 1 GiB, dirty_limit: 20 %, dirty_background: 10 %, copy_rate: 8 GB/s, owns: [source]}
  server: {cores: 4, memory: 1 GiB, dirty_limit: 20 %, dirty_background: 0 %, copy_rate: 8 GB/s, owns: [spool, library]}
devices:
  source: {kind: ssd, capacity: 1 TB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  spool: {kind: ssd, capacity: 20 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  library:
    kind: tape_library
    bays: 1
    slots: 5
    robots: 1
    exchange_time: 5 s
    drives: 1
    drive:
      native_rate: 120 MB/s
      slowest_rate: 40 MB/s
      cartridge_capacity: 800 GB
      tape_length: 820 m
      passes: 56
      read_speed: 6.9 m/s
      search_speed: 7 m/s
      load_time: 5 s
      unload_time: 5 s
      locate_overhead: 0 s
      turn_time: 0 s
      reposition_time: 0 s
      buffer: 128 MB
      host_rate: 240 MB/s
      command_time: 0 s
links:
  lan: {joins: [filer, server], rate: 100 MB/s, latency: 0 s}
data:
  files: {on: source, size: 100 GB}
jobs:
  full: {method: image, data: files, to: library, spool: {on: spool, size: 8 GB}}
  back: {restore: full, after: full}
"""
MOVES = 30.0
"""Seconds, at most, of robot, load, rewind and unload, once each."""


def run(changes: dict[str, Any] | None = None) -> sb.Result:
    return sb.simulate(sb.load(SITE, changes or {}))


def moving(result: sb.Result, job: str = "full") -> float:
    """Seconds of a job without those of robot and drive."""
    elapsed = float(result.get(f"jobs.{job}.elapsed"))
    handled = {"mount", "dismount", "load", "unload", "rewind", "locate"}
    spans = [span for span in result.trace.spans if span.job == f"jobs.{job}" and span.activity in handled]
    assert sum(span.end - span.start for span in spans if span.activity == "load") == 5.0  # it stays mounted
    return elapsed - sum(span.end - span.start for span in spans)


def test_in_turns_both_ways_add_up() -> None:
    assert moving(run()) == pytest.approx(SIZE / LINE + SIZE / TAPE, rel=0.01)


def test_side_by_side_the_longer_counts_and_the_first_half_and_the_last() -> None:
    found = moving(run({"jobs.full.spool.overlapped": True}))
    assert found == pytest.approx(SIZE / LINE + ROOM / 2 / TAPE, rel=0.02)
    slow = moving(run({"jobs.full.spool.overlapped": True, "devices.library.drive.native_rate": "50 MB/s"}))
    assert slow == pytest.approx(ROOM / 2 / LINE + SIZE / 50e6, rel=0.02)


def test_more_room_makes_turns_longer_not_fewer_bytes() -> None:
    assert moving(run({"jobs.full.spool.size": "16 GB"})) == pytest.approx(moving(run()), rel=0.01)


def test_a_disk_that_reads_and_writes_at_once_shares_its_time() -> None:
    slow = {"devices.spool.read_rate": "100 MB/s", "devices.spool.write_rate": "100 MB/s"}
    assert moving(run(slow)) == pytest.approx(SIZE / LINE + SIZE / LINE, rel=0.02)
    both = moving(run(slow | {"jobs.full.spool.overlapped": True}))
    assert both == pytest.approx(2 * SIZE / LINE, rel=0.05)


def test_a_program_that_alternates_between_spool_and_drive_takes_both() -> None:
    changes = {"devices.spool.read_rate": "100 MB/s", "jobs.full.tool": {"alternates": True, "start_time": "0 s",
               "mount_time": "0 s", "block": "64512 B"}, "devices.library.drive.command_time": "0.1 ms"}  # fmt: skip
    each = 1 / 100e6 + 1 / 240e6 + 1e-4 / 64512
    assert moving(run(changes)) == pytest.approx(SIZE / LINE + SIZE * each, rel=0.02)


def test_what_was_spooled_is_restored_from_tape() -> None:
    result = run()
    assert result.get("jobs.back.bytes") == SIZE
    assert moving(result, "back") == pytest.approx(SIZE / LINE, rel=0.02)


def test_the_room_is_free_again_after_each_run() -> None:
    again = run({"jobs.full.every": "1 d", "jobs.full.until": "3 d", "jobs.back": None})
    assert list(again.jobs["status"]) == ["done"] * 4


def test_jobs_that_share_a_spool_wait_for_room_and_take_what_comes_back() -> None:
    """Two of three fit: both are spooled at half of the line's rate, and the third when the first is on tape."""
    job = "{method: image, data: files, to: library, spool: {on: spool, size: 8 GB}}"
    three = "".join(f"  {name}: {job}\n" for name in ("one", "two", "three"))
    text = SITE[: SITE.index("jobs:\n")] + "jobs:\n" + three
    result = sb.simulate(sb.load(text, {"data.files.size": "8 GB", "devices.library.unload_after": "1 d"}))
    assert list(result.jobs["status"]) == ["done"] * 3
    line, tape = ROOM / LINE, ROOM / TAPE
    waited = sum(s.end - s.start for s in result.trace.spans if s.activity == "wait for room")
    assert waited == pytest.approx(2 * line + tape, abs=MOVES)
    assert result.get("jobs.two.elapsed") == pytest.approx(2 * line + 2 * tape, abs=MOVES)
    assert result.get("jobs.three.elapsed") == pytest.approx(3 * line + 2 * tape, abs=MOVES)
