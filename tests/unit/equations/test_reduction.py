"""Chunks of a store, against data whose runs change one by one; what codecs cost, against measured points."""

import numpy as np
import pytest
from oracles.containers import simulated

from benchmarks.codecs import CODECS, FEWEST, TEXTS, fitted, line, lines, read_table, text
from simbackup.equations.change import DAY, Change
from simbackup.equations.reduction import came_with, cost_of_coding, piece, touched_chunks
from tests.cases import for_each

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
