"""Lock waits in closed form against transactions that arrive one by one."""

import math
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest
import simpy

from simbackup.equations.database import lock_waits
from tests.cases import for_each

SEED = 4
RUNS = 400
DEVIATIONS = 3.3
"""Half the width of the interval, in standard errors: 99.9 % of all seeds lie within."""


def arrive(
    env: simpy.Environment, rng: np.random.Generator, rate: float, unlocked: simpy.Event, waits: list[float]
) -> Generator[simpy.Event, Any, None]:
    """Transactions that arrive independently, each in a process of its own."""
    while True:
        yield env.timeout(rng.exponential(1.0 / rate))
        env.process(transact(env, unlocked, waits))


def transact(env: simpy.Environment, unlocked: simpy.Event, waits: list[float]) -> Generator[simpy.Event, Any, None]:
    """One transaction that needs the lock."""
    begin = float(env.now)
    if not unlocked.processed:
        yield unlocked
        waits.append(float(env.now) - begin)


def observed(lock: float, rate: float) -> list[list[float]]:
    """The waits of all transactions that met the lock, of each of many runs."""
    rng = np.random.default_rng(SEED)
    runs: list[list[float]] = []
    for _ in range(RUNS):
        env, waits = simpy.Environment(), list[float]()
        unlocked = env.timeout(lock)
        env.process(arrive(env, rng, rate, unlocked, waits))
        env.run(until=lock * 1.25)
        runs.append(waits)
    return runs


def agrees(sample: list[float], expected: float) -> bool:
    """Whether an expected mean lies within the confidence interval of a sample."""
    error = float(np.std(sample, ddof=1)) / math.sqrt(len(sample))
    return abs(float(np.mean(sample)) - expected) <= DEVIATIONS * error


@for_each("lock, rate", [(1.2, 20.0), (10.0, 3.0), (100.0, 0.5)])
def test_closed_form_agrees_with_arrivals_one_by_one(lock: float, rate: float) -> None:
    expected, runs = lock_waits(lock, rate), observed(lock, rate)
    assert agrees([float(len(waits)) for waits in runs], expected.transactions)
    assert agrees([sum(waits) for waits in runs], expected.transactions * expected.mean)
    assert max(max(waits, default=0.0) for waits in runs) <= expected.longest
    assert max(max(waits, default=0.0) for waits in runs) > 0.99 * expected.longest


def test_the_interval_is_narrow_enough_to_tell_another_answer() -> None:
    expected, runs = lock_waits(10.0, 3.0), observed(10.0, 3.0)
    assert not agrees([float(len(waits)) for waits in runs], 1.05 * expected.transactions)
    assert not agrees([sum(waits) for waits in runs], 1.05 * expected.transactions * expected.mean)


def test_the_number_of_those_who_wait_is_poisson() -> None:
    """Its variance is its mean; for 400 runs the ratio strays by a fourteenth."""
    counts = [float(len(waits)) for waits in observed(10.0, 3.0)]
    assert float(np.var(counts, ddof=1)) / float(np.mean(counts)) == pytest.approx(1.0, abs=0.24)
