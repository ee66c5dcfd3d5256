"""A problem is solved without a change of any flow or link, or says what else has to be solved with it."""

import math

import pytest
import simpy

from simbackup.devices.closed_network import ClosedClass
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Limit, OnOwnLink, Others
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.engine.problem import BufferHold, More, Solution, solve
from tests.shared import EqualLosses


def state(flows: list[Flow], links: list[Link]) -> list[object]:
    """All that a solution could change."""
    found: list[object] = []
    for flow in flows:
        found += [flow.rate, flow.cap, flow.limits, flow.bottleneck, flow.cause, flow.depends, flow.ends_at]
    for link in links:
        found += [link.used, link.solved_jointly, link.stale, dict(link.limited)]
        found += [link.demand(flow) for flow in link.flows]
    return found


def test_a_solution_changes_no_flow_and_no_link() -> None:
    env = simpy.Environment()
    network = FlowNetwork(env)
    wire, disk = Link("links.wire", 10.0), Link("devices.disk", 100.0, EqualLosses(0.25))

    def users(rate: float, others: Others) -> Limit:
        return Limit(0.5 * rate * (1.0 - others(wire)), "users")

    flows = [
        network.start("jobs.a", "read", math.inf, {wire: 1.0, disk: 1.0}),
        network.start("jobs.b", "read", math.inf, {disk: 1.0}),
        network.start("jobs.users", "ask", math.inf, {wire: 1.0}, law=users),
    ]
    env.run(until=1.0)
    network.set_capacity(wire, 20.0)
    before = state(flows, [wire, disk])
    solution = solve(flows, [disk, wire], [])
    assert isinstance(solution, Solution)
    assert solution.rates[0] != flows[0].rate  # there is something new to note
    assert solution.limits[2].law != flows[2].limits.law
    assert state(flows, [wire, disk]) == before
    env.run(until=2.0)
    assert [flow.rate for flow in flows] == solution.rates
    assert [flow.cause for flow in flows] == [cause for cause, _ in solution.why]


def test_rates_that_would_move_others_name_these() -> None:
    env = simpy.Environment()
    network, disk = FlowNetwork(env), Link("devices.disk", 100.0)
    first, second = (network.start(f"jobs.{name}", "read", math.inf, {disk: 1.0}) for name in "ab")
    env.run(until=1.0)
    first.set_cap(10.0, "own")
    found = solve([first], [disk], [])
    assert isinstance(found, More)
    assert list(found.moved) == [second]


def test_a_law_that_asked_nobody_and_binds_names_its_flow() -> None:
    env = simpy.Environment()
    network, drive = FlowNetwork(env), Link("devices.drive", 100.0)

    def stops(rate: float, _: Others) -> Limit:
        return Limit(rate if rate >= 50.0 else 0.5 * rate, "tape")

    flow = network.start("jobs.a", "write", math.inf, {drive: 1.0}, law=OnOwnLink(stops, drive))
    env.run(until=1.0)
    assert not flow.depends
    flow.set_cap(20.0, "own")
    found = solve([flow], [drive], [])
    assert isinstance(found, More)
    assert found.stopped == [flow]


def test_a_hold_that_limits_a_flow_is_binding_and_its_cause_is_that_of_the_leader() -> None:
    env = simpy.Environment()
    network, source, tape = FlowNetwork(env), Link("devices.source", 20.0), Link("devices.tape", 5.0)
    fill = network.start("jobs.a", "read", math.inf, {source: 1.0})
    drain = network.start("jobs.a", "write", math.inf, {tape: 1.0})
    solution = solve([fill, drain], [source, tape], [BufferHold("hosts.cache", {fill: 1.0}, {drain: 1.0})])
    assert isinstance(solution, Solution)
    assert solution.rates == [5.0, 5.0]
    assert [cause for cause, _ in solution.why] == ["devices.tape", "devices.tape"]
    assert solution.bottlenecks == [None, tape]
    assert solution.binding == {0}


@pytest.mark.parametrize("activity", ["write-back", "read"])
def test_requests_go_before_flows_of_low_priority_whatever_their_label(activity: str) -> None:
    rates: list[float] = []
    for low_priority in (False, True):
        env = simpy.Environment()
        network, disk = FlowNetwork(env), Link("devices.disk", 1.0)
        network.start("jobs.bulk", activity, math.inf, {disk: 1e-3}, cap=500.0, low_priority=low_priority)
        parts = {("devices.disk", "read"): 0.01, ("hosts.a", "open"): 0.01}
        going = ClosedClass(4, parts, {disk: 0.01})
        flow = network.start("jobs.small", "read", math.inf, {disk: 0.01}, customers=going)
        env.run(until=1.0)
        rates.append(flow.cap)
    assert rates[0] < rates[1]
