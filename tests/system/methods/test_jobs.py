"""When jobs begin, wait and are late, writers and copies, and the greatest rate of a job."""

import re
from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.methods.job import Schedule
from simbackup.results.result import Result
from simbackup.run import simulate
from tests.cases import for_each

BASE = """
title: Writers on one disk
hosts:
  server:
    {model: host/linux-modern-server, speed: 1, copy_rate: 1 GB/s, memory: 1 GB, dirty_limit: 40 %,
     dirty_background: 10 %, owns: [sda]}
devices:
  sda: {model: disk/nearline-20tb-2022, outer_rate: 100 MB/s, inner_rate: 100 MB/s}
data:
  a: {on: sda, size: 50 MB}
  b: {on: sda, size: 50 MB}
jobs:
"""


def run(jobs: str) -> Result:
    return simulate(BASE + jobs)


def starts(result: Result) -> dict[str, float]:
    return {row["job"]: row["start"] for row in result.job_rows}


def test_after_waits_for_all_that_it_names() -> None:
    jobs = """
  one: {method: write, data: a, begin: 10 s}
  two: {method: write, data: b, begin: 20 s}
  three: {method: write, data: a, after: [one, two]}
  four: {method: write, data: b, after: one, begin: 500 s}
"""
    result = run(jobs)
    assert starts(result)["three"] == pytest.approx(20.05)
    assert starts(result)["four"] == 500.0


@pytest.mark.parametrize(("window", "status"), [("1 h", "done"), ("10 ms", "late")])
def test_a_job_outside_its_window_is_late_but_done(window: str, status: str) -> None:
    result = run(f"  dd: {{method: write, data: a, window: {window}}}\n  next: {{method: write, data: b, after: dd}}\n")
    rows: dict[str, dict[str, Any]] = {row["job"]: row for row in result.job_rows}
    assert rows["dd"]["status"] == status
    assert rows["next"]["status"] == "done"


def test_a_window_counts_from_when_a_run_was_due() -> None:
    """Each run of 25 s is due every 10 s: the third begins 30 s late, and ends outside its 40 s."""
    line = "  dd: {method: write, data: a, most_rate: 2 MB/s, every: 10 s, until: 20 s, window: 40 s}\n"
    rows = run(line).job_rows
    assert [row["start"] for row in rows] == pytest.approx([0.0, 25.0, 50.0])
    assert [row["status"] for row in rows] == ["done", "done", "late"]


@for_each(
    "deadline, expected",
    [("23:59:50", ["late", "late"]), ("00:00:10", ["done", "late"]), ("00:00:30", ["done", "done"])],
)
def test_a_deadline_counts_from_the_beginning_of_a_chain(deadline: str, expected: list[str]) -> None:
    """Two jobs of 25 s, the first of which begins 30 s before midnight."""
    first = f'  dd: {{method: write, data: a, most_rate: 2 MB/s, begin: "23:59:30", deadline: "{deadline}"}}\n'
    second = f'  next: {{method: write, data: b, most_rate: 2 MB/s, after: dd, deadline: "{deadline}"}}\n'
    assert [row["status"] for row in run(first + second).job_rows] == expected


def test_the_deadline_of_a_repeated_job_is_that_of_its_day() -> None:
    line = '  dd: {method: write, data: a, begin: "22:00", every: 1 day, until: 3 days, deadline: "06:00"}\n'
    rows = run(line).job_rows
    assert [(row["status"], row["window"]) for row in rows] == [("done", 8 * 3600.0)] * 3


@pytest.mark.parametrize(("first_day", "hours", "status"), [("friday", 78, "done"), ("monday", 6, "late")])
def test_a_deadline_on_a_weekday_counts_from_the_first_day(first_day: str, hours: int, status: str) -> None:
    """50 MB at 2 ms/B take 28 h."""
    line = "  dd: {method: write, data: a, most_rate: 500 B/s, deadline: Monday 06:00}\n"
    [row] = run(line + f"first_day: {first_day}\n").job_rows
    assert (row["window"], row["status"]) == (hours * 3600.0, status)


