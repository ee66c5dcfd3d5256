"""What holds for every network of flows, every schedule and every buffer."""

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from simbackup.engine.buffer import Buffer
from simbackup.engine.filling import CAP, max_min_rates
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.trace.trace import Trace

positive = st.floats(0.01, 100.0)


@dataclass(frozen=True)
class Network:
    """Arguments of `max_min_rates`."""

    capacities: list[float]
    demands: list[dict[int, float]]
    shares: list[float]
    caps: list[float]


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Networks of up to six resources, some of them dead or endless, and up to twelve flows."""
    capacity = st.one_of(st.floats(0.01, 1e9), st.sampled_from([0.0, 1.0, 10.0, math.inf]))
    capacities = draw(st.lists(capacity, min_size=1, max_size=6))
    one = st.dictionaries(st.integers(0, len(capacities) - 1), positive, max_size=len(capacities))
    demands = draw(st.lists(one, min_size=1, max_size=12))
    shares = [draw(positive) for _ in demands]
    caps: list[float] = []
    for demand in demands:
        bounded = any(not math.isinf(capacities[resource]) for resource in demand)
        finite = st.one_of(st.floats(0.0, 1e6), st.sampled_from([0.0, 1.0, 10.0]))
        caps.append(draw(st.one_of(finite, st.just(math.inf)) if bounded else finite))
    return Network(capacities, demands, shares, caps)


@pytest.mark.slow
@given(networks())
def test_max_min_conditions(network: Network) -> None:
    allocation = max_min_rates(network.capacities, network.demands, network.shares, network.caps)
    rates = allocation.rates
    used = [0.0] * len(network.capacities)
    for rate, demand in zip(rates, network.demands, strict=True):
        for resource, units in demand.items():
            used[resource] += units * rate
    for load, capacity in zip(used, network.capacities, strict=True):
        assert load <= capacity * (1.0 + 1e-12)
    levels = [rate / share for rate, share in zip(rates, network.shares, strict=True)]
    for flow, bottleneck in enumerate(allocation.bottlenecks):
        assert 0.0 <= rates[flow] <= network.caps[flow]
        if bottleneck == CAP:
            assert rates[flow] == network.caps[flow]
            continue
        assert bottleneck in network.demands[flow]
        assert used[bottleneck] >= network.capacities[bottleneck] * (1.0 - 1e-9)
        greatest = max(levels[i] for i, demand in enumerate(network.demands) if bottleneck in demand)
        assert levels[flow] >= greatest * (1.0 - 1e-9)


@given(networks(), st.randoms(use_true_random=False))
def test_order_does_not_matter(network: Network, random: Any) -> None:
    order = list(range(len(network.demands)))
    random.shuffle(order)
    places = list(range(len(network.capacities)))
    random.shuffle(places)
    capacities = [0.0] * len(places)
    for old, new in enumerate(places):
        capacities[new] = network.capacities[old]
    straight = max_min_rates(network.capacities, network.demands, network.shares, network.caps)
    permuted = max_min_rates(
        capacities,
        [{places[resource]: units for resource, units in network.demands[i].items()} for i in order],
        [network.shares[i] for i in order],
        [network.caps[i] for i in order],
    )
    assert permuted.rates == pytest.approx([straight.rates[i] for i in order], rel=1e-9)


@dataclass(frozen=True)
class Plan:
    """A flow of a schedule: when it starts, what it crosses, and when it is stopped, capped or let be."""

    begin: float
    amount: float
    demands: dict[int, float]
    weight: float
    stop_after: float | None
    cap: float


LINKS = 4
plans = st.builds(
    Plan,
    begin=st.one_of(st.sampled_from([0.0, 1.0, 5.0]), st.floats(0.0, 50.0)),
    amount=st.one_of(st.floats(0.0, 1000.0), st.sampled_from([0.0, 1.0, 100.0])),
    demands=st.dictionaries(st.integers(0, LINKS - 1), st.floats(0.1, 4.0), min_size=1),
    weight=st.floats(0.1, 10.0),
    stop_after=st.one_of(st.none(), st.floats(0.0, 20.0)),
    cap=st.one_of(st.just(math.inf), st.floats(0.1, 50.0)),
)
capacities_of_links = st.lists(st.floats(1.0, 100.0), min_size=LINKS, max_size=LINKS)


def play(schedule: list[Plan], capacities: list[float], order: list[int]) -> tuple[dict[int, Flow], list[Link], str]:
    """The flows by number, the links and the trace of a schedule whose plans are set up in `order`."""
    env, trace = simpy.Environment(), Trace()
    network = FlowNetwork(env, trace)
    links = [Link(f"links.{i}", capacity) for i, capacity in enumerate(capacities)]
    flows: dict[int, Flow] = {}

    def run(number: int) -> Generator[simpy.Event, Any, None]:
        plan = schedule[number]
        yield env.timeout(plan.begin)
        demands = {links[i]: units for i, units in plan.demands.items()}
        moves = {links[i]: 7.0 for i in plan.demands}
        flow = network.start(f"jobs.{number}", "copy", plan.amount, demands, weight=plan.weight, moves=moves)
        flows[number] = flow
        network.set_cap(flow, plan.cap)
        if plan.stop_after is None:
            yield flow.done
        else:
            yield flow.done | env.timeout(plan.stop_after)
            network.stop(flow)
        trace.event(env.now, flow.name, "done", completed=flow.completed)

    def weather() -> Generator[simpy.Event, Any, None]:
        yield env.timeout(3.0)
        network.set_capacity(links[0], 0.0)
        yield env.timeout(2.0)
        network.set_capacity(links[0], capacities[0])

    env.process(weather())
    env.run(until=env.all_of([env.process(run(number)) for number in order]))
    network.advance()
    return flows, links, "\n".join(trace.to_lines())


@given(st.lists(plans, min_size=1, max_size=8), capacities_of_links)
def test_units_and_bytes_are_conserved(schedule: list[Plan], capacities: list[float]) -> None:
    flows, links, _ = play(schedule, capacities, list(range(len(schedule))))
    for plan, flow in zip(schedule, (flows[i] for i in range(len(schedule))), strict=True):
        assert 0.0 <= flow.completed <= plan.amount
        if plan.stop_after is None:
            assert flow.completed == plan.amount
    for i, link in enumerate(links):
        through = [(flows[n].completed, plan.demands[i]) for n, plan in enumerate(schedule) if i in plan.demands]
        assert link.units == pytest.approx(sum(done * units for done, units in through), rel=1e-9, abs=1e-9)
        assert link.bytes_moved == pytest.approx(sum(7.0 * done for done, _ in through), rel=1e-9, abs=1e-9)


@given(st.lists(plans, min_size=1, max_size=8), capacities_of_links)
def test_waiting_accounts_for_every_second(schedule: list[Plan], capacities: list[float]) -> None:
    # Something with a name limits a flow at every moment of its life.
    flows, _, lines = play(schedule, capacities, list(range(len(schedule))))
    ended = {event.address: event.time for event in Trace.from_lines(lines.splitlines()).events}
    for number, flow in flows.items():
        life = ended[flow.name] - schedule[number].begin
        assert sum(flow.waited.values()) == pytest.approx(life, rel=1e-9, abs=1e-9)
        assert set(flow.waited) <= {flow.name, *(f"links.{i}" for i in schedule[number].demands)}


@given(st.lists(plans, min_size=1, max_size=8), capacities_of_links, st.randoms(use_true_random=False))
def test_order_of_starting_does_not_matter(schedule: list[Plan], capacities: list[float], random: Any) -> None:
    order = list(range(len(schedule)))
    straight, _, _ = play(schedule, capacities, order)
    random.shuffle(order)
    permuted, _, _ = play(schedule, capacities, order)
    for number, flow in straight.items():
        assert permuted[number].completed == pytest.approx(flow.completed, rel=1e-9, abs=1e-6)


@given(st.lists(plans, min_size=1, max_size=8), capacities_of_links)
def test_two_runs_give_the_same_bytes(schedule: list[Plan], capacities: list[float]) -> None:
    order = list(range(len(schedule)))
    first, second = (play(schedule, capacities, order)[2] for _ in range(2))
    assert first == second
    assert "\n".join(Trace.from_lines(first.splitlines()).to_lines()) == first


rates = st.floats(0.5, 100.0)


@given(
    fills=st.lists(
        st.tuples(rates, st.floats(0.2, 5.0), st.floats(1.0, 500.0), st.floats(0.0, 10.0)), min_size=1, max_size=4
    ),
    drain=rates,
    drain_share=st.floats(0.2, 5.0),
    shared=st.one_of(st.none(), rates),
    capacity=st.floats(1.0, 200.0),
)
def test_what_goes_into_a_buffer_comes_out(
    *,
    fills: list[tuple[float, float, float, float]],
    drain: float,
    drain_share: float,
    shared: float | None,
    capacity: float,
) -> None:
    # Fillers that start at any time, and a drain, each on a link of its own and perhaps all on a bus.
    env = simpy.Environment()
    network = FlowNetwork(env)
    bus = {} if shared is None else {Link("links.bus", shared): 1.0}
    store = Buffer(network, capacity, "hosts.cache")
    flows: list[Flow] = []

    def filler(
        number: int, rate: float, share: float, amount: float, begin: float
    ) -> Generator[simpy.Event, Any, None]:
        yield env.timeout(begin)
        link = Link(f"links.{number}", rate)
        flow = network.start(f"jobs.{number}", "read", amount, bus | {link: 1.0}, weight=share)
        store.fill(flow)
        flows.append(flow)
        yield flow.done

    total = sum(amount for _, _, amount, _ in fills)
    tape = Link("devices.tape", drain)
    out = network.start("jobs.out", "write", total, bus | {tape: 1.0}, weight=drain_share)
    store.drain(out)
    for number, fill in enumerate(fills):
        env.process(filler(number, *fill))
    while not out.done.triggered:
        env.step()
        held = sum(flow.completed for flow in flows) - out.completed
        assert -1e-6 * capacity <= held <= capacity * (1.0 + 1e-6)
        assert store.content == pytest.approx(held, rel=1e-6, abs=1e-6 * capacity)
    assert all(flow.done.triggered for flow in flows)
    greatest = max(total / drain, *(amount / rate + begin for rate, _, amount, begin in fills))
    if shared is not None:
        greatest = max(greatest, 2.0 * total / shared)
    assert env.now >= greatest * (1.0 - 1e-6)
