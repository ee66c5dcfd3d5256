"""The work of a check of a save set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup_example.verify.live import Verify
from simbackup_example.verify.spec import VerifySpec

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make(job: VerifySpec, spec: Spec) -> Verify:
    """The check."""
    device = str(getattr(spec.jobs[job.save_set], "to", ""))
    return Verify(job.save_set, spec.owner_of(device) or "", job.check_cpu.si)
