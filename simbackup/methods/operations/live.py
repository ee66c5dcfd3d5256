"""Work that saves nothing: virtual machines are suspended and resumed, arrays rebuilt, users watched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.raid.live import Redundant, changing
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.methods.job import Moved, Steps, passing
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.methods.operations.spec import ObserveSpec, RebuildSpec, ResumeSpec, SuspendSpec
    from simbackup.scenario.spec import Spec


@dataclass(frozen=True, slots=True)
class Suspend:
    """Suspension of a virtual machine: its memory is saved to disk."""

    machine: str
    """The virtual machine."""
    host: str
    """The host below it."""
    to: str
    """The volume that receives its memory."""
    method: str = "suspend"

    def run(self, system: System, job: str) -> Steps:
        """Keep users out, and write its memory."""
        machine, host = system.hosts[self.machine], system.hosts[self.host]
        if machine.suspended is not None:
            raise JobFailedError(f"'{self.machine}' is already suspended")
        memory = machine.machine.memory
        if self.to not in machine.places:  # each time it is suspended its memory goes to the same place
            machine.places[self.to] = system.reserve(self.to, memory)
        position = machine.places[self.to]
        machine.suspended = float(system.env.now)
        for users in system.users:
            if users.host is machine:
                users.close()
        fill = host.then(FlowShape(), 1.0 / host.copy_rate)
        place = VolumeRange(system.of(Volume)[self.to], position, memory)
        yield from system.write_through(job, self.host, place, fill, Activity.SAVE)
        machine.image = (self.to, position)
        return Moved(memory, 1.0)


@dataclass(frozen=True, slots=True)
class Resume:
    """Resumption of a virtual machine: its memory is read from disk."""

    machine: str
    """The virtual machine."""
    host: str
    """The host below it."""
    method: str = "resume"

    def run(self, system: System, job: str) -> Steps:
        """Read its memory, and let users work again."""
        machine, host = system.hosts[self.machine], system.hosts[self.host]
        if machine.suspended is None or machine.image is None:
            raise JobFailedError(f"'{self.machine}' is not suspended")
        volume, position = machine.image
        machine.image = None  # nobody else resumes it meanwhile
        memory = machine.machine.memory
        source = system.of(Volume)[volume].region.part(position, memory)
        yield from system.transfer(job, system.bounded(job, host.reading(source)), Activity.READ, memory)
        now = float(system.env.now)
        system.trace.event(now, machine.name, "was down", seconds=now - machine.suspended)
        machine.suspended = None
        for users in system.users:
            if users.host is machine:
                users.open()
        return Moved(memory, 1.0)


class UnreadableSectorError(JobFailedError):
    """A rebuild that has met a sector which it cannot read, without any other disk that has it."""


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
        shape, exposed = system.bounded(job, shape.preceding(self.precedence)), store.exposed
        yield from system.transfer(job, shape, Activity.WRITE, size)
        if store.unreadable and exposed:
            raise UnreadableSectorError(f"a sector of '{self.of}' cannot be read")
        store.unreadable = False  # what is read is written again from the other disks
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


def make_suspend(job: SuspendSpec, spec: Spec) -> Suspend:
    """The suspension of a virtual machine."""
    return Suspend(job.machine, spec.hosts[job.machine].within or "", job.to)


def make_resume(job: ResumeSpec, spec: Spec) -> Resume:
    """The resumption of a virtual machine."""
    return Resume(job.machine, spec.hosts[job.machine].within or "")


def make_rebuild(job: RebuildSpec, spec: Spec) -> Rebuild:
    """The rebuild."""
    del spec
    return Rebuild(job.of, job.precedence.si)


def make_observe(job: ObserveSpec, spec: Spec) -> Observe:
    """The time over which users are watched."""
    del spec
    return Observe(job.workload, job.duration.si)
