import math
from dataclasses import replace

import pytest
from oracles.disk import stream_efficiency

from simbackup.equations.disk import (
    DiskParameters,
    cylinder,
    positioning_time,
    rate_at,
    request_time,
    rotational_latency,
    seek_time,
    transfer_time,
)

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


def test_rate_falls_from_the_outer_to_the_inner_datasheet_rate() -> None:
    assert rate_at(CHEETAH, 0) == 40e6
    assert rate_at(CHEETAH, CHEETAH.capacity) == 25e6
    assert rate_at(CHEETAH, CHEETAH.capacity / 2) == pytest.approx(math.sqrt((40e6**2 + 25e6**2) / 2))


def test_rate_is_linear_in_the_cylinder() -> None:
    for tenth in range(11):
        position = CHEETAH.capacity * tenth / 10
        linear = 40e6 - (40e6 - 25e6) * cylinder(CHEETAH, position)
        assert rate_at(CHEETAH, position) == pytest.approx(linear)


def test_a_disk_of_one_rate_has_bytes_spread_evenly_over_the_stroke() -> None:
    flat = replace(CHEETAH, inner_rate=40e6)
    assert cylinder(flat, 0.3 * flat.capacity) == pytest.approx(0.3)
    assert transfer_time(flat, 1e9, 8e9) == pytest.approx(200.0)


def test_transfer_equals_a_fine_numerical_integration() -> None:
    start, size, steps = 2e9, 15e9, 20_000
    step = size / steps
    summed = math.fsum(step / rate_at(CHEETAH, start + (i + 0.5) * step) for i in range(steps))
    assert transfer_time(CHEETAH, start, size) == pytest.approx(summed, rel=1e-8)


def test_the_whole_disk_passes_at_the_mean_of_outer_and_inner_rate() -> None:
    assert transfer_time(CHEETAH, 0, CHEETAH.capacity) == pytest.approx(18.2e9 / 32.5e6)


def test_a_small_transfer_runs_at_the_rate_where_it_lies() -> None:
    assert transfer_time(CHEETAH, 9e9, 8192) == pytest.approx(8192 / rate_at(CHEETAH, 9e9), rel=1e-6)


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


def test_rotational_latency_of_datasheet_speeds() -> None:
    assert rotational_latency(CHEETAH) == pytest.approx(2.99e-3, rel=0.01)
    assert rotational_latency(replace(CHEETAH, rotation_speed=7200 / 60)) == pytest.approx(4.16e-3, rel=0.01)
    assert rotational_latency(replace(CHEETAH, rotation_speed=math.inf)) == 0


def test_positioning_adds_seek_half_a_revolution_and_overhead() -> None:
    assert positioning_time(CHEETAH, 5e9, 5e9) == pytest.approx(0.003 + 0.0003)
    assert positioning_time(CHEETAH, 0, CHEETAH.capacity) == pytest.approx(0.012 + 0.003 + 0.0003)


def test_positioning_is_the_same_there_and_back() -> None:
    assert positioning_time(CHEETAH, 1e9, 12e9) == positioning_time(CHEETAH, 12e9, 1e9)


def test_a_request_is_positioning_and_transfer() -> None:
    expected = positioning_time(CHEETAH, 3e9, 7e9) + transfer_time(CHEETAH, 7e9, 65_536)
    assert request_time(CHEETAH, 3e9, 7e9, 65_536) == expected


def test_one_stream_keeps_the_media_rate_and_two_lose_the_positioning() -> None:
    assert stream_efficiency(CHEETAH, 0, 32e6) == 1
    assert stream_efficiency(CHEETAH, 1, 32e6) == 1
    turn = 131_072 / 32e6
    assert stream_efficiency(CHEETAH, 2, 32e6) == pytest.approx(turn / (turn + 0.0052 + 0.003 + 0.0003))
    assert stream_efficiency(CHEETAH, 9, 32e6) == stream_efficiency(CHEETAH, 2, 32e6)


def test_streams_close_together_lose_only_rotation_and_overhead() -> None:
    turn = 131_072 / 32e6
    assert stream_efficiency(CHEETAH, 2, 32e6, distance_share=0) == pytest.approx(turn / (turn + 0.0033))


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


def test_impossible_datasheets_are_refused() -> None:
    with pytest.raises(ValueError, match="seeks must rise"):
        replace(CHEETAH, average_seek=0.02)
    with pytest.raises(ValueError, match="fall inwards"):
        replace(CHEETAH, inner_rate=50e6)
    with pytest.raises(ValueError, match="positive"):
        replace(CHEETAH, capacity=0)
    with pytest.raises(ValueError, match="command_overhead"):
        replace(CHEETAH, command_overhead=-1e-3)
