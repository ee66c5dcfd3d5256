"""Disks, arrays, flash and cloud volumes, request by request and against figures of their vendors."""

import heapq
import random
from dataclasses import replace
from pathlib import Path

import pytest
import simpy
from oracles.bursts import busy_time
from oracles.raid import Stripes, rewrite, small_write_operations

import simbackup as sb
from simbackup.devices.cloud_disk.live import CloudDisk, Limits
from simbackup.devices.disk.live import Disk, Sweep
from simbackup.devices.raid.live import ArrayLayout, Controller, FlashArray, Raid
from simbackup.devices.ssd.live import Flash, Ssd
from simbackup.devices.store import Direction, Region
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Spot
from simbackup.engine.network import FlowNetwork
from simbackup.equations import disk as disks
from simbackup.equations import raid
from simbackup.equations.burst import Bucket
from simbackup.equations.disk import DiskParameters, cylinder
from simbackup.equations.disk_turns import sweep_turn_time, turn_size
from simbackup.randomness import generator
from simbackup.results.result import Result
from simbackup.results.shown import note_rows
from tests.cases import for_each

FIGURES = disks.DiskParameters(
    capacity=100e9,
    rotation_speed=100.0,  # 10 ms a revolution
    track_to_track_seek=1e-3,
    average_seek=5e-3,
    full_stroke_seek=9e-3,
    outer_rate=50e6,
    inner_rate=50e6,  # one rate, so that a cylinder is in proportion to its bytes
    command_overhead=0.5e-3,
    stream_turn=1e6,
)
UNIT = 64 * 1024.0
HALF, OVERHEAD = 5e-3, 0.5e-3


def array(level: raid.Level, count: int, controller: float = 1e12) -> Raid:
    return Raid("devices.array", ArrayLayout(level, count, UNIT), FIGURES, Controller(controller))


@for_each("level, count, parallel, again", [("0", 4, 1, 0), ("1", 2, 2, 0), ("5", 5, 2, 1), ("6", 6, 3, 1)])
def test_a_small_write_pays_for_copies_and_parity(level: raid.Level, count: int, parallel: int, again: int) -> None:
    service = array(level, count).request("write", 0.0, 0.0, 4096.0)
    transfer = 4096 / 50e6
    assert service.latency == pytest.approx(0.01 * parallel / (parallel + 1) + OVERHEAD + transfer + again * 0.01)
    assert service.busy == pytest.approx(parallel * (HALF + OVERHEAD + transfer + again * 0.01) / count)


@for_each("level", ["0", "1", "5", "6"])
def test_no_request_occupies_an_array_longer_than_it_lasts(level: raid.Level) -> None:
    store = array(level, 6)
    for size in (512.0, 4096.0, UNIT, 3 * UNIT, 20 * UNIT):
        for direction in ("read", "write"):
            service = store.request(direction, 0.0, 10e9, size)
            assert 0.0 < service.busy <= service.latency


def test_a_parity_disk_of_its_own_bounds_small_writes() -> None:
    """Each write reads parity and writes it a revolution later, however many data disks there are."""
    few, many = array("4", 5).request("write", 0.0, 0.0, 4096.0), array("4", 21).request("write", 0.0, 0.0, 4096.0)
    assert few.busy == pytest.approx(HALF + OVERHEAD + 0.01 + 4096 / 50e6)
    assert many.busy == few.busy
    assert array("5", 21).request("write", 0.0, 0.0, 4096.0).busy < few.busy / 4


def test_groups_have_parity_each_and_work_side_by_side() -> None:
    one, two = (Raid("devices.a", ArrayLayout("dp", 8 * groups, UNIT, groups), FIGURES) for groups in (1, 2))
    assert (one.size, two.size) == (6 * 100e9, 12 * 100e9)
    assert two.stream("write", 0.0, 1e9) == pytest.approx(one.stream("write", 0.0, 1e9) / 2)
    small = (one.request("write", 0.0, 0.0, 4096.0), two.request("write", 0.0, 0.0, 4096.0))
    assert small[1].latency == small[0].latency
    assert small[1].busy == pytest.approx(small[0].busy / 2)


