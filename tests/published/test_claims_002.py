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


# Claim 7: one gigabit adapter, a busy application, and a backup that takes more than a day
NETWORK_HERE = "planning/gigabit-adapter"
SCENARIO = Path(__file__).parents[2] / "scenarios" / f"{NETWORK_HERE}.yaml"
DAY = 86400.0
HALF_FULL = {"workloads.app.transactions": "270 /s", "jobs.backup.engine.request_latency": "0.7 s"}
"""The application takes 70 %, and requests take so long on their way that 32 buffers fill the adapter to 90 %."""


@cache
def _run(variant: str, changes: tuple[tuple[str, Any], ...]) -> Result:
    return sb.simulate(f"{NETWORK_HERE}{variant}", dict(changes))


def run_network(variant: str = "", /, buffers: int = 32, **changes: Any) -> Result:
    given = {key.replace("__", "."): value for key, value in changes.items()}
    return _run(variant, tuple((given | {"jobs.backup.buffers": buffers}).items()))


def elapsed_network(result: Result) -> float:
    return result.get("jobs.backup.elapsed")


def timed_out(result: Result) -> float:
    return result.get("workloads.app.backup.timed_out")


def wait(result: Result) -> float:
    return result.get("workloads.app.backup.network_wait")


def test_the_application_fills_the_adapter_to_ninety_percent_and_works(tmp_path: Path) -> None:
    """Without a backup it waits for its own requests alone, and does not time out."""
    file = tmp_path / "alone.yaml"
    watch = "jobs:\n  alone: {method: observe, workload: app, duration: 1 h, after: back}\n"
    file.write_text(f"title: And alone\nextends: {SCENARIO}\n{watch}", encoding="utf-8")
    result = sb.simulate(file)
    carried = result.get("workloads.app.alone.rate") * result.get("workloads.app.request")
    assert carried / result.get("links.nic.rate") == pytest.approx(0.9, abs=0.005)
    assert result.get("workloads.app.alone.timed_out") == 0.0
    assert result.get("workloads.app.alone.network_wait") < 0.03


def test_it_takes_over_a_day_at_32_buffers() -> None:
    assert elapsed_network(run_network()) > DAY
    assert timed_out(run_network()) < 0.001


def test_the_restore_comes_in_the_other_direction() -> None:
    """Answers leave where backups do; a restore has the other direction of the adapter for itself."""
    assert run_network().get("jobs.back.elapsed") == pytest.approx(2e12 / 117.7e6, rel=0.01)
    assert run_network(links__nic__duplex="half").get("jobs.back.elapsed") > DAY


@for_each("size", ["2 TB", "3 TB"])
@for_each("rate", ["345 /s", "370 /s"])
def test_it_takes_over_a_day_over_what_is_assumed(size: str, rate: str) -> None:
    assert elapsed_network(run_network(data__db__size=size, workloads__app__transactions=rate)) > DAY


def test_a_day_is_not_reached_where_the_application_leaves_twice_the_room() -> None:
    """Where it stops to hold: at 78 % of load 2 TB take less than a day."""
    assert elapsed_network(run_network(workloads__app__transactions="300 /s")) < DAY


def test_more_buffers_let_the_application_time_out() -> None:
    assert timed_out(run_network(buffers=64)) > 0.5
    assert timed_out(run_network(buffers=128)) > 0.99


def test_each_buffer_more_is_felt() -> None:
    waits = [wait(run_network(buffers=buffers)) for buffers in (7, 16, 32, 64, 128)]
    assert waits == sorted(waits)
    assert waits[-1] == pytest.approx(4 * waits[2], rel=0.05)


def test_a_full_adapter_gains_nothing_from_more_buffers() -> None:
    """The part of the claim that does not hold with 90 % of load by itself: 7 buffers fill what is left."""
    assert elapsed_network(run_network(buffers=128)) == pytest.approx(
        elapsed_network(run_network(buffers=7)), rel=0.001
    )


def half_full(buffers: int) -> Result:
    return _run("", tuple((HALF_FULL | {"jobs.backup.buffers": buffers}).items()))


