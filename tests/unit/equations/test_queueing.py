import math

import pytest
from oracles.queues import from_an_empty_queue, md1_wait, mg1_wait, mm1_wait, mmc_wait, shared_with_streams

from simbackup.equations.queueing import growing_response, mixed_response, mva_closed, mva_pooled
from tests.cases import for_each


def test_mm1_by_hand() -> None:
    # At 80 % use a customer waits four services.
    assert mm1_wait(8, 0.1) == pytest.approx(0.4)


def test_constant_service_halves_the_wait() -> None:
    assert md1_wait(8, 0.1) == pytest.approx(mm1_wait(8, 0.1) / 2)


def test_pollaczek_khinchine_by_hand() -> None:
    # Service 0 or 2 s with equal chance: mean 1, variance 1, second moment 2.
    assert mg1_wait(0.5, 1, 1) == pytest.approx(0.5 * 2 / (2 * 0.5))


def test_mmc_by_hand() -> None:
    # Two servers at load 1: Erlang C is 1/3, so the wait is a third of a service.
    assert mmc_wait(1, 1, 2) == pytest.approx(1 / 3)
    # Three servers at load 2: Erlang C is 4/9.
    assert mmc_wait(2, 1, 3) == pytest.approx(4 / 9)


def test_many_servers_do_not_overflow() -> None:
    assert 0 < mmc_wait(990, 1, 1000) < 0.1


def test_saturated_queues_wait_for_ever() -> None:
    assert mm1_wait(10, 0.1) == math.inf
    assert md1_wait(11, 0.1) == math.inf
    assert mmc_wait(20, 0.1, 2) == math.inf


def test_idle_queues_do_not_wait() -> None:
    assert mm1_wait(0, 1) == md1_wait(0, 1) == mmc_wait(0, 1, 3) == 0


def test_balanced_network_by_hand() -> None:
    # N customers over K equal centres of demand D: X = N / (D (N + K - 1)).
    network = mva_closed([2, 2, 2], customers=4)
    assert network.throughput == pytest.approx(4 / (2 * 6))
    assert network.response == pytest.approx(12)
    assert network.queue_lengths == pytest.approx((4 / 3,) * 3)


def test_two_unequal_centres_by_hand() -> None:
    # D = 1 and 2, two customers: n = 1 gives queues 1/3 and 2/3, so R = 4/3 + 10/3.
    throughput, response, queues = mva_closed([1, 2], customers=2)
    assert response == pytest.approx(14 / 3)
    assert throughput == pytest.approx(3 / 7)
    assert queues == pytest.approx((4 / 7, 10 / 7))


def test_machine_repairman_with_think_time() -> None:
    # One centre with exponential thinking: the throughput is (1 - p0) / D from the birth-death chain.
    demand, think, customers = 1.0, 3.0, 5
    weights = [math.perm(customers, n) * (demand / think) ** n for n in range(customers + 1)]
    busy = 1 - weights[0] / math.fsum(weights)
    assert mva_closed([demand], customers, think).throughput == pytest.approx(busy / demand)


def test_impossible_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        mm1_wait(-1, 1)
    with pytest.raises(ValueError, match="one server"):
        mmc_wait(1, 1, 0)
    with pytest.raises(ValueError, match="negative"):
        mva_closed([1, -1], customers=1)
    with pytest.raises(ValueError, match="throughput"):
        mva_closed([0, 0], customers=1)


@pytest.mark.slow
@for_each("streams", [0, 1, 3])
def test_requests_and_streams_that_share_a_server(streams: int) -> None:
    """Half full of requests of equal length; 5 % are four standard errors of 20,000 requests."""
    simulated = shared_with_streams(50.0, 0.01, 20_000, streams=streams)
    assert mixed_response(0.01, 0.5, streams * 0.01) == pytest.approx(simulated, rel=0.05)


@pytest.mark.slow
@for_each("load", [1.0, 1.02, 1.1, 1.5])
def test_a_queue_that_more_join_than_leave_grows(load: float) -> None:
    """By simulation of each request from an empty queue on; the equation joins two limits, and is short between."""
    simulated = from_an_empty_queue(load / 0.01, 0.01, 200.0, runs=1000)
    assert growing_response(0.01, load, 200.0) == pytest.approx(simulated, rel=0.1)


def normalised(demands: list[float], customers: int, think: float, pool: tuple[float, int]) -> list[float]:
    """Normalising constants of a product-form network with 0, 1, ... customers, by convolution (Buzen)."""
    seconds, servers = pool
    found = [1.0] + [0.0] * customers
    for demand in demands:
        for n in range(1, customers + 1):
            found[n] += demand * found[n - 1]
    for factor in (
        [think**k / math.factorial(k) for k in range(customers + 1)],
        [math.prod(seconds / min(k, servers) for k in range(1, here + 1)) for here in range(customers + 1)],
    ):
        found = [math.fsum(found[n - k] * factor[k] for k in range(n + 1)) for n in range(customers + 1)]
    return found


@for_each("customers", [1, 2, 6, 7, 12, 30])
@for_each("pool", [(12.0, 6), (1.0, 2), (3.0, 1), (40.0, 100)])
@for_each("demands, think", [([0.3, 0.1], 0.2), ([2.0], 0.0), ([], 5.0)])
def test_a_pool_of_servers_is_that_of_the_product_form(
    customers: int, pool: tuple[float, int], demands: list[float], think: float
) -> None:
    found, constants = mva_pooled(demands, customers, think, pool), normalised(demands, customers, think, pool)
    assert found.throughput == pytest.approx(constants[-2] / constants[-1], rel=1e-9)
    assert math.fsum(found.queue_lengths) + found.throughput * think == pytest.approx(customers)
