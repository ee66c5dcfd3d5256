"""Calls at a time: the events with which flows and buffers wake themselves."""

from __future__ import annotations

import math
from collections.abc import Callable

import simpy
from simpy.events import NORMAL, EventPriority

LAST = EventPriority(2)
"""After every ordinary event of the instant."""


class Call(simpy.Event):
    """An event that calls `action` after `delay` seconds, at a priority of its own."""

    def __init__(
        self,
        env: simpy.Environment,
        action: Callable[[], None],
        delay: float = 0.0,
        priority: EventPriority = NORMAL,
    ) -> None:
        self.env = env  # what `Event` sets for one that has happened, without its steps
        self._ok = True
        self._value = None
        self.callbacks = [self._run]
        self._action = action
        env.schedule(self, priority, delay)

    def _run(self, _event: simpy.Event) -> None:
        self._action()


class Alarm:
    """One pending call, moved only when it has to come earlier.

    An alarm that is no longer needed, or needed later, still fires: `ring` then sets it again. Nothing is
    ever removed from the event queue, and most changes of rate cost no event.
    """

    def __init__(self, env: simpy.Environment, ring: Callable[[], None]) -> None:
        self._env = env
        self._ring = ring
        self._at = math.inf
        self._current = 0

    def set(self, at: float) -> None:
        """Ring at time `at` (seconds) or earlier."""
        if at >= self._at:
            return
        self._at = at
        self._current += 1
        number = self._current
        Call(self._env, lambda: self._fire(number), max(0.0, at - self._env.now))

    def _fire(self, number: int) -> None:
        if number == self._current:
            self._at = math.inf
            self._ring()
