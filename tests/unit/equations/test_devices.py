"""What devices take, against figures of datasheets, calculations by hand and simulations of each request."""

import dataclasses
import itertools
import math
import statistics
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.disk import mean_seek, runs_beside_users, served_in_turn, stream_efficiency
from oracles.page_cache import writer_time
from oracles.raid import full_stripe_write_expansion, read_operations, small_write_operations
from oracles.snapshot import Arm, Times, first_writes, sequential_first_writes
from oracles.tape import greatest_locate

from simbackup.equations import snapshot as equations
from simbackup.equations.disk import (
    DiskParameters,
    cylinder,
    positioning_time,
    rate_at,
    scattered_seek_time,
    seek_time,
    transfer_time,
)
from simbackup.equations.disk_turns import Visited, interrupted_share, returns, sweep_turn_time
from simbackup.equations.fragmentation import broken_share, fetch_time, longest_queue
from simbackup.equations.queueing import Centre, interactive_rate
from simbackup.equations.raid import (
    DiskWork,
    Level,
    data_disks,
    expected_maximum_latency,
    minimum_disks,
    usable_capacity,
    write_cases,
    write_operations,
)
from simbackup.equations.snapshot import CopyOnWriteParameters
from simbackup.equations.streaming import held_up_share, interface_rate, stop_start_rate, transfer_rate
from simbackup.equations.tape import (
    TapeDriveParameters,
    locate_time,
    longitudinal_position,
    mean_locate_from_start,
    pass_capacity,
    pass_of,
    rewind_time,
)
from tests.cases import for_each

# Disks
# The shape of a 10,000 rpm Fibre Channel disk of 18.2 GB.
CHEETAH = DiskParameters(
    capacity=18.2e9,
    rotation_speed=10_000 / 60,
    track_to_track_seek=0.0006,
    average_seek=0.0052,
    full_stroke_seek=0.012,
    outer_rate=40e6,
    inner_rate=25e6,
    command_overhead=0.0003,
    stream_turn=131_072,
)


def test_transfer_equals_a_fine_numerical_integration() -> None:
    start, size, steps = 2e9, 15e9, 20_000
    step = size / steps
    summed = math.fsum(step / rate_at(CHEETAH, start + (i + 0.5) * step) for i in range(steps))
    assert transfer_time(CHEETAH, start, size) == pytest.approx(summed, rel=1e-8)


def test_seek_passes_through_the_three_datasheet_points() -> None:
    assert seek_time(CHEETAH, 0) == 0
    assert seek_time(CHEETAH, 1e-12) == pytest.approx(0.0006, rel=1e-4)
    assert seek_time(CHEETAH, 1 / 3) == pytest.approx(0.0052)
    assert seek_time(CHEETAH, 1) == pytest.approx(0.012)


