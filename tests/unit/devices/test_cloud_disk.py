"""Cloud volumes against the tables of their vendor and against the closed form of a token bucket."""

from pathlib import Path

import pytest
from oracles.bursts import busy_time

import simbackup as sb
from simbackup.devices.cloud_disk.live import CloudDisk, Limits
from simbackup.equations.burst import Bucket
from simbackup.results.result import Result
from simbackup.results.shown import note_rows
from tests.cases import for_each

UNIT = 262_144.0
SITE = """\
title: A host with a cloud volume, whose cores never limit
hosts:
  host: {owns: [v, w], cores: 64, memory: 1000 TB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 1 TB/s,
    speed: 1}
devices:
  v: {kind: cloud_disk, capacity: 10 TB, rate: RATE, iops: 3000 /s, operation_size: 256 KiB, latency: 1 ms,
    baseline_iops: 300 /s, credits: 540000SAVED}
  w: {kind: ssd, capacity: 10 TB, read_rate: 1 TB/s, write_rate: 900 TB/s, read_latency: 0 s, write_latency: 0 s}
data:
  d: {on: v, size: SIZE}
  e: {on: v, size: SIZE}
jobs:
"""
READ = "  read: {method: image, data: d, to: w}\n"
BUCKET = Bucket(3000.0, 300.0, 540_000.0)


def run(tmp_path: Path, operations: float, jobs: str = READ, rate: str = "1 TB/s", saved: str = "") -> Result:
    text = SITE.replace("RATE", rate).replace("SAVED", saved).replace("SIZE", f"{operations * UNIT:.0f} B")
    (tmp_path / "case.yaml").write_text(text + jobs, encoding="utf-8")
    return sb.simulate(tmp_path / "case.yaml")


@for_each("operations", [1e5, 5.9e5, 6.1e5, 2e6])
def test_a_long_read_bursts_until_its_credits_are_used_up(tmp_path: Path, operations: float) -> None:
    result = run(tmp_path, operations)
    assert result.get("jobs.read.elapsed") == pytest.approx(busy_time(BUCKET, 540_000.0, operations), rel=1e-6)
    dry = [event.time for event in result.trace.events if event.what == "has used up its credits"]
    assert dry == ([pytest.approx(200.0)] if operations > 6e5 else [])
    (pipe,) = [device for device in result.trace.devices if device.address == "devices.v.throughput"]
    without_s = (operations - 6e5) / 300.0 + operations * UNIT / 900e12 if dry else 0.0
    assert pipe.data["without_s"] == pytest.approx(without_s, rel=1e-6)
    assert pipe.data["state"].endswith(
        "of its credits left"
        if not dry
        else {
            6.1e5: "0% of its credits left, none for 33.33 s",
            2e6: "0% of its credits left, none for 1 h 17 min 47 s",
        }[operations]
    )


def test_a_volume_without_credits_does_its_baseline(tmp_path: Path) -> None:
    assert run(tmp_path, 3e4, saved=", saved_up: 0 %").get("jobs.read.elapsed") == pytest.approx(100.0, rel=1e-6)


def test_idle_time_brings_credits_back(tmp_path: Path) -> None:
    # 200 s of burst and 100 s of baseline; 500 s of rest bring 150 000 credits, which last for 55.6 s of burst
    again = "  again: {method: image, data: d, to: w, begin: 800 s}\n"
    result = run(tmp_path, 6.3e5, READ + again)
    assert result.get("jobs.read.elapsed") == pytest.approx(300.0, rel=1e-6)
    assert result.get("jobs.again.elapsed") == pytest.approx(busy_time(BUCKET, 150_000.0, 6.3e5), rel=1e-6)


def test_below_the_baseline_no_credits_are_taken(tmp_path: Path) -> None:
    result = run(tmp_path, 1e5, rate=f"{300 * UNIT:.0f} B/s")
    assert result.get("jobs.read.elapsed") == pytest.approx(1e5 / 300.0, rel=1e-6)
    (pipe,) = [device for device in result.trace.devices if device.address == "devices.v.throughput"]
    assert (pipe.busy_s, pipe.data["credits"]) == (pytest.approx(1e5 / 300.0), pytest.approx(540_000.0))
    assert result.activities("read")["devices.v.throughput", "save"] == pytest.approx(1e5 / 300.0)


def test_everybody_who_shares_the_volume_takes_its_credits(tmp_path: Path) -> None:
    # together 3 000 a second for 200 s, then 300 for what is left of 2 x 315 000: the same as one read of 630 000
    result = run(tmp_path, 3.15e5, READ + "  other: {method: image, data: e, to: w}\n")
    assert [result.get(f"jobs.{name}.elapsed") for name in ("read", "other")] == [pytest.approx(300.0, rel=1e-6)] * 2


