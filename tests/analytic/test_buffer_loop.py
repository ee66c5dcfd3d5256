"""The rate of a loop of buffers against its simulation, event by event."""

import math
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest
import simpy

from simbackup.equations.buffers import HalfLoop, joined_rate, loop
from tests.cases import for_each

MIB = 2.0**20
BATCHES = 30
ROUNDS = 1000
"""Rounds in a batch; the first batch, with its empty queues, does not count."""
STUDENT = 3.66
"""Two-sided 99.9 % quantile of Student's t at 29 degrees of freedom."""


def simulated(
    buffers: int, latency: float, demands: list[float], seed: int, coding: tuple[float, int] | None = None
) -> tuple[float, float]:
    """Rounds a second and half the width of their confidence interval, by batch means.

    Each buffer waits its latency, for which it needs nobody, and then queues at each centre in turn, in order of
    arrival, for exponential service; at last for one of several threads, if they are `coding`.
    """
    env, random = simpy.Environment(), np.random.default_rng(seed)
    demands, servers = ([*demands, coding[0]], coding[1]) if coding is not None else (demands, 1)
    centres = [*(simpy.Resource(env) for _ in demands[1:]), simpy.Resource(env, servers)]
    ends: list[float] = []
    full = env.event()

    def go_round() -> Generator[simpy.Event, Any, None]:
        while True:
            yield env.timeout(latency)
            for centre, demand in zip(centres, demands, strict=True):
                with centre.request() as turn:  # pyright: ignore[reportUnknownVariableType]
                    yield turn
                    yield env.timeout(random.exponential(demand))
            ends.append(env.now)
            if len(ends) == (BATCHES + 1) * ROUNDS:
                full.succeed()

    for _ in range(buffers):
        env.process(go_round())
    env.run(until=full)
    rates = ROUNDS / np.diff(ends[ROUNDS - 1 :: ROUNDS])
    assert len(rates) == BATCHES
    return float(rates.mean()), STUDENT * float(rates.std(ddof=1)) / math.sqrt(BATCHES)


@pytest.mark.slow
@for_each(
    "buffers, latency, demands",
    [
        pytest.param(1, 0.076, [0.006, 0.008], id="one buffer"),
        pytest.param(7, 0.076, [0.006], id="one file, nothing tuned"),
        pytest.param(12, 0.076, [0.006], id="two files"),
        pytest.param(21, 0.076, [0.0044, 0.0084], id="compressed, one compressor"),
        pytest.param(12, 0.0, [0.006, 0.006], id="all balanced, no latency"),
        pytest.param(14, 0.030, [0.0044, 0.0042, 0.0042], id="three queues"),
        pytest.param(100, 0.076, [0.006, 0.003], id="the device is all"),
    ],
)
def test_the_equation_agrees_with_buffers_that_go_round(buffers: int, latency: float, demands: list[float]) -> None:
    rate, half = simulated(buffers, latency, demands, seed=2002)
    expected = loop(MIB, buffers, latency, [demand / MIB for demand in demands]).rate / MIB
    assert half < 0.03 * rate
    assert rate == pytest.approx(expected, abs=half)


@pytest.mark.slow
@for_each("buffers", [3, 8, 20])
def test_the_equation_agrees_with_threads_that_share_a_queue(buffers: int) -> None:
    """With one queue for each of six threads, which a buffer would choose blindly, eight would be a fifth slower."""
    coding = (12e-9 * MIB, 6)
    rate, half = simulated(buffers, 2e-4, [0.26e-3, 0.13e-3], 2002, coding)
    expected = loop(MIB, buffers, 2e-4, (0.26e-3 / MIB, 0.13e-3 / MIB), (12e-9, 6)).rate / MIB
    assert rate == pytest.approx(expected, rel=0.02 + half / rate)


