"""Copies of save sets, and restores from either copy, against calculations by hand."""

from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
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
NIGHT = "  night: {method: file_level, data: d, to: b}\n"
TAPE = "  to_tape: {method: copy_save_set, save_set: night, to: jukebox, after: night}\n"
BACK = "  back: {restore: night, after: AFTER}\n"
PLANNING = "planning/disk-then-tape"


def run(tmp_path: Path, jobs: str, changes: dict[str, Any] | None = None) -> Result:
    (tmp_path / "case.yaml").write_text(SITE + jobs, encoding="utf-8")
    return sb.simulate(tmp_path / "case.yaml", changes)


def row(result: Result, job: str) -> dict[str, Any]:
    return next(row for row in result.job_rows if row["job"] == job)


def test_a_copy_onto_a_drive_that_writes_through_needs_the_size_of_a_block(tmp_path: Path) -> None:
    with pytest.raises(sb.InputError, match=r"jobs\.to_tape\.to: .*write 'block: 10 KiB' under jobs\.night\.tool"):
        run(tmp_path, NIGHT + TAPE, {"devices.jukebox.drive.write_through": True})


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


CHUNKS = "{cut_cpu: 0 ns/B, join_cpu: 0 ns/B, together: 1 GB, ratio: 8, at: target}"
REPLICATED = f"""\
  save: {{method: image, data: d, to: b, deduplication: {CHUNKS}}}
  replicate: {{method: copy_save_set, save_set: save, to: c, after: save, new_chunks: true}}
  back: {{restore: save, copied_by: replicate, after: replicate}}
"""


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
