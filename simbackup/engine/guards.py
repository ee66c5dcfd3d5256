"""What stores make of the level of a crowd: between two levels each is right about when it will be full or empty."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Protocol

from simbackup.engine.ends import FEW

if TYPE_CHECKING:
    from simbackup.engine.flow import Flow


class Ride:
    """A flow that a store holds to what a single other one moves: units of it for each unit of that."""

    __slots__ = ("leader", "rider", "units")

    def __init__(self, rider: Flow, leader: Flow, units: float) -> None:
        self.rider = rider
        self.leader = leader
        self.units = units


class Guarded(Protocol):
    """A store that need not be asked at each change of a level that its flows share."""

    looks: int
    """How often it has looked: only what it said last counts."""

    @property
    def holds(self) -> bool:
        """Whether it holds a flow to the rates of others."""
        ...

    def ride(self) -> Ride | None:
        """The flow that it holds, if that moves in proportion to one other flow for as long as both go on."""
        ...

    def look(self) -> None:
        """See when it will be full or empty, and say between which levels that is right."""
        ...


class Guards:
    """The levels between which stores are right."""

    def __init__(self) -> None:
        self._lows: list[tuple[float, int, int, Guarded]] = []
        self._highs: list[tuple[float, int, int, Guarded]] = []
        self._numbers = count()
        self._most = FEW

    def add(self, store: Guarded, low: float, high: float) -> None:
        """Ask a store again when the level is below or above these."""
        heappush(self._lows, (-low, next(self._numbers), store.looks, store))
        heappush(self._highs, (high, next(self._numbers), store.looks, store))
        if len(self._highs) > self._most:  # those that count no more
            for heap in (self._lows, self._highs):
                heap[:] = [entry for entry in heap if entry[2] == entry[3].looks]
                heapify(heap)
            self._most = 2 * len(self._highs) + FEW

    def broken(self, level: float) -> list[Guarded]:
        """The stores that are not right any more at a level, which are forgotten."""
        found: dict[Guarded, None] = {}
        for heap, at in ((self._lows, -level), (self._highs, level)):
            while heap and (heap[0][0] < at or heap[0][2] != heap[0][3].looks):
                entry = heappop(heap)
                if entry[2] == entry[3].looks:
                    found[entry[3]] = None
        return list(found)
