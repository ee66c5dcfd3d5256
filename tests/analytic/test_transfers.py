"""The loop of buffers that jobs simulate event by event, against exact mean value analysis."""

from typing import Any

import numpy as np
import pytest

import simbackup as sb
from simbackup.equations.buffers import loop
from simbackup.equations.intervals import mean_interval
from tests.cases import for_each

MIB = 2.0**20
SITE = """\
title: A database on one device and its backup on another
hosts:
  server: {owns: [c, d], cores: 4, memory: 8 GiB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 1 GB/s}
devices:
  c: {kind: ssd, capacity: 100 GB, read_rate: 200 MiB/s, write_rate: 100 MiB/s, read_latency: 0 s, write_latency: 0 s}
  d: {kind: ssd, capacity: 100 GB, read_rate: 400 MiB/s, write_rate: 150 MiB/s, read_latency: 0 s, write_latency: 0 s}
data:
  db: {on: c, size: 2100 MiB}
jobs:
  full:
    method: database_native
    data: db
    to: d
    buffers: 7
    engine: {transfer_size: 1 MiB, io_depth: 4, request_latency: 10 ms, compress_cpu: 0 ns/B, expand_cpu: 0 ns/B,
      buffer_sets: 1, memory_limit: 2 GiB}
"""
DEMANDS = [1 / 200 / MIB, 1 / 150 / MIB]
LATENCY = 0.010
BATCHES = 20
TRANSFERS = 2100


def simulated(changes: dict[str, Any], seed: int = 0) -> sb.Result:
    return sb.simulate(SITE, {"jobs.full.rounds": "by_event", **changes}, seed=seed)


def batch_rates(result: sb.Result) -> list[float]:
    """Bytes a second that were written in equal times; the first twentieth, which fills, and the last do not count."""
    rates = [rate for rate in result.trace.rates if rate.link == "devices.d"]
    times = np.array([0.0, *(rate.time for rate in rates)])
    moved = np.concatenate(([0.0], np.cumsum(np.array([0.0, *(r.bytes_per_s for r in rates[:-1])]) * np.diff(times))))
    ends = np.linspace(0.0, result.get("jobs.full.elapsed"), BATCHES + 3)[1:-1]
    return [float(rate) for rate in np.diff(np.interp(ends, times, moved)) / np.diff(ends)]


@pytest.mark.slow
@for_each(
    "buffers, latency",
    [
        pytest.param(1, LATENCY, id="one buffer"),
        pytest.param(3, LATENCY, id="a few"),
        pytest.param(7, LATENCY, id="the knee"),
        pytest.param(40, LATENCY, id="the slower device is all"),
        pytest.param(7, 0.1, id="the requests are all"),
    ],
)
def test_long_runs_agree_with_mean_value_analysis(buffers: int, latency: float) -> None:
    """Within the interval of their batch means, 99.9 %."""
    changes = {"jobs.full.buffers": buffers, "jobs.full.engine.request_latency": f"{latency} s"}
    rate, half = mean_interval(batch_rates(simulated(changes, seed=2002)), 0.999)
    expected = loop(MIB, buffers, 2 * latency, DEMANDS).rate
    assert half < 0.09 * rate
    assert rate == pytest.approx(expected, abs=half)


@pytest.mark.slow
def test_the_comparison_tells_a_buffer_more() -> None:
    rate, half = mean_interval(batch_rates(simulated({"jobs.full.buffers": 3}, seed=2002)), 0.999)
    assert loop(MIB, 4, 2 * LATENCY, DEMANDS).rate > rate + half


@pytest.mark.slow
@for_each(
    "rounds, least, most", [(1, 0.20, 0.50), (2, 0.08, 0.30), (5, 0.02, 0.15), (20, 0.0, 0.08), (100, -0.03, 0.04)]
)
def test_short_runs_take_longer_than_the_steady_state_says(rounds: int, least: float, most: float) -> None:
    """They fill and drain the loop; by how much, falls with the rounds of a buffer."""
    changes = {"data.db.size": f"{7 * rounds} MiB"}
    steady = simulated({**changes, "jobs.full.rounds": "steady"}).get("jobs.full.elapsed")
    seeds = 40 if rounds <= 20 else 5
    runs = [simulated(changes, seed).get("jobs.full.elapsed") for seed in range(seeds)]
    mean, half = mean_interval(runs)
    assert least * steady - half < mean - steady < most * steady + half
    assert half < 0.1 * mean
