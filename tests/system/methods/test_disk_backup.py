"""Backups onto disks and restores from them, against calculations by hand."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.build import build
from simbackup.equations.circuits import CustomerClass, Visit, closed_network
from simbackup.results.result import Result
from simbackup.results.shown import note_rows
from tests.cases import for_each

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


def test_an_image_is_read_into_memory_and_then_written() -> None:
    result = run(IMAGE)
    assert result.get("jobs.save.elapsed") == pytest.approx(10.0 + 20.0)
    spent = {key: seconds for key, seconds in result.activities("save").items() if seconds}
    assert spent == pytest.approx({("devices.a", "save"): 10.0, ("devices.b", "write-back"): 20.0})
    assert (result.get("jobs.save.bytes"), result.get("jobs.save.files")) == (1e9, 10000.0)
    assert (result.get("devices.a.bytes"), result.get("devices.b.bytes")) == pytest.approx((1e9, 1e9))
    assert cores(result, "client") == pytest.approx(2.0)


def test_an_image_across_a_network_is_written_through_the_cache_of_the_server() -> None:
    result = run(IMAGE, "c")
    assert result.get("jobs.save.elapsed") == pytest.approx(12.5 + 20.0)
    assert result.activities("save")["links.lan", "save"] == pytest.approx(12.5)
    assert result.get("devices.c.bytes") == pytest.approx(1e9)
    assert next(d["bytes"] for d in result.device_rows if d["device"] == "links.lan") == pytest.approx(1e9)
    assert next(d["bytes"] for d in result.device_rows if d["device"] == "devices.b") == 0.0


@for_each("source, lan, target", [(10, 80, 50), (100, 20, 50), (100, 80, 30), (40, 40, 40), (100, 1000, 1000)])
def test_whichever_is_slowest_limits(source: int, lan: int, target: int) -> None:
    rates = {
        "devices.a.read_rate": f"{source} MB/s",
        "links.lan.rate": f"{lan} MB/s",
        "devices.c.write_rate": f"{target} MB/s",
    }
    result = run(IMAGE, "c", TIGHT | rates)
    assert result.get("jobs.save.elapsed") == pytest.approx(1e9 / (min(source, lan, target) * 1e6))


def test_a_program_that_copies_slowly_limits() -> None:
    """20 ns of the reference core are 10 ns here, after reading at the rate of a core."""
    result = run(f"{IMAGE[:-2]}, tool: {TOOL.replace('4 ns', '60 ns')}}}\n", "w", TIGHT)
    assert cores(result, "client") == pytest.approx(30.0)
    assert result.get("jobs.save.elapsed") == pytest.approx(1.0 + 30.0)


def test_an_image_in_memory_is_not_read_from_its_device() -> None:
    result = run(IMAGE, changes={"data.d.cached": "100 %"})
    assert result.get("jobs.save.elapsed") == pytest.approx(2.0 + 20.0)
    assert result.get("devices.a.bytes") == 0.0


def test_a_save_set_of_files_is_a_walk_and_its_copy() -> None:
    """Each byte is copied twice by the host when the program says nothing of it."""
    result = run(WALK)
    walk = 10_000 * (FILE - 0.5e-3) + 1e9 * 2e-9
    assert result.get("jobs.save.elapsed") == pytest.approx(walk + 20.0)
    assert cores(result, "client") == pytest.approx(10_000 * 0.5e-3 + 2.0)


def test_a_program_adds_its_start_and_what_each_file_and_byte_cost_it() -> None:
    result = run(f"{WALK[:-2]}, tool: {TOOL}}}\n")
    assert result.get("jobs.save.elapsed") == pytest.approx(1.0 + 10_000 * FILE + 1e9 * 2e-9 + 20.0)
    assert cores(result, "client") == pytest.approx(10_000 * 1e-3 + 2.0)
    assert result.activities("save")["data.d", "start"] == pytest.approx(1.0)


def test_a_program_may_say_how_many_workers_it_has() -> None:
    def elapsed(more: str) -> float:
        return run(f"{WALK[:-2]}, {more}}}\n").get("jobs.save.elapsed")

    of_its_own, of_the_job = elapsed(f"tool: {TOOL[:-1]}, workers: 4}}"), elapsed(f"workers: 4, tool: {TOOL}")
    assert of_its_own == of_the_job < elapsed(f"tool: {TOOL}")
    assert elapsed(f"workers: 4, tool: {TOOL[:-1]}, workers: 2}}") == of_the_job


def test_save_sets_side_by_side_share_what_they_share() -> None:
    """Two walks wait in one queue of the device; two images have half of it each."""
    two = WALK + "  more: {method: file_level, data: other, to: c}\n"
    result = run(two)
    alone = run(WALK)
    behind = 20.0  # seconds in which the last of it goes to disk
    reads = FILE - 1e-3
    delay = (alone.get("jobs.save.elapsed") - behind) / 10_000 - reads
    two_at_once = CustomerClass(2, delay, (Visit(0, reads, 1e3 / 100e6 + 100e3 / 100e6),))
    (both,) = closed_network([two_at_once], [0.0], [None])
    assert result.get("jobs.save.elapsed") == pytest.approx(behind + 20_000 / both.rate, rel=1e-3)
    assert result.get("jobs.save.elapsed") > 1.05 * alone.get("jobs.save.elapsed")
    images = run(IMAGE + "  more: {method: image, data: other, to: c}\n")
    assert images.get("jobs.save.elapsed") == pytest.approx(20.0 + 20.0)
    assert images.get("devices.a.bytes") == pytest.approx(2e9)


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


def test_a_disk_that_is_read_and_written_turns_between_the_two() -> None:
    """Each megabyte is read and written in 20 ms; each time the arm goes over 1 % of its way and waits half a turn."""
    result = sb.simulate(DISK + "  save: {method: image, data: d, to: disk}\n")
    seek = 1e-3 + 4e-3 * (0.01 * 3) ** 0.5
    assert result.get("jobs.save.elapsed") == pytest.approx(1000 * 2 * (0.02 + seek + 0.005), rel=0.01)
    assert result.get("devices.disk.bytes") == pytest.approx(2e9)


def test_a_walk_beside_a_writer_on_one_disk_gets_what_the_writer_leaves() -> None:
    """A file takes two reads, each with its seek, and its 100 kB are written in 2 ms: streams alone take turns."""
    result = sb.simulate(DISK + "  save: {method: file_level, data: d, to: disk}\n")
    seek = 1e-3 + 4e-3 * (1e9 / 3 / 100e9 * 3) ** 0.5
    each = 2 * (seek + 5e-3) + 1e3 / 50e6 + 100e3 / 50e6
    assert result.get("jobs.save.elapsed") == pytest.approx(10_000 * (each + 2e-3), rel=0.01)
    assert result.get("devices.disk.busy") == pytest.approx(1.0, rel=0.01)


def test_the_third_save_set_has_no_room() -> None:
    jobs = "  save: {method: image, data: d, to: w, every: 100 s, until: 300 s}\n"
    result = run(jobs, changes={"devices.w.size": "2.5 GB"})
    assert [row(result, f"save.{i}")["status"] for i in (1, 2, 3, 4)] == ["done", "done", "failed", "failed"]
    assert row(result, "save.3")["reason"] == "'w' is full"
    assert row(result, "save.3")["bytes"] == 0.0
    assert result.get("devices.b.bytes") == pytest.approx(2e9)


def test_save_sets_lie_behind_the_data_of_their_disk_and_behind_each_other() -> None:
    """With 2.2 GB of room for data of 1 GB and save sets, one of two fits."""
    jobs = "  save: {method: image, data: d, to: v}\n  more: {method: image, data: other, to: v, after: save}\n"
    result = run(jobs, changes={"devices.v.size": "3.5 GB"})
    assert (row(result, "save")["status"], row(result, "more")["status"]) == ("done", "failed")


def test_save_sets_on_a_whole_disk_lie_behind_its_volumes() -> None:
    system, _ = build(sb.load(SITE + IMAGE.replace("TO", "b")).spec, seed=0)
    assert [system.room("b", size) for size in (50e9, 47e9, 1.0)] == [3e9, 53e9, None]


SNAPSHOT = """\
devices:
  s: {kind: snapshot, method: copy_on_write, of: v, on: b, size: AREA, chunk: 8 KiB, record: 16 B, in_flight: 1 MiB,
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


def test_a_backup_that_has_read_all_does_not_mind_that_its_snapshot_is_lost() -> None:
    """It is read within 14 s; the area is full later, while the save set goes to disk."""
    jobs = """\
  new: {method: create_snapshot, snapshot: s}
  dd: {method: write, data: d, after: new, flush: true}
  create: {method: write, data: other, portion: 0.1 %, after: new}
"""
    result = frozen("0.1 GB", "image", jobs)
    (lost,) = [note["at"] for note in note_rows(result.trace) if note["address"] == "devices.s"]
    assert 14.0 < lost < row(result, "save")["end"]
    assert row(result, "save")["status"] == "done"


@pytest.mark.parametrize("to", ["w", "c"])
def test_a_whole_restore_reads_the_disk_sends_and_writes(to: str) -> None:
    result = run(IMAGE + BACK, to)
    read = 1e-3 + 12.5 if to == "c" else 10.0
    assert result.get("jobs.back.elapsed") == pytest.approx(SEEK + read + 10.0)
    assert (result.get("jobs.back.bytes"), result.get("jobs.back.files")) == (1e9, 10000.0)
    assert result.get("devices.a.bytes") == pytest.approx(2e9)


def test_files_that_come_back_cost_the_processor_what_they_cost_the_file_system() -> None:
    """0.5 ms for each file, and two copies of each byte."""
    result = run(WALK + BACK)
    before = run(WALK)
    assert cores(result, "client") - cores(before, "client") == pytest.approx(2.0 + 5.0)


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


def test_a_restore_takes_the_last_of_several_save_sets() -> None:
    jobs = "  save: {method: image, data: d, to: w, every: 100 s, until: 100 s}\n" + BACK
    result = run(jobs)
    assert result.get("jobs.back.bytes") == 1e9
    assert result.get("jobs.back.start") == pytest.approx(130.0)


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
