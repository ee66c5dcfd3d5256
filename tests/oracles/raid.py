"""Equations of raid that only tests need."""

import math
import random
from collections.abc import Generator, Mapping
from itertools import product
from typing import Any

import simpy

from simbackup.devices.raid.live import Flash
from simbackup.devices.store import Direction
from simbackup.equations.raid import SCHEMES, Level, data_disks

Events = Generator[simpy.Event, Any, None]


def read_operations(level: Level) -> int:
    """Disk operations of a read within one stripe unit: one at every level while no disk is lost.

    Parameters
    ----------
    level
        RAID level.

    Examples
    --------
    >>> read_operations("6")
    1

    """
    return SCHEMES[level].small_read


def small_write_operations(level: Level) -> int:
    """Disk operations of a write within one stripe unit.

    A mirror of two writes twice. With parity, the old data and each old parity are read and the new ones
    written: `2 (1 + p)` (Patterson, Gibson and Katz 1988; Chen et al. 1994). Holds without a write-back cache
    that gathers stripes; small groups can do with fewer, see `write_operations`.

    Parameters
    ----------
    level
        RAID level; 1 is a mirror of two.

    Examples
    --------
    >>> [small_write_operations(level) for level in ("0", "1", "10", "4", "5", "6", "dp")]
    [1, 2, 2, 4, 4, 6, 6]

    """
    return SCHEMES[level].small_write


def full_stripe_write_expansion(level: Level, disks: int) -> float:
    """Bytes written to the disks per byte of data when whole stripes are written.

    Parameters
    ----------
    level
        RAID level.
    disks
        Disks in the group.

    Raises
    ------
    ValueError
        If the level cannot be formed of so many disks.

    Examples
    --------
    >>> full_stripe_write_expansion("5", 5), full_stripe_write_expansion("10", 8)
    (1.25, 2.0)

    """
    return disks / data_disks(level, disks)


def rewrite(disks: int, phases: int = 60) -> tuple[float, float]:
    """Revolutions until a read-modify-write on several disks is done, and until each of these is free, in the mean.

    Every phase of every disk is tried: each reads when its sector comes by, the writes wait for the last of the reads,
    and each disk writes when its sector comes by the next time.

    >>> [round(value, 2) for value in rewrite(2)]
    [1.67, 1.5]
    """
    done = free = 0.0
    for case in product(range(phases), repeat=disks):
        reads = [(phase + 0.5) / phases for phase in case]
        writes = [read + math.ceil(max(reads) - read or 1.0) for read in reads]
        done += max(writes)
        free += sum(writes) / disks
    return done / phases**disks, free / phases**disks


class Stripes:
    """An array of solid-state disks, request by request: which disks hold what, and what each of them does when.

    One disk may be missing. A place says which disks have the parity of a stripe, and on which of the others it begins;
    pairs of mirrors are always the same.
    """

    def __init__(self, level: Level, disks: int, unit: float, disk: Flash, missing: int | None = None) -> None:
        self.level, self.disks, self.unit, self.disk, self.missing = level, disks, unit, disk, missing
        self.env = simpy.Environment()
        self.channels = [simpy.Resource(self.env) for _ in range(disks)]
        self.seconds = [0.0] * disks
        """Time in which each disk has moved bytes."""
        self.places = disks * max(disks - SCHEMES[level].parity_disks, 1)

    def moved(self, member: int, direction: Direction, size: float) -> Events:
        """One request of one disk: its latency, then its bytes while no other request moves any."""
        disk = self.disk
        yield self.env.timeout(disk.read_latency if direction == "read" else disk.write_latency)
        with self.channels[member].request() as turn:
            yield turn
            self.seconds[member] += size / disk.rate(direction)
            yield self.env.timeout(size / disk.rate(direction))

    def together(self, direction: Direction, parts: Mapping[int, float]) -> Events:
        """Requests of several disks at once, until the last is done."""
        there = {member: size for member, size in parts.items() if size and member != self.missing}
        yield self.env.all_of([self.env.process(self.moved(m, direction, size)) for m, size in there.items()])

    def layout(self, place: int) -> tuple[list[int], list[int]]:
        """The disks of data in order, and those of parity, or the other halves of the mirrors."""
        shift, first = place % self.disks, place // self.disks
        if self.level in {"0", "10"}:
            step = 1 if self.level == "0" else 2
            pairs = [((shift + first) * step + i * step) % self.disks for i in range(self.disks // step)]
            return pairs, [member + 1 for member in pairs] if step > 1 else []
        parity = [(shift + i) % self.disks for i in range(SCHEMES[self.level].parity_disks)]
        data = [(shift + i) % self.disks for i in range(len(parity), self.disks)]
        return data[first:] + data[:first], parity

    def new(self, data: list[int], size: float) -> dict[int, float]:
        """Bytes of each disk of data."""
        return {m: min(max(size - i * self.unit, 0.0), self.unit) for i, m in enumerate(data)}

    def read(self, place: int, size: float) -> Events:
        """A read from the beginning of a place."""
        data, rest = self.layout(place)
        parts = self.new(data, size)
        if self.missing is not None and parts.get(self.missing):
            width = min(size, self.unit)
            if self.level == "10":
                parts[rest[data.index(self.missing)]] = width
            else:  # the first of the parities with all other data
                parts = {member: width for member in [*data, rest[0]] if member != self.missing}
        elif self.level == "10" and place // self.disks % 2 and self.missing not in rest:
            parts = {rest[i]: parts[m] for i, m in enumerate(data)}  # halves take turns
        yield from self.together("read", parts)

    def write(self, place: int, size: float) -> Events:
        """A write from the beginning of a place, no longer than a stripe."""
        data, rest = self.layout(place)
        new, width, mirrors = self.new(data, size), min(size, self.unit), self.level == "10"
        written = {**new, **({m: new[data[i]] for i, m in enumerate(rest)} if mirrors else dict.fromkeys(rest, width))}
        alive = [member for member in rest if member != self.missing]
        if not mirrors and alive and size < self.unit * len(data):
            old = {m: part for m, part in written.items() if part and m != self.missing}
            others = {m: width - part for m, part in new.items() if part < width and m != self.missing}
            ways = [old, others]
            if self.missing in data:  # what is missing can be written only from the others, and read only with parity
                ways = [others] if new[self.missing] else [old]
            yield from self.together("read", min(ways, key=lambda each: (len(each), sum(each.values()))))
        yield from self.together("write", written)

    def many(self, direction: Direction, size: float, at_once: int, rounds: int) -> float:
        """Seconds of each request in the mean, when so many are under way at once, each place as often."""
        number = rounds * self.places
        places = random.Random(1).sample(range(number), number)  # noqa: S311 (a test)

        def requester() -> Events:
            while places:
                yield from (self.read if direction == "read" else self.write)(places.pop() % self.places, size)

        self.env.run(self.env.all_of([self.env.process(requester()) for _ in range(at_once)]))
        return self.env.now / number
