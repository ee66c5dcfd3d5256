"""Calls at a time of the simulation, and queues of flows and groups by the time of their completion.

The `times` of a flow or group say when it counts as done, and when nothing of it is left. Its `entries` are the times
under which it is in the two queues, infinite if it is in none.

Invariant: each flow or group that will complete has one valid entry in each queue, at its time or earlier. If its time
moves back, the entry stays until it comes first, and only then moves to the new time. Outdated entries are skipped.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from heapq import heapify, heappop, heappush, heapreplace
from operator import attrgetter
from typing import TYPE_CHECKING, Generic, TypeVar

import simpy
from simpy.events import NORMAL, EventPriority

if TYPE_CHECKING:
    from simbackup.engine.group import Variable

LAST = EventPriority(2)
"""After every ordinary event of the instant."""

FEW = 64
"""Number of entries above which outdated ones are removed."""

ULPS = 1e-15
"""Share by which a time may be early by rounding."""


T = TypeVar("T", bound="Variable")

_number = attrgetter("number")


class Call(simpy.Event):
    """An event that calls `action` with itself after `delay` seconds, at a priority of its own."""

    def __init__(
        self,
        env: simpy.Environment,
        action: Callable[[simpy.Event], None],
        delay: float = 0.0,
        priority: EventPriority = NORMAL,
    ) -> None:
        self.env = env  # what `Event` sets for one that has happened, without its steps
        self._ok = True
        self._value = None
        self.callbacks = [action]
        env.schedule(self, priority, delay)


class Alarm:
    """One pending call, moved only when it has to come earlier.

    An alarm that is no longer needed, or needed later, still fires: `ring` then sets it again. Nothing is
    ever removed from the event queue, and most changes of rate cost no event.
    """

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._ring: Callable[[], None] | None = None
        self._at = math.inf
        self._call: simpy.Event | None = None

    def set(self, at: float, ring: Callable[[], None]) -> None:
        """Call `ring` at time `at` (seconds) or earlier."""
        if at >= self._at:
            return
        self._at, self._ring = at, ring
        self._call = Call(self._env, self._fire, max(0.0, at - self._env.now))

    def _fire(self, call: simpy.Event) -> None:
        if call is self._call and self._ring is not None:
            ring = self._ring
            self._at, self._call, self._ring = math.inf, None, None  # keep no reference to the owner
            ring()


DUE, ENDS = 0, 1
"""Indices of `times` and `entries`: when a flow or group counts as done, and when nothing of it is left."""


class Completions(Generic[T]):
    """Two queues of flows or groups: by when each counts as done, and by when nothing of it is left.

    All times are on one clock, that of a group or that of the simulation.
    """

    def __init__(self, group: object = None) -> None:
        self._group = group
        self._orders: tuple[list[tuple[float, int, T]], list[tuple[float, int, T]]] = ([], [])
        self._most = FEW

    def put(self, one: T) -> None:
        """Enter a flow or group whose times have changed, unless its present entries are early enough."""
        (due, ends), entries = one.times, one.entries
        if due < entries[DUE]:
            entries[DUE] = due
            heappush(self._orders[DUE], (due, one.number, one))
        if ends < entries[ENDS]:
            entries[ENDS] = ends
            heappush(self._orders[ENDS], (ends, one.number, one))
            if len(self._orders[ENDS]) > self._most:
                self._tidy()

    def _tidy(self) -> None:
        """Remove outdated entries, and those of flows that stand still."""
        for which, order in enumerate(self._orders):
            kept: list[tuple[float, int, T]] = []
            for entry in order:
                time, _, one = entry
                if time == one.entries[which] and one.group is self._group:
                    if one.times[which] < math.inf:
                        kept.append(entry)
                    else:
                        one.entries[which] = math.inf
            heapify(kept)
            order[:] = kept
        self._most = 2 * len(self._orders[ENDS]) + FEW

    def due(self, at: float, now: float) -> list[T]:
        """The flows or groups that are done when the clock shows `at` at time `now`, in the order of their numbers."""
        order, until = self._orders[DUE], at * (1.0 + ULPS)
        if not order or order[0][0] > until:
            return []
        found: list[T] = []
        while order and order[0][0] <= until:
            time, _, one = heappop(order)
            if time == one.entries[DUE] and one.group is self._group:
                one.entries[DUE] = math.inf
                found.append(one)
        for one in found:
            self.put(one)
        due = [one for one in found if one.times[DUE] <= until and one.due(now)]
        if len(due) > 1:
            due.sort(key=_number)
        return due

    def earliest(self, which: int) -> float:
        """The earliest time in the queue `which` (`DUE` or `ENDS`); infinite if none will complete at present rates."""
        order = self._orders[which]
        while order:
            time, number, one = order[0]
            if time == one.entries[which] and one.group is self._group:
                at = one.entries[which] = one.times[which]
                if at == time:
                    return time
                if at < math.inf:  # the entry is from before it was delayed
                    heapreplace(order, (at, number, one))
                    continue
            heappop(order)
        return math.inf
