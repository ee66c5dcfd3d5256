"""Claim 8 of document 002: a shared target at midnight against the same backups spread over the day."""

import math

import pytest

from simbackup.results.result import Result
from tests.cases import for_each
from tests.shared import simulated

pytestmark = [pytest.mark.xdist_group("planning/midnight"), pytest.mark.slow]

DAY, WINDOW = 86_400.0, 6 * 3600.0
TEMPLATE = "fleets.servers.jobs.save-{number}"
SIZE, NIC = "fleets.servers.data.data-{number}.size", "fleets.servers.links.nic-{number}.rate"
FEWER = (("fleets.servers.count", "50"), (SIZE, "700 GB"))
"""A quarter of the servers with four times the data each: as much in all, and quicker to simulate."""
EXPIRE, BACKGROUND = 30.0, 0.1 * 64 * 2**30
"""Seconds, and bytes of all writers together, after which the target writes what it holds in memory."""


def run(name: str, *changes: tuple[str, str]) -> Result:
    result = simulated(f"planning/{name}", dict(changes))
    assert result.get("fleets.servers.failed") == 0
    return result


def figure(name: str, address: str, *changes: tuple[str, str]) -> float:
    return run(name, *changes).get(address)


def alone(*changes: tuple[str, str]) -> float:
    return figure("midnight", "fleets.servers.slowest", *changes, ("fleets.servers.count", "1"))


def writing_the_first_data(servers: int, *changes: tuple[str, str], over: float = DAY) -> float:
    """Most seconds for which the array is full because the target writes what it took into memory at first.

    A backup loads the array with a share `u` of its time. The target keeps the first `T` seconds of it in memory, until
    they are old or the backup's part of the background limit is reached. Then it writes them as fast as the array takes
    them, beside the `k` backups at work: for `T u / (1 - k u)`. No backup waits for that, as there is room in memory.
    """
    result = run("spread-starts", *changes)
    each = result.get("fleets.servers.slowest")
    at_once = math.ceil(servers * each / over)
    rate = result.get("fleets.servers.bytes") / servers / each
    share = result.get("devices.array.busy_s") / servers / each
    return servers * min(EXPIRE, BACKGROUND / at_once / rate) * share / (1.0 - at_once * share)


def test_the_target_writes_its_first_data_over_both_paths_to_the_array() -> None:
    """Two paths of 1177 MB/s carry more than the array writes, 2160 MB/s: it is full until the target has caught up."""
    one = ("fleets.servers.count", "1")
    expected = writing_the_first_data(1, one)
    assert figure("spread-starts", "devices.array.saturated", one) == pytest.approx(expected, rel=1e-6)
    assert expected == pytest.approx(1.73, abs=0.01)
    single = ("links.front.count", "1")
    assert figure("spread-starts", "devices.array.saturated", one, single) == 0.0
    assert alone(single) == pytest.approx(alone(), rel=1e-6)


def test_at_midnight_200_servers_saturate_the_target_for_a_quarter_of_the_day() -> None:
    saturated = figure("midnight", "devices.array.saturated")
    assert saturated / DAY == pytest.approx(0.25, abs=0.03)
    assert saturated == pytest.approx(figure("midnight", "devices.array.active"), rel=0.001)
    assert figure("midnight", "fleets.servers.mean") == pytest.approx(saturated, rel=0.001)  # all end together
    assert saturated > 13 * alone()


def test_spread_over_the_day_the_target_limits_none_of_200() -> None:
    """Each takes its time alone. The array is full only while the first data of a backup go there, all day 4 minutes.

    It was never full as long as the target's writes used one of the two paths to it, which carries half of what it
    writes. Requests to a device use all paths, and writing from memory goes as fast as the device.
    """
    assert 0.0 < figure("spread-starts", "devices.array.saturated") < 1.02 * writing_the_first_data(200)
    assert figure("spread-starts", "fleets.servers.slowest") == pytest.approx(alone(), rel=1e-6)
    assert figure("spread-starts", "fleets.servers.late") == 0.0
    assert figure("spread-starts", "fleets.servers.bytes") == figure("midnight", "fleets.servers.bytes") == 35e12


@for_each("count", ["20", "50", "100"])
def test_it_holds_for_other_numbers_of_servers(count: str) -> None:
    number = ("fleets.servers.count", count)
    assert figure("midnight", "devices.array.saturated", number) > 0.95 * figure(
        "midnight", "fleets.servers.end", number
    )
    most = writing_the_first_data(int(count), number)
    assert 0.0 < figure("spread-starts", "devices.array.saturated", number) < 1.02 * most
    assert figure("spread-starts", "fleets.servers.slowest", number) == pytest.approx(alone(), rel=1e-6)


@pytest.mark.parametrize("changes", [FEWER, (*FEWER, (NIC, "1177 MB/s"))])
def test_it_holds_for_larger_servers_and_faster_networks(changes: tuple[tuple[str, str], ...]) -> None:
    assert figure("midnight", "devices.array.saturated", *changes) / DAY == pytest.approx(0.25, abs=0.03)
    most = writing_the_first_data(50, *changes)
    assert 0.0 < figure("spread-starts", "devices.array.saturated", *changes) < 1.02 * most
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
    """Spread over four of the six hours that the target needs for them, they wait for it; over thirteen they do not."""
    night = figure("spread-starts", "devices.array.saturated", *FEWER, (f"{TEMPLATE}.begin.over", "4 h"))
    assert night > 0.5 * WINDOW
    longer = (*FEWER, (f"{TEMPLATE}.begin.over", "13 h"))
    most = writing_the_first_data(50, *longer, over=13 * 3600.0)
    assert 0.0 < figure("spread-starts", "devices.array.saturated", *longer) < 1.02 * most
    assert figure("spread-starts", "fleets.servers.slowest", *longer) == pytest.approx(alone(*FEWER), rel=1e-6)


def test_it_stops_holding_when_the_day_is_too_short_for_the_bytes() -> None:
    """One gigabit before the target carries 10 TB a day; 35 TB wait, whenever they begin."""
    narrow = (*FEWER, ("links.front.rate", "1 Gb/s"), ("links.front.count", "1"))
    assert figure("spread-starts", "links.front.saturated", *narrow) > DAY
    assert figure("spread-starts", "fleets.servers.late", *narrow) > 25
    assert figure("spread-starts", "fleets.servers.slowest", *narrow) > 10 * alone(*FEWER)
