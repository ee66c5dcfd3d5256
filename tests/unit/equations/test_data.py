"""What becomes of data: changes one by one, files and their blocks, chunks, and what codecs cost."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.containers import simulated

from benchmarks.codecs import CODECS, FEWEST, TEXTS, fitted, line, lines, read_table, text
from simbackup.equations.change import DAY, Change, differs, grown, hits_a_day, touched
from simbackup.equations.files import looking, window_wait
from simbackup.equations.reduction import came_with, cost_of_coding, piece, touched_chunks
from tests.cases import examples, for_each


# Changes
@for_each("hot_data, hot_changes", [(1.0, 1.0), (0.2, 0.8), (0.1, 0.9), (0.05, 0.95)])
@for_each("hits", [0.05, 0.5, 3.0])
def test_places_that_changes_hit_one_by_one(hits: float, hot_data: float, hot_changes: float) -> None:
    places, draw, hit = 60_000, random.Random(7), set[int]()  # noqa: S311
    hot = int(hot_data * places)
    for _ in range(int(hits * places)):
        goes_hot = hot == places or draw.random() < hot_changes
        hit.add(draw.randrange(hot) if goes_hot else draw.randrange(hot, places))
    assert touched(hits, hot_data, hot_changes) == pytest.approx(len(hit) / places, rel=0.02)


def test_days_one_by_one() -> None:
    """Blocks that are changed, deleted and added day by day, and compared with those of thirty days ago."""
    draw, days, daily, replaced, growth = random.Random(3), 30, 0.03, 0.01, 1.0  # noqa: S311
    before = [0] * 10_000  # 0 is what it was, 1 is different or new
    each = hits_a_day(daily, 1.0, 1.0)
    for day in range(days):
        size = len(before)
        for _ in range(round(each * size)):
            before[draw.randrange(size)] = 1
        for i in range(size):
            if draw.random() < replaced:
                before[i] = 1
        before += [1] * (round(10_000 * grown(growth, (day + 1) * DAY)) - size)
    change = Change(daily=daily, replaced=replaced, growth=growth)
    assert differs(change, days * DAY) == pytest.approx(sum(before) / len(before), rel=0.02)


@for_each("size, run", [(10_000, 1_000), (1_000, 1_000), (200, 2_000)])
def test_files_in_which_runs_fall_by_chance_are_as_many_as_the_law_says(size: int, run: int) -> None:
    """Runs that begin anywhere in 20 MB until 2 % of it has changed, and the files in which one byte has."""
    draw, whole = np.random.default_rng(7), 20_000_000
    marks = np.zeros(whole + 1, dtype=np.int32)
    starts = draw.integers(0, whole, round(-np.log(0.98) * whole / run))
    np.add.at(marks, starts, 1)
    np.add.at(marks, np.minimum(starts + run, whole), -1)
    changed = np.cumsum(marks[:-1]) > 0
    files = changed.reshape(-1, size).any(axis=1).mean()
    law = differs(Change(daily=float(changed.mean()), places=1.0 + size / run), DAY)
    assert law == pytest.approx(files, rel=0.1)


# Files
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


# Chunks and codecs
PLACES = 200_000


@for_each("run, chunk", [(1, 8), (4, 4), (16, 2), (64, 8)])
def test_touched_chunks_of_runs_that_begin_anywhere(run: int, chunk: int) -> None:
    """Byte by byte. The share of bytes that the runs hit is what the equation is given, as chance makes it."""
    rng, hit = np.random.default_rng(7), np.zeros(PLACES, dtype=bool)
    for begin in rng.integers(PLACES, size=PLACES // (20 * run)):
        hit[begin : begin + run] = True
    chunks = hit.reshape(-1, chunk).any(axis=1)
    share = hit.mean()
    expected = touched_chunks(share, run, chunk - 1)  # of places, not of a continuum: a run begins at one of them
    number = PLACES / chunk * expected * (1 - expected)
    assert abs(chunks.sum() - len(chunks) * expected) < 5 * number**0.5 * max(run / chunk, 1.0) ** 0.5


@for_each("nights", [1, 7, 60])
def test_pieces_of_a_backup_after_many_others(nights: int) -> None:
    """Block by block: a tenth of the blocks is written anew each night; count where a reader has to go elsewhere."""
    rng, born = np.random.default_rng(11), np.zeros(40_000)
    for night in range(1, nights + 1):
        born[rng.random(len(born)) < 0.1] = night
    moves = (np.diff(born) != 0).sum()
    shares = came_with(Change(daily=0.1), DAY, nights)
    assert sum(shares) == pytest.approx(1.0)
    expected = len(born) / piece(1.0, shares)
    assert moves == pytest.approx(expected, rel=5 / expected**0.5)


def test_a_restore_with_too_little_memory_reads_far_more() -> None:
    """Which is why the equation states what memory it needs."""
    assert simulated(64, 0.1, 30, 4) > 5 * simulated(64, 0.1, 30, 8 * 31)


ZLIB_6 = ((1.7, 6.5), (2.75, 11.0), (5.7, 18.7), (9.9, 29.8), (35.0, 64.8))
"""Ratio and MB/s of zlib at level 6 with generated text on one busy core."""


def test_a_line_over_the_inverse_ratio_meets_what_zlib_takes() -> None:
    a, b, worst = fitted([(ratio, 1e3 / rate) for ratio, rate in ZLIB_6])
    assert worst < 1.25
    for ratio, rate in ZLIB_6:
        assert cost_of_coding(a, b, ratio) == pytest.approx(1e3 / rate, rel=0.25)


def test_a_fit_finds_the_line_and_never_goes_below_zero() -> None:
    a, b, worst = fitted([(ratio, 3.0 + 50.0 / ratio) for ratio in (1.5, 3.0, 9.0)])
    assert (a, b, worst) == pytest.approx((3.0, 50.0, 1.0))
    assert fitted([(1.0, 10.0), (4.0, 1.0)])[0] == 0.0
    assert fitted([(1.0, 10.0), (4.0, 20.0)])[1] == 0.0


def test_generated_text_repeats_as_much_as_it_should() -> None:
    assert text("words", 0.5, 5000) == text("words", 0.5, 5000)
    assert len(text("rows", 0.0, 4321)) == 4321


def test_random_bytes_in_text_make_it_hard_to_compress() -> None:
    assert text("words", 0.0, 5000, noise=0.5) == text("words", 0.0, 5000, noise=0.5)
    assert len(set(text("words", 0.0, 5000, noise=1.0))) == 256


def test_the_uncertainty_of_a_line_is_none_where_all_points_are_on_it() -> None:
    found = line([(ratio, 3.0 + 50.0 / ratio) for ratio in (1.5, 2.0, 3.0, 9.0)])
    assert found == pytest.approx((3.0, 50.0, 0.0, 0.0, 1.0, 1.0), abs=1e-6)


def test_what_was_measured_covers_six_ratios_of_each_codec() -> None:
    measured = read_table()
    assert [one.codec for one in measured] == [codec for codec in CODECS for _ in TEXTS]
    for codec in CODECS:
        ratios = [one.ratio for one in measured if one.codec == codec and 1.0 < one.ratio < 20.0]
        assert len(ratios) >= FEWEST
    there, _, stored, _ = lines(measured)["gzip -6"]
    assert 0.7 < there.least < 1.0 < there.most < 1.4
    assert stored < there.each + there.coded
