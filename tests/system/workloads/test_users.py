"""The impact of a backup on users of a database, against calculations by hand."""

import math
from pathlib import Path
from random import Random
from typing import Any

import pytest
from oracles.queues import from_an_empty_queue

import simbackup as sb
from simbackup.results.result import Result
from simbackup.results.shown import note_sentences
from simbackup.workloads.users.transactions import FIRST
from tests.cases import for_each

MACHINE = """\
title: A database whose disk moves 100 MB/s, and users who read 1 MB at a time
hosts:
  server: {owns: [source, target], cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %,
    copy_rate: 1 GB/s}
devices:
  source: {kind: ssd, capacity: 10 GB, read_rate: 100 MB/s, write_rate: 100 MB/s,
    read_latency: 0.1 ms, write_latency: 0.1 ms}
  target: {kind: ssd, capacity: 10 GB, read_rate: 500 MB/s, write_rate: 500 MB/s,
    read_latency: 0.1 ms, write_latency: 0.1 ms}
data:
  db:
    on: source
    size: 1 GB
    database: {dump_ratio: 1, dump_cpu: 50 ns/B, load_cpu: 400 ns/B, replay_cpu: 300 ns/B, flush_time: 0.25 s,
      locks_for_snapshot: true}
workloads:
  users: {data: db, transactions: RATE, writes: WRITES, reads: 1, read_size: 1 MB, cpu: 1 ms}
jobs:
"""
COPY = (
    "  copy: {method: hot_copy, data: db, to: target, tool: {start_time: 1 s, mount_time: 0 s, check_cpu: 10 ns/B}}\n"
)
FLUSH = 0.25


def run(tmp_path: Path, rate: float, writes: float, jobs: str = COPY) -> Result:
    file = tmp_path / "case.yaml"
    text = MACHINE.replace("RATE", f"{rate} /s").replace("WRITES", f"{writes} %")
    file.write_text(text + jobs, encoding="utf-8")
    return sb.simulate(file)


def impact(result: Result, job: str = "copy") -> dict[str, float]:
    return next(row for row in result.user_rows if row["job"] == job)


def test_a_disk_of_which_users_want_more_than_all_leaves_a_stream_its_hundredth(tmp_path: Path) -> None:
    """200 a second ask for two disks: 100 get through while they are alone, 100 of 101 parts beside the copy."""
    result = run(tmp_path, rate=200, writes=0)
    beside = 10.0 * (FIRST + 1.0)
    elapsed = 1.0 + FLUSH + beside + 10.0
    assert result.get("jobs.copy.elapsed") == pytest.approx(elapsed)
    done = 100 * (1.0 + FLUSH + 10.0) + 100 * beside * FIRST / (FIRST + 1.0)
    assert impact(result)["offered"] == pytest.approx(200 * elapsed)
    assert impact(result)["lost"] == pytest.approx(1 - done / (200 * elapsed))


def test_a_job_that_takes_no_lock_tells_of_no_wait(tmp_path: Path) -> None:
    restore = "  back: {restore: copy, after: copy, begin: 1 h}\n"
    waits = impact(run(tmp_path, rate=20, writes=50, jobs=COPY + restore), "back")
    assert (waits["waited"], waits["longest_wait"], waits["mean_wait"]) == (0.0, 0.0, 0.0)


