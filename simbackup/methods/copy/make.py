"""The work of a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.copy.live import CopyData
from simbackup.methods.copy.spec import CopySpec

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make(job: CopySpec, spec: Spec) -> CopyData:
    """The copy."""
    return CopyData(spec.host_of(job.data), job.data, job.to)
