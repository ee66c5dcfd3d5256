"""Fragmentation and its cost, block by block and request by request, and copies in rounds."""

from collections.abc import Generator
from typing import Any

import numpy as np
import pytest
import simpy

import simbackup as sb
from simbackup.devices.changes import Spread
from simbackup.devices.redirect.live import Fragments
from simbackup.equations.fragmentation import broken_share, fetch_time
from tests.cases import for_each, grid

BLOCKS = 40_960
BLOCK = 4096.0
HOP = 0.0085
RATE = 400e6


def moved(updates: int, hot: tuple[float, float] = (1.0, 1.0), *, together: int = 1) -> np.ndarray[Any, Any]:
    """Where each block lies after updates that each move so many blocks to the next free place."""
    rng = np.random.default_rng(7)
    place, units = np.arange(BLOCKS), BLOCKS // together
    order = rng.permutation(units)
    hot_units = round(hot[0] * units)
    free = BLOCKS
    for _ in range(updates):
        unit = order[rng.integers(hot_units)] if rng.random() < hot[1] else order[rng.integers(hot_units, units)]
        first = unit * together
        place[first : first + together] = np.arange(free, free + together)
        free += together + 1  # what is updated next is something else
    return place


def breaks(place: np.ndarray[Any, Any]) -> float:
    """Share of logical neighbours that are no physical neighbours."""
    return float(np.mean(np.diff(place) != 1))


@for_each("updates", [400, 4_000, 20_000, 40_000, 120_000])
def test_neighbours_lost_to_random_updates(updates: int) -> None:
    expected = broken_share(-np.expm1(-updates / BLOCKS))
    assert breaks(moved(updates)) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("updates", "hot", "together"), [(8_000, (0.2, 0.8), 1), (8_000, (1.0, 1.0), 2)])
def test_neighbours_lost_where_updates_are_skewed_or_larger(
    updates: int, hot: tuple[float, float], together: int
) -> None:
    fragments = Fragments(BLOCK)
    spread = Spread(together * BLOCK, BLOCKS * BLOCK, hot[0], hot[1])
    fragments.of("users", 0.0, BLOCKS * BLOCK, spread).scatter.update(updates)
    expected = fragments.breaks(0.0, BLOCKS * BLOCK) * BLOCK
    assert breaks(moved(updates, hot, together=together)) == pytest.approx(expected, abs=0.01)


def reading(place: np.ndarray[Any, Any], disks: int, window: int, *, sliding: bool = False) -> float:
    """Seconds of a reader who asks for a window after the other; each fragment is a request to the disk it lies on.

    `sliding` keeps so many blocks asked for at any time instead: the next is asked for as soon as one has come.
    """
    env, rng = simpy.Environment(), np.random.default_rng(11)
    heads = [simpy.Resource(env, 1) for _ in range(disks)]
    on = rng.integers(disks, size=BLOCKS)
    jump = np.concatenate([[False], np.diff(place) != 1])

    def fragment(disk: int) -> Generator[simpy.Event, Any, None]:
        with heads[disk].request() as turn:
            yield turn
            yield env.timeout(HOP)

    def by_windows() -> Generator[simpy.Event, Any, None]:
        for first in range(0, BLOCKS, window):
            here = range(first, min(first + window, BLOCKS))
            yield env.all_of([env.process(fragment(on[i])) for i in here if jump[i]] or [env.timeout(0.0)])
            yield env.timeout(window * BLOCK / RATE)

    def by_sliding() -> Generator[simpy.Event, Any, None]:
        room = simpy.Container(env, window, window)

        def one(i: int) -> Generator[simpy.Event, Any, None]:
            yield from fragment(on[i])
            room.put(1)

        for i in range(BLOCKS):
            if jump[i]:
                yield room.get(1)
                env.process(one(i))

    env.run(until=env.process(by_sliding() if sliding else by_windows()))
    return float(env.now)


@pytest.mark.slow
@for_each("disks, window, updates", grid([1, 6, 14], [32, 512], [800, 40_000]))
def test_a_reader_of_windows_takes_what_the_equation_says(disks: int, window: int, updates: int) -> None:
    """Never too short, up to 1.4 times too long where few blocks moved, as breaks then come in pairs."""
    place = moved(updates)
    each = fetch_time(window * BLOCK, breaks(place) * window, disks, HOP, RATE)
    exact = reading(place, disks, window)
    reported = each * BLOCKS / window
    assert 0.97 * exact < reported < (1.4 if updates < BLOCKS else 1.12) * exact


@pytest.mark.slow
def test_read_ahead_that_never_pauses_gains_what_waiting_for_windows_loses() -> None:
    """The equation lets a window come whole before the next is asked for: it is on the safe side, and by how much."""
    place = moved(40_000)
    reported = fetch_time(512 * BLOCK, breaks(place) * 512, 14, HOP, 1e15) * BLOCKS / 512
    sliding = reading(place, 14, 512, sliding=True)
    assert 0.6 * reported < sliding < reported


# Copies before a write in rounds of what is in flight
SITE = """\
title: A program writes 256 KiB at a time over a volume whose blocks of 1 MiB are copied before
hosts:
  host: {owns: [disk], cores: 1, memory: 8 GiB, dirty_limit: 90 %, dirty_background: 0 %, copy_rate: 1000 GB/s}
devices:
  disk: {kind: ssd, capacity: 100 GB, read_rate: 2 GiB/s, write_rate: 1 GiB/s, read_latency: 0.2 ms,
    write_latency: 0.1 ms}
  volume: {kind: logical_volume, on: disk, size: 1 GiB}
  copies: {kind: snapshot, of: volume, on: disk, size: 2 GiB, chunk: 1 MiB, record: 0 B,
    in_flight: FLIGHT, commit_backlog: 1 MiB, create_time: 0 s, remove_time: 0 s, lookup_time: 0 s}
data:
  all: {on: volume, size: 1 GiB}
jobs:
  dd: {method: write, data: all, request: 256 KiB}
"""


@for_each("flight, rounds", [("128 KiB", 8), ("512 KiB", 2), ("1 MiB", 1), ("8 MiB", 1)])
def test_a_chunk_larger_than_what_is_in_flight_is_copied_in_rounds(flight: str, rounds: int) -> None:
    """A round waits for a read and for a write, and nothing is committed: n (l + m) + s (1/r + 2/w) + 4 m."""
    chunk = rounds * (0.2e-3 + 0.1e-3) + 2.0**20 * (1.0 / 2.0**31 + 2.0 / 2.0**30) + 4 * 0.1e-3
    result = sb.simulate(SITE.replace("FLIGHT", flight))
    assert result.get("jobs.dd.elapsed") == pytest.approx(1024 * chunk, rel=1e-6)
