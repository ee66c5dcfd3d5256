"""Copy-on-write event by event: one thread that copies chunk by chunk, writers that it holds, and a device in order."""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import simpy

from simbackup.equations.snapshot import CopyOnWriteParameters, records_per_area

Wait = Generator[simpy.Event, Any, None]


class Times(NamedTuple):
    """Seconds of each request of a writer at one device, and the mean seconds that it does something else meanwhile."""

    read: float
    copy: float
    commit: float
    own: float
    think: float = 0.0


class Writes(NamedTuple):
    """Writes a second of all writers, and commits for each."""

    rate: float
    commits: float


@dataclass(slots=True)
class _Thread:
    """The thread that copies: what is pending, who is held, and whether it waits for a commit."""

    env: simpy.Environment
    device: simpy.Resource
    times: Times
    records: int
    pending: int = 0
    recorded: int = 0
    commits: int = 0
    held: list[simpy.Event] = field(default_factory=list[simpy.Event])
    committed: simpy.Event | None = None

    def request(self, seconds: float) -> Wait:
        """One request of the device, which takes them in their order."""
        with self.device.request() as turn:
            yield turn
            yield self.env.timeout(seconds)

    def copy(self, done: simpy.Event) -> Wait:
        """Read, write, and commit if nobody else is pending or the metadata chunk is full; `done` when committed."""
        self.pending += 1
        for seconds in (self.times.read, self.times.copy):
            while self.committed is not None:
                yield self.committed
            yield from self.request(seconds)
        while self.committed is not None:
            yield self.committed
        self.pending -= 1
        self.recorded += 1
        self.held.append(done)
        if self.pending and self.recorded % self.records:
            return
        self.committed, held, self.held = self.env.event(), self.held, []
        yield from self.request(self.times.commit)
        self.commits += 1
        for each in held:
            each.succeed()
        event, self.committed = self.committed, None
        event.succeed()


def first_writes(writers: int, times: Times, *, fresh: float = 1.0, writes: int = 20000, seed: int = 0) -> Writes:
    """Writers who wait for each of their writes, a share of which needs a copy of one chunk first."""
    env, rng = simpy.Environment(), random.Random(seed)  # noqa: S311 (no secret)
    thread = _Thread(env, simpy.Resource(env), times, 2**62)
    done, all_done = [0], env.event()

    def writer() -> Wait:
        while True:
            if times.think:
                yield env.timeout(rng.expovariate(1.0 / times.think))
            if rng.random() < fresh:
                copied = env.event()
                env.process(thread.copy(copied))
                yield copied
            yield from thread.request(times.own)
            done[0] += 1
            if done[0] == writes:
                all_done.succeed()

    for _ in range(writers):
        env.process(writer())
    env.run(until=all_done)
    return Writes(writes / env.now, thread.commits / writes)


@dataclass(frozen=True, slots=True)
class Arm:
    """A device with one arm: seconds of a request that begins where the last one ended, or elsewhere, and a byte."""

    near: float
    far: float
    byte: float

    def seconds(self, before: tuple[str, float], now: tuple[str, float], size: float) -> float:
        """Seconds of a request in an area (name, position) when the last one ended in one."""
        return (self.near if before[0] == now[0] else self.far) + size * self.byte


def sequential_first_writes(
    cow: CopyOnWriteParameters, arm: Arm, *, waiting: float | None = None, total: float = 2.0**30, seed: int = 0
) -> float:
    """Bytes a second of first writes in sequence, chunk by chunk, with origin and copy area on one device.

    The bytes that wait are one request, or a run of the page cache whose length is drawn anew each time. Chunks that
    were copied by the run before need nothing; the memory for copies takes so many of the others at once. Each request
    waits in the idle queue of the block layer; only a commit is pushed.
    """
    rng = random.Random(seed)  # noqa: S311 (no secret)
    records, chunk = records_per_area(cow), cow.chunk
    written = copied = seconds = 0.0
    head: tuple[str, float] = ("origin", 0.0)
    recorded = 0

    def request(area: str, position: float, size: float, *, pushed: bool = False) -> float:
        nonlocal head
        time = arm.seconds(head, (area, position), size) + (0.0 if pushed else cow.unplug_delay)
        head = (area, position + size)
        return time

    while written < total:
        run = waiting if waiting is not None else rng.expovariate(1.0 / cow.commit_backlog)
        end, fresh = written + run, 0
        while copied < end:  # each chunk that begins within the run
            copied += chunk
            fresh += 1
        if not fresh:  # straight to the origin, at the pace of a stream
            seconds += run * arm.byte
        for together in _rounds(fresh, cow):
            seconds += request("origin", copied, together * chunk)
            seconds += request("area", copied, together * chunk)
        if fresh:
            seconds += request("area", copied, chunk, pushed=True)
            for _ in range((recorded + fresh) // records - recorded // records):
                seconds += request("area", copied, chunk, pushed=True)
            recorded += fresh
            seconds += request("origin", written, run)
        written = end
    return written / seconds


def _rounds(chunks: int, cow: CopyOnWriteParameters) -> Sequence[float]:
    """Chunks that are copied at once, round by round."""
    most, left, rounds = max(cow.in_flight / cow.chunk, 1e-9), float(chunks), list[float]()
    while left > 1e-9:
        rounds.append(min(most, left))
        left -= rounds[-1]
    return rounds
