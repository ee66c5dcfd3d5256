"""The work on virtual machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.virtual_machine.live import Resume, Suspend
from simbackup.methods.virtual_machine.spec import ResumeSpec, SuspendSpec

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make_suspend(job: SuspendSpec, spec: Spec) -> Suspend:
    """The suspension of a virtual machine."""
    return Suspend(job.machine, spec.hosts[job.machine].within or "", job.to)


def make_resume(job: ResumeSpec, spec: Spec) -> Resume:
    """The resumption of a virtual machine."""
    return Resume(job.machine, spec.hosts[job.machine].within or "")
