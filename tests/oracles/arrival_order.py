"""A disk that serves streams and users in order of arrival, one request after the other."""

import heapq
import math
from collections import deque
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from simbackup.equations.disk import DiskParameters, cylinder, rotational_latency, seek_time, transfer_time


class Asked(NamedTuple):
    """What users ask: so many requests a second at random, or one after the other from each of some who think.

    Each is of so many bytes.
    """

    rate: float = 0.0
    users: int = 0
    think_time: float = 0.0
    size: float = 4096.0


class Place(NamedTuple):
    """Bytes of a disk: where they begin, and how many."""

    begin: float
    size: float


Way = Callable[[float, float], float]
"""Seconds from one byte to another, with the rotation."""


def way_of(disk: DiskParameters) -> Way:
    """Seconds of a seek, half a revolution and the overhead."""

    def way(here: float, there: float) -> float:
        seek = seek_time(disk, abs(cylinder(disk, there) - cylinder(disk, here)))
        return seek + rotational_latency(disk) + disk.command_overhead

    return way


class Served(NamedTuple):
    """Bytes a second of each stream, requests of users a second, and mean seconds of one of them."""

    streams: list[float]
    users: float
    response: float


def in_order_of_arrival(
    disk: DiskParameters,
    streams: Sequence[Place],
    run: float,
    users: Place,
    asked: Asked,
    *,
    seconds: float = 500.0,
    most: float = 0.0,
    varied: bool = False,
) -> Served:
    """What a disk does for streams, each of which asks for its next run when the one before is done, and for users.

    Requests of users go to random places. Whatever follows a request elsewhere pays for its way; a run that
    follows one of the same stream does not. A stream asks for no more than `most` bytes a second, at random, if that
    is given. Where they are `varied`, requests of users take times of an exponential distribution.
    """
    random, way, small = Random(3), way_of(disk), asked.size  # noqa: S311 (no secrets)
    queue: deque[tuple[float, int]] = deque((0.0, i) for i in range(len(streams)))  # users below zero
    coming: list[tuple[float, int]] = [(random.expovariate(asked.rate), -1)] if asked.rate else []
    coming += [(_thought(random, asked), -2 - user) for user in range(asked.users)]
    heapq.heapify(coming)
    now, head, last, moved = 0.0, 0.0, math.nan, [0.0] * len(streams)
    due, done, waited = [0.0] * len(streams), 0, 0.0

    def arrive() -> None:
        while coming and coming[0][0] <= now:
            since, who = heapq.heappop(coming)
            queue.append((since, who))
            if who == -1:
                heapq.heappush(coming, (since + random.expovariate(asked.rate), who))

    while now < seconds:
        arrive()
        if not queue:
            now = coming[0][0]
            continue
        since, who = queue.popleft()
        if who >= 0:
            begin, size = streams[who]
            there = begin + moved[who] % (size - run)
            now += (way(head, there) if who != last else 0.0) + transfer_time(disk, there, run)
            head, moved[who] = there + run, moved[who] + run
            arrive()
            due[who] = max(due[who] + random.expovariate(most / run), now) if most else now
            if due[who] > now:
                heapq.heappush(coming, (due[who], who))
            else:
                queue.append((now, who))
        else:
            there = users.begin + random.random() * (users.size - small)
            each = way(head, there) + transfer_time(disk, there, small)
            now += each * random.expovariate(1.0) if varied else each
            head, done, waited = there, done + 1, waited + now - since
            if who < -1:
                heapq.heappush(coming, (now + _thought(random, asked), who))
        last = who
    return Served([each / now for each in moved], done / now, waited / max(done, 1))


def stream_rates(
    disk: DiskParameters, streams: Sequence[Place], run: float, users: Place, asked: Asked, *, seconds: float = 500.0
) -> list[float]:
    """Bytes a second of streams beside users."""
    return in_order_of_arrival(disk, streams, run, users, asked, seconds=seconds).streams


def _thought(random: Random, asked: Asked) -> float:
    return random.expovariate(1.0 / asked.think_time) if asked.think_time else 0.0
