"""The wait of requests behind buffers at an adapter against its simulation, event by event."""

import math
from collections.abc import Callable, Generator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
import simpy

from simbackup.equations.waiting import Queue, late_share, loop_queue, mean_wait
from tests.cases import for_each, some

BATCHES = 20
EACH = 1600
"""Requests in a batch; the first batch, with its empty queues, does not count."""
STUDENT = 3.88
"""Two-sided 99.9 % quantile of Student's t at 19 degrees of freedom."""


class Case(NamedTuple):
    """Buffers, their seconds elsewhere and at another queue, at an adapter; requests, adapters, files; the time-out."""

    buffers: int
    latency: float
    other: float
    stage: float
    request: float
    arrivals: float
    wires: int
    files: int
    timeout: float


class Told(NamedTuple):
    """Mean wait and share of time-outs, each with half the width of its interval where it was simulated."""

    mean: float
    late: float
    mean_half: float = 0.0
    late_half: float = 0.0


def equation(case: Case) -> Told:
    load = case.arrivals * case.request / case.wires
    demands = [case.stage / case.files / (1.0 - load)] * case.files + ([case.other] if case.other else [])
    here = loop_queue(demands, case.buffers, case.latency, 0)
    queue = Queue(tuple(case.files / case.wires * share for share in here), case.stage, case.request, load)
    return Told(mean_wait(queue), late_share(queue, case.timeout))


def simulated(case: Case, *, constant: bool = False) -> Told:
    batches = waited(case._replace(timeout=math.inf), constant=constant)
    means, late = batches.mean(axis=1), (batches > case.timeout).mean(axis=1)
    half = STUDENT / math.sqrt(BATCHES)
    return Told(
        float(means.mean()), float(late.mean()), half * float(means.std(ddof=1)), half * float(late.std(ddof=1))
    )


@cache
def waited(case: Case, *, constant: bool) -> np.ndarray[Any, Any]:
    """Seconds that each request of each batch waited, which no time-out changes."""
    env, random = simpy.Environment(), np.random.default_rng(2007)
    wires = [simpy.Resource(env) for _ in range(case.wires)]
    behind = simpy.Resource(env)
    time: Callable[[float], float] = (lambda mean: mean) if constant else (lambda mean: float(random.exponential(mean)))
    waits: list[float] = []
    full = env.event()

    def serve(centre: simpy.Resource, mean: float, begin: float | None = None) -> Generator[simpy.Event, Any, None]:
        with centre.request() as turn:  # pyright: ignore[reportUnknownVariableType]
            yield turn
            if begin is not None:
                waits.append(float(env.now) - begin)
            yield env.timeout(time(mean))

    def go_round() -> Generator[simpy.Event, Any, None]:
        while True:
            yield env.timeout(time(case.latency))
            if case.other:
                yield from serve(behind, case.other)
            yield from serve(wires[int(random.integers(case.files))], case.stage)

    def come() -> Generator[simpy.Event, Any, None]:
        while len(waits) < (BATCHES + 1) * EACH:
            yield env.timeout(random.exponential(1.0 / case.arrivals))
            env.process(serve(wires[int(random.integers(case.wires))], case.request, float(env.now)))
        full.succeed()

    for _ in range(case.buffers):
        env.process(go_round())
    env.process(come())
    env.run(until=full)
    return np.array(waits[EACH : (BATCHES + 1) * EACH]).reshape(BATCHES, EACH)


EXACT = {
    "no buffers": Case(0, 1.0, 0.0, 1.0, 1.0, 0.6, 1, 1, 4.0),
    "one buffer": Case(1, 5.0, 0.0, 1.0, 1.0, 0.5, 1, 1, 4.0),
    "buffers that leave room": Case(4, 20.0, 0.0, 1.0, 1.0, 0.4, 1, 1, 4.0),
    "buffers that fill the adapter": Case(8, 10.0, 0.0, 1.0, 1.0, 0.5, 1, 1, 20.0),
    "another queue": Case(8, 10.0, 2.0, 1.0, 1.0, 0.5, 1, 1, 10.0),
    "two adapters, one file": Case(8, 10.0, 0.0, 1.0, 1.0, 0.8, 2, 1, 10.0),
    "four adapters, two files": Case(12, 6.0, 0.0, 1.0, 1.0, 1.6, 4, 2, 8.0),
}


@pytest.mark.slow
@for_each("name", some(EXACT, 4))
def test_the_equation_agrees_with_requests_that_wait(name: str) -> None:
    case = EXACT[name]
    found, reported = simulated(case), equation(case)
    assert found.mean_half < 0.25 * found.mean
    assert reported.mean == pytest.approx(found.mean, abs=found.mean_half)
    assert reported.late == pytest.approx(found.late, abs=found.late_half)


@pytest.mark.slow
def test_the_simulation_tells_two_buffers_more() -> None:
    """The test above has teeth."""
    case = EXACT["buffers that fill the adapter"]
    found = simulated(case)
    assert equation(case._replace(buffers=10)).mean > found.mean + found.mean_half


SMALL = {
    "filled, a third of a buffer": Case(16, 4.0, 0.0, 1.0, 0.3, 1.0, 1, 1, 20.0),
    "filled, a tenth": Case(16, 4.0, 0.0, 1.0, 0.1, 3.0, 1, 1, 20.0),
    "filled, three times": Case(16, 4.0, 0.0, 1.0, 3.0, 0.1, 1, 1, 20.0),
}


@pytest.mark.slow
@for_each("constant", [False, True])
@for_each("case", SMALL.values(), ids=SMALL.keys())
def test_where_buffers_fill_the_adapter_their_size_matters_little(case: Case, *, constant: bool) -> None:
    """The mean is within a tenth; the reported wait is spread more than the real one of services of one length."""
    found, reported = simulated(case, constant=constant), equation(case)
    assert reported.mean == pytest.approx(found.mean, rel=0.1)


@pytest.mark.slow
def test_services_of_one_length_spread_less() -> None:
    """Far above the mean fewer wait in truth than is reported, far below it more."""
    case = SMALL["filled, a tenth"]
    mean = equation(case).mean
    late, early = case._replace(timeout=1.4 * mean), case._replace(timeout=0.6 * mean)
    assert simulated(late, constant=True).late < equation(late).late
    assert simulated(early, constant=True).late > equation(early).late


@pytest.mark.slow
@pytest.mark.parametrize(("constant", "most"), [(False, 1.7), (True, 3.5)])
def test_where_buffers_leave_room_small_requests_wait_less_than_reported(constant: bool, most: float) -> None:
    case = Case(8, 60.0, 0.0, 1.0, 0.3, 2.0, 1, 1, 10.0)
    assert 1.0 < equation(case).mean / simulated(case, constant=constant).mean < most
