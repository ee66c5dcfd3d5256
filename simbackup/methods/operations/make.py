"""The work on virtual machines and arrays, and while users are watched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.operations.live import Observe, Rebuild, Resume, Suspend
from simbackup.methods.operations.spec import ObserveSpec, RebuildSpec, ResumeSpec, SuspendSpec

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


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
