"""The simulated time, with a record of what each job spent it on."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

import simpy
from simpy.resources.resource import Request

from simbackup.errors import JobFailedError
from simbackup.refusals import Refusals
from simbackup.trace.trace import Trace

Process = Generator[simpy.Event, Any, None]
"""What passes simulated time and returns nothing: the caller waits by `yield from`, or starts it beside itself."""


def _as_stated(address: str, job: str, count: float) -> float:
    del address, job, count
    return 1.0


class _Passing:
    """The time that passes inside a `with`; a class, as a generator would cost as much as what happens inside."""

    __slots__ = ("_begin", "_clock", "_what")

    def __init__(self, clock: Clock, what: tuple[str, str, str]) -> None:
        self._clock, self._what = clock, what
        self._begin = 0.0

    def __enter__(self) -> None:
        self._begin = self._clock.env.now
        self._clock.inside[self] = self._what

    def __exit__(self, *_: object) -> None:
        now = self._clock.env.now
        del self._clock.inside[self]
        if now > self._begin:
            self._clock.trace.span(self._begin, now, *self._what)


@dataclass(frozen=True, slots=True)
class Clock:
    """The environment of the simulation and the trace that records it."""

    env: simpy.Environment
    trace: Trace
    drawn: Callable[[str, str, float], float] = _as_stated
    """`drawn(address, job, count)` is the factor for a duration that the scenario states at an address: the mean of
    `count` draws of its `chance:`, and 1 without one.
    """
    inside: dict[object, tuple[str, str, str]] = field(default_factory=dict[object, tuple[str, str, str]])
    """Spans that have begun and not ended: (job, cause, activity)."""

    refusals: Refusals = field(default_factory=Refusals)
    """The jobs that must not go on, as what they need has failed."""

    def passing(self) -> Iterator[tuple[str, str, str]]:
        """The jobs whose time passes now, each with the cause and the activity, in the order in which they began."""
        yield from self.inside.values()

    def span(self, job: str, cause: str, activity: str) -> _Passing:
        """Record the time that passes inside as spent by a job on a cause; no record where none passes."""
        return _Passing(self, (job, cause, activity))

    def wait(self, job: str, event: simpy.Event) -> Generator[simpy.Event, Any, None]:
        """Wait for an event that a job needs to go on; it fails at once if what it runs on, or uses, fails meanwhile.

        A request that is given up is withdrawn.
        """
        closure = yield from self.refusals.until(job, event)
        if closure is not None:
            if isinstance(event, Request):
                event.cancel()
            raise JobFailedError(closure.reason)
