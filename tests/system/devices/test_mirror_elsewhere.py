"""A volume is replicated to the array of another host, over a line whose connections have small windows."""

from typing import Any

import pytest

import simbackup as sb
from tests.cases import for_each

SITE = """\
title: A volume of 10 GB, and its mirror at the other end of a line of 100 MB/s and 10 ms
hosts:
  here: {model: host/linux-2016-server, owns: [a]}
  there: {model: host/linux-2016-server, owns: [b]}
devices:
  a: {kind: ssd, capacity: 10 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  b: {kind: ssd, capacity: 10 GB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  volume: {kind: logical_volume, on: a, size: 10 GB}
  mirror: {kind: mirror, of: volume, on: b, state: new, region: 1 MB, request: 1 MB, in_flight: 64, fast_resync: true,
    create_time: 0 s, remove_time: 0 s}
links:
  line: {rate: 100 MB/s, latency: 10 ms, window: 200 kB, duplex: full, joins: [here, there]}
jobs:
  first: {method: synchronise, mirror: mirror}
"""


@for_each(
    "changes, rate",
    [
        ({}, 20e6),  # a window in each round trip
        ({"connections": 3}, 60e6),
        ({"connections": 8}, 100e6),
        ({"connections": 8, "sync_rate": "30 MB/s"}, 30e6),
    ],
)
def test_connections_carry_a_window_each_up_to_the_limits_of_line_and_mirror(
    changes: dict[str, Any], rate: float
) -> None:
    result = sb.simulate(SITE, {f"devices.mirror.{key}": value for key, value in changes.items()})
    assert result.get("jobs.first.elapsed") == pytest.approx(10e9 / rate, rel=0.02)
