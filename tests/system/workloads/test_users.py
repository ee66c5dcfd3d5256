"""Users of a database: what a backup and more load do to them, by hand and against a simulation of each request."""

import math
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from oracles.queues import Sender, behind_windows, from_an_empty_queue

import simbackup as sb
from simbackup.errors import InputError
from simbackup.results.result import Result
from simbackup.results.shown import note_sentences
from simbackup.workloads.users.transactions import FIRST
from tests.cases import for_each, some

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
  cow: {kind: snapshot, of: v, on: b, size: 2 GiB, chunk: 8 KiB, record: 1 B, in_flight: 8 KiB,
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


# Users of a device behind a network wait for it
SCENARIO = """\
title: A server whose disk takes no time, behind a link of 100 MB/s and a round trip of 1 ms
hosts:
  server: {cores: 4, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s, read_ahead: 1 MB,
    owns: [flash, nowhere]}
devices:
  nowhere: {kind: nul}
  flash: {kind: ssd, capacity: 100 GB, read_rate: 100 GB/s, write_rate: 100 GB/s, read_latency: 0 s,
    write_latency: 0 s}
links:
  lan: {joins: [server, flash], rate: 100 MB/s, latency: 1 ms, duplex: DUPLEX, storage: true}
data: {d0: {on: flash, size: 20 GB}, d1: {on: flash, size: 20 GB}}
workloads:
  users: {data: d0, LOAD, WHAT, cpu: 0 s, writes: 0 %}
jobs:
"""
READS = "reads: 1, read_size: 100 kB"
UPDATES = "reads: 0, read_size: 4 kB, updates: 1, update_size: 100 kB, synchronous: true"


def simulated(streams: int, load: str, what: str = READS, duplex: str = "full", changes: str = "") -> sb.Result:
    jobs = "".join(f"  j{i}: {{method: image, data: d{i}, to: nowhere}}\n" for i in range(streams))
    jobs = jobs or "  j0: {method: observe, workload: users, duration: 100 s}\n"
    text = SCENARIO.replace("LOAD", load).replace("WHAT", what).replace("DUPLEX", duplex)
    return sb.simulate(text + jobs + changes)


def figures(found: sb.Result) -> tuple[float, float]:
    return found.get("workloads.users.j0.rate"), found.get("workloads.users.j0.response")


@pytest.mark.slow
@for_each("streams", [0, 1, 2])
@for_each("rate", [10.0, 500.0])
def test_requests_at_random_wait_behind_windows(streams: int, rate: float) -> None:
    _, expected = behind_windows(Sender(0.001, 0.001, rate=rate), 0.01, streams)
    _, found = figures(simulated(streams, f"transactions: {rate} /s"))
    assert found == pytest.approx(expected, rel=0.06)


@pytest.mark.slow
@for_each("streams", [0, 1, 2])
@for_each("users, think", [(1, 0.0), (4, 0.01)])
def test_users_who_wait_come_less_often(streams: int, users: int, think: float) -> None:
    expected = behind_windows(Sender(0.001, 0.001, users=users, think_time=think), 0.01, streams)
    found = figures(simulated(streams, f"clients: {users}, think_time: {think} s"))
    assert found == pytest.approx(expected, rel=0.06)


def test_one_write_by_hand() -> None:
    """A round trip of 1 ms, 1 ms for the bytes, and the 10 ms of the window before it, on a link of one direction."""
    _, beside = figures(simulated(1, "transactions: 0.01 /s", UPDATES, "half"))
    assert beside == pytest.approx(0.001 + 0.001 + 0.01, rel=1e-3)
    _, alone = figures(simulated(0, "transactions: 0.01 /s", UPDATES, "half"))
    assert alone == pytest.approx(0.001 + 0.001, rel=1e-3)


def test_writes_do_not_wait_for_what_comes_back() -> None:
    _, beside = figures(simulated(1, "transactions: 0.01 /s", UPDATES))
    assert beside == pytest.approx(0.001 + 0.001, rel=1e-3)


@pytest.mark.slow
def test_a_round_trip_is_no_queue() -> None:
    """Many users who are under way for 50 ms fill a wire: none waits longer for the round trips of others."""
    text = SCENARIO.replace("latency: 1 ms", "latency: 50 ms").replace("WHAT", READS).replace("DUPLEX", "full")
    job = "  j0: {method: observe, workload: users, duration: 100 s}\n"
    rate = {n: sb.simulate(text.replace("LOAD", f"clients: {n}") + job).get("workloads.users.j0.rate") for n in (1, 40)}
    assert rate[1] == pytest.approx(1 / 0.051001)
    expected, _ = behind_windows(Sender(0.001, 0.05, users=40), 0.01, 0)
    assert rate[40] == pytest.approx(expected, rel=0.07)


# More users, less thought or more streams: nobody gets more by it
MORE_SCENARIO = """\
title: Users and backups of data on one device
hosts:
  server: {cores: 4, memory: 8 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1 GB/s,
    owns: [disk, nowhere]READS}
devices:
  nowhere: {kind: nul}
  disk: {KIND}
data: {d0: {on: disk, size: 20 GB}, d1: {on: disk, size: 20 GB}, d2: {on: disk, size: 20 GB}}
workloads:
  users: {data: d0, LOAD, ASKED, writes: 0 %}
jobs:
"""
DISK = """capacity: 100 GB, rotation_speed: 7200 rpm, track_to_track_seek: 1 ms, average_seek: 8 ms,
    full_stroke_seek: 16 ms, outer_rate: 120 MB/s, inner_rate: 60 MB/s, command_overhead: 0.2 ms,
    stream_turn: 256 KiB"""
ARRAY = 'kind: raid, level: "LEVEL", disks: NUMBER, stripe_unit: 64 KiB, controller_overhead: 0.1 ms, disk: {DISK}'
DEVICES = {
    "disk": f"kind: disk, {DISK}",
    "raid0": ARRAY.replace("LEVEL", "0").replace("NUMBER", "4").replace("DISK", DISK),
    "raid6": ARRAY.replace("LEVEL", "6").replace("NUMBER", "8").replace("DISK", DISK) + ", prefetches: true",
    "raid10": ARRAY.replace("LEVEL", "10").replace("NUMBER", "4").replace("DISK", DISK),
    "ssd": "kind: ssd, capacity: 100 GB, read_rate: 500 MB/s, write_rate: 300 MB/s, read_latency: 0.1 ms,\n"
    "    write_latency: 0.1 ms",
}
READ, SEVERAL = "reads: 1, read_size: 8 KiB, cpu: 0 s", "reads: 4, read_size: 16 KiB, cpu: 1 ms"
UPDATE = "reads: 1, read_size: 4 KiB, cpu: 0.1 ms, updates: 2"


class Found(NamedTuple):
    """Transactions a second, seconds of one, and bytes a second of a backup."""

    rate: float
    response: float
    stream: float


def run_more(device: str, load: str, asked: str, streams: int, window: str = "") -> Found:
    jobs = "".join(f"  j{i}: {{method: image, data: d{i}, to: nowhere}}\n" for i in range(streams))
    jobs = jobs or "  j0: {method: observe, workload: users, duration: 100 s}\n"
    text = MORE_SCENARIO.replace("KIND", DEVICES[device]).replace("LOAD", load).replace("ASKED", asked)
    found = sb.simulate(text.replace("READS", f", read_ahead: {window}" if window else "") + jobs)
    users = "workloads.users.j0"
    rate = found.get("jobs.j0.rate") if streams else 0.0
    return Found(found.get(f"{users}.rate"), found.get(f"{users}.response"), rate)


def rises(found: list[float]) -> bool:
    """Whether no figure is below the one before it, by more than a share that rounds of settling leave."""
    return all(after >= before * 0.998 for before, after in pairwise(found))


@pytest.mark.slow
@for_each(
    "device, asked, streams, window",
    [
        ("disk", SEVERAL, 2, "128 KiB"),
        ("disk", UPDATE, 2, ""),
        ("raid0", SEVERAL, 2, ""),
        ("raid0", READ, 3, "8 MB"),
        ("raid6", SEVERAL, 2, ""),
        ("raid10", READ, 2, "128 KiB"),
        ("raid10", UPDATE, 2, ""),
        ("ssd", READ, 2, "128 KiB"),
    ],
)
@for_each("think", some([0.0, 1.0, 0.1], 2))
def test_the_more_users_wait_the_longer_each_does(
    device: str, asked: str, streams: int, window: str, think: float
) -> None:
    found = [
        run_more(device, f"clients: {n}, think_time: {think} s", asked, streams, window) for n in (1, 2, 5, 20, 100)
    ]
    assert rises([one.response for one in found])
    assert rises([one.rate for one in found])
    assert rises([1.0 / one.stream for one in found])


@for_each("device", DEVICES)
@for_each("asked", [READ, UPDATE])
def test_the_more_come_at_random_the_longer_each_takes(device: str, asked: str) -> None:
    found = [run_more(device, f"transactions: {rate} /s", asked, 2) for rate in (0.01, 1, 10, 40)]
    assert rises([one.response for one in found])
    assert rises([1.0 / one.stream for one in found])


@pytest.mark.slow
@for_each("device", DEVICES)
@for_each("load", ["transactions: 20 /s", "clients: 5", "clients: 5, think_time: 0.1 s"])
def test_the_more_streams_the_longer_users_wait(device: str, load: str) -> None:
    found = [run_more(device, load, SEVERAL, streams) for streams in (0, 1, 2, 3)]
    assert rises([one.response for one in found])
    assert rises([1.0 / one.rate for one in found])


@for_each(
    "device, load, groups",
    [
        ("disk", "transactions: {} /s", (300, 100)),
        ("raid0", "transactions: {} /s", (1000, 1000)),
        ("ssd", "clients: {}, think_time: 1 ms", (100, 50)),
        ("ssd", "transactions: {} /s", (40_000, 40_000)),
    ],
)
def test_several_groups_leave_a_stream_what_one_does(device: str, load: str, groups: tuple[int, int]) -> None:
    """A device has too little time for all: what the groups get is in proportion to what they ask for."""
    text = MORE_SCENARIO.replace("KIND", DEVICES[device]).replace("ASKED", READ).replace("READS", "")
    text += "  j0: {method: image, data: d1, to: nowhere}\n"
    others = f"  others: {{data: d0, {load.format(groups[1])}, {READ}, writes: 0 %}}\njobs:\n"
    whole = sb.simulate(text.replace("LOAD", load.format(sum(groups))))
    parts = sb.simulate(text.replace("LOAD", load.format(groups[0])).replace("jobs:\n", others))
    assert parts.get("jobs.j0.elapsed") == pytest.approx(whole.get("jobs.j0.elapsed"), rel=0.01)
    rates = [parts.get(f"workloads.{name}.j0.rate") for name in ("users", "others")]
    expected = [whole.get("workloads.users.j0.rate") * group / sum(groups) for group in groups]
    assert rates == pytest.approx(expected, rel=0.01)


def test_a_job_that_users_leave_nothing_is_named() -> None:
    with pytest.raises(InputError, match=r":\d+:\d+: jobs\.j0: never ends, as others leave nothing"):
        run_more("disk", "clients: 1000000000, think_time: 0 s", READ, 1, "128 KiB")
