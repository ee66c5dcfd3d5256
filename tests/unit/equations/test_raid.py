"""Work of arrays, also with a missing disk: averages over which disk is missing, counted disk by disk."""

import math

import pytest
from oracles.raid import full_stripe_write_expansion, read_operations, small_write_operations

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
from tests.cases import for_each

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
