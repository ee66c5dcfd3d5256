"""Virtual machines that are suspended, saved and resumed, against calculations by hand."""

from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.errors import ResultError
from simbackup.results.result import Result

CACHE = "dirty_limit: 90 %, dirty_background: 80 %"
SITE = f"""\
title: A host with two virtual machines of 1 GB and 0.5 GB
hosts:
  server: {{owns: [disk], cores: 2, memory: 100 GB, {CACHE}, copy_rate: 1 GB/s, speed: 2}}
  guest: {{within: server, owns: [v], cores: 1, memory: 1 GB, {CACHE}, copy_rate: 1 GB/s}}
  other: {{within: server, owns: [w], cores: 1, memory: 0.5 GB, {CACHE}, copy_rate: 1 GB/s}}
devices:
  disk: {{kind: ssd, capacity: 100 GB, read_rate: 200 MB/s, write_rate: 100 MB/s, read_latency: 0 s,
    write_latency: 0 s}}
  v: {{kind: logical_volume, on: disk, size: 10 GB}}
  w: {{kind: logical_volume, on: disk, size: 10 GB}}
  room: {{kind: logical_volume, on: disk, size: 4 GB}}
  backups: {{kind: logical_volume, on: disk, size: 20 GB}}
links:
  bridge: {{joins: [guest, other, server], rate: 500 MB/s, latency: 0 s}}
data:
  mail: {{on: v, size: 10 MB, files: 10000,
    filesystem: {{reads_per_file: 1, cpu_per_file: 10 ms/file, fragment: 1 MB, record: 1 B, resident: 1 MB}}}}
  web: {{on: w, size: 10 MB, files: 10000,
    filesystem: {{reads_per_file: 1, cpu_per_file: 10 ms/file, fragment: 1 MB, record: 1 B, resident: 1 MB}}}}
workloads:
  users: {{data: mail, transactions: 10 /s, writes: 0 %, reads: 1, read_size: 10 kB, cpu: 1 ms}}
  visitors: {{data: web, transactions: 10 /s, writes: 0 %, reads: 1, read_size: 10 kB, cpu: 1 ms}}
jobs:
"""
SUSPEND = "  stop: {method: suspend, machine: guest, to: room}\n"
IDLE = {"workloads.users.transactions": "0.000001 /s", "workloads.visitors.transactions": "0.000001 /s"}
"""Hardly any users: the times are those of the jobs alone."""


