"""Workers of one job, who wait for one of them for a share of its work: `T = (1 - s) T(n) + s T(1)`."""

import pytest

import simbackup as sb
from simbackup.experiments.what_if import faster
from simbackup.results.causes import split
from tests.cases import for_each

SITE = """
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
    result = sb.simulate(sb.load(SITE.replace("JOB", text.replace("N", "2"))), changes)
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
    text = SITE.replace("JOB", JOBS["files"][0].replace("N", "16"))
    usual = sb.load(text)
    [stated] = [value.given for value in usual.values if value.address == "jobs.save.serial_share"]
    assert (stated.low, stated.high) == (0.02, 0.2)
    assert sb.simulate(usual).get("jobs.save.elapsed") == pytest.approx(elapsed("files", 16, stated.si))
    program = sb.load(text.replace("workers: 16", "workers: 16, tool: {start_time: 0 s, mount_time: 0 s, "
                                   "serial_share: 20 %}"))  # fmt: skip
    assert sb.simulate(program).get("jobs.save.elapsed") == pytest.approx(elapsed("files", 16, 0.2))


def test_streams_are_sessions_of_their_own() -> None:
    text = SITE.replace("JOB", "save: {method: image, data: tree, to: target, streams: 4, tool: {start_time: 0 s, "
                        "mount_time: 0 s, copy_cpu: 100 ns/B}}")  # fmt: skip
    assert "jobs.save.serial_share" not in {value.address for value in sb.load(text).values}


def test_it_is_named_with_the_time_that_all_would_have_saved() -> None:
    scenario = sb.load(SITE.replace("JOB", JOBS["files"][0].replace("N", "16")))
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
        scenario = sb.load(SITE.replace("JOB", job), {"data.rows.size": "2 GiB", "jobs.save.serial_share": share})
        return float(sb.simulate(scenario).get("jobs.save.elapsed"))

    both, one = time(0.0), time(1.0)
    assert one == pytest.approx(12.0 / 7.0 * both, rel=0.02)  # (4 + 1) x 2 + 2 buffers, and (4 + 1) + 2
    assert time(0.25) == pytest.approx(0.75 * both + 0.25 * one, rel=0.01)
