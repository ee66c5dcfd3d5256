"""The rate of a loop of buffers against its simulation, event by event."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest
import simpy

from simbackup.equations.buffers import loop_rate

MIB = 2.0**20
BATCHES = 30
ROUNDS = 1000
"""Rounds in a batch; the first batch, with its empty queues, does not count."""
STUDENT = 3.66
"""Two-sided 99.9 % quantile of Student's t at 29 degrees of freedom."""


def simulated(buffers: int, latency: float, demands: list[float], seed: int) -> tuple[float, float]:
    """Rounds a second and half the width of their confidence interval, by batch means.

    Each buffer waits its latency, for which it needs nobody, and then queues at each centre in turn, in order of
    arrival, for exponential service.
    """
    env, random = simpy.Environment(), np.random.default_rng(seed)
    centres = [simpy.Resource(env) for _ in demands]
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


@pytest.mark.parametrize(
    ("buffers", "latency", "demands"),
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
    expected = loop_rate(MIB, buffers, latency, [demand / MIB for demand in demands]) / MIB
    assert half < 0.03 * rate
    assert rate == pytest.approx(expected, abs=half)


def test_the_simulation_tells_a_loop_with_one_buffer_more_from_it() -> None:
    """The test above has teeth: it would not pass with eight buffers in place of seven."""
    rate, half = simulated(7, 0.076, [0.006], seed=2002)
    assert loop_rate(MIB, 8, 0.076, [0.006 / MIB]) / MIB > rate + 3 * half
