"""Flows under laws that share a link: what one leaves goes to the others, and what was full is to blame."""

import math
import random
from collections.abc import Callable

import pytest
import simpy
from oracles.drives import Drives, bytes_per_s

from simbackup.engine.flow import Flow
from simbackup.engine.limit import Behind, Law, Limit, Others
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from tests.cases import for_each

Curve = Callable[[float], float]


def stops(drives: Drives) -> Curve:
    """What a drive that is offered so many bytes a second takes (the equation of stop and start)."""

    def taken(offer: float) -> float:
        if offer >= drives.rate or offer * drives.stop <= drives.buffer:
            return min(offer, drives.rate)
        return drives.buffer * drives.rate / (drives.buffer + drives.stop * (drives.rate - offer))

    return taken


def law_of(curve: Curve, name: str) -> Law:
    """A law of a tape that loses some of the time of its host."""

    def law(rate: float, others: Others) -> Limit:
        del others
        found = curve(rate)
        return Limit(found, f"{name}.repositioning", {(name, "reposition"): 1.0 / found - 1.0 / rate}, rest=1.0 / rate)

    return law


def root(function: Curve, low: float, high: float) -> float:
    """Where a rising function is zero, by bisection."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if function(middle) > 0.0 else (middle, high)
    return low


def on_a_host(host: float, curves: list[Curve], order: list[int] | None = None) -> tuple[list[Flow], Link]:
    """Flows of tapes on one host, under way, in the order of the curves whatever that of starting."""
    env = simpy.Environment()
    network, link = FlowNetwork(env), Link("hosts.server", host)
    started: dict[int, Flow] = {}
    for i in order or range(len(curves)):
        name = f"devices.drive.{i}"
        started[i] = network.start(
            f"jobs.{i}", "transfer", math.inf, {link: 1.0}, law=law_of(curves[i], name), moves={link: 1.0}
        )
    env.run(until=1.0)
    return [started[i] for i in range(len(curves))], link


EIGHT = Drives(8, 10.0, 8.0, 2.5)


@for_each("host", [40.0, 64.0, 72.0, 79.0])
def test_eight_drives_are_offered_what_the_seven_others_leave(host: float) -> None:
    curve = stops(EIGHT)
    flows, _ = on_a_host(host, [curve] * 8)
    offer = root(lambda offer: offer + 7.0 * curve(offer) - host, 0.0, host)
    assert [flow.rate for flow in flows] == pytest.approx([curve(offer)] * 8, rel=1e-9)
    assert sum(flow.rate for flow in flows) > 0.95 * host


def test_the_full_host_is_to_blame_and_not_the_drives() -> None:
    # At an eighth of the host a drive would stop for a quarter of the time, and leave that to nobody.
    flows, _ = on_a_host(64.0, [stops(EIGHT)] * 8)
    assert sum(flow.rate for flow in flows) == pytest.approx(64.0, rel=0.03)
    for i, flow in enumerate(flows):
        ((_, _, _, parts),) = flow.segments
        lost = parts[f"devices.drive.{i}", "reposition"] * flow.rate
        assert lost == pytest.approx(1.0 - flow.rate / 8.0, rel=1e-9)  # what it would save if no drive stopped
        assert parts["hosts.server", ""] * flow.rate == pytest.approx(1.0 - lost, rel=1e-9)


@pytest.mark.slow
@for_each(
    "drives, host, tolerance",
    [
        (EIGHT, 64.0, 0.02),
        (Drives(4, 10.0, 8.0, 2.5), 34.0, 0.02),
        (Drives(2, 10.0, 8.0, 2.5), 16.0, 0.025),  # two drives are not beside a mean, but beside one that moves or not
    ],
)
def test_drives_share_a_host_as_buffer_by_buffer(drives: Drives, host: float, tolerance: float) -> None:
    flows, _ = on_a_host(host, [stops(drives)] * drives.count)
    found = bytes_per_s(drives, host, 4000.0)
    assert flows[0].rate == pytest.approx(found, rel=tolerance)


def test_a_drive_beside_one_that_streams_leaves_what_it_loses() -> None:
    curve = stops(EIGHT)
    flows, _ = on_a_host(16.0, [curve, lambda offer: offer])
    assert flows[0].rate == pytest.approx(curve(8.0), rel=1e-12)
    assert flows[1].rate == pytest.approx(16.0 - curve(8.0), rel=1e-9)


@pytest.mark.slow
def test_unlike_drives_fill_a_host_in_any_order() -> None:
    for seed in range(60):
        draw = random.Random(seed)  # noqa: S311
        curves = [
            stops(Drives(1, draw.uniform(5.0, 20.0), draw.uniform(2.0, 20.0), draw.uniform(0.5, 4.0))) for _ in range(5)
        ]
        host = draw.uniform(10.0, 60.0)
        order = list(range(5))
        draw.shuffle(order)
        flows, link = on_a_host(host, curves)
        mixed, _ = on_a_host(host, curves, order)
        assert [flow.rate for flow in mixed] == pytest.approx([flow.rate for flow in flows], rel=1e-8)
        total = sum(flow.rate for flow in flows)
        assert total <= link.capacity * (1.0 + 1e-12)
        for flow, curve in zip(flows, curves, strict=True):
            # Nobody could make more of all that the others leave.
            assert flow.rate >= curve(min(link.capacity - total + flow.rate, link.capacity / 5.0)) * (1.0 - 1e-9)


def waiting(load: float, think: float) -> Curve:
    """One customer who thinks, and waits for service that the share of others stretches."""
    return lambda others: 1.0 / (think + load / max(1.0 - others, 1e-9))


def test_users_see_each_other_at_what_they_get() -> None:
    # Two groups on one disk: each is asked beside the other at its own rate, not at the half that it could have.
    env = simpy.Environment()
    network, disk = FlowNetwork(env), Link("devices.sda", 1.0)
    ones, twos = waiting(0.01, 0.1), waiting(0.02, 0.05)

    def start(name: str, load: float, curve: Curve) -> Flow:
        law = Behind(lambda others: Limit(curve(others(disk)), disk.name))
        return network.start(name, "transactions", math.inf, {disk: load}, weight=1.0 / load, law=law)

    first, second = start("workloads.a", 0.01, ones), start("workloads.b", 0.02, twos)
    env.run(until=1.0)
    assert first.rate == pytest.approx(ones(0.02 * second.rate), rel=1e-8)
    assert second.rate == pytest.approx(twos(0.01 * first.rate), rel=1e-8)
    # A stream takes what is left; beside it they have no more than their fair parts.
    network.start("jobs.a", "read", math.inf, {disk: 1.0}, moves={disk: 1.0})
    env.run(until=2.0)
    assert sum(disk.demand(flow) * flow.rate for flow in disk.flows) == pytest.approx(1.0, rel=1e-9)
    assert first.rate < ones(0.02 * second.rate)


@pytest.mark.slow
def test_many_groups_of_users_agree() -> None:
    for seed in range(40):
        draw = random.Random(seed)  # noqa: S311
        env = simpy.Environment()
        network, disk = FlowNetwork(env), Link("devices.sda", 1.0)
        loads = [draw.uniform(0.001, 0.1) for _ in range(draw.randint(2, 6))]
        curves = [waiting(load, draw.uniform(0.0, 0.2)) for load in loads]
        flows = [
            network.start(
                f"workloads.{i}", "transactions", math.inf, {disk: load}, weight=1.0 / load,
                law=Behind(lambda others, curve=curve, disk=disk: Limit(curve(others(disk)), "links")),
            )
            for i, (load, curve) in enumerate(zip(loads, curves, strict=True))
        ]  # fmt: skip
        env.run(until=1.0)
        used = [load * flow.rate for load, flow in zip(loads, flows, strict=True)]
        fair = max(used)
        for i, flow in enumerate(flows):
            others = sum(min(one, fair) for j, one in enumerate(used) if j != i)
            if others < 1.0 - fair:
                assert flow.rate == pytest.approx(curves[i](others), rel=1e-6)
        assert sum(used) <= 1.0 + 1e-12
