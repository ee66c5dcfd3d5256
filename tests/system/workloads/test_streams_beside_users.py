"""A backup reads a disk beside users, whose requests draw the arm away: against a simulation of each request."""

from __future__ import annotations

import pytest
from oracles.disk import runs_beside_users

import simbackup as sb

SCENARIO = """\
title: A disk of 100 GB, 100 MB/s, a seek of 5 ms between any two places, 6000 rpm
hosts:
  server: {cores: 4, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s,
    owns: [disk, nowhere]READS}
devices:
  nowhere: {kind: nul}
  disk: {kind: disk, capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: 5 ms, average_seek: 5 ms,
    full_stroke_seek: 5 ms, outer_rate: 100 MB/s, inner_rate: 100 MB/s, command_overhead: 0 s, stream_turn: 512 kB}
data:
  db: {on: disk, size: 20 GB}
workloads:
  users: {data: db, transactions: RATE, reads: 1, read_size: 4 KiB, cpu: 0 s, writes: 0 %}
jobs:
  full: {method: image, data: db, to: nowhere}
"""
BACK = 0.010
"""A seek and half a revolution."""
USER = BACK + 4096 / 100e6


def rate_by_events(rate: float, run: float) -> float:
    """Bytes a second of a stream that asks for its next run when one is done, in order of arrival with all users."""
    return run * runs_beside_users(rate, USER, run / 100e6, BACK)


def simulated(rate: float, reads: str = "") -> sb.Result:
    return sb.simulate(SCENARIO.replace("RATE", f"{rate} /s").replace("READS", reads))


@pytest.mark.parametrize(("rate", "rel"), [(0.1, 0.01), (5.0, 0.01), (20.0, 0.02), (40.0, 0.04)])
def test_a_disk_comes_back_to_a_stream_after_users(rate: float, rel: float) -> None:
    assert simulated(rate).get("jobs.full.rate") == pytest.approx(rate_by_events(rate, 512e3), rel=rel)


@pytest.mark.parametrize(("rate", "rel"), [(5.0, 0.01), (20.0, 0.02), (40.0, 0.04)])
def test_a_reader_of_windows_waits_until_the_disk_is_back(rate: float, rel: float) -> None:
    found = simulated(rate, ", read_ahead: 512 kB").get("jobs.full.rate")
    assert found == pytest.approx(rate_by_events(rate, 512e3), rel=rel)


@pytest.mark.parametrize("reads", ["", ", read_ahead: 512 kB"])
@pytest.mark.parametrize("load", ["transactions: 20 /s", "transactions: 100000 /s", "clients: 10, think_time: 0 s"])
def test_files_that_lie_together_are_read_as_an_image_of_them_is(load: str, reads: str) -> None:
    files = "size: 20 GB, files: 10, layout: together, filesystem: {model: filesystem/ext4, fragment: 512 kB}"
    scenario = SCENARIO.replace("size: 20 GB", files).replace("transactions: RATE", load).replace("READS", reads)
    image, walk = (sb.simulate(scenario.replace("method: image", f"method: {how}")) for how in ("image", "file_level"))
    assert walk.get("jobs.full.elapsed") == pytest.approx(image.get("jobs.full.elapsed"), rel=0.02)


def test_users_elsewhere_on_the_disk_cost_the_same_where_all_seeks_do() -> None:
    apart = SCENARIO.replace("workloads:", "  other: {on: disk, size: 20 GB}\nworkloads:").replace(
        "data: db, tr", "data: other, tr"
    )
    found = sb.simulate(apart.replace("RATE", "20 /s").replace("READS", "")).get("jobs.full.rate")
    assert found == pytest.approx(simulated(20.0).get("jobs.full.rate"))


def test_no_arm_comes_back_on_solid_state_disks() -> None:
    flash = SCENARIO[: SCENARIO.index("  disk: {kind")] + (
        "  disk: {kind: ssd, capacity: 100 GB, read_rate: 100 MB/s, write_rate: 100 MB/s, read_latency: 1 ms,"
        " write_latency: 1 ms}\n"
    ) + SCENARIO[SCENARIO.index("data:") :]  # fmt: skip
    found = sb.simulate(flash.replace("RATE", "100 /s").replace("READS", "")).get("jobs.full.rate")
    assert found == pytest.approx(100e6 - 100 * 4096)
