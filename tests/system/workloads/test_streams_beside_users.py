"""A backup reads a disk beside users, whose requests draw the arm away: against a simulation of each request."""

import pytest
from oracles.arrival_order import Asked, Place, stream_rates
from oracles.disk import runs_beside_users

import simbackup as sb
from simbackup.equations.disk import DiskParameters
from tests.cases import for_each, grid

SCENARIO = """\
title: A disk of 100 GB, 100 MB/s, a seek of 5 ms between any two places, 6000 rpm
hosts:
  server: {cores: 4, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s,
    owns: [disk, nowhere]READS}
devices:
  nowhere: {kind: nul}
  disk: {kind: disk, capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: 5 ms, average_seek: 5 ms,
    full_stroke_seek: 5 ms, outer_rate: 100 MB/s, inner_rate: 100 MB/s, command_overhead: 0 s, stream_turn: 512 kB}
data:
  db: {on: disk, size: 20 GB}
workloads:
  users: {data: db, transactions: RATE, reads: 1, read_size: 4 KiB, cpu: 0 s, writes: 0 %}
jobs:
  full: {method: image, data: db, to: nowhere}
"""
BACK = 0.010
"""A seek and half a revolution."""
USER = BACK + 4096 / 100e6


def rate_by_events(rate: float, run: float) -> float:
    """Bytes a second of a stream that asks for its next run when one is done, in order of arrival with all users."""
    return run * runs_beside_users(rate, USER, run / 100e6, BACK)


def simulated(rate: float, reads: str = "") -> sb.Result:
    return sb.simulate(SCENARIO.replace("RATE", f"{rate} /s").replace("READS", reads))


@for_each("rate, rel", [(0.1, 0.01), (5.0, 0.01), (20.0, 0.02), (40.0, 0.04)])
def test_a_disk_comes_back_to_a_stream_after_users(rate: float, rel: float) -> None:
    assert simulated(rate).get("jobs.full.rate") == pytest.approx(rate_by_events(rate, 512e3), rel=rel)


@for_each("rate, rel", [(5.0, 0.01), (20.0, 0.02), (40.0, 0.04)])
def test_a_reader_of_windows_waits_until_the_disk_is_back(rate: float, rel: float) -> None:
    found = simulated(rate, ", read_ahead: 512 kB").get("jobs.full.rate")
    assert found == pytest.approx(rate_by_events(rate, 512e3), rel=rel)


@for_each("reads", ["", ", read_ahead: 512 kB"])
@for_each("load", ["transactions: 20 /s", "transactions: 100000 /s", "clients: 10, think_time: 0 s"])
def test_files_that_lie_together_are_read_as_an_image_of_them_is(load: str, reads: str) -> None:
    files = "size: 20 GB, files: 10, layout: together, filesystem: {model: filesystem/ext4, fragment: 512 kB}"
    scenario = SCENARIO.replace("size: 20 GB", files).replace("transactions: RATE", load).replace("READS", reads)
    image, walk = (sb.simulate(scenario.replace("method: image", f"method: {how}")) for how in ("image", "file_level"))
    assert walk.get("jobs.full.elapsed") == pytest.approx(image.get("jobs.full.elapsed"), rel=0.02)


FAR = 0.0008, 0.0085, 0.018
"""Seeks of a disk: the shortest, the mean, the longest."""
EVEN = DiskParameters(100e9, 100.0, 0.005, 0.005, 0.005, 100e6, 100e6, 0.0, 512e3)
UNEVEN = DiskParameters(100e9, 100.0, *FAR, 100e6, 50e6, 0.0, 512e3)
SEVERAL = """\
title: Data of 20 GB each, one behind the other
hosts:
  server: {{cores: 4, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s,
    read_ahead: {window} B, owns: [disk, nowhere]}}
devices:
  nowhere: {{kind: nul}}
  disk: {{kind: disk, capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: {one.track_to_track_seek} s,
    average_seek: {one.average_seek} s, full_stroke_seek: {one.full_stroke_seek} s, outer_rate: {one.outer_rate} B/s,
    inner_rate: {one.inner_rate} B/s, command_overhead: 0 s, stream_turn: 512 kB}}
data: {{d0: {{on: disk, size: 20 GB}}, d1: {{on: disk, size: 20 GB}}, d2: {{on: disk, size: 20 GB}},
  d3: {{on: disk, size: 20 GB}}, d4: {{on: disk, size: 20 GB}}}}
workloads:
  users: {{data: d{users}, {load}, reads: 1, read_size: 4096 B, cpu: 0 s, writes: 0 %}}
jobs:
"""
POISSON, CLOSED, THINKING = Asked(rate=40.0), Asked(users=4), Asked(users=4, think_time=0.1)
BUSY, MANY = Asked(rate=50.0), Asked(users=10)


