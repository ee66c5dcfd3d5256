"""Landing zones that fill up, against the closed form of a bucket that writes empty and draining fills."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.errors import InputError
from simbackup.results.shown import note_rows
from tests.cases import for_each

MB, GB = 1e6, 1e9
SITE = """\
title: A disk with a landing zone of 40 GB, written from a faster one
hosts:
  host: {owns: [fast, slow], cores: 64, memory: 2 GB, dirty_limit: 0.1 %, dirty_background: 0 %, copy_rate: 1 TB/s}
devices:
  fast: {kind: ssd, capacity: 9 TB, read_rate: 3 GB/s, write_rate: 3 GB/s, read_latency: 0 s, write_latency: 0 s}
  slow: {kind: ssd, capacity: 9 TB, read_rate: 1 GB/s, write_rate: 500 MB/s, read_latency: 0 s, write_latency: 0 s,
    landing_zone: 40 GB, drain_rate: 100 MB/s}
data:
  data: {on: fast, size: 200 GB}
jobs:
  save: {method: image, data: data, to: slow}
"""


def taken(size: float, fast: float, zone: float, drain: float) -> float:
    """Seconds: at the fast rate until what came and did not drain is the zone, and then as fast as it drains."""
    room = zone * fast / (fast - drain)
    return size / fast if size <= room else room / fast + (size - room) / drain


@for_each("size", [30e9, 49e9, 51e9, 200e9])
def test_a_long_backup_slows_down_when_the_zone_is_full(size: float) -> None:
    result = sb.simulate(SITE, {"data.data.size": f"{size} B"})
    assert result.get("jobs.save.elapsed") == pytest.approx(taken(size, 500e6, 40e9, 100e6), rel=1e-3)
    full = [note["at"] for note in note_rows(result.trace) if note["what"] == "is full"]
    assert full == ([pytest.approx(100.0, rel=1e-3)] if size > 50e9 else [])


@for_each("begin", ["0 s", "30 d", "3000 d"])
def test_a_zone_that_fills_up_within_a_tick_of_the_clock_holds_nothing_up(begin: str) -> None:
    """1 kB are there after 2.5 us; late in a run, the clock cannot tell the last of them from none."""
    text = SITE.replace("to: slow}", f"to: slow, begin: {begin}}}")
    result = sb.simulate(text, {"devices.slow.landing_zone": "1 kB"})
    assert result.get("jobs.save.elapsed") == pytest.approx(200e9 / 100e6, rel=1e-6)
    assert note_rows(result.trace)[0]["what"] == "is full"


def test_it_is_empty_again_the_next_night_and_reads_pass_by() -> None:
    again = "  again: {method: image, data: data, to: slow, begin: 1 h}\n  back: {restore: save, after: again}\n"
    result = sb.simulate(SITE + again, {"data.data.size": "50 GB"})
    assert result.get("jobs.again.elapsed") == pytest.approx(result.get("jobs.save.elapsed"))
    assert result.get("jobs.back.elapsed") == pytest.approx(50e9 / 1e9, rel=1e-3)


def test_a_slow_source_never_fills_it() -> None:
    result = sb.simulate(SITE, {"devices.fast.read_rate": "90 MB/s"})
    assert result.get("jobs.save.elapsed") == pytest.approx(200e9 / 90e6, rel=1e-3)


def test_a_device_with_a_zone_is_written_and_read_over_all_wires_of_its_bus() -> None:
    bus = "links:\n  bus: {rate: 100 MB/s, latency: 0 s, joins: [host, slow], count: 4}\ndata:\n"
    text = SITE.replace("data:\n", bus, 1) + "  back: {restore: save, after: save}\n"
    result = sb.simulate(text, {"data.data.size": "20 GB"})
    assert result.get("jobs.save.elapsed") == pytest.approx(20e9 / 400e6, rel=1e-3)
    assert result.get("jobs.back.elapsed") == pytest.approx(20e9 / 400e6, rel=1e-3)


def test_the_members_of_an_array_land_side_by_side() -> None:
    """Four disks for data have four zones, which drain at four times the rate; parity goes to a fifth."""
    array = "{kind: raid, level: 5, stripe_unit: 64 KiB, controller_overhead: 0 s, disks: 5, ssd: {"
    text = SITE.replace("slow: {kind: ssd, ", f"slow: {array}").replace("100 MB/s}", "100 MB/s}}")
    result = sb.simulate(text, {"data.data.size": "800 GB"})
    assert result.get("jobs.save.elapsed") == pytest.approx(taken(800e9, 2e9, 160e9, 400e6), rel=1e-3)


def test_explain_names_the_device_and_a_rotating_disk_has_one_too() -> None:
    disk = "slow: {model: disk/nearline-4tb-2013, landing_zone: 25 GB, drain_rate: 30 MB/s}\n"
    text = SITE[: SITE.index("slow: {kind")] + disk + SITE[SITE.index("data:\n  data") :]
    result = sb.simulate(text)
    assert 200e9 / 60e6 < result.get("jobs.save.elapsed") < taken(200e9, 100e6, 25e9, 30e6) * 1.1
    assert sb.explain(result)["save"].bottleneck == "devices.slow.landing_zone"


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"devices.slow.drain_rate": None}, "landing_zone and drain_rate go together"),
        ({"devices.slow.drain_rate": "600 MB/s"}, "drain_rate is above write_rate"),
    ],
)
def test_its_two_keys_belong_together(changes: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        sb.load(SITE, changes)
