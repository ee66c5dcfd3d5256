"""Tape against figures of its own: the way of a locate, stops step by step, and the queue before a robot."""

import math
import statistics
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest
import simpy
from oracles.queues import md1_wait, mm1_wait, mmc_wait

from simbackup.devices.library import Cartridge, Library
from simbackup.devices.tape.live import TapeDrive
from simbackup.engine.link import Link
from simbackup.equations import streaming, tape
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.trace.clock import Clock
from simbackup.trace.trace import Trace
from tests.cases import for_each

SCENARIO = """
title: One tape of ten passes
hosts:
  filer: {model: host/linux-modern-server, owns: [array, jukebox]}
devices:
  array: {model: disk/nearline-20tb-2022}
  jukebox:
    model: tape_library/autoloader-8
    exchange_time: 10 s
    drives: 1
    drive:
      model: tape_drive/quantum-dlt7000
      native_rate: 10 MB/s
      cartridge_capacity: 10 GB
      tape_length: 100 m
      passes: 10
      read_speed: 1 m/s
      search_speed: 5 m/s
      load_time: 30 s
      unload_time: 11 s
      locate_overhead: 2 s
      turn_time: 1 s
data:
  users: {on: array, size: 9 GB, files: 1000}
jobs:
  full: {method: image, data: users, to: jukebox}
"""


def run(select: str) -> Result:
    return simulate(f"{SCENARIO}  some: {{restore: full, select: {{{select}}}, after: full}}\n")


def spent(result: Result, activity: str) -> list[float]:
    return [s.end - s.start for s in result.trace.spans if s.job == "jobs.some" and s.activity == activity]


def metres(byte: float) -> float:
    """Where a byte lies: a pass holds 1 GB and 100 m, the odd ones run back."""
    number, along = divmod(byte / 1e9, 1.0)
    return 100.0 * (1.0 - along if number % 2 else along)


def way(here: float, there: float) -> float:
    """Seconds from a byte to another: read on where that is quicker, else search, and turn where the way turns."""
    far = abs(metres(there) - metres(here))
    if here < there and here // 1e9 == there // 1e9:
        return min(far / 1.0, 2.0 + far / 5.0)
    return 2.0 + far / 5.0 + 1.0


@for_each(
    "share, seconds",
    [
        (0.05, 2.0 + 45.0 / 5.0),  # 45 m into the first pass
        (1.5 / 900.0, 1.5),  # 1.5 m into it: reading on is quicker
        (2.0 / 9.0, 2.0 + 0.0 + 1.0),  # where the third pass begins
        (0.5, 2.0 + 50.0 / 5.0 + 1.0),  # half of the fifth pass
        (0.25, 2.0 + 25.0 / 5.0 + 1.0),  # a quarter of the third pass
        (1.0 / 6.0, 2.0 + 50.0 / 5.0 + 1.0),  # half of the second, which runs back
    ],
)
def test_one_locate_by_hand(share: float, seconds: float) -> None:
    result = run(f"files: 1, size: 1 MB, at: {100.0 * share!r} %")
    assert spent(result, "locate") == [pytest.approx(seconds)]


def test_locates_of_files_in_their_order_on_the_tape() -> None:
    count, each, part = 40, 5e5, 9e9 / 40
    golden = (math.sqrt(5.0) - 1.0) / 2.0
    places = [i * part + (0.5 + i * i * golden) % 1.0 * (part - each) for i in range(count)]
    result = run(f"files: {count}, size: 20 MB")
    heads = [0.0, *(place + each for place in places)]
    ways = [way(here, there) for here, there in zip(heads, places, strict=False)]
    assert spent(result, "locate") == pytest.approx(ways, rel=1e-6)
    back = 2.0 + metres(places[-1] + each) / 5.0
    assert spent(result, "rewind") == [pytest.approx(back)]
    total = 10.0 + 30.0 + sum(ways) + 20e6 / 10e6 + back + 11.0 + 10.0
    assert result.get("jobs.some.elapsed") == pytest.approx(total, rel=1e-6)


def test_files_that_lie_together_are_read_on_from_one_to_the_next() -> None:
    result = run("files: 40, size: 20 MB, at: 50 %")
    assert spent(result, "locate") == [pytest.approx(way(0.0, 4.5e9))]
    assert sum(spent(result, "transfer")) == pytest.approx(2.0)


