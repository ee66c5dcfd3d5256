"""Queues and circuits in closed form, against exact mean value analysis, calculations by hand and each request."""

import math
import random
from functools import cache

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st
from oracles.queues import from_an_empty_queue, md1_wait, mg1_wait, mm1_wait, mmc_wait, shared_with_streams

from simbackup.equations.buffers import default_buffers, loop, visits
from simbackup.equations.circuits import CustomerClass, Visit, closed_network
from simbackup.equations.database import LockWaits, lock_waits, slowdown, users_who_wait
from simbackup.equations.linearizer import Linearizer
from simbackup.equations.one_kind import throughput
from simbackup.equations.queueing import growing_response, mixed_response, mva_closed, mva_pooled
from simbackup.equations.waiting import Party, Queue, Run, late_share, loop_queue, mean_wait, work_found
from tests.cases import for_each
from tests.oracles.requests import Mechanics, buffers_round


# Queues
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


# Waits at an adapter and at a server
def test_the_mean_queue_is_that_of_mean_value_analysis() -> None:
    demands = [1.0, 0.4, 2.0]
    expected = mva_closed(demands, customers=9, think_time=3.0).queue_lengths
    for centre, queue in enumerate(expected):
        assert math.fsum(loop_queue(demands, 9, 3.0, centre)) == pytest.approx(queue)


def test_one_buffer_is_where_it_is_served() -> None:
    assert loop_queue([1.0], customers=1, think_time=3.0, centre=0) == pytest.approx((0.25,))
    assert loop_queue([1.0], customers=0, think_time=3.0, centre=0) == ()


def test_without_buffers_requests_wait_as_in_m_m_1() -> None:
    queue = Queue((), 0.0, 0.25, 0.8)
    assert mean_wait(queue) == pytest.approx(mm1_wait(0.8 / 0.25, 0.25))
    assert late_share(queue, 3.0) == pytest.approx(0.8 * math.exp(-0.2 / 0.25 * 3.0))


def test_behind_buffers_that_always_stand_the_wait_is_erlang() -> None:
    """Three buffers and no other requests: three exponential times."""
    queue = Queue((1.0, 1.0, 1.0), 2.0, 0.1, 0.0)
    assert mean_wait(queue) == pytest.approx(6.0)
    assert late_share(queue, 4.0) == pytest.approx(math.exp(-2.0) * (1 + 2 + 2))


@pytest.mark.slow
@for_each("request_s", [0.001, 0.3, 0.51, 0.6, 0.99, 1.0, 1.01, 3.0, 40.0])
@for_each("buffers", [1, 5, 40])
def test_the_mean_is_the_sum_of_all_late_shares(request_s: float, buffers: int) -> None:
    """The integral of the share that waits longer, whichever of request and buffer is larger."""
    queue = Queue(tuple(0.97**k for k in range(1, buffers + 1)), 1.0, request_s, 0.6)
    longest, steps = 12.0 * (mean_wait(queue) + request_s / 0.4), 500
    width = longest / steps
    total = math.fsum(late_share(queue, (i + 0.5) * width) for i in range(steps)) * width
    assert total == pytest.approx(mean_wait(queue), rel=1e-2)


def test_requests_as_large_as_buffers_are_the_limit_of_those_a_little_smaller() -> None:
    at_least = (0.9, 0.8, 0.7, 0.1)
    same, smaller = (late_share(Queue(at_least, 1.0, size, 0.5), 7.0) for size in (1.0, 1.0 - 1e-7))
    assert smaller == pytest.approx(same, rel=1e-5)


def test_a_full_adapter_keeps_everybody_waiting() -> None:
    queue = Queue((), 0.0, 1.0, 1.0)
    assert mean_wait(queue) == math.inf
    assert late_share(queue, 1e9) == 1.0


STREAM = Party(used=0.25, mean=0.02, left=0.01, waited=0.02)


def test_what_is_left_of_runs_of_two_lengths() -> None:
    """Half of the runs take 1 s, half 3 s: three of four moments are in a long one."""
    assert Run(1.0, 2.0, 3.0).left == pytest.approx(0.25 * 0.5 + 0.75 * 1.5)
    assert Run(0.0, 0.0, 0.0).left == 0.0


def test_a_stream_that_comes_at_times_waits_for_others() -> None:
    """Two of them at a quarter of the server: each finds the other there for q, of which a quarter is in service."""
    found = work_found([STREAM, STREAM])
    number = found / 2.0 / 0.02 + 0.125  # f / 2 = (q - u) r + u r / 2
    assert number == pytest.approx(0.25 / 0.02 * (0.02 + found / 2.0))


