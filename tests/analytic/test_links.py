"""Streams over links: directions, windows and losses, against closed forms."""

import math
from typing import Any

import pytest

import simbackup as sb
from simbackup.equations.transfers import cubic_rate, loss_rate
from tests.cases import for_each

SIZE, RATE, AWAY, WINDOW = 10e9, 125e6, 0.050, 2.0**20
SITE = """\
title: Two sites
hosts:
  here: {cores: 4, memory: 8 GiB, dirty_limit: 20 %, dirty_background: 10 %, copy_rate: 8 GB/s, owns: [a]}
  there: {cores: 4, memory: 8 GiB, dirty_limit: 20 %, dirty_background: 10 %, copy_rate: 8 GB/s, owns: [b]}
devices:
  a: {kind: ssd, capacity: 1 TB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
  b: {kind: ssd, capacity: 1 TB, read_rate: 9 GB/s, write_rate: 9 GB/s, read_latency: 0 s, write_latency: 0 s}
links:
  wan: {joins: [here, there], rate: 125 MB/s, latency: 50 ms, window: 1 GB, duplex: full}
data:
  files: {on: a, size: 10 GB}
  other: {on: a, size: 10 GB}
jobs:
  full: {method: image, data: files, to: b}
  second: {method: image, data: other, to: b, after: full}
  back: {restore: full, after: full}
"""
TOLERANCE = 0.01
"""What the first request and the last bytes in memory add."""


def elapsed(changes: dict[str, Any], job: str = "full") -> float:
    return float(sb.simulate(sb.load(SITE, changes)).get(f"jobs.{job}.elapsed"))


@for_each("connections", [1, 2, 5])
def test_a_connection_gets_its_window_each_round_trip(connections: int) -> None:
    changes = {"links.wan.window": "1 MiB", "jobs.full.connections": connections}
    assert elapsed(changes) == pytest.approx(SIZE * AWAY / WINDOW / connections, rel=TOLERANCE)


def test_enough_connections_fill_the_line() -> None:
    assert elapsed({"links.wan.window": "1 MiB", "jobs.full.connections": 6}) == pytest.approx(
        SIZE / RATE, rel=TOLERANCE
    )


def test_the_round_trips_of_a_way_add_up() -> None:
    site = SITE.replace("links:\n", "links:\n  lan: {joins: [hall, there], rate: 1 GB/s, latency: 20 ms}\n")
    site = site.replace("joins: [here, there]", "joins: [here, hall]").replace(
        "hosts:\n",
        "hosts:\n  hall: {cores: 1, memory: 1 GiB, dirty_limit: 20 %, dirty_background: 10 %, copy_rate: 8 GB/s}\n",
    )
    found = sb.simulate(sb.load(site, {"links.wan.window": "1 MiB"})).get("jobs.full.elapsed")
    assert found == pytest.approx(SIZE * (AWAY + 0.020) / WINDOW, rel=TOLERANCE)


@pytest.mark.parametrize("loss", [1e-5, 1e-3])
def test_losses_halve_the_window_of_a_connection(loss: float) -> None:
    changes = {"links.wan.loss": loss, "jobs.full.connections": 2}
    rate = 2 * 1448.0 / AWAY * (1.5 / loss) ** 0.5
    assert elapsed(changes | {"links.wan.congestion": "reno"}) == pytest.approx(SIZE / rate, rel=TOLERANCE)


@for_each("loss", [1e-5, 1e-4, 1e-3])
def test_the_window_of_cubic_grows_with_the_time_since_a_loss(loss: float) -> None:
    """Against round trip by round trip, of which half of one more or less is in a cycle from loss to loss."""
    changes = {"links.wan.loss": loss}
    rate = cubic_rate(1448.0, AWAY, loss)
    assert elapsed(changes) == pytest.approx(SIZE / rate, rel=TOLERANCE)
    rounds = len(cubic_cycle(loss))
    by_rounds = 1448.0 / loss / rounds / AWAY
    assert rate == pytest.approx(max(by_rounds, loss_rate(1448.0, AWAY, loss)), rel=1.0 / rounds)


def cubic_cycle(loss: float) -> list[float]:
    """The window of each round trip from one loss to the next, in which 1 / p segments are sent."""
    most = 1.0
    while True:
        turn = (most * 0.3 / 0.4) ** (1.0 / 3.0)
        windows = [0.4 * (i * AWAY - turn) ** 3 + most for i in range(math.ceil(turn / AWAY))]
        if sum(windows) >= 1.0 / loss:
            return windows
        most *= 1.001


@pytest.mark.parametrize(("duplex", "times"), [("full", 1.0), ("half", 2.0)])
def test_a_restore_beside_a_backup_has_the_other_direction(duplex: str, times: float) -> None:
    for job in ("second", "back"):
        assert elapsed({"links.wan.duplex": duplex}, job) == pytest.approx(times * SIZE / RATE, rel=TOLERANCE)


def test_a_direction_is_shared_by_what_goes_the_same_way() -> None:
    changes = {"jobs.back": None, "jobs.second.after": []}
    assert elapsed(changes, "second") == pytest.approx(2.0 * SIZE / RATE, rel=TOLERANCE)


def test_each_direction_is_on_record() -> None:
    devices = sb.simulate(sb.load(SITE)).devices.set_index("device")
    assert devices.loc["links.wan", "bytes"] == pytest.approx(2 * SIZE)
    assert devices.loc["links.wan.back", "bytes"] == pytest.approx(SIZE)


def test_explain_names_the_way_there_and_back() -> None:
    result = sb.simulate(sb.load(SITE, {"links.wan.window": "1 MiB"}))
    assert sb.explain(result, "back")["back"].bottleneck == "links.wan"


def test_a_connection_keeps_to_one_of_several_wires() -> None:
    assert elapsed({"links.wan.count": 4}) == pytest.approx(SIZE / RATE, rel=TOLERANCE)
    assert elapsed({"links.wan.count": 4, "jobs.full.connections": 3}) == pytest.approx(SIZE / RATE / 3, rel=TOLERANCE)
