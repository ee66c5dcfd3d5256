"""Users who wait for each transaction, against closed forms of queueing theory and calculations by hand."""

from itertools import pairwise
from pathlib import Path

import pytest

import simbackup as sb
from simbackup.equations.queueing import Centre, interactive_rate, mva_closed
from simbackup.results.result import Result
from tests.cases import for_each

POPULATIONS = range(1, 201)
SERVICE = 0.01
THINKING = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 5.0, 10.0, 50.0, 200.0)
"""Think times, in times of service."""
GREATEST = {1: 0.068, 2: 0.034, 4: 0.017, 16: 0.004, 64: 0.001}
"""Greatest shortfall behind exact mean value analysis, by the number of equal servers visited at random."""


def ratio(servers: int, customers: int, think_time: float) -> float:
    """The approximate rate over the exact one."""
    exact = mva_closed([SERVICE / servers] * servers, customers, think_time).throughput
    return interactive_rate([Centre(SERVICE, SERVICE / servers)], customers, think_time) / exact


@pytest.mark.slow
@for_each("servers", GREATEST)
def test_rate_against_exact_mean_value_analysis(servers: int) -> None:
    """It is never too high, and too low by 6.8 % at most: one server, six users who think for three services."""
    found = {(n, z): ratio(servers, n, z * SERVICE) for n in POPULATIONS for z in THINKING}
    assert max(found.values()) < 1.0 + 1e-9
    assert 1.0 - GREATEST[servers] < min(found.values()) < 1.0 - 0.7 * GREATEST[servers]


def test_where_the_greatest_deviation_lies() -> None:
    found = {(n, z): ratio(1, n, z * SERVICE) for n in POPULATIONS for z in THINKING}
    worst = min(found, key=lambda case: found[case])
    assert worst == (6, 3.0)
    assert found[worst] == pytest.approx(0.9321, abs=1e-4)


@for_each("servers", GREATEST)
def test_without_think_time_it_is_exact(servers: int) -> None:
    """All m servers are alike, so that n users get n / (n + m - 1) of what the servers can do."""
    for customers in POPULATIONS:
        rate = interactive_rate([Centre(SERVICE, SERVICE / servers)], customers)
        assert rate == pytest.approx(servers / SERVICE * customers / (customers + servers - 1))
        assert ratio(servers, customers, 0.0) == pytest.approx(1.0)


@for_each("slow", [1.0, 2.0, 5.0])
def test_two_stations_one_after_the_other(slow: float) -> None:
    """Exact mean value analysis of unlike stations: never above, and at most 6 % below."""
    demands = [SERVICE, slow * SERVICE]
    for customers in POPULATIONS:
        exact = mva_closed(demands, customers).throughput
        rate = interactive_rate([Centre(demand, demand) for demand in demands], customers)
        assert 0.94 < rate / exact < 1.0 + 1e-9


@for_each("think_time", [0.0, 0.3])
@for_each("others", [0.0, 0.4])
def test_one_user_alone_waits_for_nobody_of_his_kind(think_time: float, others: float) -> None:
    """Others stretch the service as in an open queue: 1 / (1 - what they use)."""
    rate = interactive_rate([Centre(0.02, 0.01, others=others), Centre(0.01, 0.01)], 1, think_time)
    assert rate == pytest.approx(1 / (think_time + 0.02 / (1 - others) + 0.01))


@for_each("others", [0.0, 0.25, 0.9])
def test_many_users_get_what_others_leave(others: float) -> None:
    rate = interactive_rate([Centre(0.02, 0.01, behind=0.006, others=others)], 1e6, 1.0)
    assert rate == pytest.approx((1 - others) / 0.016, rel=1e-4)


def test_where_others_take_all_nothing_is_left() -> None:
    assert interactive_rate([Centre(0.02, 0.01, others=1.0)], 100) == 0.0
    assert interactive_rate([Centre(0.02, 0.01, others=1.2)], 100) == 0.0


def test_what_is_done_behind_a_transaction_loads_without_making_it_wait_longer() -> None:
    """One user, 10 ms alone, of which the centre is held 10 ms, and 20 ms behind: 10 = 1000 X / (1 - 0.02 X)."""
    rate = interactive_rate([Centre(0.01, 0.01, behind=0.02)], 1)
    assert rate * 0.01 / (1 - 0.02 * rate) == pytest.approx(1.0)
    assert rate == pytest.approx(1 / 0.03)


