"""Active flows in the order in which they will be done.

Invariant: each active flow that will be done stands once under its present time; entries of times that it has left
behind are passed over, and are never more than those that count, and a few.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from simbackup.engine.flow import Flow

FEW = 64
"""Entries from which on the old ones are removed."""

ULPS = 1e-15
"""Share by which a time may be early by rounding."""


class Ends:
    """A heap of active flows by the time from which each counts as done, unless its rate changes."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Flow]] = []
        self._old = 0

    def put(self, flow: Flow, before: float) -> None:
        """Sort in a flow whose time has changed; `before` is the one at which it stood."""
        if math.isfinite(before):
            self._old += 1
        if math.isfinite(flow.near):
            heappush(self._heap, (flow.near, flow.number, flow))
        if self._old > FEW and 2 * self._old > len(self._heap):
            self._heap = [entry for entry in self._heap if entry[2].near == entry[0]]
            heapify(self._heap)
            self._old = 0

    def due(self, now: float) -> list[Flow]:
        """The flows that are done at `now`, in the order in which they started."""
        near: dict[Flow, None] = {}
        while self._heap and self._heap[0][0] <= now * (1.0 + ULPS):
            self._take(near)
        self._put_back(near)
        return sorted((flow for flow in near if flow.due(now)), key=lambda flow: flow.number)

    def next(self) -> float:
        """The time at which the next flow is done, infinite if none will be."""
        found: dict[Flow, None] = {}
        at = math.inf
        while self._heap and self._heap[0][0] <= at:
            at = min(at, self._take(found))
        self._put_back(found)
        return at

    def _take(self, found: dict[Flow, None]) -> float:
        """Take out the first entry, and note the flow if it still counts: when that ends, infinite if it does not."""
        near, _, flow = heappop(self._heap)
        if flow.near != near:
            return math.inf
        found[flow] = None
        return flow.ends

    def _put_back(self, flows: Iterable[Flow]) -> None:
        for flow in flows:
            heappush(self._heap, (flow.near, flow.number, flow))
