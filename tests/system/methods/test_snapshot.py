import math
from pathlib import Path
from typing import Any

import pytest

from simbackup.errors import InputError
from simbackup.results.result import Result
from simbackup.run import simulate
from tests.cases import for_each

BASE = """
title: A volume and its snapshots
hosts:
  server: {model: host/linux-modern-server, memory: 100 MB, dirty_limit: 20 %, dirty_background: 1 %, copy_rate: 1 GB/s,
           owns: [sda]}
devices:
  sda: {model: disk/scsi-10k-146gb-2004, outer_rate: 50 MB/s, inner_rate: 50 MB/s}
  home: {kind: logical_volume, on: sda, size: 10 GB}
  cow: {model: snapshot/lvm2-2.6.9, of: home, on: sda, size: 5 GB, create_time: 1 s, remove_time: 2 s}
  two: {model: snapshot/lvm2-2.6.9, of: home, on: sda, size: 5 GB, create_time: 1 s, remove_time: 2 s}
data:
  file: {on: home, size: 400 MB}
jobs:
"""
DD = "  dd: {method: write, data: file}\n"
OFF = "  off: {method: create_snapshot, snapshot: two, begin: 100000 s}\n"
NONE = "  later: {method: create_snapshot, snapshot: cow, begin: 99999 s}\n" + OFF


def run(jobs: str, changes: dict[str, Any] | None = None) -> Result:
    return simulate(BASE + jobs, changes)


def dd(result: Result, job: str = "dd") -> float:
    return result.get(f"jobs.{job}.elapsed")


def state(result: Result, device: str) -> str:
    return next(row["state"] for row in result.device_rows if row["device"] == f"devices.{device}")


def status(result: Result) -> dict[str, tuple[str, str]]:
    return {row["job"]: (row["status"], row["reason"]) for row in result.job_rows}


@pytest.mark.slow
def test_rewriting_what_was_copied_runs_as_without_a_snapshot() -> None:
    twice = "  first: {method: write, data: file, begin: 1000 s}\n  again: {method: write, data: file, begin: 5000 s}\n"
    none, one = run(twice + NONE), run(twice + OFF)
    assert dd(one, "first") > 5.0 * dd(none, "first")
    assert dd(one, "again") == pytest.approx(dd(none, "again"), rel=1e-9)


def test_an_invalid_snapshot_can_be_removed_and_made_again() -> None:
    jobs = """
  drop: {method: remove_snapshot, snapshot: cow, after: dd}
  drop-again: {method: remove_snapshot, snapshot: cow, after: drop}
  make: {method: create_snapshot, snapshot: cow, after: drop}
"""
    start = "  start: {method: create_snapshot, snapshot: cow}\n"
    writer = DD.replace("}", ", after: start}")
    result = run(start + writer + OFF + jobs, {"devices.cow.size": "100 MB"})
    assert status(result)["drop"] == ("done", "")
    assert status(result)["drop-again"] == ("failed", "there is no snapshot 'cow' to remove")
    assert status(result)["make"] == ("done", "")
    assert state(result, "cow") == "active"


def test_a_snapshot_is_created_once() -> None:
    one = "  one: {method: create_snapshot, snapshot: cow}\n"
    more = "  more: {method: create_snapshot, snapshot: cow, after: one}\n"
    assert status(run(one + more))["more"] == ("failed", "snapshot 'cow' exists already")