def beside(stores: Disk | Raid, places: list[tuple[float, float, bool]]) -> float:
    """Seconds in which streams of 200 MB each pass side by side, with so many bytes at once, read or written."""
    env = simpy.Environment()
    network, going = FlowNetwork(env), list[simpy.Event]()
    for i, (begin, run, writes) in enumerate(places):
        shape = Region(stores, begin, 200e6).streaming("write" if writes else "read").ahead(run)
        going.append(shape.start(network, f"jobs.{i}", "move", 200e6).done)
    env.run(until=env.all_of(going))
    return env.now


@pytest.mark.parametrize(("level", "rewritten"), [("5", 2), ("6", 3)])
def test_a_small_write_with_parity_occupies_its_disks_until_what_they_read_comes_round(
    level: raid.Level, rewritten: int
) -> None:
    """Every phase of every disk, tried one by one."""
    done, free = rewrite(rewritten, phases=24)
    service = array(level, 8).request("write", 0.0, 0.0, 4096.0)
    transfer = OVERHEAD + 4096 / 50e6
    assert service.latency == pytest.approx(done * 0.01 + transfer, rel=0.02)
    assert service.busy * 8 / rewritten == pytest.approx(free * 0.01 + transfer, rel=0.02)


@for_each("level, revolutions", [("0", 1), ("1", 1), ("10", 1), ("5", 2), ("6", 2)])
def test_a_synchronous_small_write_with_parity_takes_two_revolutions(level: raid.Level, revolutions: int) -> None:
    """Its place has just passed: one until it is read, another until it is written."""
    service = array(level, 6).append(0.0, 4096.0)
    assert service.latency == pytest.approx(revolutions * 0.01)


def test_a_write_that_finds_a_cache_is_done_when_it_is_there() -> None:
    through, cached = (
        Raid("devices.a", ArrayLayout("5", 5, UNIT), FIGURES, controller)
        for controller in (
            Controller(controller_overhead=0.2e-3),
            Controller(400e6, controller_overhead=0.2e-3, write_cache=64e6),
        )
    )
    slow, fast = (store.request("write", 0.0, 10e9, 4096.0) for store in (through, cached))
    assert fast.latency == pytest.approx(0.2e-3 + 4096 / 400e6)
    assert fast.busy == slow.busy  # it has to go to the disks all the same
    assert cached.append(0.0, 4096.0).busy == pytest.approx(4096 / 200e6)  # whole stripes of four data disks


def without_a_disk(level: raid.Level) -> tuple[Raid, Raid]:
    whole, lost = (Raid("devices.a", ArrayLayout(level, 8, UNIT, failed=n), FIGURES) for n in (0, 1))
    return whole, lost


def reads_side_by_side(touched: int, disks_in_all: int, requests: int) -> float:
    """Requests a second of many at once, disk by disk: each is done when the last of its disks is, and then comes anew.

    Every disk serves in order of arrival, and needs half a revolution on average.
    """
    rng, free, done = generator(5, "places"), [0.0] * disks_in_all, 0
    under_way = [(0.0, number) for number in range(requests)]
    heapq.heapify(under_way)
    while done < 40_000:
        now, number = heapq.heappop(under_way)
        first, ends = int(rng.uniform(0.0, disks_in_all)), 0.0
        for each in range(touched):
            disk = (first + each) % disks_in_all
            free[disk] = max(free[disk], now) + rng.uniform(0.0, 2 * HALF) + OVERHEAD + UNIT / 50e6
            ends = max(ends, free[disk])
        heapq.heappush(under_way, (ends, number))
        done += 1
    return done / under_way[0][0]


@pytest.mark.slow
@for_each("touched", [1, 2, 4, 8])
def test_a_disk_that_has_read_its_part_goes_on_to_another_request(touched: int) -> None:
    """Many reads at once keep all disks at work: `1 / busy` a second, though each waits for its slowest disk."""
    array = Raid("devices.a", ArrayLayout("0", 8, UNIT), FIGURES)
    service = array.request("read", 0.0, 0.0, touched * UNIT)
    assert reads_side_by_side(touched, 8, 200) == pytest.approx(1 / service.busy, rel=0.03)


