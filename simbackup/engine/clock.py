"""The simulated time, with a record of what each job spent it on."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import simpy

from simbackup.engine.trace import Trace


@dataclass(frozen=True, slots=True)
class Clock:
    """The environment of the simulation and the trace that records it."""

    env: simpy.Environment
    trace: Trace

    @contextmanager
    def span(self, job: str, cause: str, activity: str) -> Generator[None]:
        """Record the time that passes inside as spent by a job on a cause; no record where none passes."""
        begin = self.env.now
        try:
            yield
        finally:
            if self.env.now > begin:
                self.trace.span(begin, self.env.now, job, cause, activity)
