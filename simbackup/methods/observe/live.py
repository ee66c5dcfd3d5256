"""Time over which users are watched."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.methods.job import Moved, Steps
from simbackup.system import System
from simbackup.trace.activity import Activity


@dataclass(frozen=True, slots=True)
class Observe:
    """Time that passes while users are watched."""

    workload: str
    duration: float
    method: str = "observe"

    def run(self, system: System, job: str) -> Steps:
        """Wait."""
        with system.clock.span(job, f"workloads.{self.workload}", Activity.OBSERVE):
            yield system.env.timeout(self.duration)
        return Moved(0.0, 0.0)
