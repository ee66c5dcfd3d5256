"""Makes a restore with the function that the method of its backup names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.job import Work
from simbackup.methods.restore.spec import RestoreSpec
from simbackup.methods.selection import Selection
from simbackup.schema import registry

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make(job: RestoreSpec, spec: Spec) -> Work:
    """The restore of what a backup saves."""
    saved = spec.jobs[job.restore]
    return registry.function(registry.kind_of(saved).restore)(job, saved, spec)


def selection_of(job: RestoreSpec) -> Selection | None:
    """The files that are wanted, None for all."""
    select = job.select
    if select is None:
        return None
    return Selection(int(select.files.si), select.size.si, select.at.si if select.at else None)
