"""Walks over files that lie anywhere on a disk, beside users and streams: a worker is like a user who never thinks."""

import pytest
from oracles.arrival_order import Asked, Place, in_order_of_arrival

import simbackup as sb
from simbackup.equations.disk import DiskParameters
from tests.cases import for_each

SCENARIO = """\
title: Files and other data on one disk, whose seeks all take 5 ms, as half a revolution does
hosts:
  server: {cores: 16, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s, speed: 1,
    read_ahead: WINDOW, owns: [disk, nowhere]}
devices:
  nowhere: {kind: nul}
  disk: {kind: disk, capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: 5 ms, average_seek: 5 ms,
    full_stroke_seek: 5 ms, outer_rate: RATE, inner_rate: RATE, command_overhead: 0 s, stream_turn: 512 kB}
data:
  files: {on: disk, size: 20 GB, files: 5000000, layout: 1, filesystem: {cpu_per_file: 0 s/file, reads_per_file: 0,
    record: 1 B, fragment: 64 KiB, create_cpu: 0 s/file, create_writes: 0, attribute_cpu: 0 s/file,
    log_record: 0 B/file}}
  d1: {on: disk, size: 20 GB}
  d2: {on: disk, size: 20 GB}
  d3: {on: disk, size: 20 GB}
"""
WALK = """\
  walk: {method: file_level, data: files, to: nowhere, tool: {mount_time: 0 s, start_time: 0 s, workers: WORKERS}}
"""
USERS = """\
workloads:
  users: {data: d1, clients: CLIENTS, think_time: 0 s, reads: 1, read_size: 4 kB, cpu: 0 s, writes: 0 %}
"""


@pytest.mark.slow
@for_each("window, workers", [(512e3, 1), (512e3, 4), (4e6, 1)])
@for_each("streams", [2, 3])
def test_streams_have_one_run_for_each_request_of_a_walk(streams: int, window: float, workers: int) -> None:
    text = SCENARIO.replace("WINDOW", f"{window} B").replace("RATE", "100 MB/s") + "jobs:\n"
    text += "".join(f"  j{i}: {{method: image, data: d{i}, to: nowhere}}\n" for i in range(1, streams + 1))
    found = sb.simulate(text + WALK.replace("WORKERS", str(workers)))
    disk = DiskParameters(100e9, 100.0, 0.005, 0.005, 0.005, 100e6, 100e6, 0.0, 512e3)
    places = [Place(i * 20e9, 20e9) for i in range(1, streams + 1)]
    users = Asked(users=workers)
    expected = in_order_of_arrival(disk, places, window, Place(0.0, 20e9), users, seconds=1000.0, varied=False)
    rates = [found.get(f"jobs.j{i}.rate") for i in range(1, streams + 1)]
    assert rates == pytest.approx(expected.streams, rel=0.04)


@pytest.mark.parametrize(("latency", "each"), [(0.05, 11 * 0.01004), (0.2, 0.2)])
def test_a_walk_that_a_slow_target_holds_up_waits_for_users_all_the_same(latency: float, each: float) -> None:
    """An object for each file, one after the other, while the next files are read: alone, every 10 ms."""
    bucket = (
        f"  bucket: {{kind: object_store, write_latency: {latency} s, read_latency: 0 s, connection_rate: 1000 GB/s"
    )
    bucket += ", part: 8 MB, read_requests: 1000000 /s, write_requests: 1000000 /s}\n"
    link = "links: {wan: {joins: [server, bucket], rate: 1000 GB/s, latency: 0 s}}\n"
    text = (
        SCENARIO.replace("WINDOW", "128 kB").replace("RATE", "100 MB/s").replace("data:\n", bucket + link + "data:\n")
    )
    walk = WALK.replace("WORKERS", "1").replace("nowhere", "bucket")
    found = sb.simulate(text + USERS.replace("CLIENTS", "10") + "jobs:\n" + walk)
    assert found.get("jobs.walk.elapsed") == pytest.approx(5e6 * each, rel=0.01)