UPDATING = """\
title: Users who update 1 GiB under a snapshot, 8 KiB at a time
hosts:
  server: {owns: [a, b], cores: 4, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %, copy_rate: 1 GB/s}
devices:
  a: {kind: ssd, capacity: 10 GB, read_rate: 8 MiB/s, write_rate: 8 MiB/s, read_latency: 1 ms, write_latency: 1 ms}
  b: {kind: ssd, capacity: 10 GB, read_rate: 8 MiB/s, write_rate: 8 MiB/s, read_latency: 1 ms, write_latency: 1 ms}
  v: {kind: logical_volume, on: a, size: 2 GiB}
  cow: {kind: snapshot, method: copy_on_write, of: v, on: b, size: 2 GiB, chunk: 8 KiB, record: 1 B, in_flight: 8 KiB,
    commit_backlog: 8 KiB, create_time: 0 s, remove_time: 0 s, lookup_time: 0 s}
data:
  db: {on: v, size: 1 GiB}
workloads:
  users: {data: db, clients: 1, think_time: 16 ms, writes: 0 %, reads: 1, read_size: 8 KiB, cpu: 0 s, updates: 1,
    synchronous: true}
jobs:
  watch: {method: observe, workload: users, duration: 1000 s}
"""
EACH = 1e-3 + 1 / 1024
"""Seconds of a request of 8 KiB."""
CHUNKS = 2.0**17
COPY_OF_CHUNK = 3 + 1 / 8192
"""Requests: read the old, write it to the area, commit, and clear the next chunk of records for each that is full."""


def updating(changes: dict[str, Any] | None = None, jobs: str = "") -> Result:
    return sb.simulate(UPDATING + jobs, changes)


def rate(result: Result, job: str = "watch") -> float:
    return result.get(f"workloads.users.{job}.rate")


NEVER = "  never: {method: create_snapshot, snapshot: cow, begin: 1000 s}\n"


def test_a_user_asks_for_the_next_transaction_when_the_last_is_done() -> None:
    """A read, an update, and 16 ms to think."""
    assert rate(updating(jobs=NEVER)) == pytest.approx(1 / (0.016 + 2 * EACH))


def test_a_user_waits_for_the_copy_that_the_first_update_of_a_chunk_needs() -> None:
    """Each of the requests that a copy takes finds an idle disk.

    The load is taken in the mean over as many updates as are a twentieth of the chunks.
    """
    result = updating({"jobs.watch.duration": "1 s"})
    fresh = (1 - math.exp(-0.05)) / 0.05
    assert rate(result) == pytest.approx(1 / (0.016 + (2 + COPY_OF_CHUNK * fresh) * EACH))
    assert rate(result) == pytest.approx(1 / (0.016 + 5 * EACH), rel=0.01)


def test_an_area_that_users_fill_ends_the_snapshot_and_what_it_cost() -> None:
    """Room for 8192 chunks: n updates touch them when N (1 - exp(-n / N)) is as much."""
    result = updating({"devices.cow.size": "64.0625 MiB"})
    (event,) = [event for event in result.trace.events if "invalid" in event.what]
    copied = result.get("devices.cow.copied_bytes") / 8192
    assert copied == pytest.approx(8192, abs=10)
    updates = -CHUNKS * math.log(1 - copied / CHUNKS)
    assert event.time == pytest.approx(updates * (0.016 + 2 * EACH) + copied * COPY_OF_CHUNK * EACH, rel=1e-3)
    done = updates + (1000 - event.time) / (0.016 + 2 * EACH)
    assert 1000 * rate(result) == pytest.approx(done, rel=1e-3)


def test_hot_data_are_copied_soon_and_then_cost_nothing() -> None:
    hot = updating({"workloads.users.hot_data": "10 %", "workloads.users.hot_updates": "90 %"})
    assert rate(hot) > 1.05 * rate(updating())


def test_several_users_slow_each_other_where_they_meet() -> None:
    """Ten ask for a disk that takes a millisecond of its own time for each request, and two for a transaction."""
    result = updating({"workloads.users.clients": 200, "workloads.users.think_time": "0 s"}, NEVER)
    assert rate(result) == pytest.approx(1 / (2 / 1024), rel=0.01)
    assert result.get("devices.a.busy") == pytest.approx(1.0, rel=0.01)


