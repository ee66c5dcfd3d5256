"""Calls at a time of the simulation, and flows and groups in the order of their completions.

Who is under way says in `due_at` when it counts as done, and in `ends_at` when nothing of it is left. Its `due_entry`
and `ends_entry` are where it stands in the order of either, infinite if nowhere.

Invariant: each one that will be done stands once in either order, at its entry, which is not after its time. One that
is delayed stays where it stands until its turn comes, and is put at its time only then. Other entries are passed over.
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
"""Entries from which on those are removed that do not count any more."""

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
            self._at, self._call, self._ring = math.inf, None, None  # whose alarm it is goes with its last reference
            ring()


class Completions(Generic[T]):
    """Flows or groups in two orders: by when each counts as done, and by when nothing of it is left.

    The times are those of one clock: of a group, or of the simulation.
    """

    def __init__(self, group: object = None) -> None:
        self._group = group
        self._due: list[tuple[float, int, T]] = []
        self._ends: list[tuple[float, int, T]] = []
        self._most = FEW

    def put(self, one: T) -> None:
        """Put a flow or group in its place, after its times have changed."""
        due_at, ends_at = one.due_at, one.ends_at
        if due_at < one.due_entry:
            one.due_entry = due_at
            heappush(self._due, (due_at, one.number, one))
        if ends_at < one.ends_entry:
            one.ends_entry = ends_at
            heappush(self._ends, (ends_at, one.number, one))
            if len(self._ends) > self._most:
                self._tidy()

    def _tidy(self) -> None:
        """Remove outdated entries, and those of flows that stand still."""
        near, ends = list[tuple[float, int, T]](), list[tuple[float, int, T]]()
        for entry in self._due:
            time, _, one = entry
            if time == one.due_entry and one.group is self._group:
                if one.due_at < math.inf:
                    near.append(entry)
                else:
                    one.due_entry = math.inf
        for entry in self._ends:
            time, _, one = entry
            if time == one.ends_entry and one.group is self._group:
                if one.ends_at < math.inf:
                    ends.append(entry)
                else:
                    one.ends_entry = math.inf
        heapify(near)
        heapify(ends)
        self._due, self._ends = near, ends
        self._most = 2 * len(ends) + FEW

    def due(self, at: float, now: float) -> list[T]:
        """The flows or groups that are done when the clock shows `at` and the time is `now`, by their numbers."""
        order, until = self._due, at * (1.0 + ULPS)
        if not order or order[0][0] > until:
            return []
        found: list[T] = []
        while order and order[0][0] <= until:
            time, _, one = heappop(order)
            if time == one.due_entry and one.group is self._group:
                one.due_entry = math.inf
                found.append(one)
        for one in found:
            self.put(one)
        due = [one for one in found if one.due_at <= until and one.due(now)]
        if len(due) > 1:
            due.sort(key=_number)
        return due

    def next_due(self) -> float:
        """The earliest time (seconds) at which a flow is done; infinite if none of them ends at its present rate."""
        order = self._due
        while order:
            time, number, one = order[0]
            if time == one.due_entry and one.group is self._group:
                if one.due_at == time:
                    return time
                one.due_entry = one.due_at  # it stood there from before it was delayed, or will never be done now
                if one.due_at < math.inf:
                    heapreplace(order, (one.due_at, number, one))
                    continue
            heappop(order)
        return math.inf

    def next_end(self) -> float:
        """The earliest time at which nothing is left of one, infinite if none will be done."""
        order = self._ends
        while order:
            time, number, one = order[0]
            if time == one.ends_entry and one.group is self._group:
                if one.ends_at == time:
                    return time
                one.ends_entry = one.ends_at
                if one.ends_at < math.inf:
                    heapreplace(order, (one.ends_at, number, one))
                    continue
            heappop(order)
        return math.inf

    def __bool__(self) -> bool:
        return bool(self._due)
