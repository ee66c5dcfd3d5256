"""Flows that share the level of a link: what a change of it costs, and what they say of themselves."""

from collections.abc import Generator
from typing import Any

import pytest
import simpy

from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Trace
from tests.shared import EqualLosses

MANY = 100


def begun(count: int = MANY) -> tuple[simpy.Environment, FlowNetwork, Link, list[Flow]]:
    """Flows with a disk each over one link of 100 units a second, of 1, 2, 3 ... units."""
    env, trace = simpy.Environment(), Trace()
    network, core = FlowNetwork(env, trace), Link("links.core", 100.0)
    disks = [Link(f"devices.{i:03}", 90.0) for i in range(count)]
    flows = [
        network.start(f"jobs.{i}", "read", float(i + 1), {core: 1.0, disk: 1.0}, moves={core: 2.0, disk: 2.0})
        for i, disk in enumerate(disks)
    ]
    return env, network, core, flows


def test_what_the_links_of_a_group_move_is_known_at_any_time() -> None:
    env, network, core, flows = begun()
    env.run(until=0.5)
    network.advance()
    disk = flows[40].links[1]
    assert (disk.units, disk.bytes_moved, disk.busy_s) == pytest.approx((0.5, 1.0, 0.5 / 90.0))
    assert (disk.peak_bytes_per_s, core.units, core.bytes_moved) == pytest.approx((2.0, 50.0, 100.0))
    env.run(until=flows[-1].done)
    network.advance()
    assert disk.units == pytest.approx(41.0)
    assert disk.peak_bytes_per_s == pytest.approx(2.0 * 100.0 / 60.0)
    assert network.trace is not None
    moved = [rate.bytes_per_s for rate in link_rates(network.trace, {"devices.040"})]
    assert moved == pytest.approx([2.0 * 100.0 / (MANY - i) for i in range(41)] + [0.0])


def test_a_level_that_takes_up_a_link_says_what_flows_by_themselves_do_there() -> None:
    env, trace = simpy.Environment(), Trace()
    network, core, side = FlowNetwork(env, trace), Link("links.core", 100.0), Link("links.side", 80.0)
    network.start("jobs.own", "read", 1e6, {side: 1.0}, cap=20.0, moves={side: 1.0})
    for i in range(39):
        network.start(f"jobs.{i}", "read", 1e6, {core: 1.0}, moves={core: 1.0})
    env.run(until=2.0)
    network.start("jobs.late", "read", 1e6, {core: 1.0, side: 1.0}, moves={core: 1.0, side: 1.0})
    env.run(until=3.0)
    last = network.start("jobs.last", "read", 1e6, {core: 1.0}, moves={core: 1.0})
    env.run(until=4.0)
    network.stop(last)
    env.run(until=5.0)
    assert [rate.time for rate in trace.rates if rate.link == "links.side"] == [0.0]
    assert [(level.time, dict(level.beside)) for level in trace.shared_levels if "links.side" in level.loads] == [
        (2.0, {"links.side": (0.25, 20.0)})
    ]
    moved = {rate.time: (rate.busy * 80.0, rate.bytes_per_s) for rate in link_rates(trace, {"links.side"})}
    for time, level in {0.0: 0.0, 2.0: 100.0 / 40, 3.0: 100.0 / 41, 4.0: 100.0 / 40}.items():
        assert moved[time] == pytest.approx((20.0 + level, 20.0 + level))


def test_a_limit_of_its_own_takes_a_flow_out_of_a_group() -> None:
    env, network, core, flows = begun()
    network.set_cap(flows[50], 1.5, "own")
    env.run(until=flows[40].done)
    env.run(until=env.now + 1e-6)
    assert flows[50].rate == 1.5
    assert flows[50].waited["own"] > 0.0
    assert sum(flow.rate for flow in core.flows) == pytest.approx(100.0)


def test_others_on_a_disk_meet_the_group_there() -> None:
    env, network, _, flows = begun()
    disk = flows[99].links[1]

    def reader() -> Generator[simpy.Event, Any]:
        yield env.timeout(1.0)
        yield network.start("jobs.other", "read", 890.0, {disk: 1.0}).done

    env.run(until=env.process(reader()))
    network.advance()
    assert disk.units == pytest.approx(890.0 + flows[99].completed, rel=1e-12)


def test_a_group_goes_on_beside_a_stream_that_moves_more_than_all_others() -> None:
    ends: list[list[float]] = []
    for whole in (False, True):
        env, trace = simpy.Environment(), Trace()
        network = FlowNetwork(env, trace, whole=whole)
        rack, disk = Link("links.rack", 10.0), Link("devices.disk", 100.0, EqualLosses(0.25))
        flows = [network.start(f"jobs.{i}", "write", 50.0 + i, {rack: 1.0, disk: 1.0}) for i in range(MANY)]
        env.run(until=1.0)
        burst = network.start("jobs.burst", "write", 100.0, {disk: 1.0})
        env.run(until=1.1)
        assert 2.0 * burst.rate > 10.0
        if not whole:
            assert all(flow.group is flows[0].group is not None for flow in flows)
        env.run(until=env.all_of([flow.done for flow in (*flows, burst)]))
        ends.append([flow.segments[-1].end for flow in (*flows, burst)])
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)
