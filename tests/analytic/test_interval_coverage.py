"""Nominal 95 % intervals cover the mean wait of queues that are known in closed form."""

from collections.abc import Callable

import numpy as np
import pytest
from oracles.queues import md1_wait, mm1_wait

from simbackup.equations.intervals import mean_interval

EXPERIMENTS, RUNS, CUSTOMERS, BEFORE = 500, 20, 400, 100
ARRIVALS = 0.5
"""Customers a second; a service takes a second."""


def waits(draw: np.random.Generator, shape: tuple[int, ...], customers: int, *, constant: bool) -> np.ndarray:
    """Waits of customers one after the other (Lindley), for many queues at once, from an empty queue on."""
    found = np.zeros((customers, *shape))
    for i in range(1, customers):
        service = 1.0 if constant else draw.exponential(1.0, shape)
        found[i] = np.maximum(0.0, found[i - 1] + service - draw.exponential(1.0 / ARRIVALS, shape))
    return found


@pytest.mark.parametrize(("constant", "wait"), [(False, mm1_wait), (True, md1_wait)])
def test_intervals_of_replications_cover_as_often_as_they_say(
    constant: bool, wait: Callable[[float, float], float]
) -> None:
    drawn = waits(np.random.default_rng(1), (EXPERIMENTS, RUNS), BEFORE + CUSTOMERS, constant=constant)
    means = drawn[BEFORE:].mean(axis=0).tolist()
    found = [mean_interval(each) for each in means]
    hits = sum(abs(one.mean - wait(ARRIVALS, 1.0)) <= one.half for one in found)
    assert 0.92 <= hits / EXPERIMENTS <= 0.98
