"""Streams between which disks turn: nothing is exceeded, every flow has its limit, and no order matters."""

import math
import random
from dataclasses import dataclass

import pytest
import simpy

from simbackup.engine.buffer import Buffer
from simbackup.engine.filling import CAP, max_min_rates
from simbackup.engine.flow import Flow
from simbackup.engine.holds import Hold, coupled_rates
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.engine.switchover import Switchover
from tests.cases import for_each
from tests.shared import EqualLosses


@dataclass(frozen=True)
class Case:
    """Arguments of `max_min_rates`."""

    capacities: list[float]
    demands: list[dict[int, float]]
    shares: list[float]
    caps: list[float]
    turns: dict[int, Switchover]

    def used(self, resource: int, rates: list[float]) -> float:
        """Units that the flows take of a resource, each stream turning for what others move, or for all of its own."""
        turns = self.turns.get(resource)
        moved = {i: size * rates[i] for i, size in turns.moved.items()} if turns else {}
        total, used = sum(moved.values()), 0.0
        for i, demand in enumerate(self.demands):
            used += demand.get(resource, 0.0) * rates[i]
            if turns and i in moved and moved[i] > 0.0:
                used -= turns.lost[i] * rates[i] * (1.0 - min(1.0, (total - moved[i]) / moved[i]))
        return used


def case(seed: int) -> Case:
    """One to four resources, most of which turn, and one to eight flows."""
    draw = random.Random(seed)  # noqa: S311
    resources, flows = draw.randint(1, 4), draw.randint(1, 8)
    capacities = [draw.choice([1.0, draw.uniform(0.1, 10.0)]) for _ in range(resources)]
    demands = [
        {j: draw.uniform(0.1, 2.0) for j in draw.sample(range(resources), draw.randint(1, resources))}
        for _ in range(flows)
    ]
    shares = [draw.choice([1.0, draw.uniform(0.1, 10.0)]) for _ in range(flows)]
    caps = [draw.choice([math.inf, draw.uniform(0.0, 3.0)]) for _ in range(flows)]
    turns: dict[int, Switchover] = {}
    for j in range(resources):
        streams = [i for i, demand in enumerate(demands) if j in demand and draw.random() < 0.8]
        if draw.random() < 0.8 and len(streams) > 1:
            lost = {i: draw.choice([0.0, draw.uniform(0.0, 20.0)]) for i in streams}
            turns[j] = Switchover({i: draw.uniform(0.1, 10.0) for i in streams}, lost)
            for i in streams:
                demands[i][j] += lost[i]
    return Case(capacities, demands, shares, caps, turns)


@for_each("first", range(0, 2000, 500))
def test_nothing_is_exceeded_and_every_flow_has_its_limit(first: int) -> None:
    for seed in range(first, first + 500):
        net = case(seed)
        found = max_min_rates(net.capacities, net.demands, net.shares, net.caps, net.turns)
        used = [net.used(j, found.rates) for j in range(len(net.capacities))]
        assert all(load <= capacity * (1.0 + 1e-12) for load, capacity in zip(used, net.capacities, strict=True))
        levels = [rate / share for rate, share in zip(found.rates, net.shares, strict=True)]
        for flow, bottleneck in enumerate(found.bottlenecks):
            if bottleneck == CAP:
                assert found.rates[flow] == net.caps[flow]
                continue
            assert used[bottleneck] == pytest.approx(net.capacities[bottleneck], rel=1e-9)
            greatest = max(levels[i] for i, demand in enumerate(net.demands) if bottleneck in demand)
            assert levels[flow] >= greatest * (1.0 - 1e-9)


def test_the_order_of_flows_does_not_matter() -> None:
    for seed in range(300):
        net = case(seed)
        order = list(range(len(net.shares)))
        random.Random(seed).shuffle(order)  # noqa: S311
        place = {old: new for new, old in enumerate(order)}
        straight = max_min_rates(net.capacities, net.demands, net.shares, net.caps, net.turns).rates
        mixed = max_min_rates(
            net.capacities,
            [net.demands[i] for i in order],
            [net.shares[i] for i in order],
            [net.caps[i] for i in order],
            {
                j: Switchover(
                    {place[i]: size for i, size in t.moved.items()}, {place[i]: size for i, size in t.lost.items()}
                )
                for j, t in net.turns.items()
            },
        ).rates
        assert [mixed[place[i]] for i in range(len(order))] == pytest.approx(straight, rel=1e-9)


def test_a_buffer_between_streams_of_one_disk() -> None:
    # A copy on one disk: each stream turns for all that the other moves, 0.01 s a byte and 0.02 s a turn: 1 / 0.06.
    turns = {0: Switchover({0: 1.0, 1: 1.0}, {0: 0.02, 1: 0.02})}
    demands: list[dict[int, float]] = [{0: 0.03}, {0: 0.03}]
    found = coupled_rates([1.0], demands, [3.0, 1.0], [math.inf] * 2, [Hold({0: 1.0}, {1: 1.0})], switchovers=turns)
    assert found.rates == pytest.approx([1.0 / 0.06] * 2, rel=1e-12)


def test_holds_exceed_and_waste_nothing_on_disks_that_turn() -> None:
    settled = 0
    for seed in range(600):
        net, draw = case(seed), random.Random(seed)  # noqa: S311
        if len(net.shares) < 2:
            continue
        members = draw.sample(range(len(net.shares)), 2)
        hold = Hold({members[0]: 1.0}, {members[1]: 1.0})
        found = coupled_rates(net.capacities, net.demands, net.shares, net.caps, [hold], switchovers=net.turns)
        assert found.rates[members[0]] <= found.rates[members[1]] * (1.0 + 2e-12)
        for j, capacity in enumerate(net.capacities):
            assert net.used(j, found.rates) <= capacity * (1.0 + 1e-12)
        if len(net.capacities) in found.bottlenecks:
            assert found.rates[members[0]] >= found.rates[members[1]] * (1.0 - 2e-12)
            settled += 1
    assert settled > 50  # else the case is not met


def test_a_disk_is_full_but_never_more_than_that() -> None:
    # Streams of unlike shares beside each other, with buffers: rates that a search by turns did not always find.
    for seed in range(150):
        draw = random.Random(seed)  # noqa: S311
        env = simpy.Environment()
        network = FlowNetwork(env)
        disks = [Link(f"devices.{i}", 1.0, EqualLosses(0.05)) for i in range(draw.randint(1, 3))]
        flows: list[Flow] = []
        for i in range(draw.randint(2, 6)):
            used = draw.sample(disks, draw.randint(1, len(disks)))
            demands = {disk: draw.uniform(0.001, 0.1) for disk in used}
            flow = network.start(
                f"jobs.{i}", "read", draw.uniform(100.0, 1000.0), demands, weight=draw.uniform(0.2, 5.0),
                moves=dict.fromkeys(used, 1.0), sequential=draw.choice([0.0, 0.5, 1.0]),
            )  # fmt: skip
            flows.append(flow)
        store = Buffer(network, 200.0, "hosts.cache")
        flows[0].amount = flows[1].amount
        store.fill(flows[0])
        store.drain(flows[1])
        while any(flow.active for flow in flows):
            env.step()
            if env.peek() > env.now:
                for disk in disks:
                    used_now = sum(disk.demand(flow) * flow.rate for flow in disk.flows)
                    assert used_now <= disk.capacity * (1.0 + 1e-12)
