"""Chunks of a store, against data whose runs change one by one."""

import numpy as np
import pytest
from oracles.containers import simulated

from simbackup.equations.change import DAY, Change
from simbackup.equations.deduplication import came_with, containers_read, piece, touched_chunks
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


def test_a_chunk_that_is_small_beside_a_run_is_touched_as_its_bytes_are() -> None:
    assert touched_chunks(0.03, 1e6, 1.0) == pytest.approx(0.03, rel=1e-4)
    assert touched_chunks(1.0, 1.0, 1.0) == 1.0
    assert touched_chunks(0.0, 1.0, 1.0) == 0.0


@for_each("daily, nights", [(0.02, 1), (0.02, 10), (0.1, 3), (0.1, 30), (0.3, 20)])
@for_each("container", [8, 64])
def test_a_restore_that_keeps_some_containers_of_each_night(daily: float, nights: int, container: int) -> None:
    """Against a store that is filled run by run, and read through a memory of eight containers for each generation."""
    shares = came_with(Change(daily=daily), DAY, nights)
    expected = containers_read(shares, [daily] * nights + [1.0], 1.0, container - 1)  # runs lie in one container
    assert simulated(container, daily, nights, 8 * (nights + 1)) == pytest.approx(expected, rel=0.02)


def test_a_restore_with_too_little_memory_reads_far_more() -> None:
    """Which is why the equation states what memory it needs."""
    assert simulated(64, 0.1, 30, 4) > 5 * simulated(64, 0.1, 30, 8 * 31)


def test_containers_of_one_generation_are_read_once() -> None:
    assert containers_read([1.0], [1.0], 65536, 4 * 1024**2) == 1.0


def test_generations_that_brought_nothing_are_not_read() -> None:
    assert containers_read([0.0, 0.0, 1.0], [0.0, 0.0, 1.0], 65536, 4 * 1024**2) == 1.0
