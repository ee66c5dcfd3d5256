"""Buffers that go round one by one, against calculations by hand; with constant services nothing is left to chance."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.plots.rates import throughput
from simbackup.results.causes import Cause, split
from simbackup.results.result import Result
from tests.cases import for_each
from tests.shared import ROOT

pytestmark = pytest.mark.usefixtures("no_serial_share")

MIB = 2.0**20
SITE = f"""\
title: A database of 100 MiB on one device, its log on another, backups on a third and at another host
extends: {ROOT}/tests/sites/database-server.yaml
hosts:
  server: {{speed: 1}}
devices:
  e: {{read_rate: 100 MiB/s}}
  far: {{write_rate: 400 MiB/s}}
links:
  lan: {{latency: 2 ms}}
data:
  db: {{size: 100 MiB}}
  log: {{size: 25 MiB, compression: 4}}
jobs:
"""
ENGINE = """\
engine: {transfer_size: 1 MiB, io_depth: 4, request_latency: 10 ms, compress_cpu: 40 ns/B, expand_cpu: 8 ns/B,
    buffer_sets: 3, memory_limit: 100 MiB}"""
READ, LOG, WRITE, LATENCY = 1 / 200, 1 / 100, 1 / 50, 0.010
COMPRESS = 40e-9 * MIB
BACK = "  back: {restore: full, after: full}\n"


def backup(name: str = "full", **keys: Any) -> str:
    """A job of the file; one buffer from db to d, one by one with constant services, unless stated."""
    said: dict[str, Any] = {"data": "db", "to": "d", "buffers": 1, "rounds": "constant"}
    reported = ", ".join(f"{key}: {value}" for key, value in (said | keys).items() if value is not None)
    return f"  {name}: {{method: database_native, {reported}, {ENGINE}}}\n"


def run(jobs: str, seed: int = 0) -> Result:
    return sb.simulate(SITE + jobs, seed=seed)


def elapsed(result: Result, job: str = "full") -> float:
    return result.get(f"jobs.{job}.elapsed")


def device(result: Result, name: str) -> dict[str, Any]:
    return next(row for row in result.device_rows if row["device"] == name)


def test_one_buffer_waits_reads_and_writes_one_after_the_other() -> None:
    result = run(backup() + BACK)
    assert elapsed(result) == pytest.approx(100 * (2 * LATENCY + READ + WRITE))
    assert elapsed(result, "back") == pytest.approx(100 * (2 * LATENCY + 1 / 400 + 1 / 100))
    assert device(result, "devices.c")["bytes"] == pytest.approx(200 * MIB)
    assert device(result, "devices.d")["bytes"] == pytest.approx(200 * MIB)
    busy = device(result, "devices.d")["busy"] * (elapsed(result) + elapsed(result, "back"))
    assert busy == pytest.approx(100 * (WRITE + 1 / 400))


def test_volumes_are_read_in_turn_until_the_smaller_one_ends() -> None:
    result = run(backup(data="[db, log]"))
    assert elapsed(result) == pytest.approx(125 * (2 * LATENCY + WRITE) + 100 * READ + 25 * LOG)
    assert device(result, "devices.e")["bytes"] == pytest.approx(25 * MIB)
    log = [rate.time for rate in result.trace.rates if rate.link == "devices.e"]
    assert max(log) == pytest.approx(50 * (2 * LATENCY + WRITE) + 25 * (READ + LOG), abs=LATENCY + WRITE + 1e-6)


def test_threads_compress_side_by_side_whatever_the_files() -> None:
    for to in ("nothing", "[nothing, nothing]"):
        jobs = backup(to=to, buffers=30, compress="true")
        one = run(jobs.replace("buffer_sets", "compress_threads: 1, buffer_sets"))
        two = run(jobs.replace("buffer_sets", "compress_threads: 2, buffer_sets"))
        assert elapsed(one) == pytest.approx(LATENCY + READ + 100 * COMPRESS)
        assert elapsed(two) == pytest.approx(LATENCY + READ + 50 * COMPRESS, abs=READ + 1e-6)


def test_what_is_written_has_buffers_of_its_own() -> None:
    """One of each: the next is read while the last is written; both are taken while it is compressed."""
    result = run(backup(compress="true", data="db").replace("db", "log"))
    assert elapsed(result) == pytest.approx(25 * (LATENCY + LOG + COMPRESS) + LATENCY + WRITE / 4)
    assert sum(split(result, "full").values()) == pytest.approx(elapsed(result))


@pytest.mark.slow
@for_each("buffers, compress_cpu", [(7, 120), (12, 120), (3, 400)])
def test_joined_loops_agree_with_their_equation(buffers: int, compress_cpu: int) -> None:
    """About the mean of the seeds, and what filling and draining the loops takes of a short run."""
    keys: dict[str, Any] = {"compress": "true", "buffers": buffers, "rounds": "by_event"}
    jobs = backup(**keys).replace("compress_cpu: 40", f"compress_cpu: {compress_cpu}").replace("100 MiB}", "1 GiB}")
    site = SITE.replace("size: 100 MiB", "size: 2 GiB")
    text = site + jobs
    steady = sb.simulate(text, {"jobs.full.rounds": "steady"})
    by_event = [elapsed(sb.simulate(text, seed=seed)) for seed in range(2)]
    assert sum(by_event) / 2 == pytest.approx(elapsed(steady), rel=0.03)


def test_what_is_compressed_crosses_the_network_and_is_expanded_on_its_way_back() -> None:
    """The way there is one buffer's latency, in place of the device's two milliseconds of travel each way."""
    result = run(backup(to="far", buffers=1, compress="true").replace("sets: 3", "sets: 1") + BACK)
    away = 2 * LATENCY + 0.002
    assert elapsed(result) == pytest.approx(100 * (away + READ + COMPRESS + 0.25 * (1 / 20 + 1 / 400)))
    back = away + 0.25 * (1 / 20 + 1 / 400) + 8e-9 * MIB + 1 / 100
    assert elapsed(result, "back") == pytest.approx(100 * back)
    assert split(result, "full")[Cause("links.lan", "transfer")] == pytest.approx(25 / 20)


def test_others_at_a_device_are_served_beside_it() -> None:
    """Two loops of one buffer read the same device: without a latency both are always there."""
    jobs = (backup("one", to="nothing") + backup("two", to="nothing")).replace("latency: 10 ms", "latency: 0 s")
    result = run(jobs)
    assert elapsed(result, "one") == elapsed(result, "two") == pytest.approx(200 * READ)


@pytest.mark.parametrize("rounds", ["constant", "by_event"])
def test_all_its_time_is_on_record(rounds: str) -> None:
    keys: dict[str, Any] = {"data": "[db, log]", "to": "[d, far]", "compress": "true", "buffers": 5, "rounds": rounds}
    result = run(backup(**keys) + BACK)
    for job in ("full", "back"):
        assert sum(split(result, job).values()) == pytest.approx(elapsed(result, job))
        assert {cause.activity for cause in split(result, job)} >= {"queue", "read", "write"}


def test_buffers_beyond_memory_fail_the_job_as_ever() -> None:
    result = run(backup(buffers=34, compress="true"))
    row = result.job_rows[0]
    assert (row["status"], row["elapsed"]) == ("failed", 0.0)
    assert row["reason"] == "out of memory: 34 buffers of 1 MiB, 3 sets of them are 102 MiB, and there are 100 MiB"


@pytest.mark.parametrize("rounds", ["steady", "by_event"])
def test_a_restore_goes_as_its_backup(rounds: str) -> None:
    result = run(backup(rounds=rounds, buffers=7) + BACK)
    spans = [span for span in result.trace.spans if span.job == "jobs.back"]
    assert bool(spans[0].parts) == (rounds == "by_event")


DRAWN: dict[str, Any] = {"rounds": "by_event", "buffers": 7}


def test_the_same_seed_is_the_same_run_and_another_is_another() -> None:
    one, same, other = (run(backup(**DRAWN) + BACK, seed) for seed in (4, 4, 5))
    assert list(one.trace.to_lines()) == list(same.trace.to_lines())
    assert elapsed(one) != elapsed(other)
    assert elapsed(one) == pytest.approx(elapsed(other), rel=0.5)


def test_another_job_elsewhere_leaves_the_draws_as_they_were() -> None:
    alone = run(backup(**DRAWN))
    beside = run(backup("aaa", data="log", to="far", **DRAWN) + backup(**DRAWN))
    assert elapsed(beside) == pytest.approx(elapsed(alone), rel=1e-9)
    assert split(beside, "full") == pytest.approx(split(alone, "full"))


def test_what_stands_at_a_network_keeps_applications_waiting() -> None:
    """About as long as it does in the steady state: the mean over all the time of what stands there by event."""
    users = "workloads:\n  app: {via: lan, transactions: 100/s, request: 1 KiB}\n"
    waits = [
        run(backup(to="far", buffers=7, rounds=rounds) + users, seed=2).user_rows[0]
        for rounds in ("steady", "by_event")
    ]
    steady, by_event = (row["network_wait"] for row in waits)
    assert steady > 0.1
    assert by_event == pytest.approx(steady, rel=0.15)


def test_a_service_that_chance_makes_short_is_no_faster_device() -> None:
    """The shortest of a hundred draws takes about a hundredth of the mean, and d writes 50 MiB/s."""
    result = run(backup(rounds="by_event"))
    rates = [rate.bytes_per_s for rate in result.trace.rates if rate.link == "devices.d"]
    assert max(rates) > 10 * 50 * MIB
    assert device(result, "devices.d")["peak"] == pytest.approx(50 * MIB)
    chart = throughput(result)
    line = next(line for axis in chart.axes for line in axis.get_lines() if line.get_label() == "devices.d")
    assert max(line.get_ydata()) * 1e6 == pytest.approx(50 * MIB)