def test_the_more_others_do_the_more_is_found() -> None:
    parties = [STREAM._replace(used=share / 10) for share in range(8)]
    found = [work_found([party], 0.3, 0.01) for party in parties]
    assert found == sorted(found)
    assert work_found(parties[:3]) < work_found(parties[:4])
    loads = [work_found([STREAM], load / 10, 0.01) for load in range(10)]
    assert loads == sorted(loads)
    assert work_found([STREAM], 1.0, 0.01) == pytest.approx(0.75 * 0.02 + 0.25 * 0.01)  # it is always there


def test_workers_of_one_flow_wait_for_each_other() -> None:
    """Four that are never elsewhere: one is in service, three wait."""
    four = Party(used=1.0, mean=0.01, left=0.01, waited=0.01, number=4.0, most=4.0)
    assert work_found([four]) == pytest.approx(0.04)
    assert work_found([four._replace(number=None, used=0.5)]) < 0.04


# Locks of a database
def test_a_device_without_time_left_slows_without_bound() -> None:
    assert slowdown(1.0) == math.inf
    assert slowdown(1.5) == math.inf


def test_a_short_lock_is_found_by_as_many_users_as_transactions() -> None:
    found, arrivals = users_who_wait(1.0, 1000.0, 1e-4), lock_waits(1.0, 0.1)
    assert found == pytest.approx(arrivals, rel=1e-3)


def test_no_more_users_wait_than_there_are() -> None:
    found = users_who_wait(100.0, 5.0, 10.0)
    assert found.transactions == pytest.approx(5.0)
    assert found.mean == pytest.approx(100.0 - 0.1)
    assert users_who_wait(0.0, 5.0, 1.0) == users_who_wait(10.0, 5.0, 0.0) == LockWaits(0.0, 0.0, 0.0)


# Buffers that go round
MIB = 2.0**20
DEMANDS = st.lists(st.floats(1e-10, 1e-7), min_size=1, max_size=4)


@for_each("files, volumes, buffers", [(1, 1, 7), (2, 1, 12), (1, 2, 9), (2, 2, 14), (4, 1, 22)])
def test_default_number_of_buffers_at_a_depth_of_four(files: int, volumes: int, buffers: int) -> None:
    assert default_buffers(files, volumes, depth=4) == buffers


def test_each_file_takes_its_depth_and_one_and_each_volume_two() -> None:
    assert default_buffers(3, 2, 10) - default_buffers(2, 2, 10) == 11
    assert default_buffers(3, 2, 10) - default_buffers(3, 1, 10) == 2


def test_a_centre_that_gives_no_time_stops_all() -> None:
    assert loop(MIB, 7, 0.1, [1e-9, math.inf]).rate == 0.0


@given(DEMANDS, st.floats(0.0, 0.2), st.integers(1, 60), st.sampled_from([MIB / 16, MIB, 4 * MIB]))
def test_one_more_buffer_never_slows_and_bounds_hold(
    demands: list[float], latency: float, buffers: int, size: float
) -> None:
    """N B / (Z + N sum D) <= X <= min(1 / max D, N B / (Z + sum D)), and X grows with N."""
    rate = loop(size, buffers, latency, demands).rate
    service = size * sum(demands)
    assert rate <= min(1 / max(demands), buffers * size / (latency + service)) * (1 + 1e-9)
    assert rate >= buffers * size / (latency + buffers * service) * (1 - 1e-9)
    assert loop(size, buffers + 1, latency, demands).rate >= rate * (1 - 1e-9)


@given(DEMANDS, st.floats(1e-3, 0.2), st.integers(1, 40))
def test_larger_buffers_never_slow(demands: list[float], latency: float, buffers: int) -> None:
    assert loop(2 * MIB, buffers, latency, demands).rate >= loop(MIB, buffers, latency, demands).rate * (1 - 1e-9)


@given(DEMANDS, st.floats(0.0, 0.2), st.integers(1, 40), st.floats(1.0, 10.0))
def test_a_slower_centre_never_speeds_up(demands: list[float], latency: float, buffers: int, factor: float) -> None:
    slower = [demands[0] * factor, *demands[1:]]
    assert loop(MIB, buffers, latency, slower).rate <= loop(MIB, buffers, latency, demands).rate * (1 + 1e-9)


SIZE = 2**20


