"""What a backup server on another host spends, and hosts that read one request at a time, against closed forms."""

from typing import Any

import pytest

import simbackup as sb
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
