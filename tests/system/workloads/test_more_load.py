"""More users, less thought or more streams: nobody gets more by it."""

from itertools import pairwise
from typing import NamedTuple

import pytest

import simbackup as sb
from simbackup.errors import InputError
from tests.cases import for_each, some

SCENARIO = """\
title: Users and backups of data on one device
hosts:
  server: {cores: 4, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1 GB/s,
    owns: [disk, nowhere]READS}
devices:
  nowhere: {kind: nul}
  disk: {KIND}
data: {d0: {on: disk, size: 20 GB}, d1: {on: disk, size: 20 GB}, d2: {on: disk, size: 20 GB}}
workloads:
  users: {data: d0, LOAD, ASKED, writes: 0 %}
jobs:
"""
DISK = """capacity: 100 GB, rotation_speed: 7200 rpm, track_to_track_seek: 1 ms, average_seek: 8 ms,
    full_stroke_seek: 16 ms, outer_rate: 120 MB/s, inner_rate: 60 MB/s, command_overhead: 0.2 ms,
    stream_turn: 256 KiB"""
ARRAY = 'kind: raid, level: "LEVEL", disks: NUMBER, stripe_unit: 64 KiB, controller_overhead: 0.1 ms, disk: {DISK}'
DEVICES = {
    "disk": f"kind: disk, {DISK}",
    "raid0": ARRAY.replace("LEVEL", "0").replace("NUMBER", "4").replace("DISK", DISK),
    "raid6": ARRAY.replace("LEVEL", "6").replace("NUMBER", "8").replace("DISK", DISK) + ", prefetches: true",
    "raid10": ARRAY.replace("LEVEL", "10").replace("NUMBER", "4").replace("DISK", DISK),
    "ssd": "kind: ssd, capacity: 100 GB, read_rate: 500 MB/s, write_rate: 300 MB/s, read_latency: 0.1 ms,\n"
    "    write_latency: 0.1 ms",
}
READ, SEVERAL = "reads: 1, read_size: 8 KiB, cpu: 0 s", "reads: 4, read_size: 16 KiB, cpu: 1 ms"
UPDATE = "reads: 1, read_size: 4 KiB, cpu: 0.1 ms, updates: 2"


class Found(NamedTuple):
    """Transactions a second, seconds of one, and bytes a second of a backup."""

    rate: float
    response: float
    stream: float


def run(device: str, load: str, asked: str, streams: int, window: str = "") -> Found:
    jobs = "".join(f"  j{i}: {{method: image, data: d{i}, to: nowhere}}\n" for i in range(streams))
    jobs = jobs or "  j0: {method: observe, workload: users, duration: 100 s}\n"
    text = SCENARIO.replace("KIND", DEVICES[device]).replace("LOAD", load).replace("ASKED", asked)
    found = sb.simulate(text.replace("READS", f", read_ahead: {window}" if window else "") + jobs)
    users = "workloads.users.j0"
    rate = found.get("jobs.j0.rate") if streams else 0.0
    return Found(found.get(f"{users}.rate"), found.get(f"{users}.response"), rate)


def rises(found: list[float]) -> bool:
    """Whether no figure is below the one before it, by more than a share that rounds of settling leave."""
    return all(after >= before * 0.998 for before, after in pairwise(found))


@pytest.mark.slow
@for_each(
    "device, asked, streams, window",
    [
        ("disk", SEVERAL, 2, "128 KiB"),
        ("disk", UPDATE, 2, ""),
        ("raid0", SEVERAL, 2, ""),
        ("raid0", READ, 3, "8 MB"),
        ("raid6", SEVERAL, 2, ""),
        ("raid10", READ, 2, "128 KiB"),
        ("raid10", UPDATE, 2, ""),
        ("ssd", READ, 2, "128 KiB"),
    ],
)
@for_each("think", some([0.0, 1.0, 0.1], 2))
def test_the_more_users_wait_the_longer_each_does(
    device: str, asked: str, streams: int, window: str, think: float
) -> None:
    found = [run(device, f"clients: {n}, think_time: {think} s", asked, streams, window) for n in (1, 2, 5, 20, 100)]
    assert rises([one.response for one in found])
    assert rises([one.rate for one in found])
    assert rises([1.0 / one.stream for one in found])


@for_each("device", DEVICES)
@for_each("asked", [READ, UPDATE])
def test_the_more_come_at_random_the_longer_each_takes(device: str, asked: str) -> None:
    found = [run(device, f"transactions: {rate} /s", asked, 2) for rate in (0.01, 1, 10, 40)]
    assert rises([one.response for one in found])
    assert rises([1.0 / one.stream for one in found])


@pytest.mark.slow
@for_each("device", DEVICES)
@for_each("load", ["transactions: 20 /s", "clients: 5", "clients: 5, think_time: 0.1 s"])
def test_the_more_streams_the_longer_users_wait(device: str, load: str) -> None:
    found = [run(device, load, SEVERAL, streams) for streams in (0, 1, 2, 3)]
    assert rises([one.response for one in found])
    assert rises([1.0 / one.rate for one in found])


@for_each(
    "device, load, groups",
    [
        ("disk", "transactions: {} /s", (300, 100)),
        ("raid0", "transactions: {} /s", (1000, 1000)),
        ("ssd", "clients: {}, think_time: 1 ms", (100, 50)),
        ("ssd", "transactions: {} /s", (40_000, 40_000)),
    ],
)
def test_several_groups_leave_a_stream_what_one_does(device: str, load: str, groups: tuple[int, int]) -> None:
    """A device has too little time for all: what the groups get is in proportion to what they ask for."""
    text = SCENARIO.replace("KIND", DEVICES[device]).replace("ASKED", READ).replace("READS", "")
    text += "  j0: {method: image, data: d1, to: nowhere}\n"
    others = f"  others: {{data: d0, {load.format(groups[1])}, {READ}, writes: 0 %}}\njobs:\n"
    whole = sb.simulate(text.replace("LOAD", load.format(sum(groups))))
    parts = sb.simulate(text.replace("LOAD", load.format(groups[0])).replace("jobs:\n", others))
    assert parts.get("jobs.j0.elapsed") == pytest.approx(whole.get("jobs.j0.elapsed"), rel=0.01)
    rates = [parts.get(f"workloads.{name}.j0.rate") for name in ("users", "others")]
    expected = [whole.get("workloads.users.j0.rate") * group / sum(groups) for group in groups]
    assert rates == pytest.approx(expected, rel=0.01)


def test_a_job_that_users_leave_nothing_is_named() -> None:
    with pytest.raises(InputError, match=r":\d+:\d+: jobs\.j0: never ends, as others leave nothing"):
        run("disk", "clients: 1000000000, think_time: 0 s", READ, 1, "128 KiB")
