"""What files cost besides their bytes, against calculations by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.equations.files import looking, window_wait
from simbackup.equations.reduction import touched_chunks
from tests.cases import examples, for_each


def walk(directories: int, each: int, entries: int, records: int) -> tuple[int, int]:
    """Reads of directories and of records in a walk whose cache forgets nothing: so many of them come with a read."""
    read = set[tuple[str, int, int]]()
    for directory in range(directories):
        for file in range(each):
            read.add(("entries", directory, file // entries))  # each directory begins a block
            read.add(("records", 0, (directory * each + file) // records))
    return sum(kind == "entries" for kind, _, _ in read), sum(kind == "records" for kind, _, _ in read)


@examples(50)
@given(st.integers(1, 40), st.integers(1, 120), st.integers(1, 64), st.integers(1, 64))
def test_a_read_serves_all_files_that_lie_in_it(directories: int, each: int, entries: int, records: int) -> None:
    """A directory's last block is half empty in the mean: less than a read for each directory is left out."""
    files = directories * each
    listed, looked = walk(directories, each, entries, records)
    reads = looking(4096 / entries, 4096, 4096 / records, 4096, 1 / each).reads * files
    assert reads <= listed + looked + 1e-6
    assert listed + looked < reads + directories + 1


@for_each("each, entries, records", [(64, 32, 16), (30, 128, 512), (1000, 50, 4)])
def test_blocks_that_are_full_are_counted_exactly(each: int, entries: int, records: int) -> None:
    listed, looked = walk(512, each, entries, records)
    reads = looking(4096 / entries, 4096, 4096 / records, 4096, 1 / each)
    assert reads.reads * 512 * each == pytest.approx(listed + looked, rel=1e-3)
    assert reads.bytes * 512 * each == pytest.approx((listed + looked) * 4096, rel=1e-3)


@for_each("block", [500, 2000, 8000])
def test_what_is_sent_of_a_changed_file_is_what_its_blocks_say(block: int) -> None:
    """Runs of 2,000 bytes that begin anywhere in 16 MB: every block is compared, byte by byte."""
    size, run, runs = 16_000_000, 2000, 800
    old, new = np.zeros(size, dtype=np.int8), np.zeros(size, dtype=np.int8)
    for begin in np.random.default_rng(7).integers(0, size - run, runs):
        new[begin : begin + run] = 1
    differ = (old != new).reshape(-1, block)
    sent = float(differ.any(axis=1).sum() * block + size / block * 20) / size
    share = float(differ.mean())
    # the share of touched blocks has a relative standard deviation of about 1 / sqrt(runs)
    assert touched_chunks(share, run, block) + 20.0 / block == pytest.approx(sent, rel=3.0 / runs**0.5)


MANY = 2000


def begun(request_time: float, work_time: float, windows: int = MANY) -> float:
    """Seconds between two windows, window by window: at the first page of each the next is asked for.

    A window has come so many seconds after it was asked for, however many are on the way.
    """
    came: dict[int, float] = {0: request_time}
    now = 0.0
    middle = 0.0
    for number in range(windows):
        came[number + 1] = now + request_time  # the page is marked, whether it is there or not
        now = max(now, came[number]) + work_time
        middle = now if number == windows // 2 else middle
    return (now - middle) / (windows - 1 - windows // 2)


@for_each("work", [0.0, 0.1, 0.5, 0.9, 1.0, 1.5, 4.0])
def test_waits_are_those_of_windows_one_by_one(work: float) -> None:
    assert window_wait(1.0, work) + work == pytest.approx(begun(1.0, work), rel=2e-3)
