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