def test_without_a_disk_the_other_half_of_a_mirror_reads_for_both() -> None:
    whole, lost = without_a_disk("10")
    before, after = (store.request("read", 0.0, 0.0, 4096.0) for store in (whole, lost))
    assert (after.latency, after.busy) == pytest.approx((before.latency, 2 * before.busy))
    one = HALF + OVERHEAD + 4096 / 50e6
    assert lost.request("write", 0.0, 0.0, 4096.0).busy == pytest.approx(2 * one / 8)


# What streams lose on a disk, kept up as they come and go
DISK = DiskParameters(100e9, 120.0, 0.8e-3, 8.5e-3, 18e-3, 80e6, 40e6, 0.2e-3, 512 * 1024)


def test_a_sweep_that_is_kept_up_is_that_of_the_equation() -> None:
    draw = random.Random(1)  # noqa: S311
    sweep, places = Sweep(DISK), list[float]()
    for _ in range(300):
        if places and draw.random() < 0.45:
            sweep.remove(places.pop(draw.randrange(len(places))))
        else:
            places.append(draw.choice([draw.random(), 0.25]))  # some at the same place
            sweep.add(places[-1])
        if places:
            assert sweep.mean() == pytest.approx(sweep_turn_time(DISK, places), rel=1e-14)


def test_streams_lose_a_turn_after_each_run_while_others_are_there() -> None:
    disk = Disk("devices.sda", DISK)
    network = FlowNetwork(simpy.Environment())

    def begun(begin: float, **moved: float) -> Flow:
        moves = {disk.link: moved.get("bytes", 1.0)}
        return network.start(
            "jobs.a", "read", 1e9, {disk.link: 1e-8}, moves=moves, places={disk.link: Spot(begin, 1e6)}
        )

    streams = [begun(0.0), begun(30e9), begun(90e9, bytes=2.0)]
    turn = sweep_turn_time(DISK, [cylinder(DISK, begin) for begin in (0.0, 30e9, 90e9)])
    assert [disk.link.lost(flow) for flow in streams] == pytest.approx(
        [size * turn / turn_size(DISK, 1e6) for size in (1.0, 1.0, 2.0)]
    )
    network.stop(streams[1])
    turn = sweep_turn_time(DISK, [cylinder(DISK, begin) for begin in (0.0, 90e9)])
    assert disk.link.lost(streams[0]) == pytest.approx(turn / turn_size(DISK, 1e6))
    network.stop(streams[2])
    assert disk.link.lost(streams[0]) == 0.0  # alone again


# Arrays of flash
FLASH_DISK = Flash(capacity=1e12, read_rate=500e6, write_rate=250e6, read_latency=100e-6, write_latency=30e-6)
LEVELS: tuple[tuple[raid.Level, int], ...] = (("0", 4), ("10", 8), ("5", 3), ("5", 5), ("5", 8), ("6", 8))


def array_flash(level: raid.Level, disks: int, controller: Controller | None = None, groups: int = 1) -> FlashArray:
    return FlashArray("devices.a", ArrayLayout(level, disks, UNIT, groups), FLASH_DISK, controller or Controller())


def test_one_disk_without_parity_is_that_disk() -> None:
    one = Ssd("devices.s", Flash(1e12, 500e6, 250e6, 100e-6, 30e-6))
    striped = array_flash("0", 1)
    assert striped.size == one.size
    for size in (4096.0, UNIT, 1e6):
        assert striped.request("read", 0.0, 5e9, size) == pytest.approx(one.request("read", 0.0, 5e9, size))
        assert striped.append(5e9, size) == pytest.approx(one.append(5e9, size))
    assert striped.stream("write", 0.0, 1e9) == one.stream("write", 0.0, 1e9)


