"""What a sequential stream loses because the disk's arm also serves random requests of users."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from simbackup.equations.disk_turns import Visited, returns

if TYPE_CHECKING:
    from simbackup.devices.store import Direction, Region
    from simbackup.engine.flow import Flow


class Waiters(NamedTuple):
    """What those users who wait for each request have requested from a device now; zero for others."""

    held: float = 0.0
    """Share (0 to 1) of the device that they use while they wait."""
    number: float = 0.0
    """Their requests there, on average."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Users who make requests to random places of a part of a device."""

    begin: float
    """Byte of the device at which this part begins."""
    size: float
    """Bytes of this part."""
    request: float
    """Mean bytes of a request."""
    waits: bool
    """Whether each user waits for the answer before the next request."""
    asked: Callable[[], float]
    """Seconds of the device for one transaction of each user, or for all transactions of a second."""
    used: Callable[[], float]
    """Share (0 to 1) of the device that they use now."""
    flow: Callable[[], Flow]
    """Their flow now."""
    asking: Callable[[], Waiters]
    """What waiting users have requested now."""


def visits(region: Region, direction: Direction, stream: float, window: float = 0.0) -> Visited | None:
    """A stream that takes `stream` seconds for each byte, and the users whose requests draw one of its disks away.

    None without users, or without an arm. Of the stream, `window` bytes are requested, or written out, at once. A
    request of users costs them what it does after another of theirs. The stream pays for the longer seek to the first
    of them, for the seek back, and for half a revolution until it continues. Users in the same place are a third of
    that place away on average.
    """
    store = region.store
    if not store.visitors or math.isinf(run := store.run(direction, window)):
        return None
    used = others = back = 0.0
    middle = region.begin + region.size / 2.0
    for visitor in store.visitors.values():
        held = visitor.used()
        small = min(visitor.request, visitor.size, region.size)
        each = store.scattered("read", visitor.begin, visitor.size, small).busy
        requests = held / each
        away = max(abs(visitor.begin + visitor.size / 2.0 - middle), (visitor.size + region.size) / 6.0)
        head = middle + away if middle + away <= store.size else max(middle - away, 0.0)
        there = min(middle, store.size - small)
        way = store.request("read", head, there, small).busy - store.continued(there, small).busy
        way += store.request("read", there, min(head, store.size - small), small).busy - each
        used, others, back = used + held, others + requests, back + requests * max(way, 0.0)
    if others <= 0.0:
        return None
    return Visited(stream * store.width, back / others * store.arms, run, others / store.arms, used)


def lost_to_visitors(region: Region, stream: float, window: float = 0.0) -> float:
    """Seconds of a device for each byte that a reader loses by returning from users.

    The reader takes `stream` seconds for each byte, and requests `window` bytes at once. Of several streams, each loses
    no more than this and its switchovers (`DiskTurns`).
    """
    visited = visits(region, "read", stream, window)
    return returns(visited) / region.store.width if visited is not None else 0.0