def run(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    return sb.simulate(SITE + jobs, changes)


def row(result: Result, job: str) -> dict[str, Any]:
    return next(row for row in result.job_rows if row["job"] == job)


def cores(result: Result, host: str, count: int) -> float:
    """Seconds of one core."""
    return count * next(d["busy_s"] for d in result.device_rows if d["device"] == f"hosts.{host}.cores")


def test_a_machine_is_down_from_its_suspension_until_it_is_resumed() -> None:
    jobs = """\
  stop: {method: suspend, machine: guest, to: room, begin: 100 s}
  save: {method: image, data: mail, to: backups, after: stop}
  go: {method: resume, machine: guest, begin: 200 s, after: stop}
"""
    result = run(jobs, IDLE)
    failed = [row["reason"] for row in result.job_rows if row["status"] == "failed"]
    assert failed == ["'guest' is suspended"]  # it cannot save its own files meanwhile
    assert result.get("hosts.guest.down") == pytest.approx(100.0 + 5.0, rel=1e-5)
    assert result.get("hosts.guest.down") == pytest.approx(result.get("jobs.go.end") - result.get("jobs.stop.start"))


def test_the_times_of_several_suspensions_add_up() -> None:
    jobs = """\
  stop: {method: suspend, machine: guest, to: room, every: 100 s, until: 100 s}
  go: {method: resume, machine: guest, begin: 20 s, every: 100 s, until: 120 s}
"""
    result = run(jobs, IDLE)
    assert {r["status"] for r in result.job_rows} == {"done"}
    assert result.get("hosts.guest.down") == pytest.approx(2 * 25.0, rel=1e-5)


def test_a_machine_is_not_suspended_twice() -> None:
    result = run(SUSPEND + "  again: {method: suspend, machine: guest, to: room, after: stop}\n", IDLE)
    assert (row(result, "stop")["status"], row(result, "again")["status"]) == ("done", "failed")
    assert row(result, "again")["reason"] == "'guest' is already suspended"
    assert row(result, "again")["elapsed"] == 0.0


def test_a_machine_that_runs_is_not_resumed() -> None:
    result = run("  go: {method: resume, machine: guest}\n", IDLE)
    assert (row(result, "go")["status"], row(result, "go")["reason"]) == ("failed", "'guest' is not suspended")
    assert result.get("hosts.guest.down") == 0.0


def test_two_machines_are_suspended_apart() -> None:
    jobs = (
        SUSPEND
        + """\
  too: {method: suspend, machine: other, to: room, after: stop}
  go: {method: resume, machine: other, after: too}
"""
    )
    result = run(jobs, IDLE)
    assert {r["status"] for r in result.job_rows} == {"done"}
    assert result.get("hosts.other.down") == pytest.approx(0.5 + 5.0 + 2.5, rel=1e-5)


def test_what_was_never_suspended_was_never_down() -> None:
    """A host that was never suspended was down for no time; what is not a host has no such figure."""
    result = run(SUSPEND + "  go: {method: resume, machine: guest, after: stop}\n", IDLE)
    assert result.get("hosts.other.down") == 0.0
    for address in ("hosts.nobody.down", "devices.disk.down", "down"):
        with pytest.raises(ResultError):
            result.get(address)


WALKS = """\
  one: {method: file_level, data: mail, to: backups}
  two: {method: file_level, data: web, to: backups}
"""
COPY, READS, WRITE = 10e6 * 2e-9, 10_000 / 200e6, 10e6 / 100e6
"""Seconds of two copies of the bytes, of the reads of the records, and of the writing."""
FILES = 10_000 * 10e-3 / 2.0
"""Seconds that the files cost a core of twice the speed of the reference core."""


@pytest.mark.parametrize(("count", "seconds"), [(2, FILES + COPY + READS), (1, 2 * (FILES + COPY))])
def test_two_machines_share_the_cores_of_their_host(count: int, seconds: float) -> None:
    """On two cores each walks as if alone, on one both take twice as long, and reading is done meanwhile."""
    result = run(WALKS, IDLE | {"hosts.server.cores": str(count)})
    for job in ("one", "two"):
        assert result.get(f"jobs.{job}.elapsed") == pytest.approx(seconds, abs=3 * WRITE)
    assert cores(result, "server", count) == pytest.approx(2 * (FILES + COPY + COPY), rel=1e-5)


def test_a_machine_is_not_resumed_by_two_at_once() -> None:
    two = "  go: {method: resume, machine: guest, after: stop}\n  too: {method: resume, machine: guest, after: stop}\n"
    result = run(SUSPEND + two, IDLE)
    assert (row(result, "go")["status"], row(result, "too")["status"]) == ("done", "failed")
    assert row(result, "too")["reason"] == "'guest' is not suspended"


def test_a_machine_takes_the_datasheet_of_a_host_but_not_its_speed(tmp_path: Path) -> None:
    """The speed of the datasheet has no effect, as the cores are those of the host around it."""
    file = tmp_path / "guest.yaml"
    guest = "{within: server, owns: [v], model: host/windows-2012-server, cores: 1, memory: 1 GB}"
    own = f"{{within: server, owns: [v], cores: 1, memory: 1 GB, {CACHE}, copy_rate: 1 GB/s}}"
    file.write_text(SITE.replace(own, guest) + "  save: {method: file_level, data: mail, to: v}\n", encoding="utf-8")
    usual, faster, both = (
        sb.simulate(file, change) for change in ({}, {"hosts.guest.speed": 7}, {"hosts.server.speed": 4})
    )
    times = [result.get("jobs.save.elapsed") for result in (usual, faster, both)]
    assert times[0] == times[1] > times[2]
