"""Calls at a time: the events with which flows and buffers wake themselves."""

from __future__ import annotations

import math
from collections.abc import Callable

import simpy
from simpy.events import NORMAL, EventPriority

LAST = EventPriority(2)
"""After every ordinary event of the instant."""


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