def test_the_mean_of_many_locates_from_the_beginning_is_the_access_time() -> None:
    """The closed mean of a whole cartridge, from restores of one file each."""
    drive = tape.TapeDriveParameters(10e6, 10e9, 100.0, 10, 1.0, 5.0, 30.0, 11.0, 2.0, 1.0, 8e6)
    number = 200
    places = [f"{(i + 0.5) / number * 100!r} %" for i in range(number)]
    jobs = "".join(
        f"  f{i}: {{restore: full, select: {{files: 1, size: 1 kB, at: {place}}}, after: full}}\n"
        for i, place in enumerate(places)
    )
    ways = [
        s.end - s.start
        for s in simulate(SCENARIO.replace("size: 9 GB", "size: 10 GB") + jobs).trace.spans
        if s.activity == "locate"
    ]
    assert len(ways) == number
    assert float(np.mean(ways)) == pytest.approx(tape.mean_locate_from_start(drive), rel=1e-3)


BLOCKS = 400
"""Blocks of a full buffer in the simulation of stops: one block is the error of a cycle."""


def cycles(
    drive: tape.TapeDriveParameters, host: float, drained: float, stops: int, ratio: float = 1.0
) -> tuple[float, float, float]:
    """Bytes accepted from one stop of the tape to a later one, the seconds between, and those of them in which the
    host had to wait.

    A host that makes one block after the other, and a tape that writes one after the other until there is none; then
    it stops, and for the time of a reposition it writes nothing.
    """
    env, block = simpy.Environment(), ratio * drive.buffer / BLOCKS
    buffer = simpy.Container(env, BLOCKS)
    accepted, marks, waited = [0], list[tuple[float, int]](), list[tuple[float, float]]()
    stopped = env.event()

    def make() -> Generator[simpy.Event, Any, None]:
        while True:
            yield env.timeout(block / host)
            begin = env.now
            yield buffer.put(1)
            accepted[0] += 1
            if env.now > begin + 1e-9 * block / host:
                waited.append((begin, env.now - begin))

    def write() -> Generator[simpy.Event, Any, None]:
        while len(marks) <= stops:
            if buffer.level == 0:
                marks.append((env.now, accepted[0]))
                yield env.timeout(drive.reposition_time)
            yield buffer.get(1)
            yield env.timeout(block / (ratio * drained))
        stopped.succeed()

    env.process(make())
    env.process(write())
    env.run(until=stopped)
    (begin, first), (end, last) = marks[1], marks[-1]
    return block * (last - first), end - begin, sum(wait for at, wait in waited if begin <= at < end)


STOPS = [
    # host and tape (bytes a second), seconds of a reposition, bytes of buffer
    (4e6, 5e6, 4.0, 8e6),
    (4.5e6, 5e6, 2.5, 8e6),
    (1e6, 5e6, 20.0, 8e6),
    (70e6, 80e6, 3.0, 64e6),
    (30e6, 80e6, 3.0, 64e6),
]


@pytest.mark.slow
@for_each("host, drained, reposition, buffer", STOPS)
@for_each("slows", [False, True])
@for_each("ratio", [1.0, 2.5])
def test_stops_one_by_one_agree_with_the_closed_form(
    host: float, drained: float, reposition: float, buffer: float, ratio: float, *, slows: bool
) -> None:
    native = 2.0 * drained if slows else drained
    drive = tape.TapeDriveParameters(
        native, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, buffer,
        reposition_time=reposition, slowest_rate=drained if slows else None,
    )  # fmt: skip
    host *= ratio
    accepted, seconds, waited = cycles(drive, host, drained, 6, ratio)
    expected = streaming.stop_start_rate(drive, host, ratio)
    assert expected < host * (1 - 4.0 / BLOCKS)
    assert accepted / seconds == pytest.approx(expected, rel=2.0 / BLOCKS)
    assert waited / seconds == pytest.approx(streaming.held_up_share(drive, host, ratio), abs=2.0 / BLOCKS)


