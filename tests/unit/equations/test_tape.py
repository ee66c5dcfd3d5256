import math
import statistics
from dataclasses import replace

import pytest
from oracles.tape import greatest_locate

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
