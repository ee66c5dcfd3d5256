"""What document 002 says beyond its figures, compared with the simulation at its configuration."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.results.causes import by_address, split
from simbackup.results.result import Result
from tests.cases import for_each

FOLDER = "published/002-sql-server-tuning"
HERE = Path(__file__).parents[2] / "scenarios" / FOLDER
LEVERS = ("two-files", "two-filegroups", "compression", "buffers")
EVERY = ("base", *LEVERS, "all-together")
MIB = 2.0**20


@cache
def run(name: str) -> Result:
    return sb.simulate(f"{FOLDER}/{name}")


def elapsed(name: str, job: str = "backup", changes: dict[str, Any] | None = None) -> float:
    result = sb.simulate(f"{FOLDER}/{name}", changes) if changes else run(name)
    assert row(result, job)["status"] == "done"
    return result.get(f"jobs.{job}.elapsed")


def row(result: Result, job: str) -> dict[str, Any]:
    return next(row for row in result.job_rows if row["job"] == job)


def device(name: str, column: str, scenario: str) -> float:
    """A figure of a device over backup and restore."""
    rows = {row["device"]: row for row in run(scenario).device_rows}
    return rows[name][column] if name in rows else 0.0


def laid_over(name: str, text: str) -> Result:
    """A scenario of the document with something more in it."""
    return sb.simulate(f"title: A variation\nextends: {HERE / name}.yaml\n{text}")


def saved(name: str) -> float:
    return 1 - elapsed(name) / elapsed("base")


@for_each("name", LEVERS)
def test_claim_1_each_lever_alone_shortens_the_backup(name: str) -> None:
    assert saved(name) > 0.15


def test_claim_1_together_they_shorten_it_most_of_all() -> None:
    assert all(saved("all-together") > saved(name) + 0.1 for name in LEVERS)


def test_claim_1_none_is_additive() -> None:
    """Together they save less than what is left after one lever upon the other, let alone the sum."""
    left = 1.0
    for name in LEVERS:
        left *= 1 - saved(name)
    assert 1 - saved("all-together") > 1.5 * left
    assert saved("all-together") < 0.5 * sum(saved(name) for name in LEVERS)


STAGES: dict[str, tuple[dict[str, Any], ...]] = {
    "links.path": ({"links.path.rate": "666.6 MB/s"},),
    "jobs.backup.buffers": ({"jobs.backup.buffers": 2048}, {"links.path.latency": "19 ms"}),
    "devices.flash": ({"devices.flash.read_rate": "1.1 GB/s", "devices.flash.write_rate": "1.1 GB/s"},),
    "hosts.server.cores": ({"hosts.server.speed": 7},),
}
"""How each stage is made twice as fast, or has twice as many buffers."""
FASTER = [(stage, changes) for stage, ways in STAGES.items() for changes in ways]


@for_each("stage, changes", FASTER)
def test_claim_2_with_buffers_enough_only_a_faster_path_gains(stage: str, changes: dict[str, Any]) -> None:
    gain = 1 - elapsed("buffers", changes=changes) / elapsed("buffers")
    if stage == "links.path":
        assert gain > 0.3
    else:
        assert gain == pytest.approx(0.0, abs=0.001)


def test_claim_2_with_buffers_enough_another_file_gains_nothing() -> None:
    gain = 1 - elapsed("buffers", changes={"jobs.backup.to": ["c", "c"]}) / elapsed("buffers")
    assert gain == pytest.approx(0.0, abs=0.001)


SLOW = {"hosts.server.cores": 1, "hosts.server.speed": 0.5}
"""One core, a seventh as fast: it compresses no more than 24 MB/s."""


@for_each("stage, changes", FASTER)
def test_claim_2_compressed_by_a_slow_core_only_a_faster_one_gains(stage: str, changes: dict[str, Any]) -> None:
    if stage == "hosts.server.cores":
        changes = {"hosts.server.speed": 1}
    elif "jobs.backup.buffers" in changes:
        changes = {"jobs.backup.buffers": 14}
    slow = elapsed("compression", changes=SLOW)
    gain = 1 - elapsed("compression", changes=SLOW | changes) / slow
    assert slow == pytest.approx(3600e6 * 21e-9 / 0.5, rel=0.02)
    assert gain == pytest.approx(0.5, abs=0.05) if stage == "hosts.server.cores" else gain < 0.015


def test_claim_2_compressed_with_few_buffers_and_cores_enough_more_buffers_gain_and_faster_cores_hardly() -> None:
    now = elapsed("compression")
    assert elapsed("compression", changes={"jobs.backup.buffers": 14}) < 0.7 * now
    assert elapsed("compression", changes={"hosts.server.speed": 7}) > 0.9 * now


@pytest.mark.parametrize("changes", [{"hosts.server.speed": 7}, {"hosts.server.cores": 8}])
def test_claim_2_without_compression_the_processor_gains_nothing(changes: dict[str, Any]) -> None:
    assert elapsed("base", changes=changes) == pytest.approx(elapsed("base"))


def test_claim_2_the_bottleneck_that_is_reported_is_the_one_that_gains() -> None:
    reported = {name: list(by_address(split(run(name), "backup"))) for name in EVERY}
    assert reported["base"][0] == reported["two-filegroups"][0] == reported["two-files"][0] == "jobs.backup.buffers"
    assert reported["buffers"] == reported["all-together"] == ["links.path"]
    assert reported["compression"][0] == "jobs.backup.buffers"
    assert list(by_address(split(sb.simulate(f"{FOLDER}/compression", SLOW), "backup"))) == ["hosts.server.cores"]


def test_claim_3_memory_is_buffers_times_transfer_size() -> None:
    """1024 buffers of 2 MiB pass with one file uncompressed, fail with two compressed, and 575 pass."""
    assert row(run("buffers"), "backup")["status"] == "done"
    assert row(run("all-together"), "backup")["status"] == "done"
    failed = row(run("out-of-memory"), "backup")
    assert failed["status"] == "failed"
    assert failed["reason"].startswith("out of memory: 1024 buffers of 2 MiB")
    assert row(run("out-of-memory"), "back")["status"] == "skipped"


@pytest.mark.parametrize(("limit", "status"), [("2 GiB", "done"), ("2047 MiB", "failed")])
def test_claim_3_the_limit_counts_every_buffer(limit: str, status: str) -> None:
    result = sb.simulate(f"{FOLDER}/buffers", {"jobs.backup.engine.memory_limit": limit})
    assert row(result, "backup")["status"] == status


@for_each("sets", [2, 3])
@for_each("limit", ["3.5 GiB", "4 GiB"])
def test_claim_3_over_what_is_assumed(sets: int, limit: str) -> None:
    """It holds for three sets, and for two if there are less than 4 GiB, which they just fill."""
    changes = {"jobs.backup.engine.buffer_sets": sets, "jobs.backup.engine.memory_limit": limit}
    states = [row(sb.simulate(f"{FOLDER}/{name}", changes), "backup")["status"] for name in ("all-together", "buffers")]
    assert states == ["done", "done"]
    failed = row(sb.simulate(f"{FOLDER}/out-of-memory", changes), "backup")["status"]
    assert failed == ("done" if (sets, limit) == (2, "4 GiB") else "failed")


@for_each("name, buffers", [("base", 7), ("two-files", 12), ("two-filegroups", 9)])
def test_claim_4_default_buffers_follow_from_files_and_volumes(name: str, buffers: int) -> None:
    assert run(name).get("jobs.backup.buffers") == buffers


NUL = "devices:\n  nothing: {kind: nul}\njobs:\n  backup: {to: nothing}\n"


@for_each("name", ["base", "two-filegroups", "compression", "buffers"])
def test_claim_5_nul_bounds_the_reading_side(name: str) -> None:
    result = laid_over(name, NUL)
    assert result.get("jobs.backup.elapsed") < elapsed(name)
    assert row(result, "back")["reason"] == "'backup' went to nul, which keeps nothing"


def test_claim_5_reading_alone_takes_half_of_the_shared_path() -> None:
    """Uncompressed, each byte is read and written over the same path, in waits as in work."""
    for name in ("base", "buffers"):
        assert laid_over(name, NUL).get("jobs.backup.elapsed") == pytest.approx(elapsed(name) / 2, rel=0.01)


def test_claim_6_compression_saves_bytes_on_every_later_hop_for_time_of_the_cores() -> None:
    """Backup and restore move 4 x 3.6 GB; compressed 2.5 to 1 it is 2.8 x 3.6 GB."""
    for name in ("links.path", "devices.flash"):
        assert device(name, "bytes", "compression") == pytest.approx(0.7 * device(name, "bytes", "base"))
    assert device("hosts.server.cores", "busy_s", "base") == 0.0
    seconds = 3600e6 * (21e-9 + 5e-9) / 3.5
    assert device("hosts.server.cores", "busy_s", "compression") == pytest.approx(seconds / 4)


def test_claim_6_compression_shortens_the_restore_too() -> None:
    assert elapsed("compression", "back") < 0.65 * elapsed("base", "back")


def test_claim_6_without_processor_to_spare_compression_costs_time() -> None:
    assert elapsed("compression", changes={"hosts.server.cores": 1, "hosts.server.speed": 0.9}) > elapsed("base")


@for_each("name", EVERY)
def test_claim_9_a_restore_stands_beside_every_backup(name: str) -> None:
    assert elapsed(name, "back") > 0.0
    assert row(run(name), "back")["bytes"] == row(run(name), "backup")["bytes"]


@pytest.mark.parametrize(("objective", "status"), [("30 s", "late"), ("60 s", "done")])
def test_claim_9_a_restore_has_an_objective(objective: str, status: str) -> None:
    result = laid_over("base", f"jobs:\n  back: {{window: {objective}}}\n")
    assert row(result, "backup")["status"] == "done"
    assert row(result, "back")["status"] == status
