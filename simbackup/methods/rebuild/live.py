"""Rebuilds of arrays beside other work."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.devices.redundant import Redundant, changing
from simbackup.methods.job import Moved, Steps
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity


@dataclass(frozen=True, slots=True)
class Rebuild:
    """All other disks of a group are read, and a new disk is written: the whole of it, or what is allocated.

    Beside others it gets a `precedence` times the time of the disks that a stream gets.
    """

    of: str
    precedence: float
    method: str = "rebuild"

    def run(self, system: System, job: str) -> Steps:
        """Fill the new disk; then the array is whole again, also for what is under way."""
        store = system.of(Redundant)[self.of]
        if not store.degraded:
            raise JobFailedError(f"no disk of '{self.of}' is missing")
        shape, size = store.rebuilding(*system.allocated(store))
        shape = system.bounded(job, shape.preceding(self.precedence))
        flow = shape.start(system.network, job, Activity.WRITE, size)
        yield flow.done
        system.account(job, flow)
        changing(system.network, store, store.rebuilt)
        return Moved(size, 0.0)
