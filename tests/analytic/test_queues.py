"""Waits and loops in closed form against their simulation, event by event."""

import math
from collections.abc import Callable, Generator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
import simpy
from oracles.queues import md1_wait, mm1_wait

from simbackup.equations.buffers import HalfLoop, joined_rate, loop
from simbackup.equations.database import lock_waits
from simbackup.equations.intervals import mean_interval
from simbackup.equations.waiting import Queue, late_share, loop_queue, mean_wait
from tests.cases import for_each, some

# Requests behind buffers at an adapter
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


# A loop of buffers
MIB = 2.0**20
LOOP_BATCHES = 30
ROUNDS = 1000
"""Rounds in a batch; the first batch, with its empty queues, does not count."""
LOOP_STUDENT = 3.66
"""Two-sided 99.9 % quantile of Student's t at 29 degrees of freedom."""


def simulated_loop(
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
            if len(ends) == (LOOP_BATCHES + 1) * ROUNDS:
                full.succeed()

    for _ in range(buffers):
        env.process(go_round())
    env.run(until=full)
    rates = ROUNDS / np.diff(ends[ROUNDS - 1 :: ROUNDS])
    assert len(rates) == LOOP_BATCHES
    return float(rates.mean()), LOOP_STUDENT * float(rates.std(ddof=1)) / math.sqrt(LOOP_BATCHES)


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
    rate, half = simulated_loop(buffers, latency, demands, seed=2002)
    expected = loop(MIB, buffers, latency, [demand / MIB for demand in demands]).rate / MIB
    assert half < 0.03 * rate
    assert rate == pytest.approx(expected, abs=half)


@pytest.mark.slow
@for_each("buffers", [3, 8, 20])
def test_the_equation_agrees_with_threads_that_share_a_queue(buffers: int) -> None:
    """With one queue for each of six threads, which a buffer would choose blindly, eight would be a fifth slower."""
    coding = (12e-9 * MIB, 6)
    rate, half = simulated_loop(buffers, 2e-4, [0.26e-3, 0.13e-3], 2002, coding)
    expected = loop(MIB, buffers, 2e-4, (0.26e-3 / MIB, 0.13e-3 / MIB), (12e-9, 6)).rate / MIB
    assert rate == pytest.approx(expected, rel=0.02 + half / rate)


def test_the_simulation_tells_a_loop_with_one_buffer_more_from_it() -> None:
    """The test above has teeth: it would not pass with eight buffers in place of seven."""
    rate, half = simulated_loop(7, 0.076, [0.006], seed=2002)
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
        if len(ends) == (LOOP_BATCHES + 1) * ROUNDS:
            full.succeed()

    for _ in range(buffers):
        env.process(read())
    env.run(until=full)
    return LOOP_BATCHES * ROUNDS / (ends[-1] - ends[ROUNDS - 1])


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


# Lock waits against transactions that arrive one by one
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


# Nominal 95 % intervals cover the mean wait of queues that are known in closed form
EXPERIMENTS, COVERAGE_RUNS, CUSTOMERS, BEFORE = 500, 20, 400, 100
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
    drawn = waits(np.random.default_rng(1), (EXPERIMENTS, COVERAGE_RUNS), BEFORE + CUSTOMERS, constant=constant)
    means = drawn[BEFORE:].mean(axis=0).tolist()
    found = [mean_interval(each) for each in means]
    hits = sum(abs(one.mean - wait(ARRIVALS, 1.0)) <= one.half for one in found)
    assert 0.92 <= hits / EXPERIMENTS <= 0.98
