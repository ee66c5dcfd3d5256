"""Makes the work of an `observe` job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.observe.live import Observe
from simbackup.methods.observe.spec import ObserveSpec

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make(job: ObserveSpec, spec: Spec) -> Observe:
    """The time over which users are watched."""
    del spec
    return Observe(job.workload, job.duration.si)
