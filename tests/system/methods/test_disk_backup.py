"""Backups onto disks and restores from them, against calculations by hand."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from simbackup.results.shown import note_rows

TOOL = """{start_time: 1 s, mount_time: 0 s, copy_cpu: 4 ns/B, file_cpu: 1 ms/file, group_time: 7 s,
  index_record: 160 B/file, index_time: 21 s, system_state_time: 33 s}"""
CACHE = "dirty_limit: 90 %, dirty_background: 80 %"
SITE = f"""\
title: A client and a server whose devices move 100 MB/s, and page caches that hold every save set
hosts:
  client: {{owns: [a, b], cores: 4, memory: 100 GB, {CACHE}, copy_rate: 1 GB/s, speed: 2}}
  server: {{owns: [c], cores: 4, memory: 100 GB, {CACHE}, copy_rate: 1 GB/s, speed: 1}}
devices:
  a: {{kind: ssd, capacity: 100 GB, read_rate: 100 MB/s, write_rate: 100 MB/s, read_latency: 1 ms, write_latency: 1 ms}}
  b: {{kind: ssd, capacity: 100 GB, read_rate: 100 MB/s, write_rate: 50 MB/s, read_latency: 1 ms, write_latency: 1 ms}}
  c: {{kind: ssd, capacity: 100 GB, read_rate: 100 MB/s, write_rate: 50 MB/s, read_latency: 1 ms, write_latency: 1 ms}}
  v: {{kind: logical_volume, on: a, size: 20 GB}}
  w: {{kind: logical_volume, on: b, size: 3 GB}}
links:
  lan: {{joins: [client, server], rate: 80 MB/s, latency: 1 ms}}
data:
  d: {{on: v, size: 1 GB, files: 10000, layout: scattered,
    filesystem: {{reads_per_file: 1, cpu_per_file: 1 ms/file, fragment: 1 MB, record: 1 kB, resident: 700 B}}}}
  other: {{on: v, size: 1 GB, files: 10000, layout: scattered,
    filesystem: {{reads_per_file: 1, cpu_per_file: 1 ms/file, fragment: 1 MB, record: 1 kB, resident: 700 B}}}}
jobs:
"""
IMAGE = "  save: {method: image, data: d, to: TO}\n"
WALK = "  save: {method: file_level, data: d, to: TO}\n"
BACK = "  back: {restore: save, after: save}\n"
SEEK = 1e-3 + 1 / 100e6
"""Seconds until the first byte of what is restored comes."""


def run(jobs: str, to: str = "w", changes: dict[str, Any] | None = None) -> Result:
    return sb.simulate(SITE + jobs.replace("TO", to), changes)


def cores(result: Result, host: str) -> float:
    """Seconds of one core."""
    return 4 * next(d["busy_s"] for d in result.device_rows if d["device"] == f"hosts.{host}.cores")


def test_a_program_may_look_at_all_files_before_it_saves_the_first() -> None:
    """The first walk takes a positioned read of a record and half the core time of opening for each file."""
    once = run(f"{WALK[:-2]}, tool: {TOOL}}}\n").get("jobs.save.elapsed")
    twice = run(f"{WALK[:-2]}, tool: {TOOL[:-1]}, walks_first: true}}}}\n").get("jobs.save.elapsed")
    assert twice - once == pytest.approx(10_000 * (0.5e-3 + 1e-3 + 1e3 / 100e6), rel=1e-3)


def test_streams_without_a_file_of_their_own_bring_nothing_back() -> None:
    select = "  back: {restore: save, after: save, select: {files: 2, size: 200 kB}, streams: STREAMS}\n"
    two, eight = (run(WALK + select.replace("STREAMS", streams)) for streams in ("2", "8"))
    assert eight.get("jobs.back.bytes") == 200e3
    assert eight.get("jobs.back.elapsed") == two.get("jobs.back.elapsed")


def test_an_image_comes_back_whole_whatever_is_wanted_of_it() -> None:
    select = "  back: {restore: save, after: save, select: {files: 1, size: 100 kB}}\n"
    one, whole = run(IMAGE + select), run(IMAGE + BACK)
    assert one.get("jobs.back.elapsed") == whole.get("jobs.back.elapsed")
    assert one.get("jobs.back.bytes") == 1e9
    [note] = note_rows(one.trace)
    assert note["what"] == "ignores 'select': an image can only be restored as a whole"
    assert note_rows(whole.trace) == []


def test_a_restore_may_go_to_another_place() -> None:
    text = "  back: {restore: save, after: save, to: there}\n"
    site = SITE.replace("jobs:\n", "  there: {on: c, size: 1 GB}\njobs:\n")
    result = sb.simulate(site + IMAGE.replace("TO", "w") + text)
    assert result.get("jobs.back.elapsed") == pytest.approx(SEEK + 1e-3 + 12.5 + 20.0)
    assert result.get("devices.c.bytes") == pytest.approx(1e9)


def test_users_of_data_that_are_restored_are_shut_out() -> None:
    users = "workloads: {u: {data: d, transactions: 1 /s, writes: 0 %, reads: 1, read_size: 100 kB, cpu: 0 s}}\njobs:\n"
    lost = {
        r["job"]: r["lost"]
        for r in sb.simulate(SITE.replace("jobs:\n", users) + IMAGE.replace("TO", "w") + BACK).user_rows
    }
    assert lost["save"] == pytest.approx(0.0)
    assert lost["back"] == pytest.approx(1.0)


GROUP = f"""\
  group: {{method: start_group, tool: {TOOL}}}
  save: {{method: file_level, data: d, to: w, tool: {TOOL}, after: group}}
  more: {{method: image, data: other, to: c, tool: {TOOL}, after: group}}
  state: {{method: system_state, machine: client, tool: {TOOL}, after: [save, more]}}
  index: {{method: save_index, of: [save, more], tool: {TOOL}, after: state}}
"""


def test_a_group_begins_and_ends_with_times_of_its_own() -> None:
    result = run(GROUP)
    assert result.get("jobs.group.elapsed") == 7.0
    assert result.get("jobs.save.start") == 7.0
    assert result.get("jobs.state.elapsed") == pytest.approx(33.0)
    assert result.get("jobs.index.elapsed") == pytest.approx(21.0)
    assert result.activities("index") == {("catalogue", "save index"): pytest.approx(21.0)}
    assert result.activities("state") == {("hosts.client", "system state"): pytest.approx(33.0)}


def test_the_index_keeps_nothing_of_a_backup_that_has_not_been_made() -> None:
    late = "  late: {method: image, data: other, to: c, begin: 1000 s}\n"
    result = run(GROUP.replace("of: [save, more]", "of: [save, late]") + late)
    assert result.get("jobs.index.files") == 10_000


def test_the_state_of_a_system_may_count_as_files() -> None:
    state = f"""\
  state: {{method: system_state, machine: client, data: other, tool: {TOOL}}}
  index: {{method: save_index, of: state, tool: {TOOL}, after: state}}
"""
    result = run(state)
    assert (result.get("jobs.state.bytes"), result.get("jobs.state.files")) == (1e9, 10_000)
    assert result.get("jobs.state.elapsed") == pytest.approx(33.0)
    assert result.get("jobs.index.bytes") == 1_600_000
    assert run(state.replace("data: other, ", "")).get("jobs.state.bytes") == 0.0
