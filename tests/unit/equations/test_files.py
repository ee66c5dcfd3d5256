"""What files cost besides their bytes, against calculations by hand."""

from __future__ import annotations

import pytest

from simbackup.equations.files import outside_record, positioned_reads


@pytest.mark.parametrize(
    ("size", "reads"), [(0.0, 0.0), (1.0, 1.0), (65536.0, 1.0), (2 * 65536.0, 2.0), (40 * 65536.0, 40.0)]
)
def test_data_take_a_read_for_each_fragment_and_at_least_one(size: float, reads: float) -> None:
    assert positioned_reads(size, 65536.0, 0.0) == reads
    assert positioned_reads(size, 65536.0, 3.25) == reads + 3.25


def test_a_larger_file_never_takes_fewer_reads() -> None:
    reads = [positioned_reads(size, 1000.0, 0.5) for size in range(0, 10_000, 7)]
    assert reads == sorted(reads)


@pytest.mark.parametrize(("size", "outside"), [(0.0, 0.0), (1.0, 0.0), (700.0, 0.0), (701.0, 701.0), (1e6, 1e6)])
def test_a_small_file_lies_in_its_record_and_a_large_one_all_outside(size: float, outside: float) -> None:
    assert outside_record(size, resident=700.0) == outside


def test_without_room_in_the_record_every_byte_lies_outside() -> None:
    assert outside_record(1.0, resident=0.0) == 1.0