@for_each("clients, writes", [(1, 50), (1, 100), (40, 50), (40, 5)])
def test_of_users_who_wait_for_each_transaction_fewer_and_fewer_go_on(clients: int, writes: int) -> None:
    """A transaction takes 0.2011 s with the thought before it, and the disk is never busy: user by user."""
    text = MACHINE.replace("transactions: RATE", f"clients: {clients}, think_time: 0.2 s").replace(
        "read_size: 1 MB", "read_size: 1 kB"
    )
    result = sb.simulate(text.replace("WRITES", f"{writes} %") + COPY)
    lock, elapsed = result.get("jobs.copy.lock"), result.get("jobs.copy.elapsed")
    waiting, waited, done = locked_out(clients, writes / 100, lock, 0.20111)
    found = impact(result)
    assert found["waited"] == pytest.approx(waiting, rel=0.01)
    assert found["mean_wait"] == pytest.approx(waited / waiting, rel=0.01)
    assert found["longest_wait"] == pytest.approx(lock)
    served = done + waiting + clients * (elapsed - lock) / 0.20111
    assert found["served"] == pytest.approx(served, rel=0.02)
    assert found["response"] == pytest.approx(clients * elapsed / found["served"] - 0.2)


def locked_out(users: int, writes: float, lock: float, cycle: float) -> tuple[float, float, float]:
    """Users who come to wait for a lock, all that they wait, and transactions that others do meanwhile, on average."""
    random, runs, waiting, waited, done = Random(7), 2000, 0, 0.0, 0  # noqa: S311 (no secrets)
    for _ in range(runs * users):
        now = random.expovariate(1.0 / cycle)
        while now < lock:
            if random.random() < writes:
                waiting, waited = waiting + 1, waited + lock - now
                break
            now, done = now + random.expovariate(1.0 / cycle), done + 1
    return waiting / runs, waited / runs, done / runs


def test_users_who_ask_for_more_than_the_disk_can_serve_are_noted(tmp_path: Path) -> None:
    """A transaction takes 10 ms of the disk: 100 a second fill it, and the queue of 120 grows, 5 % more by chance."""
    result = run(tmp_path, rate=120, writes=0, jobs="  seen: {method: observe, workload: users, duration: 10 s}\n")
    seen = impact(result, "seen")
    assert seen["slower"] == pytest.approx(1.0)  # they wait without end with and without jobs
    assert seen["response"] == pytest.approx(from_an_empty_queue(120, 0.01, 10, runs=200), rel=0.05)
    [note] = note_sentences(result.trace)
    assert note.startswith("workloads.users ask for more transactions than 'db' can serve")
    enough = run(tmp_path, rate=20, writes=0, jobs="  seen: {method: observe, workload: users, duration: 10 s}\n")
    assert note_sentences(enough.trace) == []


def test_the_longer_users_ask_for_too_much_the_longer_they_wait(tmp_path: Path) -> None:
    """Also beside a stream, which a hundredth of the disk is left for: 98.99 of 120 are served a second."""
    copy = COPY.replace("1 s", "0 s").replace("hot_copy,", "hot_copy, after: seen,")
    observe = "  seen: {method: observe, workload: users, duration: 1000 s}\n"
    result = run(tmp_path, rate=120, writes=0, jobs=observe + copy)
    assert impact(result, "seen")["response"] == pytest.approx(1000 / 2 * 0.2, rel=0.01)
    beside, elapsed = impact(result), float(result.get("jobs.copy.elapsed"))
    assert beside["rate"] == pytest.approx(100 * FIRST / (1 + FIRST), rel=0.01)
    assert beside["response"] == pytest.approx(elapsed / 2 * (120 / beside["rate"] - 1), rel=0.01)


def test_the_response_of_users_who_wait_follows_from_their_rate(tmp_path: Path) -> None:
    """Little's law: two users, a copy beside them."""
    file = tmp_path / "case.yaml"
    text = MACHINE.replace("transactions: RATE", "clients: 2, think_time: 30 ms").replace("WRITES", "0 %")
    file.write_text(text + COPY, encoding="utf-8")
    row = impact(sb.simulate(file))
    assert row["response"] == pytest.approx(2 / row["rate"] - 0.03)
    assert row["slower"] > 1.0