def test_the_earlier_of_window_and_deadline_counts() -> None:
    schedule = Schedule(window=3600.0, deadline=6 * 3600.0)
    assert schedule.allowed(due=20 * 3600.0, since=20 * 3600.0) == (3600.0, "outside its window")
    assert schedule.allowed(due=29.5 * 3600.0, since=20 * 3600.0) == (1800.0, "after its deadline")


# Queues
FLEET = "planning/uneven-fleet"


def jobs(result: Result) -> dict[str, dict[str, Any]]:
    return {row["job"]: row for row in result.job_rows}


def end(result: Result) -> float:
    return max(row["end"] for row in result.job_rows)


def test_longest_first_is_within_four_thirds_of_work_over_drives() -> None:
    """What a backup takes on its drive is its work, with the mounts; three drives share the sum."""
    longest, first_come = simulate(FLEET), simulate(FLEET, {"devices.jobs.order": "first_come"})
    work = [row["elapsed"] - row["waits"] for row in longest.job_rows]
    bound = max(sum(work) / 3, *work)
    assert bound <= end(longest) <= 4 / 3 * bound
    assert end(longest) < end(first_come)


@for_each(
    "order, keys, first",
    [
        ("first_come", {}, ["a", "b", "c"]),
        ("longest_first", {}, ["j", "k", "l"]),
        ("priority", {"jobs.save-b.priority": 1, "jobs.save-g.priority": 2, "jobs.save-d.priority": 3},
         ["b", "d", "g"]),
        ("deadline", {"jobs.save-h.window": "1 h", "jobs.save-c.window": "2 h", "jobs.save-a.window": "3 h"},
         ["a", "c", "h"]),
    ],
)  # fmt: skip
def test_orders(order: str, keys: dict[str, object], first: list[str]) -> None:
    result = simulate(FLEET, {"devices.jobs.order": order, **keys})
    at_once = [name.removeprefix("save-") for name, row in jobs(result).items() if not row["waits"]]
    assert sorted(at_once) == first


# Copies in both directions, and writers on both disks: two full page caches that share disks and cores
MIB = 2.0**20
SCENARIO = """\
title: Copies in both directions between two disks that are written
hosts:
  server: {model: host/linux-2.6.9-dual-xeon-2800, owns: [first, second]}
devices:
  first: {model: disk/scsi-10k-146gb-2004}
  second: {model: disk/scsi-10k-146gb-2004}
data:
  here: {on: first, size: 3 GiB}
  there: {on: second, size: 2 GiB}
  copy_of_here: {on: second, size: 3 GiB}
  copy_of_there: {on: first, size: 2 GiB}
  log_here: {on: first, size: 2500 MiB}
  log_there: {on: second, size: 1500 MiB}
jobs:
  out: {method: copy, data: here, to: copy_of_here}
  back: {method: copy, data: there, to: copy_of_there, begin: BACK}
  write_here: {method: write, data: log_here, begin: HERE}
  write_there: {method: write, data: log_there, begin: THERE}
"""
JOBS = {"out": 3072 * MIB, "back": 2048 * MIB, "write_here": 2500 * MIB, "write_there": 1500 * MIB}


def simulated(folder: Path, starts: tuple[int, int, int]) -> Result:
    """The result of the scenario with these starts of `back`, `write_here` and `write_there`, seconds."""
    text = SCENARIO
    for name, start in zip(("BACK", "HERE", "THERE"), starts, strict=True):
        text = re.sub(rf"\b{name}\b", f"{start} s", text)
    path = folder / "coupled.yaml"
    path.write_text(text, encoding="utf-8")
    return sb.simulate(path)


