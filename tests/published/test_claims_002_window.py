"""Claim 8 of document 002: a shared target at midnight against the same backups spread over the day."""

from __future__ import annotations

import pytest

from simbackup.results.result import Result
from tests.shared import simulated

pytestmark = pytest.mark.xdist_group("planning/midnight")

DAY, WINDOW = 86_400.0, 6 * 3600.0
TEMPLATE = "fleets.servers.jobs.save-{number}"
SIZE, NIC = "fleets.servers.data.data-{number}.size", "fleets.servers.links.nic-{number}.rate"
FEWER = (("fleets.servers.count", "50"), (SIZE, "700 GB"))
"""A quarter of the servers with four times the data each: as much in all, and quicker to simulate."""


def run(name: str, *changes: tuple[str, str]) -> Result:
    result = simulated(f"planning/{name}", dict(changes))
    assert result.get("fleets.servers.failed") == 0
    return result


def figure(name: str, address: str, *changes: tuple[str, str]) -> float:
    return run(name, *changes).get(address)


def alone(*changes: tuple[str, str]) -> float:
    return figure("midnight", "fleets.servers.slowest", *changes, ("fleets.servers.count", "1"))


def test_at_midnight_200_servers_saturate_the_target_for_a_quarter_of_the_day() -> None:
    saturated = figure("midnight", "devices.array.saturated")
    assert saturated / DAY == pytest.approx(0.25, abs=0.03)
    assert saturated == pytest.approx(figure("midnight", "devices.array.active"), rel=0.001)
    assert figure("midnight", "fleets.servers.mean") > 10 * alone()


def test_spread_over_the_day_the_target_limits_none_of_200() -> None:
    assert figure("spread-starts", "devices.array.saturated") == 0.0
    assert figure("spread-starts", "fleets.servers.slowest") == pytest.approx(alone(), rel=1e-6)
    assert figure("spread-starts", "fleets.servers.late") == 0.0
    assert figure("spread-starts", "fleets.servers.bytes") == figure("midnight", "fleets.servers.bytes") == 35e12


@pytest.mark.parametrize("count", ["20", "50", "100"])
def test_it_holds_for_other_numbers_of_servers(count: str) -> None:
    number = ("fleets.servers.count", count)
    assert figure("midnight", "devices.array.saturated", number) > 0.95 * figure(
        "midnight", "fleets.servers.end", number
    )
    assert figure("spread-starts", "devices.array.saturated", number) == 0.0
    assert figure("spread-starts", "fleets.servers.slowest", number) == pytest.approx(alone(), rel=1e-6)


@pytest.mark.parametrize("changes", [FEWER, (*FEWER, (NIC, "1177 MB/s"))])
def test_it_holds_for_larger_servers_and_faster_networks(changes: tuple[tuple[str, str], ...]) -> None:
    assert figure("midnight", "devices.array.saturated", *changes) / DAY == pytest.approx(0.25, abs=0.03)
    assert figure("spread-starts", "devices.array.saturated", *changes) == 0.0
    assert figure("spread-starts", "fleets.servers.slowest", *changes) == pytest.approx(alone(*changes), rel=1e-6)


def test_many_streams_at_once_cost_the_target_more_time_if_it_writes_little_of_each_at_a_time() -> None:
    """Half a second of writing at a time costs a few percent in turns; 4 MiB, as with older kernels, the double."""
    fast, little = (*FEWER, (NIC, "1177 MB/s")), ("hosts.target.write_behind", "4 MiB")
    apart = figure("spread-starts", "devices.array.busy_s", *fast)
    assert figure("midnight", "devices.array.busy_s", *fast) == pytest.approx(apart, rel=0.1)
    assert figure("midnight", "devices.array.busy_s", *fast, little) > 2 * apart


@pytest.mark.parametrize("turn", ["128 KiB", "2 MiB"])
def test_what_a_disk_holds_of_a_stream_does_not_decide_the_night(turn: str) -> None:
    usual = figure("midnight", "devices.array.saturated", *FEWER)
    assert figure("midnight", "devices.array.saturated", *FEWER, ("devices.array.disk.stream_turn", turn)) == usual


def test_it_stops_holding_when_all_begin_within_the_night() -> None:
    """Spread over four of the six hours that the target needs for them, they meet; over twelve they do not."""
    night = figure("spread-starts", "devices.array.saturated", *FEWER, (f"{TEMPLATE}.begin.over", "4 h"))
    assert night > 0.5 * WINDOW
    assert figure("spread-starts", "devices.array.saturated", *FEWER, (f"{TEMPLATE}.begin.over", "13 h")) == 0.0


def test_it_stops_holding_when_the_day_is_too_short_for_the_bytes() -> None:
    """One gigabit before the target carries 10 TB a day; 35 TB wait, whenever they begin."""
    narrow = (*FEWER, ("links.front.rate", "1 Gb/s"), ("links.front.count", "1"))
    assert figure("spread-starts", "links.front.saturated", *narrow) > DAY
    assert figure("spread-starts", "fleets.servers.late", *narrow) > 25
    assert figure("spread-starts", "fleets.servers.slowest", *narrow) > 10 * alone(*FEWER)