def seek(here: int, there: int) -> float:
    """Any way takes as long."""
    del here, there
    return 0.005


DISK = Mechanics(200e6, 1 / 120, seek)


def requests(volumes: int, files: int, waiting: float) -> float:
    """Requests for each turn, of all places."""
    places = volumes + files
    if volumes and files:
        after_read, after_write = [0.0] * volumes + [1 / files] * files, [1 / volumes] * volumes + [0.0] * files
        following = [after_read] * volumes + [after_write] * files
        shares = [0.5 / volumes] * volumes + [0.5 / files] * files
    else:
        following, shares = [[1 / places] * places] * places, [1 / places] * places
    found = visits(following, shares, waiting)
    return 1.0 / sum(share / visit.requests for share, visit in zip(shares, found, strict=True))


@pytest.mark.slow
@for_each(
    "volumes, files, buffers",
    [
        *[(0, 2, 1), (0, 2, 7), (0, 2, 24), (0, 4, 2), (0, 4, 7), (0, 8, 4), (0, 8, 12), (0, 8, 50)],
        *[(1, 1, 7), (1, 2, 2), (1, 2, 7), (1, 4, 24), (2, 2, 7), (3, 2, 12)],
    ],
)
def test_as_many_requests_are_served_at_a_place_as_one_by_one(volumes: int, files: int, buffers: int) -> None:
    """All buffers wait at the disk, but for 0.1 ms between two requests."""
    measured = buffers_round(buffers, SIZE, DISK, files=files, volumes=volumes, latency=1e-4, count=6000)
    assert requests(volumes, files, buffers) == pytest.approx(measured.requests, rel=0.05)


