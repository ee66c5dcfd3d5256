"""Work that saves nothing: arrays are rebuilt, and users watched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup.devices.raid.live import Redundant, changing
from simbackup.methods.job import Moved, Steps, passing
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.methods.operations.spec import ObserveSpec, RebuildSpec
    from simbackup.scenario.spec import Spec


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
        yield from system.transfer(job, shape, Activity.WRITE, size)
        changing(system.network, store, store.rebuilt)
        return Moved(size, 0.0)


@dataclass(frozen=True, slots=True)
class Observe:
    """Time that passes while users are watched."""

    workload: str
    duration: float
    method: str = "observe"

    def run(self, system: System, job: str) -> Steps:
        """Wait."""
        yield from passing(system, job, f"workloads.{self.workload}", Activity.OBSERVE, self.duration)
        return Moved(0.0, 0.0)


def make_rebuild(job: RebuildSpec, spec: Spec) -> Rebuild:
    """The rebuild."""
    del spec
    return Rebuild(job.of, job.precedence.si)


def make_observe(job: ObserveSpec, spec: Spec) -> Observe:
    """The time over which users are watched."""
    del spec
    return Observe(job.workload, job.duration.si)