@for_each("level, disks", LEVELS)
@for_each("size", [512.0, 4096.0, UNIT, 2 * UNIT])
def test_a_write_takes_what_its_disks_take_one_by_one(level: raid.Level, disks: int, size: float) -> None:
    alone = Stripes(level, disks, UNIT, FLASH_DISK).many("write", size, at_once=1, rounds=1)
    assert array_flash(level, disks).request("write", 0.0, 0.0, size).latency == pytest.approx(alone, rel=0.02)


@pytest.mark.slow
@for_each("level, disks", LEVELS)
def test_many_writes_take_the_time_of_all_disks(level: raid.Level, disks: int) -> None:
    full = Stripes(level, disks, UNIT, FLASH_DISK).many("write", 4096.0, at_once=400, rounds=6000 // disks**2)
    assert array_flash(level, disks).request("write", 0.0, 0.0, 4096.0).busy == pytest.approx(full, rel=0.02)


DEGRADED: tuple[tuple[raid.Level, int], ...] = (("10", 8), ("5", 3), ("5", 5), ("5", 8), ("6", 8))


@for_each("level, disks", DEGRADED)
@for_each("size", [4096.0, 2 * UNIT])
@for_each("direction", ["read", "write"])
def test_without_a_disk_requests_take_what_those_left_take(
    level: raid.Level, disks: int, size: float, direction: Direction
) -> None:
    """Every place beside the missing disk, request by request."""
    store = FlashArray("devices.a", ArrayLayout(level, disks, UNIT, failed=1), FLASH_DISK, Controller())
    found, alone = store.request(direction, 0.0, 0.0, size), Stripes(level, disks, UNIT, FLASH_DISK, missing=0)
    assert found.latency == pytest.approx(alone.many(direction, size, at_once=1, rounds=1), rel=0.02)
    each = [seconds / alone.places for seconds in alone.seconds[1:]]
    busy = max(each) if level == "10" else sum(each) / len(each)  # only mirrors have a partner that bears it all
    assert found.busy == pytest.approx(busy, rel=0.02)


@pytest.mark.slow
@for_each("direction", ["read", "write"])
@for_each("level, disks", [("10", 8), ("5", 5), ("5", 8)])
def test_without_a_disk_many_requests_take_the_time_of_those_left(
    level: raid.Level, disks: int, direction: Direction
) -> None:
    store = FlashArray("devices.a", ArrayLayout(level, disks, UNIT, failed=1), FLASH_DISK, Controller())
    full = Stripes(level, disks, UNIT, FLASH_DISK, missing=0).many(
        direction, 4096.0, at_once=400, rounds=6000 // disks**2
    )
    assert store.request(direction, 0.0, 0.0, 4096.0).busy == pytest.approx(full, rel=0.02)


@for_each("level, disks", [("0", 4), ("1", 2), ("10", 8), ("5", 8), ("6", 8)])
def test_small_writes_cost_what_the_literature_counts(level: raid.Level, disks: int) -> None:
    """At equal rates of reading and writing, bytes times operations (Patterson, Gibson and Katz 1988)."""
    even = Flash(1e12, 500e6, 500e6, 100e-6, 30e-6)
    store = FlashArray("devices.a", ArrayLayout(level, disks, UNIT), even, Controller())
    operations = small_write_operations(level)
    assert store.request("write", 0.0, 0.0, 4096.0).busy * disks == pytest.approx(operations * 4096 / 500e6)


def test_parity_disks_of_their_own_bound_small_writes() -> None:
    few, many = (array_flash("4", disks).request("write", 0.0, 0.0, 4096.0).busy for disks in (5, 21))
    assert few == many == pytest.approx(4096 / 500e6 + 4096 / 250e6)
    assert array_flash("4", 20, groups=4).request("write", 0.0, 0.0, 4096.0).busy == pytest.approx(few / 4)


def test_a_write_cache_answers_before_the_disks_have_it() -> None:
    plain, cached = (
        array_flash("5", 5),
        array_flash("5", 5, Controller(2e9, controller_overhead=50e-6, write_cache=1e9)),
    )
    small = cached.request("write", 0.0, 0.0, 4096.0)
    assert small.latency == pytest.approx(50e-6 + 4096 / 2e9)
    assert small.busy == plain.request("write", 0.0, 0.0, 4096.0).busy
    assert cached.append(0.0, 4096.0).busy == pytest.approx(4096 / 1e9)  # whole stripes of four data disks


def test_a_controller_that_reads_ahead_has_read_what_comes_next() -> None:
    ahead = array_flash("5", 5, Controller(controller_overhead=20e-6, prefetches=True))
    assert ahead.continued(0.0, 1e6).latency == pytest.approx(20e-6)  # it is in the cache
    assert ahead.continued(0.0, 1e6).busy == pytest.approx(1e6 / 2.5e9)
    assert array_flash("5", 5).continued(0.0, 4096.0) == array_flash("5", 5).request("read", 0.0, 0.0, 4096.0)


@for_each("level, disks", [*LEVELS, ("1", 2), ("4", 5), ("dp", 8)])
def test_no_request_occupies_the_array_longer_than_it_lasts(level: raid.Level, disks: int) -> None:
    store = array_flash(level, disks)
    for size in (512.0, 4096.0, UNIT, 3.5 * UNIT, 20 * UNIT):
        for direction in ("read", "write"):
            service = store.request(direction, 0.0, 0.0, size)
            assert 0.0 < service.busy <= service.latency


BUSY = replace(FLASH_DISK, read_requests=50e3, write_requests=10e3)


def test_small_writes_of_an_array_share_the_number_that_its_disks_take() -> None:
    """RAID 5 reads and writes two blocks for a small one; RAID 10 writes two."""
    for level, many, seconds in (("10", 8, 2 / 10e3), ("5", 8, 2 / 50e3 + 2 / 10e3)):
        store = FlashArray("devices.a", ArrayLayout(level, many, UNIT), BUSY, Controller())
        assert store.request("write", 0.0, 0.0, 4096.0).busy == pytest.approx(seconds / many)


# Cloud volumes against the tables of their vendor and against the closed form of a token bucket
CLOUD_UNIT = 262_144.0
SITE = """\
title: A host with a cloud volume, whose cores never limit
hosts:
  host: {owns: [v, w], cores: 64, memory: 1000 TB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 1 TB/s,
    speed: 1}
devices:
  v: {kind: cloud_disk, capacity: 10 TB, rate: RATE, iops: 3000 /s, operation_size: 256 KiB, latency: 1 ms,
    baseline_iops: 300 /s, credits: 540000SAVED}
  w: {kind: ssd, capacity: 10 TB, read_rate: 1 TB/s, write_rate: 900 TB/s, read_latency: 0 s, write_latency: 0 s}
data:
  d: {on: v, size: SIZE}
  e: {on: v, size: SIZE}
jobs:
"""
READ = "  read: {method: image, data: d, to: w}\n"
BUCKET = Bucket(3000.0, 300.0, 540_000.0)


def run(tmp_path: Path, operations: float, jobs: str = READ, rate: str = "1 TB/s", saved: str = "") -> Result:
    text = SITE.replace("RATE", rate).replace("SAVED", saved).replace("SIZE", f"{operations * CLOUD_UNIT:.0f} B")
    (tmp_path / "case.yaml").write_text(text + jobs, encoding="utf-8")
    return sb.simulate(tmp_path / "case.yaml")


@for_each("operations", [1e5, 5.9e5, 6.1e5, 2e6])
def test_a_long_read_bursts_until_its_credits_are_used_up(tmp_path: Path, operations: float) -> None:
    result = run(tmp_path, operations)
    assert result.get("jobs.read.elapsed") == pytest.approx(busy_time(BUCKET, 540_000.0, operations), rel=1e-6)
    dry = [event.time for event in result.trace.events if event.what == "has used up its credits"]
    assert dry == ([pytest.approx(200.0)] if operations > 6e5 else [])
    (pipe,) = [device for device in result.trace.devices if device.address == "devices.v.throughput"]
    without_s = (operations - 6e5) / 300.0 + operations * CLOUD_UNIT / 900e12 if dry else 0.0
    assert pipe.data["without_s"] == pytest.approx(without_s, rel=1e-6)
    assert pipe.data["state"].endswith(
        "of its credits left"
        if not dry
        else {
            6.1e5: "0% of its credits left, none for 33.33 s",
            2e6: "0% of its credits left, none for 1 h 17 min 47 s",
        }[operations]
    )


def test_a_volume_without_credits_does_its_baseline(tmp_path: Path) -> None:
    assert run(tmp_path, 3e4, saved=", saved_up: 0 %").get("jobs.read.elapsed") == pytest.approx(100.0, rel=1e-6)


def test_idle_time_brings_credits_back(tmp_path: Path) -> None:
    # 200 s of burst and 100 s of baseline; 500 s of rest bring 150 000 credits, which last for 55.6 s of burst
    again = "  again: {method: image, data: d, to: w, begin: 800 s}\n"
    result = run(tmp_path, 6.3e5, READ + again)
    assert result.get("jobs.read.elapsed") == pytest.approx(300.0, rel=1e-6)
    assert result.get("jobs.again.elapsed") == pytest.approx(busy_time(BUCKET, 150_000.0, 6.3e5), rel=1e-6)


def test_below_the_baseline_no_credits_are_taken(tmp_path: Path) -> None:
    result = run(tmp_path, 1e5, rate=f"{300 * CLOUD_UNIT:.0f} B/s")
    assert result.get("jobs.read.elapsed") == pytest.approx(1e5 / 300.0, rel=1e-6)
    (pipe,) = [device for device in result.trace.devices if device.address == "devices.v.throughput"]
    assert (pipe.busy_s, pipe.data["credits"]) == (pytest.approx(1e5 / 300.0), pytest.approx(540_000.0))
    assert result.activities("read")["devices.v.throughput", "save"] == pytest.approx(1e5 / 300.0)


def test_everybody_who_shares_the_volume_takes_its_credits(tmp_path: Path) -> None:
    # together 3 000 a second for 200 s, then 300 for what is left of 2 x 315 000: the same as one read of 630 000
    result = run(tmp_path, 3.15e5, READ + "  other: {method: image, data: e, to: w}\n")
    assert [result.get(f"jobs.{name}.elapsed") for name in ("read", "other")] == [pytest.approx(300.0, rel=1e-6)] * 2


def test_small_requests_of_users_take_a_whole_credit_each(tmp_path: Path) -> None:
    # 1 000 reads of 8 KiB a second leave 2 000 for the backup; 540 000 credits last 200 s, in which it reads 400 000
    users = """\
workloads:
  u: {data: d, transactions: 1000 /s, reads: 1, read_size: 8 KiB, cpu: 0 s, writes: 0 %}
"""
    result = run(tmp_path, 4e5, READ + users)
    assert result.get("jobs.read.elapsed") == pytest.approx(200.0, rel=1e-6)
    assert [note["what"] for note in note_rows(result.trace) if note["address"] == "devices.v"] == [
        "has used up its credits"
    ]


@for_each("size, operations", [(1.0, 1), (CLOUD_UNIT, 1), (CLOUD_UNIT + 1.0, 2), (4 * CLOUD_UNIT, 4)])
def test_a_request_takes_an_operation_for_each_unit_that_it_begins(size: float, operations: int) -> None:
    disk = CloudDisk("devices.v", Limits(1e12, 1e9, 3000.0, CLOUD_UNIT, 1e-3))
    assert disk.request("read", 0.0, 0.0, size) == (1e-3, pytest.approx(operations / 3000.0))


def test_users_who_wait_for_answers_do_not_open_and_close_an_empty_bucket_without_end(tmp_path: Path) -> None:
    users = """\
  observe: {method: observe, workload: u, duration: 10 h}
workloads:
  u: {data: d, clients: 2, think_time: 5.5 ms, reads: 1, read_size: 8 KiB, cpu: 0 s, writes: 0 %}
"""
    result = run(tmp_path, 1e5, users, saved=", saved_up: 0 %")
    turns = [event for event in result.trace.events if event.address == "devices.v"]
    assert 100 < len(turns) < 1000


def published(tmp_path: Path, model: str, size: str) -> float:
    text = (
        SITE.partition("devices:")[0]
        + f"""\
devices:
  v: {{model: {model}, capacity: 10 TiB}}
  w: {{kind: ssd, capacity: 10 TiB, read_rate: 1 TB/s, write_rate: 900 TB/s, read_latency: 0 s, write_latency: 0 s}}
data:
  d: {{on: v, size: {size}}}
jobs:
{READ}"""
    )
    (tmp_path / "case.yaml").write_text(text, encoding="utf-8")
    return sb.simulate(tmp_path / "case.yaml").get("jobs.read.elapsed")


def test_the_scan_of_an_st1_volume_takes_what_its_vendor_says(tmp_path: Path) -> None:
    assert published(tmp_path, "cloud_disk/st1-2tib", "2 TiB") / 3600 == pytest.approx(1.17, abs=0.005)


def test_gp3_sustains_its_rate(tmp_path: Path) -> None:
    assert published(tmp_path, "cloud_disk/gp3", "10 TiB") == pytest.approx(10 * 2**20 / 125, rel=1e-6)


def test_gp2_reads_in_sequence_at_its_rate_and_then_at_its_baseline(tmp_path: Path) -> None:
    # 512 operations of 256 KiB a second are 128 MiB/s: the credits last 5.4e6 / 212 s
    lasts, whole = 5.4e6 / 212, 10 * 2**20
    expected = lasts + (whole - 128 * lasts) / 75
    assert published(tmp_path, "cloud_disk/gp2-100gib", "10 TiB") == pytest.approx(expected, rel=1e-6)


@for_each("ahead, rate", [(131_072, 131_072 / 1e-3), (262_144, 262_144 / 1e-3), (2**20, 400e6)])
def test_windows_one_by_one_take_the_latency_of_a_sequence(tmp_path: Path, ahead: int, rate: float) -> None:
    """The next window is asked for when the program begins on one, so that two are under way: 2 ms for both."""
    site = SITE.replace("latency: 1 ms", "latency: 10 ms, sequential_latency: 2 ms").replace("SAVED", "")
    site = site.replace("    speed: 1}", f"    speed: 1, looks_ahead: true, read_ahead: {ahead} B}}")
    site = site.replace("iops: 3000 /s", "iops: 300000 /s").replace("RATE", "400 MB/s").replace("SIZE", "100 GB")
    (tmp_path / "case.yaml").write_text(site + READ, encoding="utf-8")
    assert sb.simulate(tmp_path / "case.yaml").get("jobs.read.elapsed") == pytest.approx(100e9 / rate, rel=1e-3)


def test_requests_of_a_sequence_share_operations() -> None:
    """Eight of 128 KiB are one operation of 1 MiB; at random places, each is one."""
    disk = CloudDisk("v", Limits(2e12, 500e6, 500.0, 2**20, 10e-3, 2e-3))
    assert disk.continued(0.0, 131_072.0) == pytest.approx((2e-3, 1 / 8 / 500.0))
    assert disk.append(0.0, 131_072.0) == pytest.approx((2e-3, 1 / 8 / 500.0))
    assert disk.scattered("read", 0.0, 1e12, 131_072.0) == pytest.approx((10e-3, 1 / 500.0))
    assert CloudDisk("v", Limits(2e12, 500e6, 500.0, 2**20, 10e-3)).continued(0.0, 131_072.0).latency == 10e-3


def test_the_scan_of_an_sc1_volume_bursts_as_its_vendor_says(tmp_path: Path) -> None:
    assert published(tmp_path, "cloud_disk/sc1-4tib", "4 TiB") == pytest.approx(4 * 2**20 / 250, rel=1e-3)
