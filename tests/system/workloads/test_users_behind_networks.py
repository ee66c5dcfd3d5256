"""Users of a device behind a network wait for it: against a simulation of each request, and by hand."""

import pytest
from oracles.queues import Sender, behind_windows

import simbackup as sb
from tests.cases import for_each

SCENARIO = """\
title: A server whose disk takes no time, behind a link of 100 MB/s and a round trip of 1 ms
hosts:
  server: {cores: 4, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s, read_ahead: 1 MB,
    owns: [flash, nowhere]}
devices:
  nowhere: {kind: nul}
  flash: {kind: ssd, capacity: 100 GB, read_rate: 100 GB/s, write_rate: 100 GB/s, read_latency: 0 s,
    write_latency: 0 s}
links:
  lan: {joins: [server, flash], rate: 100 MB/s, latency: 1 ms, duplex: DUPLEX, storage: true}
data: {d0: {on: flash, size: 20 GB}, d1: {on: flash, size: 20 GB}}
workloads:
  users: {data: d0, LOAD, WHAT, cpu: 0 s, writes: 0 %}
jobs:
"""
READS = "reads: 1, read_size: 100 kB"
UPDATES = "reads: 0, read_size: 4 kB, updates: 1, update_size: 100 kB, synchronous: true"


def simulated(streams: int, load: str, what: str = READS, duplex: str = "full", changes: str = "") -> sb.Result:
    jobs = "".join(f"  j{i}: {{method: image, data: d{i}, to: nowhere}}\n" for i in range(streams))
    jobs = jobs or "  j0: {method: observe, workload: users, duration: 100 s}\n"
    text = SCENARIO.replace("LOAD", load).replace("WHAT", what).replace("DUPLEX", duplex)
    return sb.simulate(text + jobs + changes)


def figures(found: sb.Result) -> tuple[float, float]:
    return found.get("workloads.users.j0.rate"), found.get("workloads.users.j0.response")


@pytest.mark.slow
@for_each("streams", [0, 1, 2])
@for_each("rate", [10.0, 500.0])
def test_requests_at_random_wait_behind_windows(streams: int, rate: float) -> None:
    _, expected = behind_windows(Sender(0.001, 0.001, rate=rate), 0.01, streams)
    _, found = figures(simulated(streams, f"transactions: {rate} /s"))
    assert found == pytest.approx(expected, rel=0.06)


@pytest.mark.slow
@for_each("streams", [0, 1, 2])
@for_each("users, think", [(1, 0.0), (4, 0.01)])
def test_users_who_wait_come_less_often(streams: int, users: int, think: float) -> None:
    expected = behind_windows(Sender(0.001, 0.001, users=users, think_time=think), 0.01, streams)
    found = figures(simulated(streams, f"clients: {users}, think_time: {think} s"))
    assert found == pytest.approx(expected, rel=0.06)


def test_one_write_by_hand() -> None:
    """A round trip of 1 ms, 1 ms for the bytes, and the 10 ms of the window before it, on a link of one direction."""
    _, beside = figures(simulated(1, "transactions: 0.01 /s", UPDATES, "half"))
    assert beside == pytest.approx(0.001 + 0.001 + 0.01, rel=1e-3)
    _, alone = figures(simulated(0, "transactions: 0.01 /s", UPDATES, "half"))
    assert alone == pytest.approx(0.001 + 0.001, rel=1e-3)


def test_writes_do_not_wait_for_what_comes_back() -> None:
    _, beside = figures(simulated(1, "transactions: 0.01 /s", UPDATES))
    assert beside == pytest.approx(0.001 + 0.001, rel=1e-3)


@pytest.mark.slow
def test_a_round_trip_is_no_queue() -> None:
    """Many users who are under way for 50 ms fill a wire: none waits longer for the round trips of others."""
    text = SCENARIO.replace("latency: 1 ms", "latency: 50 ms").replace("WHAT", READS).replace("DUPLEX", "full")
    job = "  j0: {method: observe, workload: users, duration: 100 s}\n"
    rate = {n: sb.simulate(text.replace("LOAD", f"clients: {n}") + job).get("workloads.users.j0.rate") for n in (1, 40)}
    assert rate[1] == pytest.approx(1 / 0.051001)
    expected, _ = behind_windows(Sender(0.001, 0.05, users=40), 0.01, 0)
    assert rate[40] == pytest.approx(expected, rel=0.07)