def test_with_room_left_the_throttle_saturates_the_adapter_and_more_wait() -> None:
    """The other reading: adapter 90 % busy by application and backup together; the restore goes the other way."""
    given = HALF_FULL | {"jobs.back": None}
    runs = [_run("", tuple((given | {"jobs.backup.buffers": buffers}).items())) for buffers in (32, 128)]
    busy = [result.get("links.nic.busy") for result in runs]
    assert busy[0] == pytest.approx(0.9, abs=0.03)
    assert busy[1] > 0.999
    assert elapsed_network(half_full(32)) > DAY
    assert elapsed_network(half_full(128)) < 0.75 * elapsed_network(half_full(32))
    assert wait(half_full(128)) > 10 * wait(half_full(32))


def test_with_room_left_only_an_application_of_little_patience_times_out() -> None:
    """As the document says: very low time-outs."""
    short = _run("", tuple((HALF_FULL | {"jobs.backup.buffers": 128, "workloads.app.timeout": "1 s"}).items()))
    before = _run("", tuple((HALF_FULL | {"jobs.backup.buffers": 32, "workloads.app.timeout": "1 s"}).items()))
    assert timed_out(before) < 0.03
    assert timed_out(short) > 0.9


@pytest.mark.parametrize(("timeout", "buffers"), [("1 s", 32), ("30 s", 512)])
def test_the_time_out_moves_the_number_of_buffers(timeout: str, buffers: int) -> None:
    """Over its assumed range: with 1 s the 32 buffers are already too many, with 30 s it takes hundreds."""
    assert timed_out(run_network(buffers=buffers, workloads__app__timeout=timeout)) > 0.9
    assert timed_out(run_network(buffers=buffers // 4, workloads__app__timeout=timeout)) < 0.2


@pytest.mark.parametrize("request_size", ["8 KiB", "1 MiB"])
def test_the_size_of_requests_changes_little_at_the_same_load(request_size: str) -> None:
    rate = {"8 KiB": "12938 /s", "1 MiB": "101.07 /s"}[request_size]
    changed = {"workloads__app__request": request_size, "workloads__app__transactions": rate}
    assert wait(run_network(buffers=64, **changed)) == pytest.approx(wait(run_network(buffers=64)), rel=0.05)
    assert timed_out(run_network(buffers=64, **changed)) > 0.5


CURES = ("-four", "-faster", "-less-chatty")


@for_each("cure", CURES)
@for_each("buffers", [32, 64, 128])
def test_each_cure_ends_the_time_outs_and_the_day(cure: str, buffers: int) -> None:
    result = run_network(cure, buffers=buffers)
    assert timed_out(result) < 0.001
    assert elapsed_network(result) < DAY / 2
    assert result.get("jobs.back.elapsed") < DAY / 2


def test_two_adapters_halve_the_load_and_that_is_enough() -> None:
    changed = {"links__nic__count": 2, "jobs__backup__to": ["shelf", "shelf"]}
    given = {key.replace("__", "."): value for key, value in changed.items()}
    result = sb.simulate(NETWORK_HERE, given | {"jobs.backup.buffers": 64})
    assert timed_out(result) < 0.001
    assert elapsed_network(result) < DAY / 4


def test_an_application_a_little_less_chatty_is_not_enough_for_ever() -> None:
    """Where it stops to hold: at 60 % of load the cure lasts for 128 buffers, and no longer for 512."""
    changed = {"workloads__app__transactions": "230 /s"}
    assert timed_out(run_network(buffers=128, **changed)) < 0.01
    assert timed_out(run_network(buffers=512, **changed)) > 0.9


def test_clients_who_wait_yield_and_lose_rather_than_time_out() -> None:
    """Where it stops to hold: beside clients the backup takes what they leave, in less than a day."""
    few, many = run_network("-clients"), run_network("-clients", buffers=128)
    assert elapsed_network(many) < elapsed_network(few) < DAY
    lost = [result.get("workloads.app.backup.lost") for result in (few, many)]
    assert lost[1] > lost[0] + 0.2
    assert timed_out(many) < 0.01
