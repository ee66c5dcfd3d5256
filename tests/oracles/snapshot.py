"""Copy-on-write event by event: one thread that copies chunk by chunk, writers that it holds, and a device in order."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import simpy

from simbackup.devices.store import Direction, Region
from simbackup.equations.snapshot import CopyOnWriteParameters, records_per_area
from simbackup.trace.clock import Process


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


Served = float | Callable[[], float]
"""Seconds of a request, or what says them when it is served."""


@dataclass(slots=True)
class _Device:
    """A device that serves requests in their order; copies that wait together may be written as one, after the rest."""

    env: simpy.Environment
    gathers: bool
    queue: list[tuple[Served, simpy.Event]] = field(default_factory=list[tuple["Served", simpy.Event]])
    copies: list[tuple[Served, simpy.Event]] = field(default_factory=list[tuple["Served", simpy.Event]])
    busy: bool = False

    def request(self, seconds: Served, *, copy: bool = False) -> simpy.Event:
        """A request, which is done when the event happens; its seconds may depend on those before it."""
        done = self.env.event()
        (self.copies if copy and self.gathers else self.queue).append((seconds, done))
        if not self.busy:
            self.busy = True
            self.env.process(self._serve())
        return done

    def _serve(self) -> Process:
        while self.queue or self.copies:
            if self.queue:
                one = [self.queue.pop(0)]
            else:
                one, self.copies = self.copies, []
            seconds = one[0][0]
            yield self.env.timeout(seconds() if callable(seconds) else seconds)
            for _, done in one:
                done.succeed()
        self.busy = False


@dataclass(slots=True)
class _Thread:
    """The thread that copies: what is pending, who is held, and whether it waits for a commit."""

    env: simpy.Environment
    device: _Device
    commit: Served
    pending: int = 0
    commits: int = 0
    held: list[simpy.Event] = field(default_factory=list[simpy.Event])
    committed: simpy.Event | None = None

    def copy(self, read: Served, write: Served, done: simpy.Event) -> Process:
        """Read, write, and commit if nobody else is pending; `done` when committed."""
        self.pending += 1
        for seconds, copy in ((read, False), (write, True)):
            while self.committed is not None:
                yield self.committed
            yield self.device.request(seconds, copy=copy)
        while self.committed is not None:
            yield self.committed
        self.pending -= 1
        self.held.append(done)
        if self.pending:
            return
        self.committed, held, self.held = self.env.event(), self.held, []
        yield self.device.request(self.commit)
        self.commits += 1
        for each in held:
            each.succeed()
        event, self.committed = self.committed, None
        event.succeed()


def first_writes(
    writers: int, times: Times, *, fresh: float = 1.0, gathers: bool = False, writes: int = 8000, seed: int = 0
) -> Writes:
    """Writers who wait for each of their writes, a share of which needs a copy of one chunk first."""
    env, rng = simpy.Environment(), random.Random(seed)  # noqa: S311 (no secret)
    device = _Device(env, gathers)
    thread = _Thread(env, device, times.commit)
    done, all_done = [0], env.event()

    def writer() -> Process:
        while True:
            if times.think:
                yield env.timeout(rng.expovariate(1.0 / times.think))
            if rng.random() < fresh:
                copied = env.event()
                env.process(thread.copy(times.read, times.copy, copied))
                yield copied
            yield device.request(times.own)
            done[0] += 1
            if done[0] == writes:
                all_done.succeed()

    for _ in range(writers):
        env.process(writer())
    env.run(until=all_done)
    return Writes(writes / env.now, thread.commits / writes)


def scattered_first_writes(
    writers: int, region: Region, area: float, chunk: float, *, gathers: bool, writes: int = 2000, seed: int = 0
) -> float:
    """Writes a second of writers who each wait for a chunk anywhere in a region, copied to an area of the same device.

    Each request begins where the arm stood after the one before; copies take places side by side in the area.
    """
    env, rng = simpy.Environment(), random.Random(seed)  # noqa: S311 (no secret)
    store, device, head = region.store, _Device(env, gathers), region.begin
    copied, done, all_done = 0, 0, env.event()

    def seconds(direction: Direction, position: float | None) -> Callable[[], float]:
        def served() -> float:
            nonlocal head, copied
            copied += position is None
            at = area + copied * chunk if position is None else position
            time, head = store.request(direction, head, at, chunk).latency, at + chunk
            return time

        return served

    thread = _Thread(env, device, seconds("write", area))

    def writer() -> Process:
        nonlocal done
        while True:
            position, held = region.begin + rng.random() * (region.size - chunk), env.event()
            env.process(thread.copy(seconds("read", position), seconds("write", None), held))
            yield held
            yield device.request(seconds("write", position))
            done += 1
            if done == writes:
                all_done.succeed()

    for _ in range(writers):
        env.process(writer())
    env.run(until=all_done)
    return writes / env.now


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


def image_read(
    origin: Region, area: Region, chunk: float, copied: float, *, used: float, seed: int = 0
) -> tuple[float, float]:
    """Seconds to read an image chunk by chunk on origin and copy area, a share of whose chunks was copied at random.

    One that was copied lies anywhere in the used part of the area. The others are read on as a stream, or with a
    request where the arm comes back; an arm of its own goes on over what is left out.
    """
    rng, seconds = random.Random(seed), {origin.store.name: 0.0, area.store.name: 0.0}  # noqa: S311 (no secret)
    heads = {area.store.name: area.begin} | {origin.store.name: origin.begin}
    position = origin.begin
    while position < origin.begin + origin.size:
        if rng.random() < copied:
            store, at = area.store, area.begin + rng.random() * used
        else:
            store, at = origin.store, position
        name = store.name
        if store is origin.store and (area.store is not origin.store or heads[name] == at):
            seconds[name] += (at + chunk - heads[name]) * store.stream("read", at, chunk)
        else:
            seconds[name] += store.request("read", heads[name], at, chunk).latency
        heads[name] = at + chunk
        position += chunk
    if area.store is origin.store:
        return seconds[origin.store.name], 0.0
    return seconds[origin.store.name], seconds[area.store.name]


def _rounds(chunks: int, cow: CopyOnWriteParameters) -> Sequence[float]:
    """Chunks that are copied at once, round by round."""
    most, left, rounds = max(cow.in_flight / cow.chunk, 1e-9), float(chunks), list[float]()
    while left > 1e-9:
        rounds.append(min(most, left))
        left -= rounds[-1]
    return rounds