MIRROR = """
title: A volume of 2 GB on a solid-state disk, its mirror on another, and a second volume
hosts:
  server: {cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 1 GB/s, owns: [a, b, c]}
devices:
  a: {kind: ssd, capacity: 10 GB, read_rate: 100 MB/s, write_rate: 100 MB/s, read_latency: 1 ms, write_latency: 1 ms}
  b: {kind: ssd, capacity: 10 GB, read_rate: 100 MB/s, write_rate: 50 MB/s, read_latency: 1 ms, write_latency: 1 ms}
  c: {kind: ssd, capacity: 10 GB, read_rate: 100 MB/s, write_rate: 100 MB/s, read_latency: 0 s, write_latency: 0 s}
  home: {kind: logical_volume, on: a, size: 2 GB}
  third: {kind: mirror, of: home, on: b, region: 1 MB, request: 1 MB, in_flight: 1, fast_resync: true,
    create_time: 3 s, remove_time: 2 s, state: STATE}
data:
  file: {on: home, size: 1 GB}
  else: {on: c, size: 1 GB}
jobs:
"""
FAR = (
    MIRROR.replace("STATE", "new")
    .replace("owns: [a, b, c]", "owns: [a, c]")
    .replace(
        "devices:\n",
        "  other: {cores: 1, memory: 1 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 1 GB/s, owns: [b]}\n"
        "links:\n  line: {joins: [server, other], rate: 10 MB/s, latency: 10 ms}\ndevices:\n",
    )
)
SYNC = "  sync: {method: synchronise, mirror: third, BEGIN}\n"
SPLIT = "  split: {method: create_snapshot, snapshot: third, BEGIN}\n"
WRITE = "  write: {method: write, data: file, portion: PART, request: 1 MB, BEGIN}\n"
UPDATES = """
workloads:
  users: {data: file, transactions: 1 /s, writes: 0 %, reads: 0.001, read_size: 4 KiB, cpu: 0 s, updates: 1}
"""
EACH = (1e-3 + 0.01) + (1e-3 + 0.02)
"""Seconds of a request of a synchronisation: read, then written."""


def mirror(*jobs: str, state: str = "attached", changes: dict[str, Any] | None = None) -> Result:
    return simulate(MIRROR.replace("STATE", state) + "".join(jobs), changes)


def at(job: str, begin: str, part: str = "100 %") -> str:
    return job.replace("BEGIN", begin).replace("PART", part)


def test_a_mirror_of_another_host_is_synchronised_over_the_link_between(tmp_path: Path) -> None:
    """As an array that replicates to another site: 2 GB over 10 MB/s, 100 requests at once."""
    jobs, more = at(SYNC, "begin: 0 s"), {"devices.third.in_flight": 100}
    file = tmp_path / "far.yaml"
    file.write_text(FAR + jobs, encoding="utf-8")
    result = simulate(file, more)
    assert result.get("jobs.sync.elapsed") == pytest.approx(2e9 / 10e6, rel=1e-3)
    assert result.get("links.line.bytes") == pytest.approx(2e9)
    one = simulate(file, {"links.line.latency": "1 s"})  # a round trip for each request, which fill the line by turns
    assert one.get("jobs.sync.elapsed") == pytest.approx(2000 * (EACH + 1.0))
    file.write_text(FAR.replace("joins: [server, other]", "joins: [server, a]") + jobs, encoding="utf-8")
    with pytest.raises(InputError, match="there is no connection from 'server' to 'b'"):
        simulate(file)


def test_a_mirror_in_line_has_nothing_to_copy() -> None:
    with pytest.raises(InputError, match="'third' is synchronised from the start, and no job splits it off"):
        mirror(at(SYNC, "begin: 0 s"))
    result = mirror(at(SYNC, "begin: 0 s"), at(SPLIT, "after: sync"))
    assert (result.get("jobs.sync.elapsed"), result.get("jobs.sync.bytes")) == (0.0, 0.0)


def test_what_was_written_before_the_split_is_on_the_mirror_already() -> None:
    """1 GB in 20 s; the mirror is split off 13 s after the beginning, and what comes then has to be copied."""
    jobs = (at(WRITE, "begin: 0 s"), at(SPLIT, "begin: 10 s"), at(SYNC, "begin: 100 s"))
    result = mirror(*jobs)
    written = 13.0 * 50e6
    assert result.get("devices.b.bytes") == pytest.approx(written + result.get("jobs.sync.bytes"), rel=1e-9)
    assert result.get("jobs.sync.bytes") == pytest.approx(1e9 - written, abs=2e6)


def test_what_is_written_up_to_the_synchronisation_is_copied_by_it() -> None:
    """It begins 5 s after the writer, which has then written 5 s long at 11 ms for 1 MB."""
    jobs = (at(SPLIT, "begin: 0 s"), at(WRITE, "begin: 10 s"), at(SYNC, "begin: 15 s"))
    assert mirror(*jobs).get("jobs.sync.bytes") == pytest.approx(5.0 / 0.011 * 1e6, abs=2e6)


