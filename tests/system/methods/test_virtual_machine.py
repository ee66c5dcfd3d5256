"""Virtual machines that are suspended, saved and resumed, against calculations by hand."""

from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.errors import ResultError
from simbackup.results.result import Result
from tests.cases import for_each

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


def test_to_suspend_is_to_copy_memory_and_write_it_and_to_resume_is_to_read_it() -> None:
    result = run(SUSPEND + "  go: {method: resume, machine: guest, after: stop}\n", IDLE)
    assert result.get("jobs.stop.elapsed") == pytest.approx(1.0 + 10.0, rel=1e-5)
    assert result.get("jobs.go.elapsed") == pytest.approx(5.0, rel=1e-5)
    assert (result.get("jobs.stop.bytes"), result.get("jobs.go.bytes")) == (1e9, 1e9)
    stop = {key: seconds for key, seconds in result.activities("stop").items() if seconds}
    wanted = {("hosts.server.cores", "save"): 1.0, ("devices.disk", "write-back"): 10.0}
    assert stop == pytest.approx(wanted, rel=1e-5)
    assert result.activities("go") == pytest.approx({("devices.disk", "read"): 5.0}, rel=1e-5)


@for_each("memory, write, read", [("2 GB", 100, 200), ("0.5 GB", 50, 100), ("1 GB", 400, 2000)])
def test_the_times_follow_memory_and_disk(memory: str, write: float, read: float) -> None:
    disk = {"devices.disk.write_rate": f"{write} MB/s", "devices.disk.read_rate": f"{read} MB/s"}
    jobs = SUSPEND + "  go: {method: resume, machine: guest, after: stop}\n"
    result = run(jobs, IDLE | disk | {"hosts.guest.memory": memory})
    size = float(memory.split(maxsplit=1)[0]) * 1e9
    assert result.get("jobs.stop.elapsed") == pytest.approx(size / 1e9 + size / (write * 1e6), rel=1e-5)
    assert result.get("jobs.go.elapsed") == pytest.approx(size / min(read * 1e6, 1e9), rel=1e-5)


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


def test_users_of_the_machine_stand_still_and_go_on_after() -> None:
    jobs = """\
  before: {method: observe, workload: users, duration: 10 s}
  stop: {method: suspend, machine: guest, to: room, after: before}
  while: {method: observe, workload: users, duration: 10 s, after: stop}
  go: {method: resume, machine: guest, after: while}
  after: {method: observe, workload: users, duration: 10 s, after: go}
"""
    result = run(jobs)
    lost = {(r["users"], r["job"]): r["lost"] for r in result.user_rows}
    still = {job: lost["workloads.users", job] for job in ("before", "stop", "while", "go", "after")}
    assert still == pytest.approx({"before": 0.0, "stop": 1.0, "while": 1.0, "go": 1.0, "after": 0.0}, abs=1e-6)
    others = [lost["workloads.visitors", job] for job in ("before", "stop", "while", "go", "after")]
    assert others == pytest.approx([0.0] * 5, abs=1e-6)


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


def test_a_machine_whose_memory_finds_no_room_goes_on() -> None:
    """A backup of 10 MB has taken the room that was left."""
    jobs = """\
  fill: {method: image, data: mail, to: room}
  stop: {method: suspend, machine: guest, to: room, after: fill}
  look: {method: observe, workload: users, duration: 10 s, begin: 100 s}
"""
    result = run(jobs, {"devices.room.size": "1.005 GB"})
    assert (row(result, "stop")["status"], row(result, "stop")["reason"]) == ("failed", "'room' is full")
    lost = {r["job"]: r["lost"] for r in result.user_rows if r["users"] == "workloads.users"}
    assert lost["look"] == pytest.approx(0.0, abs=1e-6)


def test_the_memory_of_a_machine_takes_its_room_once() -> None:
    """A machine of 1 GB is suspended each day; what was saved the day before is of no use any more."""
    jobs = """\
  stop: {method: suspend, machine: guest, to: room, every: 1 day, until: 6 day}
  go: {method: resume, machine: guest, begin: 100 s, every: 1 day, until: 7 day}
"""
    result = run(jobs, IDLE)
    assert {r["status"] for r in result.job_rows if r["job"].startswith("stop")} == {"done"}


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
FIRST = WALKS.splitlines(keepends=True)[0]
COPY, READS, WRITE = 10e6 * 2e-9, 10_000 / 200e6, 10e6 / 100e6
"""Seconds of two copies of the bytes, of the reads of the records, and of the writing."""
FILES = 10_000 * 10e-3 / 2.0
"""Seconds that the files cost a core of twice the speed of the reference core."""


def test_what_a_machine_computes_its_host_computes() -> None:
    result = run(FIRST, IDLE)
    assert result.get("jobs.one.elapsed") == pytest.approx(FILES + COPY + READS + WRITE, rel=1e-5)
    assert cores(result, "guest", 1) == pytest.approx(FILES + COPY, rel=1e-5)
    assert cores(result, "server", 2) == pytest.approx(FILES + COPY + COPY, rel=1e-5)  # it receives the bytes, too
    assert cores(result, "other", 1) == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize(("count", "seconds"), [(2, FILES + COPY + READS), (1, 2 * (FILES + COPY))])
def test_two_machines_share_the_cores_of_their_host(count: int, seconds: float) -> None:
    """On two cores each walks as if alone, on one both take twice as long, and reading is done meanwhile."""
    result = run(WALKS, IDLE | {"hosts.server.cores": str(count)})
    for job in ("one", "two"):
        assert result.get(f"jobs.{job}.elapsed") == pytest.approx(seconds, abs=3 * WRITE)
    assert cores(result, "server", count) == pytest.approx(2 * (FILES + COPY + COPY), rel=1e-5)


def test_the_speed_of_a_machine_is_that_of_its_host() -> None:
    slow = run(FIRST, IDLE | {"hosts.server.speed": "1"})
    assert slow.get("jobs.one.elapsed") == pytest.approx(2 * FILES + COPY + READS + WRITE, rel=1e-5)


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
