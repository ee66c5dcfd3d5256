"""Groups of workers in the engine, as flows whose requests go round, joined by buffers, against each event."""

import math
import random
import statistics
from functools import cache
from typing import Any, NamedTuple

import pytest
import simpy
from oracles.worker_groups import ALONE, KINDS, MEETING, Case, Group, case, found, simulate

import simbackup as sb
from simbackup.devices.closed_network import ClosedClass
from simbackup.engine.buffer import Buffer
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.equations import disk as disks
from simbackup.equations.disk import scattered_seek_time, waiting_seek_time
from tests.cases import for_each

SETTLED, END = 1000.0, 2000.0
"""Seconds after which buffers are full or empty, and to which rates are measured."""


def rounds_of(group: Group, stations: list[Link], name: str) -> ClosedClass:
    """How each item of a group goes round."""
    parts = {(stations[k].name, "work"): seconds for k, seconds in group.visits}
    parts |= {(name, "delay"): group.delay} if group.delay > 0.0 else {}
    demands = {stations[k]: seconds for k, seconds in group.visits}
    return ClosedClass(group.workers, parts, demands, visits=dict.fromkeys(demands, 1.0))


def rates(one: Case) -> list[float]:
    """Items a second of each job, in the engine."""
    env = simpy.Environment()
    network = FlowNetwork(env)
    stations = [Link(f"stations.{i}", float(servers), pooled=True) for i, servers in enumerate(one.servers)]
    last = list[Flow]()
    for number, job in enumerate(one.jobs):
        flows = list[Flow]()
        for i, group in enumerate(job.groups):
            name = f"jobs.{number}.{i}"
            going = rounds_of(group, stations, name)
            alone = group.workers / sum(going.parts.values())
            flows.append(network.start(name, "work", math.inf, going.demands, cap=alone, customers=going))
        for i, places in enumerate(job.buffers):
            buffer = Buffer(network, float(places), f"buffers.{number}.{i}")
            buffer.fill(flows[i])
            buffer.drain(flows[i + 1])
        last.append(flows[-1])
    env.run(until=SETTLED)
    before = [flow.completed for flow in last]
    env.run(until=END)
    return [(flow.completed - done) / (END - SETTLED) for flow, done in zip(last, before, strict=True)]


class Errors(NamedTuple):
    """Of the rates of many jobs: the median, the 90th percentile and the worst."""

    median: float
    most: float
    worst: float


@cache
def answers(seeds: range) -> dict[int, list[float]]:
    """Rates of the judging half of some cases."""
    return {seed: rates(case(seed)) for seed in seeds if seed % 2}


def errors(seeds: range, kind: str) -> Errors:
    """How far the judging half of some cases is from the simulation with services of a kind."""
    off = sorted(
        abs(rate / true.rate - 1.0)
        for seed, got in answers(seeds).items()
        for rate, true in zip(got, found()[seed, kind], strict=True)
    )
    return Errors(statistics.median(off), off[int(0.9 * len(off))], off[-1])


@pytest.mark.slow
@pytest.mark.xdist_group("worker groups")
@pytest.mark.parametrize(
    ("kind", "bounds"),
    [
        ("exponential", Errors(0.006, 0.040, 0.145)),
        ("erlang", Errors(0.010, 0.043, 0.150)),
        ("constant", Errors(0.008, 0.130, 0.195)),
    ],
)
def test_a_job_of_groups_goes_as_fast_as_event_by_event(kind: str, bounds: Errors) -> None:
    assert all(error <= bound for error, bound in zip(errors(ALONE, kind), bounds, strict=True)), errors(ALONE, kind)


@pytest.mark.slow
@pytest.mark.xdist_group("worker groups")
@pytest.mark.parametrize(
    ("kind", "bounds"),
    [
        ("exponential", Errors(0.038, 0.176, 0.240)),
        ("erlang", Errors(0.042, 0.161, 0.235)),
        ("constant", Errors(0.047, 0.218, 0.340)),
    ],
)
def test_jobs_that_meet_go_as_fast_as_event_by_event(kind: str, bounds: Errors) -> None:
    assert all(error <= bound for error, bound in zip(errors(MEETING, kind), bounds, strict=True)), errors(
        MEETING, kind
    )


@pytest.mark.parametrize("seed", [3, 13, 15])
def test_a_few_jobs_do(seed: int) -> None:
    assert rates(case(seed)) == [pytest.approx(each.rate, rel=0.13) for each in found()[seed, "exponential"]]


@pytest.mark.slow
def test_the_table_has_each_case_as_it_is_simulated() -> None:
    assert found().keys() == {(seed, kind) for seed in (*ALONE, *MEETING) for kind in KINDS}
    assert max(each.error for jobs in found().values() for each in jobs) <= 0.003
    for kind in KINDS:
        assert [each.rate for each in simulate(case(3), kind, 3)] == [
            pytest.approx(each.rate, rel=1e-4) for each in found()[3, kind]
        ]