def several(disk: DiskParameters, streams: tuple[int, ...], users: int, asked: Asked, window: float) -> list[float]:
    """Bytes a second of images of some of the data, beside users of others."""
    load = f"transactions: {asked.rate} /s"
    if asked.users:
        load = f"clients: {asked.users}, think_time: {asked.think_time} s"
    jobs = "".join(f"  j{i}: {{method: image, data: d{i}, to: nowhere}}\n" for i in streams)
    found = sb.simulate(SEVERAL.format(one=disk, window=int(window), users=users, load=load) + jobs)
    return [found.get(f"jobs.j{i}.rate") for i in streams]


@pytest.mark.slow
@for_each(
    "streams, asked, window", grid([(0,), (0, 1), (0, 1, 2)], [POISSON, BUSY, CLOSED, MANY, THINKING], [512e3, 4e6])
)
def test_streams_and_users_share_a_disk_as_in_order_of_arrival(
    streams: tuple[int, ...], asked: Asked, window: float
) -> None:
    """Before a run of several streams, the disk was at another stream or at users: it loses one way, not two."""
    places = [Place(i * 20e9, 20e9) for i in streams]
    expected = stream_rates(EVEN, places, window, places[0], asked)
    assert several(EVEN, streams, 0, asked, window) == pytest.approx(expected, rel=0.06)


@pytest.mark.slow
@for_each("streams, users", [((0,), 4), ((0,), 0), ((0,), 2), ((0, 1), 4), ((0, 4), 2), ((0, 4), 0)])
@for_each("asked", [Asked(rate=10.0), POISSON], ids=str)
def test_a_stream_pays_for_both_ways_to_users_far_away(streams: tuple[int, ...], users: int, asked: Asked) -> None:
    """A stream outside, and users inside: the first of them costs more than one after another of theirs."""
    places = [Place(i * 20e9, 20e9) for i in streams]
    found = several(UNEVEN, streams, users, asked, 512e3)
    seconds = min(20e9 / rate for rate in found)
    expected = stream_rates(UNEVEN, places, 512e3, Place(users * 20e9, 20e9), asked, seconds=min(seconds, 500.0))
    assert found == pytest.approx(expected, rel=0.06)


def test_users_who_are_locked_out_draw_no_arm_away() -> None:
    """All of them write, and wait from the instant in which the dump that reads their disk begins."""
    database = (
        "{dump_ratio: 1, dump_cpu: 0.001 ns/B, load_cpu: 0.001 ns/B, replay_cpu: 0.001 ns/B, flush_time: 0 s,"
        " locks_for_snapshot: true}"
    )
    target = (
        "{kind: ssd, capacity: 100 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}"
    )
    dump = (
        SCENARIO.replace("size: 20 GB}", f"size: 20 GB, database: {database}}}")
        .replace("nowhere: {kind: nul}", f"nowhere: {target}")
        .replace("method: image", "method: logical_dump")
        .replace("RATE", "20 /s")
        .replace("READS", "")
    )
    beside, locked = (sb.simulate(dump.replace("writes: 0 %", f"writes: {share} %")) for share in (0, 100))
    assert beside.get("jobs.full.rate") == pytest.approx(rate_by_events(20.0, 512e3), rel=0.02)
    assert locked.get("jobs.full.rate") == pytest.approx(100e6, rel=1e-3)