@for_each("host, reposition", [(1e6, 7.0), (2e6, 3.5), (4e6, 1.9)])
def test_a_buffer_that_covers_each_stop_never_holds_the_host_up(host: float, reposition: float) -> None:
    drive = tape.TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6, reposition_time=reposition)
    accepted, seconds, waited = cycles(drive, host, 5e6, 6)
    assert waited == 0.0
    assert accepted / seconds == pytest.approx(streaming.stop_start_rate(drive, host), rel=2.0 / BLOCKS)


@pytest.mark.slow
@for_each("hosts", [(30e6, 20e6, 20e6), (25e6, 45e6), (5e6, 5e6, 60e6)])
def test_blocks_of_several_hosts_one_by_one_agree_with_the_closed_form_of_their_sum(hosts: tuple[float, ...]) -> None:
    """Each host makes blocks at its rate and waits while the buffer is full; the tape takes them as they came."""
    drive = tape.TapeDriveParameters(
        80e6, 400e9, 680, 44, 5.3, 7, 19, 20, 4, 3, 64e6, reposition_time=3.0
    )  # fmt: skip
    env, block = simpy.Environment(), drive.buffer / BLOCKS
    buffer, accepted, stops = simpy.Container(env, BLOCKS), [0.0 for _ in hosts], list[tuple[float, list[float]]]()
    stopped = env.event()

    def make(number: int) -> Generator[simpy.Event, Any, None]:
        while True:
            yield env.timeout(block / hosts[number])
            yield buffer.put(1)
            accepted[number] += block

    def write() -> Generator[simpy.Event, Any, None]:
        while len(stops) < 8:
            if buffer.level == 0:
                stops.append((env.now, [*accepted]))
                yield env.timeout(drive.reposition_time)
            yield buffer.get(1)
            yield env.timeout(block / drive.native_rate)
        stopped.succeed()

    for number in range(len(hosts)):
        env.process(make(number))
    env.process(write())
    env.run(until=stopped)
    (begin, before), (end, after) = stops[1], stops[-1]
    came = [(now - then) / (end - begin) for now, then in zip(after, before, strict=True)]
    expected = streaming.stop_start_rate(drive, sum(hosts))
    assert expected < 0.95 * sum(hosts)
    assert sum(came) == pytest.approx(expected, rel=0.02)
    for each, host in zip(came, hosts, strict=True):
        assert each == pytest.approx(host * expected / sum(hosts), rel=0.02)


def commands(drive: tape.TapeDriveParameters, prepare: float, block: float, number: int) -> float:
    """Bytes a second of a host that prepares one record while another is with a drive that writes through.

    Each record is sent when the one before is on the tape, which has run on and backs up meanwhile.
    """
    env = simpy.Environment()
    ready = simpy.Store(env, 1)
    written = list[float]()
    finished = env.event()

    def make() -> Generator[simpy.Event, Any, None]:
        while True:
            yield env.timeout(prepare)
            yield ready.put(block)

    def back_up() -> Generator[simpy.Event, Any, None]:
        yield env.timeout(drive.reposition_time)

    def write() -> Generator[simpy.Event, Any, None]:
        backed: simpy.Event = env.timeout(0.0)
        while len(written) <= number:
            yield ready.get()
            yield env.timeout(drive.command_time)
            yield env.timeout(block / drive.host_rate)
            yield backed
            yield env.timeout(block / drive.native_rate)
            written.append(env.now)
            backed = env.process(back_up())
        finished.succeed()

    env.process(make())
    env.process(write())
    env.run(until=finished)
    return block * (number - 1) / (written[-1] - written[1])


@for_each("block", [2e3, 10e3, 60e3])
@for_each("host", [10e3, 40e3, 1e6])
@for_each("reposition", [0.01, 0.4])
def test_records_one_by_one_agree_with_the_closed_form_of_a_drive_that_writes_through(
    block: float, host: float, reposition: float
) -> None:
    drive = tape.TapeDriveParameters(
        90e3, 296e6, 183, 48, 2.5, 2.5, 40, 40, 2, 1, 64e3,
        host_rate=1e6, command_time=2e-3, reposition_time=reposition, write_through=True,
    )  # fmt: skip
    seen = commands(drive, block / host, block, 200)
    assert seen == pytest.approx(streaming.stop_start_rate(drive, host, block=block), rel=0.01)


