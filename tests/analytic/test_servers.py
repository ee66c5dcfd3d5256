"""What a backup server on another host spends, and what workers of one job wait for, against closed forms."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.experiments.what_if import faster
from simbackup.results.causes import split
from tests.cases import for_each

SIZE, FILES = 20e9, 100_000
SITE = """\
title: A client and a backup server with a disk and a drive
hosts:
  client: {cores: 4, memory: 1 GiB, dirty_limit: 20 %, dirty_background: 0 %, copy_rate: 900 GB/s, speed: 2, owns: [a]}
  server: {cores: 1, memory: 1 GiB, dirty_limit: 20 %, dirty_background: 0 %, copy_rate: 900 GB/s, owns: [b, library]}
devices:
  a: {kind: ssd, capacity: 1 TB, read_rate: 500 MB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  b: {kind: ssd, capacity: 1 TB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  library: {model: tape_library/autoloader-8, drive: {model: tape_drive/lto-9}, drives: 1}
links:
  lan: {joins: [client, server], rate: 9 GB/s, latency: 0 s, duplex: full}
data:
  files: {on: a, size: 20 GB}
  more: {on: a, size: 20 GB}
jobs:
  full: {method: image, data: files, to: b, tool: {start_time: 0 s, mount_time: 0 s}}
  back: {restore: full, after: full}
"""
COST = {"jobs.full.tool.server_cpu": "20 ns/B"}
TAPE = {"jobs.full.to": "library"}
TOLERANCE = 0.02


def run(changes: dict[str, Any]) -> sb.Result:
    return sb.simulate(sb.load(SITE, changes))


def seconds(changes: dict[str, Any], job: str = "full", what: str = "rate") -> float:
    """Seconds for which a job moved bytes."""
    return SIZE / float(run(changes).get(f"jobs.{job}.{what}"))


@pytest.mark.parametrize("job", ["full", "back"])
def test_one_thread_of_the_server_takes_or_sends_each_stream(job: str) -> None:
    assert seconds(COST, job) == pytest.approx(SIZE * 20e-9, rel=TOLERANCE)
    assert sb.explain(run(COST), job)[job].bottleneck == "hosts.server"


@pytest.mark.parametrize("job", ["full", "back"])
def test_the_host_of_a_library_spends_as_much(job: str) -> None:
    assert seconds(COST | TAPE, job, "transfer_rate") == pytest.approx(SIZE * 20e-9, rel=TOLERANCE)


def test_streams_share_the_cores_of_the_server() -> None:
    second = (
        "  second: {method: image, data: more, to: b, tool: {start_time: 0 s, mount_time: 0 s, server_cpu: 20 ns/B}}\n"
    )
    both = sb.simulate(sb.load(SITE + second, COST | {"jobs.back": None}))
    assert both.get("jobs.full.elapsed") == pytest.approx(2 * SIZE * 20e-9, rel=TOLERANCE)
    two = sb.simulate(sb.load(SITE + second, COST | {"jobs.back": None, "hosts.server.cores": 2}))
    assert two.get("jobs.full.elapsed") == pytest.approx(SIZE * 20e-9, rel=TOLERANCE)


def test_a_server_that_the_program_says_nothing_of_copies_each_byte_twice() -> None:
    slow = {"hosts.server.copy_rate": "200 MB/s"}
    assert seconds(slow) == pytest.approx(2 * SIZE / 200e6, rel=TOLERANCE)
    assert seconds(slow, "back") == pytest.approx(2 * SIZE / 200e6, rel=TOLERANCE)  # from disk, and to the network


@pytest.mark.parametrize(("changes", "what"), [({}, "rate"), (TAPE, "transfer_rate")])
def test_a_restore_has_a_cost_of_its_own(changes: dict[str, Any], what: str) -> None:
    """40 ns of the reference core are 20 ns here."""
    cost = {"jobs.full.tool.restore_cpu": "40 ns/B"}
    assert seconds(changes | cost, "back", what) == pytest.approx(SIZE * 20e-9, rel=TOLERANCE)
    assert seconds(changes | cost, "full", what) == pytest.approx(seconds(changes, "full", what))


@for_each("request_size", [65536, 262144])
@for_each("changes, what", [({}, "rate"), (TAPE, "transfer_rate")])
def test_a_host_without_read_ahead_reads_a_request_at_a_time(
    changes: dict[str, Any], what: str, request_size: int
) -> None:
    slow = {"devices.a.read_latency": "4 ms", "jobs.full.tool.request": f"{request_size} B",
            "jobs.full.tool.alternates": False}  # fmt: skip
    expected = SIZE * (1 / 500e6 + 4e-3 / request_size)
    assert seconds(changes | slow, "full", what) == pytest.approx(expected, rel=0.03)
    ahead = seconds(changes | slow | {"hosts.client.read_ahead": "16 MiB"}, "full", what)
    assert ahead == pytest.approx(max(SIZE * (1 / 500e6 + 4e-3 / 2**24), SIZE / 400e6 if changes else 0.0), rel=0.03)


@for_each("streams, expected", [(1, 400.0), (2, 200.0), (4, 100.0), (16, 100.0)])
def test_streams_onto_a_disk_are_threads_of_the_program(streams: int, expected: float) -> None:
    """Each takes 20 ns of a core for a byte; the client has four cores."""
    cost = {"jobs.full.tool.copy_cpu": "40 ns/B", "jobs.full.streams": streams}
    assert seconds(cost) == pytest.approx(expected, rel=TOLERANCE)


def test_streams_bring_back_from_a_disk_at_once() -> None:
    cost = {"jobs.full.tool.restore_cpu": "40 ns/B"}
    assert seconds(cost, "back") == pytest.approx(400.0, rel=TOLERANCE)
    assert seconds(cost | {"jobs.back.streams": 4}, "back") == pytest.approx(100.0, rel=TOLERANCE)


def test_streams_share_a_device_that_is_full() -> None:
    assert seconds({"jobs.full.streams": 8}) == pytest.approx(SIZE / 500e6, rel=TOLERANCE)


def test_streams_each_have_the_pace_of_a_store_for_one() -> None:
    """100 MB/s of each stream, 250 MB/s of all."""
    store = "{cut_cpu: 0 ns/B, join_cpu: 0 ns/B, together: 1 MiB, ratio: 10, stream_ingest: 100 MB/s, ingest: 250 MB/s}"
    site = SITE.replace("to: b,", f"to: b, deduplication: {store}, streams: 1,")
    for streams, rate in ((1, 100e6), (2, 200e6), (4, 250e6)):
        found = sb.simulate(sb.load(site, {"jobs.full.streams": streams}))
        assert found.get("jobs.full.rate") == pytest.approx(rate, rel=TOLERANCE)


def test_streams_go_to_nul_as_well() -> None:
    sink = SITE.replace("owns: [b, library]", "owns: [b, library, none]").replace(
        "devices:\n", "devices:\n  none: {kind: nul}\n"
    )
    cost = {"jobs.full.tool.copy_cpu": "40 ns/B", "jobs.full.to": "none", "jobs.back": None, "jobs.full.streams": 4}
    assert sb.simulate(sb.load(sink, cost)).get("jobs.full.rate") == pytest.approx(SIZE / 100.0, rel=TOLERANCE)


@for_each("workers", [1, 4, 16])
def test_workers_wait_for_the_thread_that_serves_them_once(workers: int) -> None:
    """Files in memory, a server of one core: its thread takes 20 ns a byte, for however many workers."""
    walk = {"method": "file_level", "data": "files", "to": "b", "workers": workers}
    tool = {"start_time": "0 s", "mount_time": "0 s", "server_cpu": "20 ns/B"}
    files = {"reads_per_file": 1, "cpu_per_file": "0.01 ms/file", "fragment": "1 MB"}
    held = {"data.files.files": FILES, "data.files.cached": "5 %", "data.files.filesystem": files}
    fast = {"devices.a.read_rate": "9 GB/s"}
    result = run({"jobs.full": walk | {"tool": tool}, "jobs.back": None} | held | fast)
    assert result.get("jobs.full.elapsed") == pytest.approx(SIZE * 20e-9, rel=TOLERANCE)


# Workers who wait for one of them for a share of its work: `T = (1 - s) T(n) + s T(1)`
SERIAL_SITE = """
title: Workers of one job
hosts:
  server: {cores: 64, copy_rate: 10 GB/s, memory: 64 GB, dirty_limit: 40 %, dirty_background: 0 %,
    owns: [disk, target, other, hole]}
  store: {cores: 64, copy_rate: 10 GB/s, memory: 64 GB, dirty_limit: 40 %, dirty_background: 0 %, owns: [bucket]}
devices:
  disk: {kind: ssd, capacity: 1 TB, read_rate: 20 GB/s, write_rate: 20 GB/s, read_latency: 0.1 ms, write_latency: 0 s}
  target: {kind: ssd, capacity: 1 TB, read_rate: 20 GB/s, write_rate: 20 GB/s, read_latency: 0.1 ms, write_latency: 0 s}
  other: {kind: ssd, capacity: 1 TB, read_rate: 20 GB/s, write_rate: 20 GB/s, read_latency: 0.1 ms, write_latency: 0 s}
  hole: {kind: nul}
  bucket: {kind: object_store, write_latency: 50 ms, read_latency: 50 ms, connection_rate: 100 MB/s, part: 8 MB,
    write_requests: 1e6/s, read_requests: 1e6/s}
links:
  lan: {joins: [server, store], rate: 10 GB/s, latency: 0 s, duplex: full}
data:
  tree: {on: disk, size: 10 GB, files: 100_000, layout: scattered, compression: 2,
    filesystem: {reads_per_file: 2, cpu_per_file: 1 ms/file, create_cpu: 1 ms/file, fragment: 1 MB}}
  copied: {on: other, size: 10 GB, files: 100_000, layout: scattered,
    filesystem: {reads_per_file: 2, cpu_per_file: 1 ms/file, create_cpu: 1 ms/file, fragment: 1 MB}}
  rows: {on: disk, size: 10 GB, files: 64, compression: 2, database: {dump_cpu: 100 ns/B, load_cpu: 100 ns/B,
    dump_ratio: 1, flush_time: 0 s, locks_for_snapshot: false, replay_cpu: 1 ns/B}}
jobs:
  JOB
"""
JOBS = {
    "files": ("save: {method: file_level, data: tree, to: hole, workers: N}", "save", "workers"),
    "files to a disk": ("save: {method: file_level, data: tree, to: target, workers: N}", "save", "workers"),
    "files come back": (
        "save: {method: file_level, data: tree, to: target, exists: true}\n  back: {restore: save, workers: N}",
        "back", "workers",
    ),
    "threads that compress": (
        (
            "save: {method: image, data: tree, to: target, compressor: {compress_cpu: 100 ns/B, expand_cpu: 1 ns/B, "
            "threads: N, overlapped: true}}"
        ),
        "save", "compressor.threads",
    ),
    "a dump": ("dump: {method: logical_dump, data: rows, to: target, workers: N}", "dump", "workers"),
    "connections to objects": (
        "save: {method: image, data: tree, to: bucket, object_size: 8 MB, connections: N}", "save", "connections"
    ),
}  # fmt: skip
"""Jobs whose work several share, with the key that says how many."""


def elapsed(job: str, many: int, share: float, **more: object) -> float:
    """Seconds of a job whose work so many share, one of whom does a share of it alone."""
    text, name, key = JOBS[job]
    changes = {f"jobs.{name}.{key}": many, f"jobs.{name}.serial_share": share, **more}
    result = sb.simulate(sb.load(SERIAL_SITE.replace("JOB", text.replace("N", "2"))), changes)
    assert result.jobs.loc[name, "status"] == "done"
    return float(result.get(f"jobs.{name}.elapsed"))


@pytest.mark.slow
@for_each("many", [1, 2, 4, 16])
@for_each("job", JOBS)
def test_one_does_a_share_of_the_work_while_the_others_wait(job: str, many: int) -> None:
    alone, together = elapsed(job, 1, 0.0), elapsed(job, many, 0.0)
    assert together == pytest.approx(alone / many, rel=0.07)
    for share in (0.08, 0.2):
        assert elapsed(job, many, share) == pytest.approx((1.0 - share) * together + share * alone, rel=1e-3)


def test_a_device_that_one_worker_fills_takes_no_longer() -> None:
    slow = {"devices.disk.read_rate": "5 MB/s"}
    times = [elapsed("threads that compress", 8, share, **slow) for share in (0.0, 0.2)]
    assert times[1] == pytest.approx(times[0], rel=1e-6)


def test_a_device_that_only_several_fill_takes_its_time_and_then_that_of_one() -> None:
    slow = {"devices.disk.read_rate": "200 MB/s", "jobs.save.compressor.compress_cpu": "20 ns/B"}
    alone, together = (elapsed("threads that compress", many, 0.0, **slow) for many in (1, 16))
    assert (alone, together) == (pytest.approx(200.0, rel=0.02), pytest.approx(50.0, rel=0.02))
    expected = 0.9 * together + 0.1 * alone
    assert elapsed("threads that compress", 16, 0.1, **slow) == pytest.approx(expected, rel=1e-3)


def test_it_counts_unless_it_is_stated_and_a_program_may_state_its_own() -> None:
    text = SERIAL_SITE.replace("JOB", JOBS["files"][0].replace("N", "16"))
    usual = sb.load(text)
    [stated] = [value.given for value in usual.values if value.address == "jobs.save.serial_share"]
    assert (stated.low, stated.high) == (0.02, 0.2)
    assert sb.simulate(usual).get("jobs.save.elapsed") == pytest.approx(elapsed("files", 16, stated.si))
    program = sb.load(text.replace("workers: 16", "workers: 16, tool: {start_time: 0 s, mount_time: 0 s, "
                                   "serial_share: 20 %}"))  # fmt: skip
    assert sb.simulate(program).get("jobs.save.elapsed") == pytest.approx(elapsed("files", 16, 0.2))


def test_streams_are_sessions_of_their_own() -> None:
    tool = "{start_time: 0 s, mount_time: 0 s, copy_cpu: 100 ns/B}"
    text = SERIAL_SITE.replace("JOB", f"save: {{method: image, data: tree, to: target, streams: 4, tool: {tool}}}")
    assert "jobs.save.serial_share" not in {value.address for value in sb.load(text).values}


def test_it_is_named_with_the_time_that_all_would_have_saved() -> None:
    scenario = sb.load(SERIAL_SITE.replace("JOB", JOBS["files"][0].replace("N", "16")))
    result = sb.simulate(scenario)
    spent = {cause.address: seconds for cause, seconds in split(result, "save").items()}
    alone, together = elapsed("files", 1, 0.0), elapsed("files", 16, 0.0)
    assert spent["jobs.save.serial_share"] == pytest.approx(0.08 * (alone - together), rel=1e-3)
    half = sb.simulate(faster(scenario, "jobs.save.serial_share", 2.0)).get("jobs.save.elapsed")
    assert half == pytest.approx(elapsed("files", 16, 0.04), rel=1e-6)


@pytest.mark.slow
def test_files_of_a_native_backup_share_its_work() -> None:
    job = (
        "save: {method: database_native, data: rows, to: [target, other], transfer_size: 1 MiB, "
        "engine: {transfer_size: 1 MiB, io_depth: 4, request_latency: 20 ms, "
        "compress_cpu: 0 ns/B, expand_cpu: 0 ns/B, buffer_sets: 1, memory_limit: 1 GB}}"
    )

    def time(share: float) -> float:
        scenario = sb.load(
            SERIAL_SITE.replace("JOB", job), {"data.rows.size": "2 GiB", "jobs.save.serial_share": share}
        )
        return float(sb.simulate(scenario).get("jobs.save.elapsed"))

    both, one = time(0.0), time(1.0)
    assert one == pytest.approx(12.0 / 7.0 * both, rel=0.02)  # (4 + 1) x 2 + 2 buffers, and (4 + 1) + 2
    assert time(0.25) == pytest.approx(0.75 * both + 0.25 * one, rel=0.01)