# Several workers at rotating disks: the more requests wait, the nearer is the next one
FILES, EACH, RECORD, RATE = 100_000, 8192.0, 1024.0, 100e6
DISK = disks.DiskParameters(1e12, 120.0, 1e-3, 8.5e-3, 18e-3, RATE, RATE, 0.3e-3, 1e6)
SITE = """\
title: Workers read small files that lie anywhere on a disk
hosts:
  server: {cores: 64, memory: 1 GiB, dirty_limit: 20 %, dirty_background: 0 %, copy_rate: 900 GB/s, owns: [a, nul]}
devices:
  a: {kind: disk, capacity: 1 TB, rotation_speed: 120 /s, track_to_track_seek: 1 ms, average_seek: 8.5 ms,
    full_stroke_seek: 18 ms, outer_rate: 100 MB/s, inner_rate: 100 MB/s, command_overhead: 0.3 ms, stream_turn: 1 MB}
  nul: {kind: nul}
data:
  files: {on: a, size: 1 TB, files: 100_000, file_size: 8 KiB, layout: scattered,
    filesystem: {cpu_per_file: 0 s/file, reads_per_file: 1, record: 1 KiB, fragment: 64 KiB}}
jobs:
  walk: {method: file_level, data: files, to: nul, serial_share: 0 %, tool: {start_time: 0 s, mount_time: 0 s}}
"""
ROTATION, OVERHEAD = 0.5 / 120.0, 0.3e-3
MOVED = (EACH + RECORD) / RATE
"""Seconds in which the record and the data of a file pass the heads."""


def seconds(workers: int, changes: dict[str, Any] | None = None) -> float:
    """Seconds of a file when so many workers read all of them."""
    found = sb.simulate(SITE, {"jobs.walk.tool.workers": workers, **(changes or {})})
    return found.get("jobs.walk.elapsed") / FILES


def by_hand(workers: int, at_each: float) -> float:
    """Seconds of a file by mean value analysis, for workers who do nothing but wait for one disk.

    A request finds those of all others, which take what the disk takes on its way: N / X = S(1) + (N - 1) S(n).
    """
    alone, served = (
        2.0 * (waiting_seek_time(DISK, 1.0, number) + ROTATION + OVERHEAD) + MOVED for number in (1.0, at_each)
    )
    return (alone + (workers - 1.0) * served) / workers


def one_by_one(workers: int, requests: int = 20_000) -> float:
    """Seconds of a request of such workers, each simulated: the disk goes on to the nearest place ahead of its arm.

    Behind the last one it returns to the first (C-LOOK), and who has been served asks for a new place at random.
    """
    draws, arm, now = random.Random(1), 0.0, 0.0  # noqa: S311 (no secret)
    places = [draws.random() for _ in range(workers)]
    for _ in range(requests):
        ahead = [place for place in places if place >= arm]
        following = min(ahead or places)
        now += disks.seek_time(DISK, abs(following - arm)) + draws.random() / 120.0 + OVERHEAD + MOVED / 2.0
        places.remove(following)
        places.append(draws.random())
        arm = following
    return now / requests


@for_each("workers", [1, 2, 8, 32])
def test_many_workers_are_served_on_the_way_of_the_arm(workers: int) -> None:
    found = seconds(workers)
    assert found == pytest.approx(by_hand(workers, workers), rel=1e-3)
    assert found / 2.0 == pytest.approx(one_by_one(workers), rel=0.1)


def test_one_worker_seeks_a_mean_distance() -> None:
    one = scattered_seek_time(DISK, 1.0) + ROTATION + OVERHEAD
    assert seconds(1) == pytest.approx(2.0 * one + MOVED, rel=1e-3)


def test_more_workers_never_take_longer() -> None:
    times = [seconds(workers) for workers in (1, 2, 3, 4, 6, 8, 16, 64)]
    assert times == sorted(times, reverse=True)
    assert times[0] / times[-1] == pytest.approx(1.9, abs=0.1)


def test_the_disks_of_an_array_have_a_part_of_the_workers_each() -> None:
    """Eight workers at four disks, two at each: as fast as two at one, four times."""
    member = SITE[SITE.index("capacity: 1 TB") : SITE.index("}\n  nul")]
    array = SITE.replace(
        SITE[SITE.index("  a: {") : SITE.index("}\n  nul")],
        f"  a: {{kind: raid, level: 0, stripe_unit: 64 KiB, controller_overhead: 0 s, disks: 4, disk: {{{member}}}",
    ).replace("size: 1 TB", "size: 4 TB")
    found = sb.simulate(array, {"jobs.walk.tool.workers": 8}).get("jobs.walk.elapsed") / FILES
    alone, served = (
        2.0 * (waiting_seek_time(DISK, 1.0, number) + ROTATION + OVERHEAD) + MOVED for number in (1.0, 2.0)
    )
    assert found == pytest.approx((alone + 7.0 / 4.0 * served) / 8.0, rel=1e-3)