def test_the_rate_rises_with_users_and_falls_with_what_others_use() -> None:
    rates = [interactive_rate([Centre(0.02, 0.01)], n, 0.5) for n in POPULATIONS]
    assert all(one < other for one, other in pairwise(rates))
    rates = [interactive_rate([Centre(0.02, 0.01, others=share / 20)], 20, 0.5) for share in range(20)]
    assert all(one > other for one, other in pairwise(rates))


def test_a_transaction_that_takes_no_time_has_no_rate() -> None:
    with pytest.raises(ValueError, match="no finite rate"):
        interactive_rate([Centre(0.0, 0.0)], 10)


SITE = """\
title: Users of a disk that takes 10 ms for 1 MB and is never kept waiting
hosts:
  server: {owns: [source, target], cores: 1000, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %,
    copy_rate: 1 GB/s}
devices:
  source: {kind: ssd, capacity: 100 GB, read_rate: 100 MB/s, write_rate: 100 MB/s,
    read_latency: 0 s, write_latency: 0 s}
  target: {kind: ssd, capacity: 100 GB, read_rate: 1 GB/s, write_rate: 1 GB/s, read_latency: 0 s, write_latency: 0 s}
data:
  db: {on: source, size: 10 GB}
  copied: {on: target, size: 10 GB}
  rest: {on: source, size: 10 GB}
workloads:
  users: {data: db, clients: CLIENTS, think_time: THINK, writes: 0 %, reads: 1, read_size: 1 MB, cpu: 0 s}
jobs:
  alone: {method: observe, workload: users, duration: 100 s}
"""
BESIDE = """\
  load: {method: write, data: rest, after: alone, request: 1 MB, over: lan}
  beside: {method: observe, workload: users, duration: 10 s, after: alone}
links:
  lan: {joins: [server, target], rate: RATE, latency: 0 s}
"""


def run(tmp_path: Path, clients: int, think: float, jobs: str = "") -> Result:
    file = tmp_path / "case.yaml"
    text = SITE.replace("CLIENTS", str(clients)).replace("THINK", f"{think} s")
    file.write_text(text + jobs, encoding="utf-8")
    return sb.simulate(file)


@for_each("clients, think", [(1, 0.0), (1, 0.09), (5, 0.02), (20, 1.0), (200, 0.0), (200, 5.0)])
def test_users_in_a_run_reach_the_rate(tmp_path: Path, clients: int, think: float) -> None:
    result = run(tmp_path, clients, think)
    wanted = interactive_rate([Centre(0.01, 0.01)], clients, think)
    assert result.get("workloads.users.alone.rate") == pytest.approx(wanted)
    assert result.get("workloads.users.alone.lost") == 0.0
    assert result.get("devices.source.busy") == pytest.approx(wanted * 0.01)
    exact = mva_closed([0.01], clients, think).throughput
    assert result.get("workloads.users.alone.rate") == pytest.approx(exact, rel=GREATEST[1])


@for_each("taken", [0.1, 0.2, 0.4])
def test_on_a_full_disk_users_lose_the_share_of_its_time_that_others_take(tmp_path: Path, taken: float) -> None:
    """A writer behind a link takes a tenth and more of the disk; 5000 users take the rest of it."""
    rate = taken * 100 / (1 - taken)  # the link passes a request, then the disk writes it in 10 ms
    result = run(tmp_path, 5000, 0.0, BESIDE.replace("RATE", f"{rate:.6f} MB/s"))
    lost = result.get("workloads.users.beside.lost")
    assert lost == pytest.approx(taken, rel=2e-3)
    assert result.get("workloads.users.beside.rate") == pytest.approx(100 * (1 - taken), rel=2e-3)
    assert result.get("workloads.users.beside.slowdown") == pytest.approx(1 / (1 - taken), rel=2e-3)


def test_users_who_leave_a_disk_idle_lose_less_than_others_take(tmp_path: Path) -> None:
    """Five users who think for a second use 5 % of the disk; a fifth of it taken by others lengthens 10 ms to 12.5."""
    result = run(tmp_path, 5, 1.0, BESIDE.replace("RATE", "25 MB/s"))
    alone, beside = (result.get(f"workloads.users.{job}.rate") for job in ("alone", "beside"))
    assert alone == pytest.approx(interactive_rate([Centre(0.01, 0.01)], 5, 1.0))
    assert beside == pytest.approx(interactive_rate([Centre(0.01, 0.01, others=0.2)], 5, 1.0), rel=1e-3)
    assert 1 - beside / alone < 0.005
