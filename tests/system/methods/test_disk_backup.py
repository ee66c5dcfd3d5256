"""Backups onto disks and restores from them, against calculations by hand."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from simbackup.results.shown import note_rows
from tests.cases import for_each

TOOL = """{start_time: 1 s, mount_time: 0 s, copy_cpu: 4 ns/B, file_cpu: 1 ms/file}"""
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
TIGHT = {
    "hosts.client.dirty_limit": "0.01 %", "hosts.client.dirty_background": "0 %",
    "hosts.server.dirty_limit": "0.01 %", "hosts.server.dirty_background": "0 %",
}  # fmt: skip
"""Caches of 10 MB that are written from the first byte on, so that all that a save set crosses works at once."""
IMAGE = "  save: {method: image, data: d, to: TO}\n"
WALK = "  save: {method: file_level, data: d, to: TO}\n"
BACK = "  back: {restore: save, after: save}\n"
SEEK = 1e-3 + 1 / 100e6
"""Seconds until the first byte of what is restored comes."""
FILE = 1e-3 + (1e-3 + 1e3 / 100e6) + (1e-3 + 100e3 / 100e6)
"""Seconds of a file of 100 kB at half the processor time of the reference core: 1 ms, record, data, and 1 ms more."""


def run(jobs: str, to: str = "w", changes: dict[str, Any] | None = None) -> Result:
    return sb.simulate(SITE + jobs.replace("TO", to), changes)


def row(result: Result, job: str) -> dict[str, Any]:
    return next(row for row in result.job_rows if row["job"] == job)


def cores(result: Result, host: str) -> float:
    """Seconds of one core."""
    return 4 * next(d["busy_s"] for d in result.device_rows if d["device"] == f"hosts.{host}.cores")


DISK = """\
title: One disk that is read and written
hosts:
  host: {owns: [disk], cores: 1, memory: 100 GB, dirty_limit: 0.01 %, dirty_background: 0 %, copy_rate: 100 GB/s}
devices:
  disk: {kind: disk, capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: 1 ms, average_seek: 5 ms,
    full_stroke_seek: 9 ms, outer_rate: 50 MB/s, inner_rate: 50 MB/s, command_overhead: 0 s, stream_turn: 1 MB}
data:
  d: {on: disk, size: 1 GB, files: 10000, layout: scattered,
    filesystem: {reads_per_file: 1, cpu_per_file: 0 ms/file, fragment: 1 MB, record: 1 kB}}
jobs:
"""


def test_a_walk_beside_a_writer_on_one_disk_gets_what_the_writer_leaves() -> None:
    """A file takes two reads, each with its seek, and its 100 kB are written in 2 ms: streams alone take turns."""
    result = sb.simulate(DISK + "  save: {method: file_level, data: d, to: disk}\n")
    seek = 1e-3 + 4e-3 * (1e9 / 3 / 100e9 * 3) ** 0.5
    each = 2 * (seek + 5e-3) + 1e3 / 50e6 + 100e3 / 50e6
    assert result.get("jobs.save.elapsed") == pytest.approx(10_000 * (each + 2e-3), rel=0.01)
    assert result.get("devices.disk.busy") == pytest.approx(1.0, rel=0.01)


def test_save_sets_lie_behind_the_data_of_their_disk_and_behind_each_other() -> None:
    """With 2.2 GB of room for data of 1 GB and save sets, one of two fits."""
    jobs = "  save: {method: image, data: d, to: v}\n  more: {method: image, data: other, to: v, after: save}\n"
    result = run(jobs, changes={"devices.v.size": "3.5 GB"})
    assert (row(result, "save")["status"], row(result, "more")["status"]) == ("done", "failed")


SNAPSHOT = """\
devices:
  s: {kind: snapshot, of: v, on: b, size: AREA, chunk: 8 KiB, record: 16 B, in_flight: 1 MiB,
    commit_backlog: 64 KiB, create_time: 1 s, remove_time: 1 s, lookup_time: 8 us}