@for_each("starts", [(0, 0, 0), (5, 0, 12), (20, 30, 0), (1, 2, 3)])
def test_all_bytes_arrive(tmp_path: Path, starts: tuple[int, int, int]) -> None:
    result = simulated(tmp_path, starts)
    jobs = {str(job.data["job"]): job.data for job in result.trace.jobs}
    assert {name: jobs[name]["bytes"] for name in JOBS} == JOBS
    moved = {device.address: device.bytes_moved for device in result.trace.devices}
    # Each disk reads what is copied from it and writes what is copied to it and what is logged on it.
    assert moved["devices.first"] == pytest.approx(JOBS["out"] + JOBS["back"] + JOBS["write_here"], rel=1e-6)
    assert moved["devices.second"] == pytest.approx(JOBS["out"] + JOBS["back"] + JOBS["write_there"], rel=1e-6)


# Writers
WRITER_BASE = """
title: A server with two disks
hosts:
  server: {model: host/linux-modern-server, speed: 1, cores: 4, memory: 1 GB, dirty_limit: 40 %, dirty_background: 10 %,
           copy_rate: 200 MB/s, owns: [sda, sdb]}
  client: {model: host/linux-modern-server}
links:
  lan: {model: network/gigabit-ethernet, rate: 100 MB/s, latency: 1 ms, joins: [server, client]}
devices:
  sda: {model: disk/nearline-20tb-2022, rotation_speed: 6000 rpm, outer_rate: 50 MB/s, inner_rate: 50 MB/s,
        command_overhead: 0.1 ms}
  sdb: {model: disk/nearline-20tb-2022, rotation_speed: 6000 rpm, outer_rate: 50 MB/s, inner_rate: 50 MB/s}
data:
  a: {on: sda, size: 1 GB, files: 10}
  b: {on: sdb, size: 1 GB}
jobs:
"""


