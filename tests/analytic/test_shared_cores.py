"""Threads of jobs and of users share cores, and streams share mirrors: exact solutions, and whole runs."""

import math

import pytest
from oracles.queues import mmc_wait

import simbackup as sb
from simbackup.equations.queueing import Centre, interactive_rate, mva_pooled, processor_sharing
from simbackup.results.result import Result
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("no_serial_share")


@for_each("servers", [1, 2, 8, 64])
@for_each("load", [0.1, 0.5, 0.9, 0.99])
def test_without_threads_it_is_the_queue_with_several_servers(servers: int, load: float) -> None:
    """Erlang's C formula."""
    rate = load * servers / 0.01
    assert processor_sharing(0.01, load * servers, servers) == pytest.approx(0.01 + mmc_wait(rate, 0.01, servers))


@for_each("threads", [0.5, 1.0, 3.0, 20.0])
@for_each("load", [0.0, 0.3, 0.8, 0.99, 0.9999])
def test_one_core_is_divided_among_all(threads: float, load: float) -> None:
    """R = s (1 + K) / (1 - a): the product form of a queue with K customers that never leave."""
    expected = (1.0 + threads) / (1.0 - load)
    assert processor_sharing(1.0, load, 1.0, threads) == pytest.approx(expected, rel=3e-3 if load > 0.998 else 1e-9)


def test_more_than_all_cores_answer_never() -> None:
    assert math.isinf(processor_sharing(0.01, 8.0, 8.0))


def of_machines(users: int, think: float, servers: int, threads: int) -> float:
    """Transactions a second of users who think, and then share cores with threads, each for a second of work.

    The birth and death process of those at the cores: as in the repair of machines.
    """
    weights = [1.0]
    for here in range(1, users + 1):
        served = here * min(1.0, servers / (here + threads))
        weights.append(weights[-1] * (users - here + 1) / think / served)
    busy = [0.0, *(here * min(1.0, servers / (here + threads)) for here in range(1, users + 1))]
    return sum(w * b for w, b in zip(weights, busy, strict=True)) / sum(weights)


def centre(servers: int, threads: float) -> Centre:
    return Centre(1.0 + threads, 1.0 / servers, servers=float(servers), alone=1.0)


@for_each("servers", [1, 2, 8])
@for_each("threads", [0, 1, 7, 8, 16])
@for_each("users", [1, 2, 8, 40])
@for_each("think", [0.1, 1.0, 10.0])
def test_users_who_wait_beside_threads(users: int, think: float, servers: int, threads: int) -> None:
    """Within a tenth, as means stand for numbers that vary; exact for one user."""
    exact = of_machines(users, think, servers, threads)
    assert interactive_rate([centre(servers, threads)], users, think) == pytest.approx(
        exact, rel=1e-9 if users == 1 else 0.1
    )


@for_each("users", [1, 4, 8, 9, 30])
def test_users_who_never_think_keep_all_cores_busy(users: int) -> None:
    exact = mva_pooled([], users, 0.0, (1.0, 8)).throughput
    assert interactive_rate([centre(8, 0.0)], users) == pytest.approx(exact)


SITE = """\
title: Users beside threads that compress
hosts:
  server: {owns: [flash, store], cores: 8, speed: 1, memory: 100 GB, dirty_limit: 90 %, dirty_background: 80 %,
    copy_rate: 100 GB/s}
devices:
  flash: &flash {kind: ssd, capacity: 10 TB, read_rate: 100 GB/s, write_rate: 100 GB/s, read_latency: 0 s,
    write_latency: 0 s}
  store: *flash
data:
  files: {on: flash, size: 100 GB, compression: 2}
workloads:
  users: {data: files, USERS, reads: 0, read_size: 8 KiB, cpu: 1 ms, writes: 0 %}
jobs:
  save: {method: image, data: files, to: store, compressor: {compress_cpu: 10 ns/B, expand_cpu: 1 ns/B,
    threads: THREADS}}
"""


def beside(users: str, threads: int) -> Result:
    return sb.simulate(SITE.replace("USERS", users).replace("THREADS", str(threads)))


@for_each("threads", [1, 4, 7, 8, 9, 12, 16])
def test_one_user_beside_compressing_threads_shares_the_cores_with_them(threads: int) -> None:
    """A ninth thread on eight cores makes all of them 9/8 times as slow: nothing happens of a sudden."""
    response = beside("clients: 1", threads).get("workloads.users.save.response")
    copying = 0.01  # cores that the copies of the bytes keep busy beside the threads
    assert response == pytest.approx(1e-3 * max(1.0, (1.0 + threads) / 8.0), rel=copying)


