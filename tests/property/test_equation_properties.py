import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.disk import stream_efficiency
from oracles.queues import mm1_wait, mmc_wait
from oracles.raid import full_stripe_write_expansion, small_write_operations
from oracles.tape import greatest_locate

from simbackup.equations import queueing, raid, streaming, tape
from simbackup.equations.disk import DiskParameters, cylinder, positioning_time, rate_at, seek_time, transfer_time
from simbackup.equations.waiting import Queue, late_share, loop_queue, mean_wait

ROUNDING = 1e-9
UNIT = 65_536
shares = st.floats(0, 1)


@st.composite
def disks(draw: st.DrawFn) -> DiskParameters:
    seeks = sorted(draw(st.tuples(*[st.floats(0, 0.03)] * 3)))
    inner, outer = sorted(draw(st.tuples(st.floats(1e6, 3e8), st.floats(1e6, 3e8))))
    return DiskParameters(
        capacity=draw(st.floats(1e9, 3e13)),
        rotation_speed=draw(st.floats(50, 250)),
        track_to_track_seek=seeks[0],
        average_seek=seeks[1],
        full_stroke_seek=seeks[2],
        outer_rate=outer,
        inner_rate=inner,
        command_overhead=draw(st.floats(0, 0.005)),
        stream_turn=draw(st.floats(4096, 1e8)),
    )


@st.composite
def drives(draw: st.DrawFn) -> tape.TapeDriveParameters:
    read, search = sorted(draw(st.tuples(st.floats(1, 12), st.floats(1, 12))))
    native = draw(st.floats(1e6, 4e8))
    return tape.TapeDriveParameters(
        native_rate=native,
        cartridge_capacity=draw(st.floats(1e9, 2e13)),
        tape_length=draw(st.floats(100, 1200)),
        passes=draw(st.integers(1, 300)),
        read_speed=read,
        search_speed=search,
        load_time=40,
        unload_time=17,
        locate_overhead=draw(st.floats(0, 30)),
        turn_time=draw(st.floats(0, 10)),
        buffer=draw(st.floats(1e5, 1e9)),
        host_rate=draw(st.one_of(st.just(math.inf), st.floats(1e6, 1e9))),
        reposition_time=draw(st.floats(0, 10)),
        command_time=draw(st.floats(0, 1e-3)),
        slowest_rate=draw(st.one_of(st.none(), st.floats(0.1, 1).map(lambda share: share * native))),
    )


@st.composite
def groups(draw: st.DrawFn) -> tuple[raid.Level, int]:
    levels: tuple[raid.Level, ...] = ("0", "1", "10", "4", "5", "6", "dp")
    level = draw(st.sampled_from(levels))
    number = draw(st.integers(raid.minimum_disks(level), 24))
    return level, number + number % 2 if level == "10" else number


@given(disks(), shares, shares)
def test_rates_fall_and_cylinders_rise_inwards(disk: DiskParameters, one: float, other: float) -> None:
    near, far = sorted((one * disk.capacity, other * disk.capacity))
    assert rate_at(disk, near) >= rate_at(disk, far) * (1 - ROUNDING)
    assert 0 <= cylinder(disk, near) <= cylinder(disk, far) + ROUNDING <= 1 + 2 * ROUNDING


@given(disks(), shares, shares, shares)
def test_transfers_of_adjoining_extents_add_up(disk: DiskParameters, one: float, two: float, three: float) -> None:
    begin, middle, end = sorted(share * disk.capacity for share in (one, two, three))
    parts = transfer_time(disk, begin, middle - begin) + transfer_time(disk, middle, end - middle)
    assert parts == pytest.approx(transfer_time(disk, begin, end - begin), rel=1e-6, abs=1e-9)


@given(disks(), shares, shares)
def test_transfers_run_between_the_inner_and_the_outer_rate(disk: DiskParameters, start: float, length: float) -> None:
    position = start * disk.capacity
    size = length * (disk.capacity - position)
    took = transfer_time(disk, position, size)
    assert size / disk.outer_rate * (1 - ROUNDING) <= took <= size / disk.inner_rate * (1 + ROUNDING)