def run_writer(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    return simulate(WRITER_BASE + jobs, changes)


def test_a_synchronous_writer_pays_a_revolution_for_each_request() -> None:
    jobs = "  db: {method: write, data: a, portion: 1 %, request: 10 kB}\n"
    assert run_writer(jobs).get("jobs.db.elapsed") == pytest.approx(1000 * 0.01)


def test_a_synchronous_writer_over_a_network_also_pays_its_round_trip() -> None:
    jobs = "  db: {method: write, data: a, portion: 1 %, request: 10 kB, over: lan}\n"
    result = run_writer(jobs)
    assert result.get("jobs.db.elapsed") == pytest.approx(1000 * (0.01 + 1e-3 + 1e-4))
    lan = next(row for row in result.device_rows if row["device"] == "links.lan")
    assert lan["bytes"] == pytest.approx(10e6)


@for_each("request_size", ["4 KiB", "8 KiB", "64 KiB"])
def test_a_synchronous_writer_is_never_faster_under_a_snapshot(request_size: str) -> None:
    changes = {"jobs.dd.request": request_size, "jobs.dd.portion": "1 %"}
    folder = "published/003-lvm-snapshots"
    none, same, second = (
        simulate(f"{folder}/{name}", changes).get("jobs.dd.elapsed")
        for name in ("no-snapshot", "same-disk", "second-disk")
    )
    assert none < second < same


# The greatest rate: whatever moves bytes takes no less than these at that rate, as they are sent
SITE = """\
title: Machines without limits of their own
hosts:
  client: {owns: [disk, mirror, cow], cores: 64, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %,
    copy_rate: 1 TB/s}
  server: {owns: [store, jukebox], cores: 64, memory: 64 GiB, dirty_limit: 90 %, dirty_background: 0 %,
    copy_rate: 1 TB/s}
devices:
  disk: {kind: ssd, capacity: 20 TB, read_rate: 1 TB/s, write_rate: 1 TB/s,
    read_latency: 0 s, write_latency: 0 s}
  store: {kind: ssd, capacity: 20 TB, read_rate: 1 TB/s, write_rate: 1 TB/s,
    read_latency: 0 s, write_latency: 0 s}
  mirror: {kind: ssd, capacity: 20 TB, read_rate: 1 TB/s, write_rate: 1 TB/s,
    read_latency: 0 s, write_latency: 0 s}
  cow: {kind: ssd, capacity: 20 TB, read_rate: 1 TB/s, write_rate: 1 TB/s,
    read_latency: 0 s, write_latency: 0 s}
  volume: {kind: logical_volume, on: disk, size: 4 TB}
  half: {model: mirror/linux-md-raid1, of: volume, on: mirror, in_flight: 1000, state: new}
  frozen: {model: snapshot/lvm2-5.3, of: volume, on: cow, size: 1 TB}
  jukebox: {model: tape_library/autoloader-8, drives: 1, slots: 4, drive: {model: tape_drive/lto-9}}
  bucket: {model: object_store/amazon-s3-standard, write_latency: 0 s, read_latency: 0 s,
    connection_rate: 1 TB/s}
links:
  line: {rate: 1 TB/s, latency: 0 s, duplex: full, joins: [client, server, bucket]}
data:
  users: {on: volume, size: 100 GB, files: 1000, file_size: 100 MB, layout: together, compression: 2,
    filesystem: {model: filesystem/xfs}, change: {daily: 10 %}}
  base: {on: volume, size: 100 GB, database: database/postgresql}
  there: {on: store, size: 100 GB, files: 1000, file_size: 100 MB, layout: together, filesystem: filesystem/xfs}
jobs:
"""
WORDS = {
    "MOST": "most_rate: 20 MB/s",
    "TOOL": "{start_time: 0 s, mount_time: 0 s, copies_log: true}",
    "LZ4": "{model: compressor/lz4, threads: 64}",
}
LINE = 100e9 / 20e6
"""Seconds of all data at the greatest rate."""
ONE = {
    "image": ("{method: image, data: users, to: store, streams: 4, MOST}", 1.0),
    "files": ("{method: file_level, data: users, to: store, MOST}", 1.0),
    "compressed": ("{method: file_level, data: users, to: store, compressor: LZ4, MOST}", 0.5),
    "nul": ("{method: image, data: users, to: store, MOST}", 1.0),
    "objects": ("{method: file_level, data: users, to: bucket, compressor: LZ4, MOST}", 0.5),
    "tape": ("{method: file_level, data: users, to: jukebox, MOST}", 1.0),
    "tree": ("{method: program, program: program/cp, operation: copy, data: users, target: there, MOST}", 1.0),
    "changed tree": (
        "{method: program, program: program/cp, operation: copy, data: users, target: there, since: 1 d, MOST}",
        0.1,
    ),
    "written": ("{method: write, data: users, flush: true, MOST}", 1.0),
    "copied": ("{method: copy, data: base, to: users, MOST}", 1.0),
    "hot copy": ("{method: hot_copy, data: base, to: store, tool: TOOL, MOST}", 1.0),
    "synchronised": ("{method: synchronise, mirror: half, MOST}", 40.0),
}


def run_rate(jobs: str) -> sb.Result:
    for word, meaning in WORDS.items():
        jobs = jobs.replace(word, meaning)
    return sb.simulate(SITE + jobs)


@for_each("name", ONE)
def test_a_job_takes_as_long_as_its_bytes_at_the_rate(name: str) -> None:
    job, share = ONE[name]
    result = run_rate(f"  one: {job}\n")
    # starts, mounts and the walk of a thousand files take some minutes at most
    assert share * LINE <= result.get("jobs.one.elapsed") * (1.0 + 1e-9)
    assert result.get("jobs.one.elapsed") <= share * LINE + 200.0


def test_explain_names_the_rate_and_lifts_it() -> None:
    job, _ = ONE["files"]
    told = sb.explain(run_rate(f"  one: {job}\n"))["one"]
    assert told.bottleneck == "jobs.one.most_rate"


def test_no_interval_begins_below_the_bytes_at_the_rate() -> None:
    job, _ = ONE["compressed"]
    low = sb.intervals_of(run_rate(f"  one: {job}\n"))["one"].elapsed.low
    assert low * (1.0 + 1e-9) >= LINE / 3.0  # data of 2:1, stated without a range, may be as much as 3:1