@for_each("threads", [1, 4, 7, 8, 9, 16])
def test_transactions_at_random_beside_compressing_threads(threads: int) -> None:
    response = beside("transactions: 1000 /s", threads).get("workloads.users.save.response")
    assert response == pytest.approx(processor_sharing(1e-3, 1.0, 8.0, threads), rel=0.02)


# Streams at mirrored rotating disks: each reader has a copy, a writer all of them
RATE, TURN, RUN = 100e6, 0.010, 1_000_000.0  # bytes a second of a disk; seconds of a turn; bytes of a turn
MIRROR_SITE = """\
title: Readers and writers of an array
hosts:
  server: {owns: [array, source, sink, other], cores: 64, memory: 8 GiB, dirty_limit: 90 %, dirty_background: 0 %,
    copy_rate: 1000 GB/s, speed: 1, read_ahead: 1 MB, looks_ahead: true}
devices:
  source: {kind: ssd, capacity: 4 TB, read_rate: 10 GB/s, write_rate: 10 GB/s, read_latency: 0 s, write_latency: 0 s}
  array: {kind: raid, level: "LEVEL", disks: DISKS, stripe_unit: 10 kB, controller_overhead: 0 s, MORE disk: {
    capacity: 1 TB, rotation_speed: 10000 / min, track_to_track_seek: 7 ms, average_seek: 7 ms, full_stroke_seek: 7 ms,
    outer_rate: 100 MB/s, inner_rate: 100 MB/s, command_overhead: 0 s, stream_turn: 1 MB}}
  sink: {kind: nul}
  other: {kind: nul}
"""


def rates(level: str, disks: int, *, readers: int, writers: int = 0, more: str = "") -> tuple[list[float], list[float]]:
    """Bytes a second of readers and of writers that begin together and take equally long."""
    data = "".join(f"  read{i}: {{on: array, size: 100 GB}}\n" for i in range(readers))
    jobs = "".join(f"  reader{i}: {{method: image, data: read{i}, to: sink}}\n" for i in range(readers))
    data += "".join(f"  written{i}: {{on: source, size: 100 GB}}\n" for i in range(writers))
    jobs += "".join(f"  writer{i}: {{method: image, data: written{i}, to: array}}\n" for i in range(writers))
    site = MIRROR_SITE.replace("LEVEL", level).replace("DISKS", str(disks)).replace("MORE", more)
    rows = sb.simulate(f"{site}data:\n{data}jobs:\n{jobs}").job_rows
    found = {row["job"]: float(row["rate"]) for row in rows}
    return [found[f"reader{i}"] for i in range(readers)], [found[f"writer{i}"] for i in range(writers)]


@for_each("level, disks, data", [("1", 2, 1), ("10", 4, 2), ("10", 8, 4)])
def test_two_readers_of_a_mirror_have_a_copy_each(level: str, disks: int, data: int) -> None:
    """One reader gets what half of the disks give; two get twice that, and nobody turns."""
    for readers in (1, 2):
        found, _ = rates(level, disks, readers=readers)
        assert found == pytest.approx([data * RATE] * readers, rel=1e-3)


def test_three_copies_serve_three_readers() -> None:
    found, _ = rates("1", 3, readers=3)
    assert found == pytest.approx([RATE] * 3, rel=1e-3)


@for_each("readers, turning", [(3, 0.5), (4, 1.0), (6, 1.0)])
def test_more_readers_than_copies_turn(readers: int, turning: float) -> None:
    """R readers at 2 copies find R / 2 - 1 others before each run, one at most: `2 / (1 / rate + share turn / run)`."""
    found, _ = rates("10", 4, readers=readers)
    each = 1.0 / RATE + turning * TURN / RUN
    assert sum(found) == pytest.approx(2 * 2 / each, rel=1e-3)


def test_a_writer_works_at_all_copies() -> None:
    """A reader reads and turns at one of two copies; the writer writes to both, and turns where the reader is."""
    (reader,), (writer,) = rates("1", 2, readers=1, writers=1)
    turn = TURN / RUN
    each = (1.0 / RATE + turn) / 2 + 1.0 / RATE + turn / 2
    assert [reader, writer] == pytest.approx([1.0 / each] * 2, rel=1e-3)


def test_a_pair_that_has_lost_a_disk_serves_one_reader() -> None:
    found, _ = rates("10", 4, readers=2, more="failed: 1,")
    each = 1.0 / RATE + TURN / RUN
    assert sum(found) == pytest.approx(2 / each, rel=1e-3)


def test_a_controller_may_give_less_than_both_copies() -> None:
    """The first gets all that a copy has; two share what passes the controller."""
    for readers, each in ((1, RATE), (2, 75e6)):
        found, _ = rates("1", 2, readers=readers, more="controller_rate: 150 MB/s,")
        assert found == pytest.approx([each] * readers, rel=1e-3)