@given(disks(), shares, shares)
def test_longer_seeks_never_take_less(disk: DiskParameters, one: float, other: float) -> None:
    short, long = sorted((one, other))
    assert seek_time(disk, short) <= seek_time(disk, long) + 1e-15
    assert seek_time(disk, long) <= disk.full_stroke_seek + 1e-15
    assert short == 0 or seek_time(disk, short) >= disk.track_to_track_seek


@given(disks(), shares, shares)
def test_positioning_is_bounded_by_the_datasheet(disk: DiskParameters, one: float, other: float) -> None:
    took = positioning_time(disk, one * disk.capacity, other * disk.capacity)
    least = 0.5 / disk.rotation_speed + disk.command_overhead
    assert least <= took <= least + disk.full_stroke_seek + 1e-12


@given(disks(), st.integers(2, 50), shares, st.floats(1, 100))
def test_longer_turns_never_lose_more(disk: DiskParameters, streams: int, distance: float, factor: float) -> None:
    longer = replace(disk, stream_turn=disk.stream_turn * factor)
    loss = stream_efficiency(disk, streams, disk.outer_rate, distance)
    assert 0 < loss <= stream_efficiency(longer, streams, disk.outer_rate, distance) * (1 + ROUNDING) <= 1 + ROUNDING


@given(groups(), st.integers(0, 10_000_000))
def test_raid_writes_at_least_the_data_and_its_redundancy(group: tuple[raid.Level, int], size: int) -> None:
    level, number = group
    work = raid.write_operations(level, number, size, UNIT)
    assert work.bytes_written >= size * full_stripe_write_expansion(level, number) * (1 - ROUNDING)
    assert work.bytes_read <= work.bytes_written + number * UNIT
    stripe = raid.data_disks(level, number) * UNIT
    assert work.reads <= number
    assert work.writes <= (size // stripe + 1) * number


@given(groups(), st.integers(1, UNIT))
def test_small_writes_never_cost_more_than_the_classic_figure(group: tuple[raid.Level, int], size: int) -> None:
    level, number = group
    assume(level != "1")
    assert raid.write_operations(level, number, size, UNIT).operations <= small_write_operations(level)


@given(groups(), st.integers(0, 5_000_000), st.integers(0, 5_000_000))
def test_larger_writes_never_write_less(group: tuple[raid.Level, int], one: int, other: int) -> None:
    level, number = group
    small, large = sorted((one, other))
    less = raid.write_operations(level, number, small, UNIT)
    more = raid.write_operations(level, number, large, UNIT)
    assert less.bytes_written <= more.bytes_written
    assert less.writes <= more.writes


@given(st.integers(1, 1000))
def test_more_disks_wait_longer_but_never_a_revolution(touched: int) -> None:
    latency = raid.expected_maximum_latency(touched, 1.0)
    assert 0.5 <= latency < raid.expected_maximum_latency(touched + 1, 1.0) < 1


@given(drives(), shares, shares)
def test_locates_lie_between_nothing_and_the_greatest(
    drive: tape.TapeDriveParameters, one: float, other: float
) -> None:
    begin, end = one * drive.cartridge_capacity, other * drive.cartridge_capacity
    assert 0 <= tape.locate_time(drive, begin, end) <= greatest_locate(drive) + ROUNDING
    assert tape.locate_time(drive, begin, begin) == 0


@given(drives(), shares, shares)
def test_within_a_pass_a_target_further_ahead_takes_no_less(
    drive: tape.TapeDriveParameters, one: float, other: float
) -> None:
    near, far = sorted(share * 0.999 * tape.pass_capacity(drive) for share in (one, other))
    assert tape.locate_time(drive, 0, near) <= tape.locate_time(drive, 0, far) + ROUNDING


@given(drives(), shares)
def test_positions_stay_on_the_tape_and_neighbours_stay_close(drive: tape.TapeDriveParameters, share: float) -> None:
    byte = share * drive.cartridge_capacity
    here = tape.longitudinal_position(drive, byte)
    step = 1e-3 * tape.pass_capacity(drive)
    there = tape.longitudinal_position(drive, max(byte - step, 0.0))
    assert 0 <= here <= drive.tape_length
    assert abs(here - there) <= drive.tape_length * 1.001e-3 + 1e-6


@given(drives())
def test_the_mean_locate_is_at_most_the_greatest(drive: tape.TapeDriveParameters) -> None:
    way = drive.tape_length / 2 / drive.search_speed
    assert way * (1 - ROUNDING) <= tape.mean_locate_from_start(drive) <= greatest_locate(drive)


@given(drives(), st.floats(1e5, 1e9), st.floats(1, 10), st.floats(0.9, 4))
def test_stop_start_never_beats_host_or_tape_and_faster_hosts_never_lose(
    drive: tape.TapeDriveParameters, host: float, factor: float, compression: float
) -> None:
    rate = streaming.stop_start_rate(drive, host, compression)
    longer = replace(drive, reposition_time=drive.reposition_time * factor)
    assert 0 < rate <= min(host, streaming.transfer_rate(drive, compression)) * (1 + ROUNDING)
    assert rate <= streaming.stop_start_rate(drive, host * factor, compression) * (1 + ROUNDING)
    assert rate >= streaming.stop_start_rate(longer, host, compression) * (1 - ROUNDING)


@given(drives(), st.floats(1, 100))
def test_a_larger_buffer_never_slows_the_tape(drive: tape.TapeDriveParameters, factor: float) -> None:
    larger = replace(drive, buffer=drive.buffer * factor)
    host = 0.8 * drive.native_rate
    assert streaming.stop_start_rate(drive, host) <= streaming.stop_start_rate(larger, host) * (1 + ROUNDING)


@given(drives(), st.floats(1e5, 1e9), st.floats(0.9, 4), st.floats(1e3, 1e6), st.booleans())
def test_what_a_host_loses_to_stops_is_what_it_does_not_get_through(
    drive: tape.TapeDriveParameters, host: float, compression: float, block: float, through: bool
) -> None:
    drive = replace(drive, write_through=through)
    rate = streaming.stop_start_rate(drive, host, compression, block)
    share = streaming.held_up_share(drive, host, compression, block)
    offered = min(host, streaming.transfer_rate(drive, compression, block))
    assert 0.0 <= share < 1.0
    assert rate == pytest.approx(offered * (1.0 - share))


@given(drives(), st.floats(1e5, 1e9), st.floats(0.1, 1), st.floats(0.9, 4))
def test_a_drive_that_slows_down_further_never_loses(
    drive: tape.TapeDriveParameters, host: float, share: float, compression: float
) -> None:
    lowest = drive.slowest_rate or drive.native_rate
    slower = replace(drive, slowest_rate=share * lowest)
    rate = streaming.stop_start_rate(slower, host, compression)
    assert rate >= streaming.stop_start_rate(drive, host, compression) * (1 - ROUNDING)
    if min(host, drive.host_rate) >= share * lowest * compression:
        assert rate == pytest.approx(min(host, streaming.transfer_rate(drive, compression)))


@given(st.floats(0, 0.999), st.floats(1e-3, 1e3))
def test_one_server_of_many_is_one_server(utilisation: float, service: float) -> None:
    rate = utilisation / service
    assume(rate * service < 1)
    alone = mm1_wait(rate, service)
    assert mmc_wait(rate, service, 1) == pytest.approx(alone, rel=1e-6)


@given(st.floats(0.01, 0.99), st.integers(1, 60))
def test_pooled_servers_wait_less_than_separate_ones(utilisation: float, servers: int) -> None:
    pooled = mmc_wait(utilisation * servers, 1.0, servers)
    assert pooled <= mm1_wait(utilisation, 1.0) * (1 + ROUNDING)


demands = st.lists(st.floats(0.01, 10), min_size=1, max_size=6)


@given(demands, st.integers(1, 40), st.floats(0, 50))
def test_closed_networks_keep_asymptotic_bounds(service: list[float], customers: int, think: float) -> None:
    network = queueing.mva_closed(service, customers, think)
    total, greatest = sum(service), max(service)
    upper = min(1 / greatest, customers / (total + think))
    assert customers / (customers * total + think) * (1 - ROUNDING) <= network.throughput
    assert network.throughput <= upper * (1 + ROUNDING)
    # Little's law over queues and thinking accounts for every customer.
    assert sum(network.queue_lengths) + network.throughput * think == pytest.approx(customers)


@given(demands, st.integers(1, 40))
def test_closed_networks_keep_balanced_job_bounds(service: list[float], customers: int) -> None:
    throughput = queueing.mva_closed(service, customers).throughput
    total, greatest, mean = sum(service), max(service), sum(service) / len(service)
    assert customers / (total + greatest * (customers - 1)) * (1 - ROUNDING) <= throughput
    assert throughput <= customers / (total + mean * (customers - 1)) * (1 + ROUNDING)


@given(demands, st.integers(1, 40), st.floats(0, 50))
def test_another_customer_never_lowers_the_throughput(service: list[float], customers: int, think: float) -> None:
    fewer = queueing.mva_closed(service, customers, think).throughput
    assert fewer <= queueing.mva_closed(service, customers + 1, think).throughput * (1 + ROUNDING)


# Waits at an adapter for any queue: shares, and the directions in which they go
SECONDS = st.floats(1e-4, 1e2)
DEMANDS = st.lists(st.floats(1e-3, 10.0), min_size=1, max_size=4)


@given(DEMANDS, st.integers(0, 60), st.floats(0.0, 100.0))
def test_fewer_stand_further_back(demands: list[float], buffers: int, latency: float) -> None:
    found = loop_queue(demands, buffers, latency, 0)
    assert len(found) == buffers
    assert all(0.0 <= after <= before <= 1.0 for before, after in pairwise((1.0, *found)))


@given(DEMANDS, st.integers(1, 60), st.floats(0.0, 100.0))
def test_one_more_buffer_makes_no_queue_shorter(demands: list[float], buffers: int, latency: float) -> None:
    less, more = (sum(loop_queue(demands, n, latency, 0)) for n in (buffers, buffers + 1))
    assert more >= less * (1 - 1e-9)


def queue_of(buffers: int, share: float, times: tuple[float, float], load: float) -> Queue:
    return Queue(tuple(share**k for k in range(1, buffers + 1)), *times, load)


QUEUES = st.builds(queue_of, st.integers(0, 80), st.floats(0.0, 1.0), st.tuples(SECONDS, SECONDS), st.floats(0.0, 0.99))


@given(QUEUES, SECONDS, st.floats(1.0, 10.0))
def test_a_longer_wait_is_rarer(queue: Queue, timeout: float, factor: float) -> None:
    late, later = late_share(queue, timeout), late_share(queue, timeout * factor)
    assert 0.0 <= later <= late + 1e-9
    assert late <= 1.0
    assert late * timeout <= mean_wait(queue) * (1 + 1e-6) + 1e-9


@given(st.integers(1, 80), SECONDS, SECONDS, st.floats(0.0, 0.98), SECONDS)
def test_more_load_makes_nobody_wait_less(
    buffers: int, stage: float, request: float, load: float, timeout: float
) -> None:
    queue = Queue((0.9,) * buffers, stage, request, load)
    more = queue._replace(load=load + 0.01)
    assert mean_wait(more) >= mean_wait(queue)
    assert late_share(more, timeout) >= late_share(queue, timeout) - 1e-9
