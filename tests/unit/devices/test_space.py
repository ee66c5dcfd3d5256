import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from simbackup.devices.space import ExtentSet

END = 60
RANGES = st.lists(st.tuples(st.integers(0, END), st.integers(0, END)), max_size=12)


def both(ranges: list[tuple[int, int]]) -> tuple[ExtentSet, set[int]]:
    extents, naive = ExtentSet(), set[int]()
    for begin, end in ranges:
        extents.add(begin, end)
        naive |= set(range(begin, end))
    return extents, naive


@given(RANGES, RANGES)
def test_it_loses_what_a_plain_set_of_bytes_loses(ranges: list[tuple[int, int]], gone: list[tuple[int, int]]) -> None:
    extents, naive = both(ranges)
    for begin, end in gone:
        extents.remove(begin, end)
        naive -= set(range(begin, end))
    assert {int(byte) for begin, end in extents.ranges for byte in range(int(begin), int(end))} == naive
    assert extents.total == len(naive)


@given(RANGES)
def test_it_holds_what_a_plain_set_of_bytes_holds(ranges: list[tuple[int, int]]) -> None:
    extents, naive = both(ranges)
    assert {int(byte) for begin, end in extents.ranges for byte in range(int(begin), int(end))} == naive
    assert extents.total == len(naive)


@given(RANGES)
def test_its_ranges_are_in_order_and_do_not_touch(ranges: list[tuple[int, int]]) -> None:
    extents, _ = both(ranges)
    edges = [edge for pair in extents.ranges for edge in pair]
    assert all(one < other for one, other in itertools.pairwise(edges))


@given(RANGES, st.integers(0, END))
def test_state_tells_whether_a_byte_is_missing_and_until_where(ranges: list[tuple[int, int]], at: int) -> None:
    extents, naive = both(ranges)
    missing, until = extents.state(at)
    assert missing is (at not in naive)
    later = [byte for byte in range(at, END + 1) if (byte not in naive) is not missing]
    assert until == (later[0] if later else math.inf)


@given(RANGES, st.integers(0, END), st.integers(0, END), st.integers(0, END))
def test_gap_is_the_longest_run_that_needs_no_more_room(
    ranges: list[tuple[int, int]], begin: int, size: int, room: int
) -> None:
    extents, naive = both(ranges)
    run = 0
    while run < size and len(set(range(begin, begin + run + 1)) - naive) <= room:
        run += 1
    found = extents.gap(begin, begin + size, room)
    assert found == run
