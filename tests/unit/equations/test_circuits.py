"""Requests that go round between queues, against exact mean value analysis and event by event."""

import math
import random
from functools import cache

import pytest
import simpy

from simbackup.equations.circuits import CustomerClass, Visit, closed_network
from simbackup.equations.queueing import mva_closed, mva_pooled
from tests.cases import for_each

TOLERANCE = 0.02


def kind(customers: int, delay: float, *demands: float) -> CustomerClass:
    return CustomerClass(customers, delay, tuple(Visit(i, demand, demand) for i, demand in enumerate(demands)))


def exact(kinds: list[CustomerClass]) -> list[float]:
    """Rates of several kinds by exact mean value analysis over all smaller populations (Reiser and Lavenberg)."""
    queues = sorted({visit.queue for one in kinds for visit in one.visits})

    @cache
    def at(population: tuple[int, ...]) -> tuple[dict[int, float], list[float]]:
        if not any(population):
            return dict.fromkeys(queues, 0.0), []
        rates, residence = [0.0] * len(kinds), [dict[int, float]() for _ in kinds]
        for i, one in enumerate(kinds):
            if population[i]:
                fewer, _ = at(tuple(n - (i == j) for j, n in enumerate(population)))
                residence[i] = {visit.queue: visit.demand * (1 + fewer[visit.queue]) for visit in one.visits}
                rates[i] = population[i] / (one.delay + math.fsum(residence[i].values()))
        return {q: sum(x * r.get(q, 0.0) for x, r in zip(rates, residence, strict=True)) for q in queues}, rates

    return at(tuple(one.customers for one in kinds))[1]


@for_each("customers", [1, 2, 4, 16])
@for_each("share", [0.1, 1 / 3, 0.9])
def test_one_kind_comes_to_exact_mean_value_analysis(customers: int, share: float) -> None:
    (found,) = closed_network([kind(customers, 1.0 - share, share)], [0.0], [None])
    assert found.rate == pytest.approx(mva_closed([share], customers, 1.0 - share).throughput, rel=TOLERANCE)


@for_each("seed", range(30))
def test_several_kinds_come_to_exact_mean_value_analysis(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    queues = draw.randint(1, 3)
    kinds = [
        kind(draw.randint(1, 4), draw.uniform(0.001, 2.0), *(draw.uniform(0.01, 1.0) for _ in range(queues)))
        for _ in range(draw.randint(1, 3))
    ]
    found = [throughput.rate for throughput in closed_network(kinds, [0.0] * queues, [None] * queues)]
    assert found == pytest.approx(exact(kinds), rel=TOLERANCE)


@pytest.mark.slow
def test_workers_at_two_queues_come_to_their_simulation_event_by_event() -> None:
    draw, env, done = random.Random(7), simpy.Environment(), [0]  # noqa: S311
    queues, demands, delay, customers = [simpy.Resource(env), simpy.Resource(env)], (0.5, 0.3), 0.4, 4

    def worker():  # noqa: ANN202
        while True:
            yield env.timeout(delay)
            for queue, demand in zip(queues, demands, strict=True):
                with queue.request() as turn:
                    yield turn
                    yield env.timeout(draw.expovariate(1.0 / demand))
            done[0] += 1

    for _ in range(customers):
        env.process(worker())
    env.run(until=50_000.0)
    (found,) = closed_network([kind(customers, delay, *demands)], [0.0, 0.0], [None, None])
    assert found.rate == pytest.approx(done[0] / 50_000.0, rel=TOLERANCE)


@pytest.mark.parametrize("seed", range(40))
def test_pooled_servers_come_to_exact_mean_value_analysis(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    customers, servers = draw.randint(2, 16), draw.randint(2, 8)
    queue, delay = draw.uniform(0.05, 0.6), draw.uniform(0.0, 2.0)
    one = CustomerClass(customers, delay, (Visit(0, 1.0, 1.0 / servers), Visit(1, queue, queue)))
    (found,) = closed_network([one], [0.0, 0.0], [float(servers), None])
    exact_rate = mva_pooled([queue], customers, delay, (1.0, servers)).throughput
    assert found.rate == pytest.approx(exact_rate, rel=TOLERANCE)


@pytest.mark.parametrize("seed", range(30))
def test_no_queue_serves_more_than_it_can(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    pooled = [None, 1.0, 4.0]
    kinds = [
        CustomerClass(
            draw.choice([1, 4, 16]),
            draw.uniform(0.0, 1.0),
            tuple(Visit(q, w := draw.uniform(0.01, 1.0), w, draw.choice([0.0, 1.0])) for q in range(3)),
            draw.choice([0.0, 5.0]),
        )
        for _ in range(3)
    ]
    found = closed_network(kinds, [0.0] * 3, pooled)
    for q, servers in enumerate(pooled):
        used = [
            one.customers / (one.delay + one.away + sum(throughput.residence)) * one.visits[q].demand
            for one, throughput in zip(kinds, found, strict=True)
        ]
        assert sum(used) <= (servers or 1.0) * (1.0 + 1e-6)


def test_in_order_of_arrival_all_wait_for_the_same_work() -> None:
    small, large = (CustomerClass(n, 0.0, (Visit(0, w, w, 1.0),)) for n, w in ((1, 0.1), (4, 1.0)))
    found = closed_network([small, large], [0.0], [None])
    assert found[0].residence[0] == pytest.approx(0.1 + 4.0, rel=0.05)  # one behind four, at all times
    assert found[0].rate * 4.0 == pytest.approx(found[1].rate, rel=0.05)  # each has a turn for each turn of the others


@pytest.mark.parametrize(("delay", "short", "long"), [(0.02, 0.005, 2.0), (0.1, 0.02, 0.5), (1.0, 0.5, 0.5)])
def test_a_long_service_delays_a_short_one_that_comes_often_only_once(delay: float, short: float, long: float) -> None:
    """One customer of each kind at one queue, exactly: a service of S meets the other with S / (S + g), g apart."""
    apart, sizes, waits, often = (delay, 10.0), (short, long), [0.0, 0.0], [0.0, 0.0]
    for _ in range(10_000):
        often = [1.0 / (g + s + w) for g, s, w in zip(apart, sizes, waits, strict=True)]
        waits = [often[1 - i] / often[i] * sizes[1 - i] ** 2 / (sizes[1 - i] + apart[i]) for i in (0, 1)]
    kinds = [CustomerClass(1, g, (Visit(0, s, s, 1.0),)) for g, s in zip(apart, sizes, strict=True)]
    found = closed_network(kinds, [0.0], [None])
    assert [one.rate for one in found] == pytest.approx(often, rel=0.03)


def test_a_round_takes_time() -> None:
    with pytest.raises(ValueError, match="no finite rate"):
        closed_network([kind(1, 0.0)], [], [])