def test_the_arm_comes_from_the_place_before() -> None:
    """With many buffers somebody waits at each place; with one, any other place is as likely."""
    even = [[1 / 3] * 3] * 3
    many, one = visits(even, [1 / 3] * 3, 1000.0), visits(even, [1 / 3] * 3, 1.0)
    assert [visit.came_from for visit in many] == [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    assert all(sum(visit.came_from) == pytest.approx(1.0) for visit in one)
    assert one[0].requests == pytest.approx(1.5)  # a third of all go to the same place again


def test_more_disks_for_each_request_are_passed_with_fewer_of_them() -> None:
    two = [[0.5, 0.5], [0.5, 0.5]]
    served = [visits(two, [0.5, 0.5], 20.0, disks)[0].requests for disks in (1, 2, 12, 1000)]
    assert served == sorted(served, reverse=True)
    assert served[3] == pytest.approx(20.0 / 3.0, rel=0.01)


# Requests that go round between queues
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


def test_who_is_away_by_turns_is_waited_for_less_than_on_average() -> None:
    pair = [CustomerClass(1, 1.0, (Visit(0, 1.0, 1.0),)), CustomerClass(4, 0.0, (Visit(0, 1.0, 1.0),), 20.0)]
    mean, _ = closed_network([pair[0], CustomerClass(4, 20.0, pair[1].visits)], [0.0], [None])
    found, other = closed_network(pair, [0.0], [None])
    assert found.rate > mean.rate
    assert other.rate == pytest.approx(4.0 / other.residence[0])


def test_a_round_takes_time() -> None:
    with pytest.raises(ValueError, match="no finite rate"):
        closed_network([kind(1, 0.0)], [], [])


# Many kinds of customers
def test_kinds_that_share_nothing_are_as_if_each_were_alone() -> None:
    kinds = [(3, 0.5, [(0, 1.0, 1.0, 1.0)]), (2, 0.0, [(1, 0.2, 0.2, 1.0), (2, 0.3, 0.3, 1.0)])]
    alone = [Linearizer([kind], [0.0] * 3, [None] * 3).solved()[0] for kind in kinds]
    assert Linearizer(kinds, [0.0] * 3, [None] * 3).solved() == [
        (pytest.approx(rate), pytest.approx(seconds)) for rate, seconds in alone
    ]


def test_nobody_goes_on_where_others_take_all_of_a_queue() -> None:
    (stopped, seconds), (going, _) = Linearizer(
        [(1, 0.0, [(0, 1.0, 1.0, 1.0)]), (1, 1.0, [(1, 1.0, 1.0, 1.0)])], [1.0, 0.0], [None, None]
    ).solved()
    assert stopped == 0.0
    assert seconds == (math.inf,)
    assert going == pytest.approx(0.5)


def test_each_customer_spends_its_round_somewhere() -> None:
    """Little's law over the round of each of forty kinds, `N = X (Z + sum R)`; no queue serves 2 % more than it can."""
    draw = random.Random(4)  # noqa: S311
    kinds = [
        (
            draw.choice([1, 1, 4, 16]),
            draw.uniform(0.0, 1.0),
            [(q, w := draw.uniform(0.0, 0.1), w, 0.0) for q in range(3)],
        )
        for _ in range(40)
    ]
    found = Linearizer(kinds, [0.0] * 3, [None] * 3).solved()
    for (customers, delay, _), (rate, seconds) in zip(kinds, found, strict=True):
        assert customers == pytest.approx(rate * (delay + sum(seconds)), rel=1e-6)
    for q in range(3):
        assert sum(rate * visits[q][2] for (*_, visits), (rate, _) in zip(kinds, found, strict=True)) <= 1.02


# One kind of customers is as the general solution says, and all of them are somewhere
SECONDS = st.floats(1e-6, 10.0)
QUEUE = st.builds(
    lambda wait, part, others, servers: (wait, wait * part, others, servers),
    SECONDS | st.just(0.0), st.floats(0.01, 1.0), st.floats(0.0, 0.999), st.none() | st.integers(1, 64).map(float),
)  # fmt: skip
"""Seconds of waiting alone, share held, the share of others, and pooled servers."""
Queues = list[tuple[float, float, float, float | None]]


def circulating(
    customers: int, delay: float, queues: Queues
) -> tuple[tuple[float, tuple[float, ...]], tuple[float, tuple[float, ...]]]:
    """What one equation says, and what the general solution does."""
    visits = [(i, wait, held, 1.0) for i, (wait, held, _, _) in enumerate(queues)]
    others, pooled = [each[2] for each in queues], [each[3] for each in queues]
    found = throughput(customers, delay, visits, others, pooled)
    assert found is not None
    [general] = Linearizer([(customers, delay, visits)], others, pooled).solved()
    return found, general


@given(st.integers(1, 24), SECONDS, st.lists(QUEUE, max_size=9))
def test_it_is_what_the_general_solution_gives(customers: int, delay: float, queues: Queues) -> None:
    (rate, seconds), (general, each) = circulating(customers, delay, queues)
    assert rate == pytest.approx(general, rel=1e-6)
    assert seconds == pytest.approx(each, rel=1e-5)


@given(st.integers(1, 5000), SECONDS, st.lists(QUEUE, max_size=9))
def test_all_customers_are_somewhere(customers: int, delay: float, queues: Queues) -> None:
    """Of many customers, where the substitution of the general solution ends too early."""
    visits = [(i, wait, held, 1.0) for i, (wait, held, _, _) in enumerate(queues)]
    found = throughput(customers, delay, visits, [each[2] for each in queues], [each[3] for each in queues])
    assert found is not None
    rate, seconds = found
    assert rate * (delay + math.fsum(seconds)) == pytest.approx(customers, rel=1e-9)
    for each, (wait, _, share, servers) in zip(seconds, queues, strict=True):
        assert each >= (wait if servers is not None else wait / (1.0 - share)) * (1.0 - 1e-12)


def test_one_queue_is_always_full() -> None:
    """Two thousand customers at one server of a second: one leaves each second."""
    assert throughput(2000, 0.0, [(0, 1.0, 1.0, 1.0)], [0.0], [None]) == (
        pytest.approx(1.0, rel=1e-9),
        (pytest.approx(2000.0, rel=1e-9),),
    )


def test_two_visits_to_one_queue_are_left_to_the_general_solution() -> None:
    assert throughput(2, 1.0, [(0, 1.0, 1.0, 1.0), (0, 2.0, 2.0, 1.0)], [0.0], [None]) is None


def test_a_queue_that_holds_longer_than_it_takes_is_left_to_the_general_solution() -> None:
    visits = [(0, 1e-6, 1.0, 1.0)]
    assert throughput(14, 2.0, visits, [0.0], [None]) is None
    [(rate, _)] = Linearizer([(14, 2.0, visits)], [0.0], [None]).solved()
    assert rate > 0.0


def test_a_queue_that_others_fill_is_left_to_the_general_solution() -> None:
    assert throughput(2, 1.0, [(0, 1.0, 1.0, 1.0), (1, 1.0, 1.0, 1.0)], [0.0, 1.0], [None, None]) is None
    assert (
        throughput(2, 1.0, [(0, 1.0, 1.0, 1.0)], [1.0], [3.0]) is not None
    )  # of servers, others take a share otherwise
