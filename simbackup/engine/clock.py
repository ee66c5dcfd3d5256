"""The simulated time, with a record of what each job spent it on."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

import simpy

from simbackup.engine.trace import Trace


def _as_stated(address: str, job: str, times: float) -> float:
    del address, job, times
    return 1.0


@dataclass(frozen=True, slots=True)
class Clock:
    """The environment of the simulation and the trace that records it.

    `drawn` takes the address of a time, a job, and how often the job lets that time pass now: how many times as long as
    stated it is, on average.
    """

    env: simpy.Environment
    trace: Trace
    drawn: Callable[[str, str, float], float] = _as_stated

    @contextmanager
    def span(self, job: str, cause: str, activity: str) -> Generator[None]:
        """Record the time that passes inside as spent by a job on a cause; no record where none passes."""
        begin = self.env.now
        try:
            yield
        finally:
            if self.env.now > begin:
                self.trace.span(begin, self.env.now, job, cause, activity)
