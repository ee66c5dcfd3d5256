"""Switchover of disk arms between streams: the loss of each, by their places and the bytes that are moved at once."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Callable, Hashable
from itertools import pairwise
from typing import cast

from simbackup.engine.flow import Flow
from simbackup.engine.limit import Spot
from simbackup.engine.link import Link, StreamKind
from simbackup.equations.disk import DiskParameters, cylinder
from simbackup.equations.disk_turns import Visited, interrupted, returns_among, turn_size, turn_time

NOWHERE = Spot(0.0)
BINARY_PLACES = 96
"""Seconds are summed in units of two to this negative power, so that no sum depends on the order of streams."""


class Sweep:
    """The mean switchover time of an arm that visits all streams in one direction and returns to the first.

    The same as `equations.disk_turns.sweep_turn_time`, updated as streams begin and end: each changes two distances.
    """

    def __init__(self, disk: DiskParameters) -> None:
        self._disk = disk
        self._places: list[float] = []
        self._sum = 0

    def add(self, place: float) -> None:
        """Add a stream at a place, as a share (0 to 1) of the stroke."""
        at = bisect_left(self._places, place)
        self._sum -= self._around(at, at)
        insort(self._places, place)
        self._sum += self._around(at, at + 1)

    def remove(self, place: float) -> None:
        """Remove a stream at a place."""
        at = bisect_left(self._places, place)
        self._sum -= self._around(at, at + 1)
        del self._places[at]
        self._sum += self._around(at, at)

    def _around(self, begin: int, end: int) -> int:
        """Switchover times from the place before some to the one after them, in small units."""
        near = self._places[max(begin - 1, 0) : end + 1]
        return sum(self._turn(after - before) for before, after in pairwise(near))

    def _turn(self, distance: float) -> int:
        return int(math.ldexp(turn_time(self._disk, distance), BINARY_PLACES))

    def mean(self) -> float:
        """Mean seconds of a switchover; there is at least one stream."""
        places = self._places
        return (self._sum + self._turn(places[-1] - places[0])) / (len(places) << BINARY_PLACES)


class DiskTurns:
    """The switchover losses of all streams on some disks, which move their arms together.

    `under_way` gives the bytes of a stream that are moved at once, given its place and the number of streams in its
    direction; by default, those that the place states. `stripe` is the bytes on one disk before the next follows, and
    the number of data disks. A mirror has several `copies`, each of which serves as many readers as any other, and
    every writer (`interrupted`). If the place of a stream is unknown, the arm moves a third of the stroke. A stream
    beside users has already paid for the return from them, and pays here only for what it loses in addition.
    """

    def __init__(
        self,
        disk: DiskParameters,
        under_way: Callable[[Spot, int], float] | None = None,
        stripe: tuple[float, int] = (0.0, 1),
        copies: Callable[[], float] = lambda: 1.0,
    ) -> None:
        self._disk = disk
        self._under_way = under_way
        self._unit, self._disks = stripe
        self._copies = copies
        self._streams: dict[Flow, Spot | None] = {}
        self._sweep = Sweep(disk)
        self._unknown = self._writers = 0
        self._each: dict[Hashable, float] = {}

    def attach(self, link: Link, flow: Flow) -> StreamKind | None:
        """Count a flow among the streams; None if it is not sequential."""
        moved = flow.moves.get(link, 0.0)
        if not (flow.sequential and moved):
            return None
        self._count(flow, flow.places.get(link), 1)
        run = flow.places.get(link, NOWHERE)._replace(position=0.0)
        return StreamKind(run, flow.sequential * moved / self._disks)

    def detach(self, flow: Flow) -> None:
        """Remove a flow from the streams."""
        if flow in self._streams:
            self._count(flow, self._streams[flow], -1)

    def each(self, kind: Hashable) -> float:
        """Seconds that a stream of a kind loses for each byte of one disk, with the present streams."""
        found = self._each.get(kind)
        if found is None:
            found = self._each[kind] = self._lost(cast("Spot", kind))
        return found

    def _count(self, flow: Flow, place: Spot | None, change: int) -> None:
        self._each.clear()
        if change > 0:
            self._streams[flow] = place
        else:
            del self._streams[flow]
        if place is None:
            self._unknown += change
            return
        self._writers += change if place.writes else 0
        at = cylinder(self._disk, place.position / self._disks)
        if change > 0:
            self._sweep.add(at)
        else:
            self._sweep.remove(at)

    def _lost(self, place: Spot) -> float:
        count = len(self._streams)
        if count < 2:  # noqa: PLR2004 (whoever is alone turns to nobody)
            return 0.0
        together = self._writers if place.writes else count - self._writers
        under_way = place.run if self._under_way is None else self._under_way(place, together)
        turn = turn_time(self._disk) if self._unknown else self._sweep.mean()
        size = turn_size(self._disk, under_way, self._unit, self._disks)
        copies = self._copies()
        share = interrupted(count - self._writers, self._writers, copies, writes=place.writes)
        if not place.writes:  # of whom each keeps one copy
            share /= copies
        if place.visited is None:
            return share * turn / size
        return share * returns_among(cast("Visited", place.visited), turn, size)