def regions(updates: float) -> float:
    """Bytes of regions of 1 MB that so many updates at random places of 1 GB have changed."""
    return 1e9 * (1 - math.exp(-updates / 1000))


def test_users_leave_behind_what_they_update_while_the_mirror_is_split() -> None:
    """One update a second: an hour before the split that counts for nothing, and 500 s after it."""
    jobs = (at(SPLIT, "begin: 3597 s"), at(SYNC, "begin: 4100 s"), UPDATES)
    assert mirror(*jobs).get("jobs.sync.bytes") == pytest.approx(regions(500.0), rel=1e-3)


def test_a_mirror_whose_image_was_given_up_still_falls_behind() -> None:
    drop = "  drop: {method: remove_snapshot, snapshot: third, after: split}\n"
    jobs = (at(SPLIT, "begin: 0 s"), drop, at(SYNC, "begin: 503 s"), UPDATES)
    assert mirror(*jobs).get("jobs.sync.bytes") == pytest.approx(regions(500.0), rel=1e-3)


def test_users_who_come_meanwhile_write_to_both_sides() -> None:
    """What is updated during a synchronisation and after it is not behind at the next split."""
    jobs = (
        at(SYNC, "begin: 0 s"), at(SPLIT, "begin: 1000 s"),
        at(SYNC, "after: split").replace("sync: {", "again: {"), UPDATES,
    )  # fmt: skip
    result = mirror(*jobs, state="new")
    assert result.get("jobs.sync.bytes") == 2e9
    assert result.get("jobs.again.bytes") == pytest.approx(0.0, abs=1e6)


LAST = "  last: {method: write, data: else, begin: 1000 s}\n"


@for_each(
    "jobs, state, failing, reason",
    [
        (at(SPLIT, "begin: 0 s"), "new", "split",
         "snapshot 'third' cannot be split off: the mirror is not in sync with its volume"),
        (at(SYNC, "begin: 0 s") + at(SPLIT, "begin: 1 s"), "new", "split",
         "snapshot 'third' cannot be split off: the mirror is not in sync with its volume"),
        (at(SPLIT, "begin: 0 s") + at(SPLIT, "begin: 9 s").replace("split: {", "again: {"), "attached", "again",
         "snapshot 'third' exists already: the mirror is split"),
        ("  drop: {method: remove_snapshot, snapshot: third}\n", "attached", "drop",
         "there is no snapshot 'third' to remove"),
        (at(SYNC, "begin: 0 s") + at(SYNC, "begin: 1 s").replace("sync: {", "again: {"), "new", "again",
         "mirror 'third' is already being synchronised"),
    ],
)  # fmt: skip
def test_a_job_that_cannot_be_done_fails_with_its_reason_and_the_others_go_on(
    jobs: str, state: str, failing: str, reason: str
) -> None:
    after = f"  skipped: {{method: observe, workload: users, duration: 1 s, after: {failing}}}\n"
    result = mirror(jobs, after, LAST, UPDATES, state=state)
    assert status(result)[failing] == ("failed", reason)
    assert status(result)["skipped"] == ("skipped", f"'{failing}' did not complete")
    assert [name for name, (how, _) in status(result).items() if how == "failed"] == [failing]
    assert status(result)["last"] == ("done", "")
    assert not result.all_ended_well


def test_to_observe_is_to_let_time_pass_and_to_tell_what_users_do() -> None:
    watch = "  watch: {method: observe, workload: users, duration: 200 s, begin: 5 s}\n"
    result = mirror(watch, UPDATES)
    assert (result.get("jobs.watch.start"), result.get("jobs.watch.elapsed")) == (5.0, 200.0)
    assert result.activities("watch") == {("workloads.users", "observe"): 200.0}
    assert result.get("workloads.users.watch.rate") == pytest.approx(1.0)
    assert result.get("workloads.users.watch.offered") == pytest.approx(200.0)