def test_seek_follows_the_published_curve_of_the_hp_97560() -> None:
    cylinders = 1962

    def published(distance: int) -> float:
        return 3.24 + 0.400 * math.sqrt(distance) if distance < 383 else 8.00 + 0.008 * distance

    disk = replace(
        CHEETAH,
        track_to_track_seek=3.24e-3,
        average_seek=published(cylinders // 3) * 1e-3,
        full_stroke_seek=published(cylinders) * 1e-3,
    )
    for distance in range(1, cylinders + 1):
        expected = published(distance) * 1e-3
        assert seek_time(disk, distance / cylinders) == pytest.approx(expected, rel=0.03)


def test_mean_over_random_pairs_is_near_the_datasheet_average() -> None:
    # The density of the distance between two uniform cylinders is 2 (1 - d).
    steps = 10_000
    mean = math.fsum(seek_time(CHEETAH, (i + 0.5) / steps) * 2 * (1 - (i + 0.5) / steps) / steps for i in range(steps))
    assert mean == pytest.approx(CHEETAH.average_seek, rel=0.05)


@pytest.mark.parametrize("position", [-1.0, 18.3e9])
def test_positions_outside_the_disk_are_refused(position: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        rate_at(CHEETAH, position)
    with pytest.raises(ValueError, match="outside"):
        positioning_time(CHEETAH, 0, position)


def test_extents_past_the_end_or_of_negative_size_are_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        transfer_time(CHEETAH, 18e9, 1e9)
    with pytest.raises(ValueError, match="negative"):
        transfer_time(CHEETAH, 18e9, -1)


def test_seeks_beyond_the_stroke_and_idle_rates_are_refused() -> None:
    with pytest.raises(ValueError, match="share"):
        seek_time(CHEETAH, 1.5)
    with pytest.raises(ValueError, match="share"):
        seek_time(CHEETAH, -0.1)
    with pytest.raises(ValueError, match="positive"):
        stream_efficiency(CHEETAH, 2, 0)


# Streams that take turns on a disk
DISK = DiskParameters(100e9, 120.0, 0.8e-3, 8.5e-3, 18e-3, 80e6, 40e6, 0.2e-3, 512 * 1024)
MB = 2**20


@for_each("span", [0.01, 0.1, 1 / 3, 0.5, 0.8, 1.0])
def test_a_seek_between_random_places_takes_the_mean_over_all_pairs(span: float) -> None:
    assert scattered_seek_time(DISK, span) == pytest.approx(mean_seek(DISK, span), rel=0.01)


@for_each("places", [(0.0, 1.0), (0.0, 20.0), (0.0, 98.0), (10.0, 12.0, 60.0), (0.0, 30.0, 60.0, 90.0)])
@for_each("run", [256 * 1024, 4 * MB])
def test_streams_lose_what_a_disk_that_sweeps_over_them_loses(places: tuple[float, ...], run: float) -> None:
    """Adjacent streams, opposite ends, and several between: request by request."""
    streams = [(place * 1e9, 64.0 * MB) for place in places]
    turns = (
        sum(size for _, size in streams) / run * sweep_turn_time(DISK, [cylinder(DISK, begin) for begin, _ in streams])
    )
    moving = sum(transfer_time(DISK, begin, size) for begin, size in streams)
    assert turns + moving == pytest.approx(served_in_turn(DISK, streams, run), rel=0.02)


@for_each("run", [0.25e6, 1e6, 4e6])
@for_each("rate, rel", [(1.0, 0.01), (10.0, 0.01), (30.0, 0.02), (60.0, 0.04), (90.0, 0.16)])
def test_a_stream_comes_back_after_users_as_in_order_of_arrival(rate: float, rel: float, run: float) -> None:
    user, stream = 0.0077, 1 / 132e6
    found = (1.0 - rate * user) / (stream + returns(Visited(stream, user, run, rate, rate * user)))
    assert found == pytest.approx(run * runs_beside_users(rate, user, run * stream, user), rel=rel)


def test_nobody_is_returned_from_more_often_than_for_each_run() -> None:
    assert returns(Visited(1e-8, 0.01, 1e6, 1000.0, 0.999)) == pytest.approx(0.01 / 1e6)
    assert returns(Visited(1e-8, 0.01, 1e6, 1000.0, 1.5)) == 0.01 / 1e6
    assert interrupted_share(10.0, 1e-6) == pytest.approx(1e-5, rel=1e-4)


# Fragmented volumes
def test_a_neighbour_is_lost_when_either_block_moved() -> None:
    assert [broken_share(share) for share in (0.0, 0.1, 1.0)] == pytest.approx([0.0, 0.19, 1.0])


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_shares_are_shares(share: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        broken_share(share)


@pytest.mark.parametrize(("requests", "disks"), [(-1.0, 2), (1.0, 0)])
def test_queues_need_disks(requests: float, disks: int) -> None:
    with pytest.raises(ValueError, match="a disk"):
        longest_queue(requests, disks)


@pytest.mark.parametrize(("mean", "disks"), [(1.0, 2), (3.0, 3)])
def test_the_longest_queue_is_the_mean_of_the_greatest_of_poisson_numbers(mean: float, disks: int) -> None:
    each = [math.exp(-mean / disks) * (mean / disks) ** k / math.factorial(k) for k in range(15)]
    by_hand = sum(max(ks) * math.prod(each[k] for k in ks) for ks in product(range(15), repeat=disks))
    assert longest_queue(mean, disks) == pytest.approx(by_hand, rel=1e-6)


def test_one_request_waits_for_itself_and_many_share_the_disks() -> None:
    assert longest_queue(1e-3, 16) == pytest.approx(1e-3, rel=1e-3)
    assert longest_queue(1e6, 16) / (1e6 / 16) == pytest.approx(1.0, abs=0.01)


@given(st.floats(0.001, 1e5), st.integers(1, 100), st.floats(1.0, 3.0))
def test_the_longest_queue_lies_between_a_fair_share_and_all(requests: float, disks: int, more: float) -> None:
    queue = longest_queue(requests, disks)
    assert requests / disks * (1 - 1e-9) <= queue <= requests * (1 + 1e-9)
    assert longest_queue(requests * more, disks) >= queue * (1 - 1e-9)
    assert longest_queue(requests, disks + 1) <= queue * (1 + 1e-9)


@given(st.floats(0.0, 1.0), st.integers(1, 64), st.integers(1, 64))
def test_more_asked_at_once_is_never_slower_a_byte(breaks: float, disks: int, times: int) -> None:
    one = fetch_time(65536.0, 16 * breaks, disks, 0.008, 60e6)
    assert fetch_time(65536.0 * times, 16 * breaks * times, disks, 0.008, 60e6) <= one * times * (1 + 1e-9)


def test_data_in_one_piece_come_at_their_rate() -> None:
    assert fetch_time(1e6, 0.0, 8, 0.008, 50e6) == pytest.approx(0.02)
    assert fetch_time(1e6, 4.0, 1, 0.008, 50e6) == pytest.approx(0.052)


@for_each("requests", [5e-324, 1e-9, 1e-6])
def test_hardly_any_requests_never_meet(requests: float) -> None:
    assert longest_queue(requests, 32) == pytest.approx(requests, rel=1e-5)


# Arrays, also with a missing disk: averages over which disk is missing
UNIT = 65_536
LEVELS: tuple[Level, ...] = ("0", "1", "10", "4", "5", "6", "dp")


@for_each(
    "level, disks, data",
    [("0", 6, 6), ("1", 2, 1), ("1", 3, 1), ("10", 8, 4), ("4", 7, 6), ("5", 8, 7), ("6", 8, 6), ("dp", 16, 14)],
)
def test_data_disks(level: Level, disks: int, data: int) -> None:
    assert data_disks(level, disks) == data
    assert full_stripe_write_expansion(level, disks) == disks / data


def test_capacity_of_a_measured_array() -> None:
    # Ten disks of 250 GB striped show as 2.27 TiB, six of 300 GB as 1675.5 GiB.
    assert usable_capacity("0", 10, 250e9) / 2**40 == pytest.approx(2.27, abs=0.005)
    assert usable_capacity("0", 6, 279.4 * 2**30) / 2**30 == pytest.approx(1675.5, abs=1)


@for_each("level", LEVELS)
def test_groups_begin_at_their_minimum(level: Level) -> None:
    least = minimum_disks(level)
    assert data_disks(level, least) >= 1
    with pytest.raises(ValueError, match="at least"):
        data_disks(level, least - 1)


def test_striped_mirrors_need_an_even_number() -> None:
    with pytest.raises(ValueError, match="even"):
        data_disks("10", 5)


def test_small_accesses_cost_what_the_literature_says() -> None:
    assert [small_write_operations(level) for level in LEVELS] == [1, 2, 2, 4, 4, 6, 6]
    assert all(read_operations(level) == 1 for level in LEVELS)


@for_each("level, disks", [("0", 6), ("1", 2), ("10", 8), ("4", 7), ("5", 8), ("6", 10), ("dp", 14)])
def test_small_writes_agree_with_writes_of_any_size_in_large_groups(level: Level, disks: int) -> None:
    assert write_operations(level, disks, 4096, UNIT).operations == small_write_operations(level)


def test_read_modify_write_of_one_block() -> None:
    # Old data and parity in, new data and parity out, 4 KiB each.
    assert write_operations("5", 8, 4096, UNIT) == DiskWork(2, 2, 8192, 8192)
    assert write_operations("6", 10, 4096, UNIT) == DiskWork(3, 3, 12_288, 12_288)


def test_reconstruct_write_of_most_of_a_stripe() -> None:
    # Three of four units: read the fourth, write three and the parity.
    assert write_operations("5", 5, 3 * UNIT, UNIT) == DiskWork(1, 4, UNIT, 4 * UNIT)


def test_mirrors_write_every_copy_and_stripes_touch_their_units() -> None:
    assert write_operations("1", 3, 10 * UNIT, UNIT) == DiskWork(0, 3, 0, 30 * UNIT)
    assert write_operations("0", 6, 2.5 * UNIT, UNIT) == DiskWork(0, 3, 0, 2.5 * UNIT)
    assert write_operations("10", 8, 2.5 * UNIT, UNIT) == DiskWork(0, 6, 0, 5 * UNIT)


@for_each("level, disks", [("0", 6), ("1", 2), ("10", 8), ("5", 8), ("6", 10)])
def test_nothing_written_is_no_work(level: Level, disks: int) -> None:
    assert write_operations(level, disks, 0, UNIT).operations == 0


def test_the_slowest_of_n_rotations() -> None:
    assert expected_maximum_latency(0, 0.006) == 0
    assert expected_maximum_latency(1, 0.006) == pytest.approx(0.003)
    assert expected_maximum_latency(2, 0.006) == pytest.approx(0.004)


def copies(level: Level, disks: int, size: int) -> list[float]:
    """Bytes of each single copy of a unit, by the disk on which it lies; a mirror that is not striped is one unit."""
    if level == "1":
        return [float(size)] * disks
    found: list[list[float]] = [[] for _ in range(disks)]
    for n in range(math.ceil(size / UNIT)):
        pair = n % (disks // 2)
        for disk in (2 * pair, 2 * pair + 1):
            found[disk].append(float(min(UNIT, size - n * UNIT)))
    return [sum(own) for own in found]


@for_each("units", [0.25, 1, 2.5, 4, 5, 6, 7.5, 8, 13])
@for_each("level, disks", [("10", 8), ("10", 4), ("1", 2), ("1", 3)])
def test_a_mirror_writes_all_copies_but_those_of_the_missing_disk(level: Level, disks: int, units: float) -> None:
    """Each disk is missing with the same probability: on average, all but one part in `disks` of the bytes is left."""
    size = int(units * UNIT)
    on = copies(level, disks, size)
    left = [sum(on) - on[missing] for missing in range(disks)]
    cases = write_cases(level, disks, size, UNIT, missing=True)
    assert sum(case.share for case in cases) == pytest.approx(1.0)
    assert sum(case.share * case.work.bytes_written for case in cases) == pytest.approx(sum(left) / disks)
    number = 1 if level == "1" else math.ceil(size / UNIT)
    writes = number * (disks if level == "1" else 2)
    assert sum(case.share * case.work.writes for case in cases) == pytest.approx(writes * (disks - 1) / disks)


# Snapshots
COW = CopyOnWriteParameters(chunk=8192.0, record=16.0, in_flight=2.0**20, commit_backlog=65536.0)
SIZES = [2.0**k for k in range(12, 20)]
COWS = st.builds(
    CopyOnWriteParameters,
    chunk=st.sampled_from(SIZES),
    record=st.sampled_from([0.0, 8.0, 16.0, 64.0]),
    in_flight=st.just(2.0**20),
    commit_backlog=st.floats(4096.0, 2.0**20),
)
ARM = Arm(near=0.004, far=0.009, byte=1.0 / 60e6)
TIMES = Times(read=0.010, copy=0.010, commit=0.008, own=0.010)


@given(COWS)
def test_a_group_is_one_chunk_at_least(cow: CopyOnWriteParameters) -> None:
    assert equations.group_size(cow) >= 1.0
    assert equations.group_size(cow, waiting=512.0) == 1.0


@for_each("backlog", [16384.0, 65536.0, 2.0**20])
def test_a_group_grows_with_the_chunk_all_along(backlog: float) -> None:
    """No flat part and no step: each doubling of the chunk makes the bytes of a group at least a little larger."""
    cow = dataclasses.replace(COW, commit_backlog=backlog)
    groups = [equations.group_size(dataclasses.replace(cow, chunk=chunk)) * chunk for chunk in SIZES]
    ratios = [larger / smaller for smaller, larger in itertools.pairwise(groups)]
    assert all(1.0 < ratio <= 2.0 for ratio in ratios)
    assert ratios == sorted(ratios)


def cycle(cow: CopyOnWriteParameters, waiting: float | None) -> float:
    """Seconds of a group of sequential first writes with origin and copy area on one arm, by the equations."""
    chunks = equations.group_size(cow, waiting)
    size = chunks * cow.chunk
    own = size if waiting is None else max(waiting, size)
    rounds, commits = equations.copy_rounds(cow, size), equations.commits(cow, chunks)
    delay = equations.unplug_time(cow)
    turns = ARM.near + (2.0 * rounds - 1.0) * ARM.far + commits * ARM.near + ARM.far + (2.0 * rounds + 1.0) * delay
    return turns + (2.0 * size + commits * cow.chunk + own) * ARM.byte


@pytest.mark.slow
@for_each("delay", [0.0, 0.003])
@for_each("chunk", SIZES)
def test_sequential_writes_event_by_event(chunk: float, delay: float) -> None:
    """Runs of the page cache, drawn chunk by chunk, have the rate of the mean group: within 2 %."""
    cow = dataclasses.replace(COW, chunk=chunk, unplug_delay=delay, unplug_requests=4.0 if delay else 1.0)
    rate = equations.group_size(cow) * chunk / cycle(cow, None)
    assert rate == pytest.approx(sequential_first_writes(cow, ARM), rel=0.02)


@for_each("chunk", [4096.0, 16384.0, 65536.0])
@for_each("in_flight", [16384.0, 65536.0, 2.0**20])
def test_synchronous_writes_event_by_event(chunk: float, in_flight: float) -> None:
    """Copy windows smaller and larger than a chunk: reads and writes take turns as often as the memory is filled."""
    cow = dataclasses.replace(COW, chunk=chunk, in_flight=max(in_flight, chunk))
    rate = 65536.0 / cycle(cow, 65536.0)
    assert rate == pytest.approx(sequential_first_writes(cow, ARM, waiting=65536.0, total=2.0**28), rel=0.02)


def rate(writers: int, times: Times, together: float, fresh: float, *, gathers: bool) -> float:
    """Writes a second of writers whose copies are committed together, by the equations."""
    cow = dataclasses.replace(COW, gathers=gathers)
    copies = times.read + times.copy * equations.copy_writes(cow, together) + times.commit / together
    demand = times.own + fresh * copies
    return interactive_rate([Centre(demand, demand)], writers, times.think)


@for_each("gathers", [False, True])
@for_each("writers", [1, 2, 4, 8, 16])
def test_writers_who_wait_for_each_write_event_by_event(writers: int, gathers: bool) -> None:
    """All of them wait together, and one commit serves all: ten threads lose far less than one."""
    found = first_writes(writers, TIMES, gathers=gathers, writes=3000)
    together = equations.writers_together(writers, TIMES.read + TIMES.copy, TIMES.own)
    assert together == pytest.approx(1.0 / found.commits, rel=0.02)
    assert rate(writers, TIMES, together, 1.0, gathers=gathers) == pytest.approx(found.rate, rel=0.02)


@pytest.mark.slow
@for_each("think", [0.02, 0.1, 0.5])
@for_each("writers", [2, 4, 8])
def test_writers_who_do_other_things_too(writers: int, think: float) -> None:
    """The equation's commits give the writes a second that counted commits give; the queue itself is approximate."""
    times = TIMES._replace(think=think)
    counted = 1.0 / first_writes(writers, times, writes=6000).commits
    together = equations.writers_together(writers, times.read + times.copy, times.own + think)
    assert rate(writers, times, together, 1.0, gathers=False) == pytest.approx(
        rate(writers, times, counted, 1.0, gathers=False), rel=0.02
    )


@given(st.floats(1.0, 64.0), st.floats(1e-3, 0.1), st.floats(0.0, 10.0))
def test_those_who_wait_together_are_one_at_least_and_all_at_most(n: float, copying: float, outside: float) -> None:
    assert 1.0 <= equations.writers_together(n, copying, outside) <= n


@given(COWS, st.integers(3, 100_000))
def test_chunks_and_their_records_fit_into_the_area(cow: CopyOnWriteParameters, chunks: int) -> None:
    held = equations.area_chunks(cow, chunks * cow.chunk)
    records = math.ceil(held / equations.records_per_area(cow))
    assert 1 + records + held <= chunks
    # nor is there room for one more with its record
    assert 1 + math.ceil((held + 1) / equations.records_per_area(cow)) + held + 1 > chunks


@pytest.mark.parametrize("chunks", [0, 1])
def test_an_area_of_a_header_holds_nothing(chunks: int) -> None:
    assert equations.area_chunks(COW, chunks * COW.chunk) == 0


# Page caches
RATES = st.floats(1e6, 1e9)


@for_each(
    "size, seconds",
    [
        (100e6, 0.5),  # below the background limit: memory only
        (1400e6, 7.0),  # just fills the cache: 1 s to 200 MB, then 6 s at a difference of 100 MB/s to 800 MB
        (1500e6, 8.0),  # from there on at the pace of the disk
    ],
)
def test_by_hand(size: float, seconds: float) -> None:
    assert writer_time(size, write_rate=200e6, disk_rate=100e6, limit=800e6, background=200e6) == pytest.approx(seconds)


def test_a_writer_slower_than_the_disk_is_never_held() -> None:
    assert writer_time(1e12, write_rate=50e6, disk_rate=100e6, limit=1e6, background=0.0) == 20_000.0


@given(st.floats(1.0, 1e11), RATES, RATES, st.floats(1e6, 1e10), st.floats(0.0, 1.0))
def test_between_memory_and_disk(size: float, write: float, disk: float, limit: float, share: float) -> None:
    time = writer_time(size, write, disk, limit, share * limit)
    assert size / write * (1 - 1e-12) <= time
    assert time <= max(size / write, share * limit / write + size / disk) * (1 + 1e-9)
    # never may more than the limit be dirty
    written = max(time - share * limit / write, 0.0) * disk
    assert size - written <= limit * (1 + 1e-9) or write <= disk


@given(st.floats(1e6, 1e11), RATES, RATES, st.floats(1e6, 1e10), st.floats(0.0, 1.0))
def test_more_memory_or_a_faster_disk_never_slows(
    size: float, write: float, disk: float, limit: float, share: float
) -> None:
    time = writer_time(size, write, disk, limit, share * limit)
    assert writer_time(size, write, disk * 2, limit, share * limit) <= time * (1 + 1e-9)
    assert writer_time(size, write, disk, limit * 2, share * limit) <= time * (1 + 1e-9)
    assert writer_time(size / 2, write, disk, limit, share * limit) <= time * (1 + 1e-9)


# Tape
DLT7000 = TapeDriveParameters(
    native_rate=5e6,
    cartridge_capacity=35e9,
    tape_length=541,
    passes=52,
    read_speed=4.06,
    search_speed=4.445,
    load_time=40,
    unload_time=17,
    locate_overhead=2,
    turn_time=1,
    buffer=8e6,
)
# 64 passes of 14 sections, a section 15.5 s at read speed and 10 s at search speed; what a locate takes
# beyond the way is the read-in, on average one and a half sections, and the starts and stops.
DLT4000 = replace(
    DLT7000,
    native_rate=1.5e6,
    cartridge_capacity=20e9,
    passes=64,
    read_speed=541 / (14 * 15.5),
    search_speed=541 / (14 * 10),
    locate_overhead=1.5 * 15.5,
    turn_time=3,
)


def spread_evenly(capacity: float, irrational: float) -> list[float]:
    # Multiples of an irrational number, modulo one, fill the cartridge as chance would, but repeatably.
    return [capacity * math.modf(i * irrational)[0] for i in range(20_000)]


def test_access_times_of_the_datasheet() -> None:
    # 60 s on average and 120 s at most.
    assert mean_locate_from_start(DLT7000) == pytest.approx(60, rel=0.1)
    assert greatest_locate(DLT7000) == pytest.approx(120, rel=0.05)


def test_rewind_times_of_the_datasheet() -> None:
    rewinds = [rewind_time(DLT7000, byte) for byte in spread_evenly(35e9, math.sqrt(2))]
    assert statistics.fmean(rewinds) == pytest.approx(60, rel=0.1)
    assert max(rewinds) == pytest.approx(120, rel=0.05)
    assert rewind_time(DLT7000, 0) == 0


def test_means_measured_on_a_dlt4000() -> None:
    # Hillyer and Silberschatz: 96.5 s from the beginning to anywhere, 72.4 s from anywhere to anywhere.
    pairs = zip(spread_evenly(20e9, math.sqrt(2)), spread_evenly(20e9, math.sqrt(3)), strict=True)
    between = [locate_time(DLT4000, begin, end) for begin, end in pairs]
    assert mean_locate_from_start(DLT4000) == pytest.approx(96.5, rel=0.02)
    assert statistics.fmean(between) == pytest.approx(72.4, rel=0.02)


@for_each("drive", [DLT7000, DLT4000, replace(DLT7000, passes=1)])
def test_the_closed_mean_equals_the_mean_over_the_cartridge(drive: TapeDriveParameters) -> None:
    points = 52 * 64 * 20
    step = drive.cartridge_capacity / points
    mean = statistics.fmean(locate_time(drive, 0, (i + 0.5) * step) for i in range(points))
    assert mean_locate_from_start(drive) == pytest.approx(mean, rel=1e-3)


def test_a_drive_that_searches_at_read_speed_reads_on_through_the_first_pass() -> None:
    drive = replace(DLT7000, search_speed=4.06, passes=1)
    assert mean_locate_from_start(drive) == pytest.approx(541 / 4.06 / 2)


def test_locate_by_hand() -> None:
    one = pass_capacity(DLT7000)
    assert locate_time(DLT7000, 1e9, 1e9) == 0
    # To the middle of pass 2: half the length, another pass.
    assert locate_time(DLT7000, 0, 2.5 * one) == pytest.approx(2 + 1 + 541 / 2 / 4.445)
    # Ten metres ahead by reading on, the whole pass by searching.
    assert locate_time(DLT7000, 0, one * 10 / 541) == pytest.approx(10 / 4.06)
    assert locate_time(DLT7000, 0, one * 0.999_999) == pytest.approx(2 + 541 / 4.445, rel=1e-4)
    # Ten metres back needs a turn.
    assert locate_time(DLT7000, one * 10 / 541, 0) == pytest.approx(2 + 1 + 10 / 4.445)


def stopping(reposition: float, drive: TapeDriveParameters = DLT7000) -> TapeDriveParameters:
    return replace(drive, reposition_time=reposition)


def test_stop_start_by_hand() -> None:
    # 4 MB/s against 5: the 8 MB buffer fills in 2 s of a 4 s stop and lasts 8 s of writing at 5 MB/s.
    assert stop_start_rate(stopping(4), 4e6) == pytest.approx(40e6 / 12)


def test_a_command_takes_its_time_beside_its_bytes() -> None:
    bus = replace(DLT7000, host_rate=10e6, command_time=1e-3)
    assert interface_rate(bus) == 10e6
    assert interface_rate(bus, 10e3) == pytest.approx(5e6)
    assert interface_rate(replace(bus, host_rate=math.inf), 10e3) == pytest.approx(10e6)
    assert interface_rate(DLT7000, 10e3) == math.inf
    assert transfer_rate(bus, 3, 10e3) == pytest.approx(5e6)
    assert transfer_rate(bus, 3, 10e6) == pytest.approx(10e6, rel=2e-3)


THROUGH = replace(DLT7000, write_through=True, reposition_time=8e-3, host_rate=10e6, command_time=1e-3)


def test_a_drive_that_writes_through_stops_after_each_record() -> None:
    # 10 kB take 2 ms on the tape, which then backs up for 8 ms.
    assert stop_start_rate(THROUGH, math.inf, block=10e3) == pytest.approx(1e6)
    assert stop_start_rate(THROUGH, 0.5e6, block=10e3) == 0.5e6
    # Compressed by two they take 1 ms.
    assert stop_start_rate(THROUGH, math.inf, 2.0, 10e3) == pytest.approx(10e3 / 9e-3)
    # Half a megabyte takes 51 ms to come, longer than the tape takes to back up, and 100 ms to write.
    assert stop_start_rate(THROUGH, math.inf, block=0.5e6) == pytest.approx(0.5e6 / 151e-3)
    assert held_up_share(THROUGH, math.inf, block=10e3) == pytest.approx(0.8)
    assert stop_start_rate(THROUGH, math.inf, block=10e3, reading=True) == 5e6


def test_below_its_lowest_speed_a_drive_stops_and_starts_at_that_speed() -> None:
    # 2.5 MB/s against 3: the 8 MB buffer fills in 3.2 s of a 4 s stop and lasts 16 s of writing at 3 MB/s.
    slow = stopping(4, replace(DLT7000, slowest_rate=3e6))
    assert stop_start_rate(slow, 2.5e6) == pytest.approx(48e6 / 20)
    assert stop_start_rate(slow, 2.5e6) > stop_start_rate(stopping(4), 2.5e6)
    assert stop_start_rate(slow, 2e6) == 2e6


def test_stop_start_equals_a_cycle_stepped_through_time() -> None:
    host, tape, stop, step = 4.5e6, 5e6, 3.0, 1e-3
    held, accepted, clock, resume = 0.0, 0.0, 0.0, 0.0
    while clock < 2000:
        taken = min(host * step, DLT7000.buffer - held)
        held, accepted = held + taken, accepted + taken
        if clock >= resume:
            held -= tape * step
            if held <= 0:
                held, resume = 0.0, clock + stop
        clock += step
    assert accepted / clock == pytest.approx(stop_start_rate(stopping(stop), host), rel=0.01)


@pytest.mark.parametrize("byte", [-1.0, 36e9])
def test_bytes_beyond_the_cartridge_are_refused(byte: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        locate_time(DLT7000, 0, byte)


def test_impossible_figures_are_refused() -> None:
    with pytest.raises(ValueError, match="compression"):
        transfer_rate(DLT7000, 0)
    with pytest.raises(ValueError, match="block"):
        interface_rate(DLT7000, 0)
    with pytest.raises(ValueError, match="record"):
        stop_start_rate(THROUGH, 1e6)
    with pytest.raises(ValueError, match="host_rate"):
        stop_start_rate(DLT7000, -1e6)
    with pytest.raises(ValueError, match="compression"):
        stop_start_rate(DLT7000, 1e6, 0)


def test_a_rounding_error_past_the_end_still_counts_as_the_end() -> None:
    assert pass_of(DLT7000, 35e9 + 1) == 51
    assert longitudinal_position(DLT7000, 35e9 + 1) == pytest.approx(0, abs=1e-6)
