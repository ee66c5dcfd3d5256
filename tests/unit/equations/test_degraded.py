"""Work of an array with a missing disk: averages over which disk is missing, counted disk by disk."""

import math

import pytest

from simbackup.equations.degraded import write_cases
from simbackup.equations.raid import Level
from tests.cases import for_each

UNIT = 65536


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


def with_parity(disks: int, parity: int, units: int, first: int) -> tuple[int, int]:
    """Reads and writes for units of a stripe while disk 0 is missing; parity begins at disk `first`, data behind it."""
    order = [(first + i) % disks for i in range(disks)]
    new, old = set(order[parity : parity + units]), set(order[parity + units :])
    here = set(order[:parity]) - {0}
    ways: list[set[int]] = []
    if 0 not in new:
        ways.append(new | here)  # what is overwritten, and parity: read-modify-write
    if 0 not in old:
        ways.append(old)  # the rest of the stripe: reconstruct-write
    return (min(map(len, ways)) if here else 0), len((new | here) - {0})


@for_each("units", range(1, 6))
@for_each("level, parity", [("5", 1), ("6", 2)])
def test_a_write_to_a_group_with_a_missing_disk(level: Level, parity: int, units: int) -> None:
    """Parity lies on another disk in each stripe, so that every disk is the missing one for as many stripes."""
    disks = 8
    each = [with_parity(disks, parity, units, first) for first in range(disks)]
    cases = write_cases(level, disks, units * UNIT, UNIT, missing=True)
    assert sum(case.share * case.work.reads for case in cases) == pytest.approx(sum(r for r, _ in each) / disks)
    assert sum(case.share * case.work.writes for case in cases) == pytest.approx(sum(w for _, w in each) / disks)