def test_the_simulation_tells_a_loop_with_one_buffer_more_from_it() -> None:
    """The test above has teeth: it would not pass with eight buffers in place of seven."""
    rate, half = simulated(7, 0.076, [0.006], seed=2002)
    assert loop(MIB, 8, 0.076, [0.006 / MIB]).rate / MIB > rate + 3 * half


def joined(buffers: int, sides: tuple[tuple[float, float], ...], coding: tuple[float, int], shared: bool) -> float:
    """Rounds a second of two loops that meet where data are compressed: a latency and one centre on either side."""
    env, random = simpy.Environment(), np.random.default_rng(2002)
    centres = [simpy.Resource(env)] * 2 if shared else [simpy.Resource(env), simpy.Resource(env)]
    threads, second = simpy.Resource(env, coding[1]), simpy.Resource(env, buffers)
    ends: list[float] = []
    full = env.event()

    def go(side: int) -> Generator[simpy.Event, Any, None]:
        latency, demand = sides[side]
        yield env.timeout(latency)
        yield from served(centres[side], demand)

    def served(centre: simpy.Resource, demand: float) -> Generator[simpy.Event, Any, None]:
        with centre.request() as turn:  # pyright: ignore[reportUnknownVariableType]
            yield turn
            yield env.timeout(random.exponential(demand))

    def read() -> Generator[simpy.Event, Any, None]:
        while True:
            yield from go(0)
            taken = second.request()
            yield taken
            yield from served(threads, coding[0])
            env.process(write(taken))

    def write(taken: Any) -> Generator[simpy.Event, Any, None]:
        yield from go(1)
        second.release(taken)
        ends.append(env.now)
        if len(ends) == (BATCHES + 1) * ROUNDS:
            full.succeed()

    for _ in range(buffers):
        env.process(read())
    env.run(until=full)
    return BATCHES * ROUNDS / (ends[-1] - ends[ROUNDS - 1])


@pytest.mark.slow
@for_each(
    "buffers, sides, coding, shared, balanced",
    [
        pytest.param(7, ((0.038, 0.003), (0.038, 0.0013)), (0.005, 4), True, True, id="both sides alike"),
        pytest.param(7, ((0.038, 0.003), (0.038, 0.0013)), (0.0084, 1), True, False, id="one thread"),
        pytest.param(7, ((0.020, 0.001), (0.060, 0.0004)), (0.005, 4), False, False, id="late writes"),
        pytest.param(7, ((0.060, 0.001), (0.020, 0.0004)), (0.005, 4), False, False, id="late reads"),
        pytest.param(30, ((0.060, 0.0003), (0.060, 0.0001)), (0.005, 8), False, False, id="many buffers"),
        pytest.param(12, ((0.070, 0.005), (0.070, 0.004)), (0.005, 4), True, True, id="a shared centre that is full"),
    ],
)
def test_joined_loops_agree_with_buffers_that_go_round(
    buffers: int, sides: tuple[tuple[float, float], ...], coding: tuple[float, int], shared: bool, balanced: bool
) -> None:
    (latency, demand), (away, written) = sides
    demands = ((demand,), (written,)) if shared else ((demand, 0.0), (0.0, written))
    rate = joined_rate(buffers, HalfLoop(demands[0], latency), HalfLoop(demands[1], away), *coding)
    one_by_one = joined(buffers, sides, coding, shared)
    assert 0.98 * one_by_one < rate < (1.05 if balanced else 1.02) * one_by_one


def test_joined_loops_go_round_no_faster_than_either_alone() -> None:
    one, other = HalfLoop((0.002, 0.0), 0.05), HalfLoop((0.0, 0.001), 0.02)
    rates = [joined_rate(n, one, other, 0.001, 2) for n in (1, 7, 60, 600)]
    assert rates == sorted(rates)
    for n, rate in zip((1, 7, 60, 600), rates, strict=True):
        assert rate <= loop(1.0, n, 0.05, [0.002]).rate * (1 + 1e-9)
    assert rates[-1] == pytest.approx(500.0, rel=0.001)