"""
FROM = "  save: {method: METHOD, data: d, to: c, source: s, after: create}\n"


def frozen(area: str, method: str, jobs: str) -> Result:
    area_of = SNAPSHOT.replace("AREA", area).removeprefix("devices:\n")
    text = SITE.replace("links:\n", f"{area_of}links:\n", 1) + jobs + FROM.replace("METHOD", method)
    return sb.simulate(text)


@pytest.mark.parametrize("method", ["image", "file_level"])
def test_a_save_set_may_be_read_from_a_snapshot(method: str) -> None:
    result = frozen("5 GB", method, "  create: {method: create_snapshot, snapshot: s}\n")
    assert row(result, "save")["status"] == "done"
    assert result.get("devices.a.bytes") == pytest.approx(1e9)
    assert result.get("devices.c.bytes") == pytest.approx(1e9)


@for_each("method", ["image", "file_level"])
@for_each("when", ["before it is read", "while it is read"])
def test_a_snapshot_whose_area_is_full_fails_the_backup(method: str, when: str) -> None:
    """An area of 10 MB cannot keep the 1 GB that is overwritten; what is still reading fails when it is full."""
    jobs = """\
  new: {method: create_snapshot, snapshot: s}
  dd: {method: write, data: d, after: new, flush: true}
  create: {method: write, data: other, after: OTHER}
""".replace("OTHER", "dd" if when == "before it is read" else "new").replace("other, ", "other, portion: 0.1 %, ")
    result = frozen("10 MB", method, jobs)
    ends = {r["job"]: r["end"] for r in result.job_rows}
    assert (ends["dd"] <= row(result, "save")["start"]) == (when == "before it is read")
    assert row(result, "save")["status"] == "failed"
    assert row(result, "save")["reason"].startswith("'s' ")
    assert row(result, "save")["bytes"] == 0.0
    (lost,) = [note["at"] for note in note_rows(result.trace) if note["address"] == "devices.s"]
    assert row(result, "save")["end"] == (lost if when == "while it is read" else row(result, "save")["start"])


@for_each("files, size", [(1, 100e3), (10, 5e6), (1000, 100e6)])
def test_some_files_come_back_from_a_save_set_of_files(files: int, size: float) -> None:
    select = f"  back: {{restore: save, after: save, select: {{files: {files}, size: {size} B}}}}\n"
    result = run(WALK + select)
    assert (result.get("jobs.back.bytes"), result.get("jobs.back.files")) == (pytest.approx(size), files)
    assert result.get("devices.b.bytes") == pytest.approx(1e9 + size)
    last = max(files // 200, 1)  # go to disk when all others are there; each file has a record of 1 kB
    written = last * (size / files + 1e3)
    assert result.get("jobs.back.elapsed") == pytest.approx(files * SEEK + size / 100e6 + written / 100e6)


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


def test_nothing_comes_back_of_a_backup_that_failed() -> None:
    jobs = "  first: {method: image, data: other, to: w}\n" + IMAGE[:-2] + ", after: first}\n"
    result = run(jobs + "  back: {restore: save, begin: 500 s}\n", changes={"devices.w.size": "1.5 GB"})
    assert row(result, "save")["status"] == "failed"
    assert row(result, "back")["status"] == "failed"
    assert row(result, "back")["reason"] == "the catalogue has no save set of 'save'"


def test_users_of_data_that_are_restored_are_shut_out() -> None:
    users = "workloads: {u: {data: d, transactions: 1 /s, writes: 0 %, reads: 1, read_size: 100 kB, cpu: 0 s}}\njobs:\n"
    lost = {
        r["job"]: r["lost"]
        for r in sb.simulate(SITE.replace("jobs:\n", users) + IMAGE.replace("TO", "w") + BACK).user_rows
    }
    assert lost["save"] == pytest.approx(0.0)
    assert lost["back"] == pytest.approx(1.0)
