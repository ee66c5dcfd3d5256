import math
from dataclasses import replace

import pytest
from oracles.disk import stream_efficiency

from simbackup.equations.disk import DiskParameters, positioning_time, rate_at, seek_time, transfer_time

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