@pytest.mark.slow
@for_each("block, each", [(64512.0, 1e-4), (262144.0, 1e-4), (262144.0, 5e-5), (10240.0, 2e-4)])
def test_commands_one_by_one_into_a_buffer_agree_with_the_rate_of_the_interface(block: float, each: float) -> None:
    """A drive that compresses well: its buffer never fills, and one command follows the other."""
    drive = tape.TapeDriveParameters(
        140e6, 1.5e12, 846, 80, 6.3, 7, 12, 17, 4, 3, 256e6, host_rate=280e6, command_time=each, reposition_time=3,
        slowest_rate=40e6,
    )  # fmt: skip
    env = simpy.Environment()
    buffer = simpy.Container(env, drive.buffer)
    sent = [0]

    def send() -> Generator[simpy.Event, Any, None]:
        while True:
            yield env.timeout(drive.command_time + block / drive.host_rate)
            yield buffer.put(block / 20.0)
            sent[0] += 1

    def drain() -> Generator[simpy.Event, Any, None]:
        while True:
            yield env.timeout(drive.reposition_time)  # stopped, and empty before
            while buffer.level >= 1e5:
                yield buffer.get(1e5)
                yield env.timeout(1e5 / drive.native_rate)

    env.process(send())
    env.process(drain())
    env.run(until=20.0)
    assert sent[0] * block / 20.0 == pytest.approx(streaming.stop_start_rate(drive, math.inf, 20.0, block), rel=0.01)


SEED = 7
ARRIVALS = 20_000
BATCHES = 40
DEVIATIONS = 3.56
"""Half the width of the interval in standard errors: 99.9 % by Student's t of 39 degrees of freedom."""


def mount_waits(load: float, robots: int, exchange: float) -> list[float]:
    """The wait for a robot of each of many mounts that are asked for independently of each other."""
    env, trace, rng = simpy.Environment(), Trace(), np.random.default_rng(SEED)
    figures = tape.TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6)
    spare = TapeDrive("drive", Link("drive", 1.0), figures)
    library = Library(Clock(env, trace), "library", simpy.Resource(env, robots), exchange, [], [spare])
    gaps = rng.exponential(exchange / (robots * load), ARRIVALS)

    def arrive() -> Generator[simpy.Event, Any, None]:
        mounts: list[simpy.Event] = []
        for i, gap in enumerate(gaps):
            yield env.timeout(gap)
            drive = TapeDrive(f"drive.{i}", Link(f"drive.{i}", 1.0), figures)
            mounts.append(env.process(library.mount(str(i), drive, Cartridge(f"cartridge.{i}", 35e9))))
        yield env.all_of(mounts)

    env.run(until=env.process(arrive()))
    waits = [0.0] * ARRIVALS
    for span in trace.spans:
        if span.activity == "mount queue":
            waits[int(span.job)] = span.end - span.start
    return waits


def interval(sample: list[float]) -> tuple[float, float]:
    """Confidence interval of the mean of values that depend on those before them, from the means of batches."""
    settled = sample[ARRIVALS // 20 :]
    size = len(settled) // BATCHES
    means = [statistics.fmean(settled[i * size : (i + 1) * size]) for i in range(BATCHES)]
    half = DEVIATIONS * statistics.stdev(means) / math.sqrt(BATCHES)
    return statistics.fmean(means) - half, statistics.fmean(means) + half


@pytest.mark.slow
@for_each("load", [0.3, 0.6, 0.8])
def test_the_mount_queue_of_one_robot_is_that_of_constant_service(load: float) -> None:
    low, high = interval(mount_waits(load, 1, 12.0))
    assert low <= md1_wait(load / 12.0, 12.0) <= high
    # Narrow enough to tell the answer from that of a robot a tenth slower, and from that of exponential service.
    assert high < md1_wait(load / 12.0, 1.1 * 12.0)
    assert high < mm1_wait(load / 12.0, 12.0)


@pytest.mark.slow
def test_two_robots_wait_less_than_two_of_exponential_service_and_more_than_half_of_that() -> None:
    low, high = interval(mount_waits(0.7, 2, 12.0))
    exponential = mmc_wait(2 * 0.7 / 12.0, 12.0, 2)
    assert 0.5 * exponential <= high
    assert exponential > high
    assert high < md1_wait(0.7 / 12.0, 12.0)
    assert low > 0.0
