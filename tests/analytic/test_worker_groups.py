"""Groups of workers in the engine, as flows whose requests go round, joined by buffers, against each event.

The even half of the cases was used to choose the equations, the odd half to judge them.
"""

import math
import statistics
from functools import cache
from typing import NamedTuple

import pytest
import simpy
from oracles.worker_groups import ALONE, KINDS, MEETING, Case, Group, case, found, simulate

from simbackup.devices.closed_network import ClosedClass
from simbackup.engine.buffer import Buffer
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork

SETTLED, END = 1000.0, 2000.0
"""Seconds after which buffers are full or empty, and to which rates are measured."""


def rounds_of(group: Group, stations: list[Link], name: str) -> ClosedClass:
    """How each item of a group goes round."""
    parts = {(stations[k].name, "work"): seconds for k, seconds in group.visits}
    parts |= {(name, "delay"): group.delay} if group.delay > 0.0 else {}
    demands = {stations[k]: seconds for k, seconds in group.visits}
    return ClosedClass(group.workers, parts, demands, visits=dict.fromkeys(demands, 1.0))


def rates(one: Case) -> list[float]:
    """Items a second of each job, in the engine."""
    env = simpy.Environment()
    network = FlowNetwork(env)
    stations = [Link(f"stations.{i}", float(servers), pooled=True) for i, servers in enumerate(one.servers)]
    last = list[Flow]()
    for number, job in enumerate(one.jobs):
        flows = list[Flow]()
        for i, group in enumerate(job.groups):
            name = f"jobs.{number}.{i}"
            going = rounds_of(group, stations, name)
            alone = group.workers / sum(going.parts.values())
            flows.append(network.start(name, "work", math.inf, going.demands, cap=alone, customers=going))
        for i, places in enumerate(job.buffers):
            buffer = Buffer(network, float(places), f"buffers.{number}.{i}")
            buffer.fill(flows[i])
            buffer.drain(flows[i + 1])
        last.append(flows[-1])
    env.run(until=SETTLED)
    before = [flow.completed for flow in last]
    env.run(until=END)
    return [(flow.completed - done) / (END - SETTLED) for flow, done in zip(last, before, strict=True)]


class Errors(NamedTuple):
    """Of the rates of many jobs: the median, the 90th percentile and the worst."""

    median: float
    most: float
    worst: float


@cache
def answers(seeds: range) -> dict[int, list[float]]:
    """Rates of the judging half of some cases."""
    return {seed: rates(case(seed)) for seed in seeds if seed % 2}


def errors(seeds: range, kind: str) -> Errors:
    """How far the judging half of some cases is from the simulation with services of a kind."""
    off = sorted(
        abs(rate / true.rate - 1.0)
        for seed, got in answers(seeds).items()
        for rate, true in zip(got, found()[seed, kind], strict=True)
    )
    return Errors(statistics.median(off), off[int(0.9 * len(off))], off[-1])


@pytest.mark.slow
@pytest.mark.xdist_group("worker groups")
@pytest.mark.parametrize(
    ("kind", "bounds"),
    [
        ("exponential", Errors(0.006, 0.040, 0.145)),
        ("erlang", Errors(0.010, 0.043, 0.150)),
        ("constant", Errors(0.008, 0.130, 0.195)),
    ],
)
def test_a_job_of_groups_goes_as_fast_as_event_by_event(kind: str, bounds: Errors) -> None:
    assert all(error <= bound for error, bound in zip(errors(ALONE, kind), bounds, strict=True)), errors(ALONE, kind)


@pytest.mark.slow
@pytest.mark.xdist_group("worker groups")
@pytest.mark.parametrize(
    ("kind", "bounds"),
    [
        ("exponential", Errors(0.038, 0.176, 0.240)),
        ("erlang", Errors(0.042, 0.161, 0.235)),
        ("constant", Errors(0.047, 0.218, 0.340)),
    ],
)
def test_jobs_that_meet_go_as_fast_as_event_by_event(kind: str, bounds: Errors) -> None:
    assert all(error <= bound for error, bound in zip(errors(MEETING, kind), bounds, strict=True)), errors(
        MEETING, kind
    )


@pytest.mark.parametrize("seed", [3, 13, 15])
def test_a_few_jobs_do(seed: int) -> None:
    assert rates(case(seed)) == [pytest.approx(each.rate, rel=0.13) for each in found()[seed, "exponential"]]


@pytest.mark.slow
def test_the_table_has_each_case_as_it_is_simulated() -> None:
    assert found().keys() == {(seed, kind) for seed in (*ALONE, *MEETING) for kind in KINDS}
    assert max(each.error for jobs in found().values() for each in jobs) <= 0.003
    for kind in KINDS:
        assert [each.rate for each in simulate(case(3), kind, 3)] == [
            pytest.approx(each.rate, rel=1e-4) for each in found()[3, kind]
        ]
