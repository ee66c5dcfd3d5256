"""Buffers between two sides, request by request: disks with one-way elevators, and servers in order of arrival."""

import heapq
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

Done = Callable[[], None]


class Clock:
    """Events in the order of their times."""

    def __init__(self) -> None:
        self.now = 0.0
        self._events: list[tuple[float, int, Done]] = []
        self._count = itertools.count()

    def after(self, seconds: float, done: Done) -> None:
        heapq.heappush(self._events, (self.now + seconds, next(self._count), done))

    def run(self, stop: Callable[[], bool]) -> None:
        while not stop():
            self.now, _, done = heapq.heappop(self._events)
            done()


class Mechanics(NamedTuple):
    """Bytes a second, seconds of a revolution, and of a seek between two places, numbered in their order."""

    rate: float
    revolution: float
    seek: Callable[[int, int], float]


class Request(NamedTuple):
    """Where it begins, among the bytes of which place, how many there are, whether it writes, and what follows."""

    begin: float
    place: int
    size: float
    writes: bool
    done: Done


@dataclass
class Elevator:
    """A disk that serves what lies ahead of its arm first: C-LOOK.

    Another place costs a seek and the turn of the disk, and so does a write for which it had to wait: its place has
    gone by.
    """

    clock: Clock
    disk: Mechanics
    random: Random
    head: float = 0.0
    place: int = 0
    ended: float = 0.0
    served: int = 0
    turned: int = 0
    working: bool = False
    queue: list[Request] = field(default_factory=list[Request])

    def put(self, request: Request) -> None:
        self.queue.append(request)
        self._go()

    def _go(self) -> None:
        if self.working or not self.queue:
            return
        ahead = [one for one in self.queue if one.begin >= self.head]
        one = min(ahead or self.queue, key=lambda one: one.begin)
        self.queue.remove(one)
        seconds = one.size / self.disk.rate
        if one.place != self.place:
            seconds += self.disk.seek(self.place, one.place) + self.random.random() * self.disk.revolution
            self.turned += 1
        elif one.writes and self.clock.now > self.ended:
            seconds += self.random.random() * self.disk.revolution
        self.place, self.head, self.working = one.place, one.begin + one.size, True
        self.served += 1
        self.clock.after(seconds, lambda: self._end(one))

    def _end(self, one: Request) -> None:
        self.working, self.ended = False, self.clock.now
        one.done()
        self._go()


@dataclass
class Server:
    """A queue in order of arrival, whose services have an exponential distribution."""

    clock: Clock
    rate: float
    random: Random
    free: float = 0.0

    def put(self, size: float, done: Done) -> None:
        self.free = max(self.free, self.clock.now) + size / self.rate * self.random.expovariate(1.0)
        self.clock.after(self.free - self.clock.now, done)


@dataclass
class Array:
    """Disks in pairs, or alone, over which each place is striped; a request is done when its last part is."""

    disks: Sequence[Elevator]
    copies: int
    unit: int
    moved: dict[int, int] = field(default_factory=dict[int, int])

    def put(self, place: int, size: int, *, writes: bool, done: Done) -> None:
        """Read or write the next bytes of a place."""
        width = len(self.disks) // self.copies
        first, units = self.moved.get(place, 0), size // self.unit
        self.moved[place] = first + units
        parts = [0] * width
        for unit in range(first, first + units):
            parts[unit % width] += 1
        left = [self.copies * sum(map(bool, parts))]

        def part() -> None:
            left[0] -= 1
            if not left[0]:
                done()

        begin = place * 1e15 + first // width * self.unit
        for i, count in enumerate(parts):
            for disk in self.disks[i * self.copies : (i + 1) * self.copies] if count else ():
                disk.put(Request(begin, place, count * self.unit, writes, part))


class Measured(NamedTuple):
    """Seconds for each buffer, and requests of a disk for each of its turns."""

    seconds: float
    requests: float


def buffers_round(
    number: int,
    size: int,
    disk: Mechanics,
    *,
    files: int,
    volumes: int = 0,
    servers: Sequence[float] = (),
    latency: float = 1e-4,
    disks: int = 1,
    copies: int = 1,
    unit: int = 2**16,
    count: int = 4000,
) -> Measured:
    """Buffers that are read from volumes and written to files on the same disks, or read by servers at some rates.

    Each buffer chooses its place by chance. What is measured begins after a tenth of `count` rounds.
    """
    random, clock = Random(1000 * number + files), Clock()  # noqa: S311
    array = Array([Elevator(clock, disk, random) for _ in range(disks)], copies, unit)
    queues = [Server(clock, rate, random) for rate in servers]
    rounds = [0]

    def read() -> None:
        def go() -> None:
            if volumes:
                array.put(random.randrange(volumes), size, writes=False, done=lambda: through(queues))
            else:
                through(queues)

        clock.after(latency, go)

    def through(left: Sequence[Server]) -> None:
        if left:
            left[0].put(size, lambda: through(left[1:]))
        elif files:
            place = volumes + random.randrange(files)
            clock.after(latency, lambda: array.put(place, size, writes=True, done=end))
        else:
            end()

    def end() -> None:
        rounds[0] += 1
        read()

    for _ in range(number):
        read()
    clock.run(lambda: rounds[0] >= count // 10)
    began, first = clock.now, rounds[0]
    clock.run(lambda: rounds[0] >= count)
    turns = sum(one.turned for one in array.disks)
    return Measured((clock.now - began) / (count - first), sum(one.served for one in array.disks) / max(turns, 1))
