"""Users of a disk that streams fill: how long a transaction takes, against a simulation of each request."""

import pytest
from oracles.arrival_order import Asked, Place, Served, in_order_of_arrival

import simbackup as sb
from simbackup.equations.disk import DiskParameters
from tests.cases import for_each, grid

DISK = DiskParameters(100e9, 100.0, 0.005, 0.005, 0.005, 100e6, 100e6, 0.0, 512e3)
"""A seek of 5 ms between any two places, half a revolution of 5 ms, 100 MB/s."""
SCENARIO = """\
title: Data of 20 GB each, one behind the other
hosts:
  server: {cores: 4, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s, read_ahead: WINDOW,
    owns: [disk, nowhere]}
devices:
  nowhere: {kind: nul}
  disk: {kind: disk, capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: 5 ms, average_seek: 5 ms,
    full_stroke_seek: 5 ms, outer_rate: 100 MB/s, inner_rate: 100 MB/s, command_overhead: 0 s, stream_turn: 512 kB}
data: {d0: {on: disk, size: 20 GB}, d1: {on: disk, size: 20 GB}, d2: {on: disk, size: 20 GB},
  d3: {on: disk, size: 20 GB}}
workloads:
  users: {data: d0, LOAD, reads: 1, read_size: 4096 B, cpu: 0 s, writes: 0 %}
jobs:
"""
SEEN = "  j0: {method: observe, workload: users, duration: 100 s}\n"


def jobs(streams: int) -> str:
    return "".join(f"  j{i}: {{method: image, data: d{i}, to: nowhere}}\n" for i in range(streams)) or SEEN


def load(asked: Asked) -> str:
    if asked.users:
        return f"clients: {asked.users}, think_time: {asked.think_time} s"
    return f"transactions: {asked.rate} /s"


def simulated(streams: int, asked: Asked, window: float) -> Served:
    text = SCENARIO.replace("LOAD", load(asked)).replace("WINDOW", f"{int(window)} B")
    found = sb.simulate(text.replace("4096 B", f"{asked.size} B") + jobs(streams))
    rates = [found.get(f"jobs.j{i}.rate") for i in range(streams)]
    return Served(rates, found.get("workloads.users.j0.rate"), found.get("workloads.users.j0.response"))


def by_events(streams: int, asked: Asked, window: float, *, varied: bool = True, most: float = 0.0) -> Served:
    places = [Place(i * 20e9, 20e9) for i in range(streams)]
    return in_order_of_arrival(DISK, places, window, Place(0.0, 20e9), asked, seconds=2000.0, most=most, varied=varied)


@pytest.mark.slow
@for_each("streams, rate, window", grid([0, 1, 2, 3], [1.0, 20.0, 50.0], [512e3, 4e6]))
def test_a_request_waits_for_one_run_of_each_stream(streams: int, rate: float, window: float) -> None:
    """Those of users take times of an exponential distribution, as in all queues."""
    asked = Asked(rate=rate)
    found, expected = simulated(streams, asked, window), by_events(streams, asked, window)
    assert found.response == pytest.approx(expected.response, rel=0.05)
    assert found.streams == pytest.approx(expected.streams, rel=0.06)


@pytest.mark.slow
@for_each("window", [512e3, 4e6])
@for_each("asked", [Asked(rate=20.0, size=1e6), Asked(rate=10.0, size=4e6)], ids=str)
def test_large_requests_of_users_draw_the_arm_away_no_more_often_than_there_are_any(
    asked: Asked, window: float
) -> None:
    """They take 20 and 50 ms, of which the way is 10."""
    found, expected = simulated(1, asked, window), by_events(1, asked, window, varied=False)
    assert found.streams == pytest.approx(expected.streams, rel=0.015)


WAITING = (Asked(users=1), Asked(users=10), Asked(users=4, think_time=0.1), Asked(users=20, think_time=1.0))


def test_three_streams_by_hand() -> None:
    """One request a second finds two runs of 50 ms that wait and half of a third, and then takes 10 ms itself."""
    assert simulated(3, Asked(rate=0.01), 4e6).response == pytest.approx(2 * 0.05 + 0.025 + 0.01, rel=0.005)


@pytest.mark.slow
@for_each("streams, asked, window", grid([0, 1, 2, 3], WAITING, [512e3, 4e6]))
def test_users_who_wait_for_a_disk_come_less_often(streams: int, asked: Asked, window: float) -> None:
    found, expected = simulated(streams, asked, window), by_events(streams, asked, window)
    assert found.response == pytest.approx(expected.response, rel=0.09)
    assert found.users == pytest.approx(expected.users, rel=0.03)
    assert found.streams == pytest.approx(expected.streams, rel=0.06)


@pytest.mark.slow
@for_each("streams, most, rate", grid([1, 2], [5e6, 20e6], [5.0, 30.0]))
def test_a_stream_that_something_else_limits_is_at_the_disk_for_a_part_of_the_time(
    streams: int, most: float, rate: float
) -> None:
    text = SCENARIO.replace("LOAD", f"transactions: {rate} /s").replace("WINDOW", "4 MB")
    found = sb.simulate(text + jobs(streams).replace("to: nowhere", f"to: nowhere, most_rate: {most} B/s"))
    expected = by_events(streams, Asked(rate=rate), 4e6, most=most)
    assert found.get("workloads.users.j0.response") == pytest.approx(expected.response, rel=0.1)


ARRAY = """  disk: {kind: raid, level: "LEVEL", disks: DISKS, stripe_unit: 64 KiB, controller_overhead: 0 s,
    prefetches: true, read_ahead: AHEAD MB, disk: {MEMBER}}
"""


def on_another(text: str, device: str) -> str:
    """The scenario with another device."""
    begin, end = text.index("  disk: {kind"), text.index("data: {d0")
    return text[:begin] + device + text[end:]


@pytest.mark.slow
@for_each("streams", [1, 2])
@for_each("level, disks", [("0", 4), ("5", 5), ("10", 8)])
def test_a_disk_of_an_array_is_a_disk_to_which_a_part_of_the_requests_come(
    streams: int, level: str, disks: int
) -> None:
    """The controller reads ahead 4 MB from each of four disks of data, and 20 requests a second go to any disk.

    In a mirror, each of two streams has a copy to itself, though requests are said to find both of them at each disk,
    which is too long. One stream leaves half of the disks to the requests, which may choose.
    """
    text = SCENARIO.replace("LOAD", f"transactions: {20.0 * disks} /s").replace(", read_ahead: WINDOW", "")
    member = text[text.index("capacity") : text.index("}\ndata: {d0")]
    array = ARRAY.replace("LEVEL", level).replace("DISKS", str(disks)).replace("AHEAD", "16").replace("MEMBER", member)
    found = sb.simulate(on_another(text, array) + jobs(streams))
    one = by_events(1 if level == "10" else streams, Asked(rate=20.0), 4e6)
    response, rate = found.get("workloads.users.j0.response"), found.get("jobs.j0.rate")
    if (level, streams) == ("10", 1):
        free = by_events(0, Asked(rate=20.0), 4e6)
        assert free.response < response <= (one.response + free.response) / 2
        assert one.streams[0] < rate / 4 < 100e6
        return
    assert rate == pytest.approx(4 * one.streams[0], rel=0.05)
    if level == "10":
        assert one.response < response < by_events(2, Asked(rate=20.0), 4e6).response
        return
    assert response == pytest.approx(one.response, rel=0.05)