def test_small_requests_of_users_take_a_whole_credit_each(tmp_path: Path) -> None:
    # 1 000 reads of 8 KiB a second leave 2 000 for the backup; 540 000 credits last 200 s, in which it reads 400 000
    users = """\
workloads:
  u: {data: d, transactions: 1000 /s, reads: 1, read_size: 8 KiB, cpu: 0 s, writes: 0 %}
"""
    result = run(tmp_path, 4e5, READ + users)
    assert result.get("jobs.read.elapsed") == pytest.approx(200.0, rel=1e-6)
    assert [note["what"] for note in note_rows(result.trace) if note["address"] == "devices.v"] == [
        "has used up its credits"
    ]


@for_each("size, operations", [(1.0, 1), (UNIT, 1), (UNIT + 1.0, 2), (4 * UNIT, 4)])
def test_a_request_takes_an_operation_for_each_unit_that_it_begins(size: float, operations: int) -> None:
    disk = CloudDisk("devices.v", Limits(1e12, 1e9, 3000.0, UNIT, 1e-3))
    assert disk.request("read", 0.0, 0.0, size) == (1e-3, pytest.approx(operations / 3000.0))


def test_users_who_wait_for_answers_do_not_open_and_close_an_empty_bucket_without_end(tmp_path: Path) -> None:
    users = """\
  observe: {method: observe, workload: u, duration: 10 h}
workloads:
  u: {data: d, clients: 2, think_time: 5.5 ms, reads: 1, read_size: 8 KiB, cpu: 0 s, writes: 0 %}
"""
    result = run(tmp_path, 1e5, users, saved=", saved_up: 0 %")
    turns = [event for event in result.trace.events if event.address == "devices.v"]
    assert 100 < len(turns) < 1000


def published(tmp_path: Path, model: str, size: str) -> float:
    text = (
        SITE.partition("devices:")[0]
        + f"""\
devices:
  v: {{model: {model}, capacity: 10 TiB}}
  w: {{kind: ssd, capacity: 10 TiB, read_rate: 1 TB/s, write_rate: 900 TB/s, read_latency: 0 s, write_latency: 0 s}}
data:
  d: {{on: v, size: {size}}}
jobs:
{READ}"""
    )
    (tmp_path / "case.yaml").write_text(text, encoding="utf-8")
    return sb.simulate(tmp_path / "case.yaml").get("jobs.read.elapsed")


def test_the_scan_of_an_st1_volume_takes_what_its_vendor_says(tmp_path: Path) -> None:
    assert published(tmp_path, "cloud_disk/st1-2tib", "2 TiB") / 3600 == pytest.approx(1.17, abs=0.005)


def test_gp3_sustains_its_rate(tmp_path: Path) -> None:
    assert published(tmp_path, "cloud_disk/gp3", "10 TiB") == pytest.approx(10 * 2**20 / 125, rel=1e-6)


def test_gp2_reads_in_sequence_at_its_rate_and_then_at_its_baseline(tmp_path: Path) -> None:
    # 512 operations of 256 KiB a second are 128 MiB/s: the credits last 5.4e6 / 212 s
    lasts, whole = 5.4e6 / 212, 10 * 2**20
    expected = lasts + (whole - 128 * lasts) / 75
    assert published(tmp_path, "cloud_disk/gp2-100gib", "10 TiB") == pytest.approx(expected, rel=1e-6)


@for_each("ahead, rate", [(131_072, 131_072 / 1e-3), (262_144, 262_144 / 1e-3), (2**20, 400e6)])
def test_windows_one_by_one_take_the_latency_of_a_sequence(tmp_path: Path, ahead: int, rate: float) -> None:
    """The next window is asked for when the program begins on one, so that two are under way: 2 ms for both."""
    site = SITE.replace("latency: 1 ms", "latency: 10 ms, sequential_latency: 2 ms").replace("SAVED", "")
    site = site.replace("    speed: 1}", f"    speed: 1, looks_ahead: true, read_ahead: {ahead} B}}")
    site = site.replace("iops: 3000 /s", "iops: 300000 /s").replace("RATE", "400 MB/s").replace("SIZE", "100 GB")
    (tmp_path / "case.yaml").write_text(site + READ, encoding="utf-8")
    assert sb.simulate(tmp_path / "case.yaml").get("jobs.read.elapsed") == pytest.approx(100e9 / rate, rel=1e-3)


def test_requests_of_a_sequence_share_operations() -> None:
    """Eight of 128 KiB are one operation of 1 MiB; at random places, each is one."""
    disk = CloudDisk("v", Limits(2e12, 500e6, 500.0, 2**20, 10e-3, 2e-3))
    assert disk.continued(0.0, 131_072.0) == pytest.approx((2e-3, 1 / 8 / 500.0))
    assert disk.append(0.0, 131_072.0) == pytest.approx((2e-3, 1 / 8 / 500.0))
    assert disk.scattered("read", 0.0, 1e12, 131_072.0) == pytest.approx((10e-3, 1 / 500.0))
    assert CloudDisk("v", Limits(2e12, 500e6, 500.0, 2**20, 10e-3)).continued(0.0, 131_072.0).latency == 10e-3


def test_the_scan_of_an_sc1_volume_bursts_as_its_vendor_says(tmp_path: Path) -> None:
    assert published(tmp_path, "cloud_disk/sc1-4tib", "4 TiB") == pytest.approx(4 * 2**20 / 250, rel=1e-3)
