"""The work of synthetic full backups and merges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.consolidate.live import Consolidation
from simbackup.methods.consolidate.spec import ConsolidateSpec
from simbackup.methods.tool.make import tool_of
from simbackup.schema.job import Copying

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make(job: ConsolidateSpec, spec: Spec) -> Consolidation:
    """The work, at the host that owns the disk."""
    by = spec.jobs[job.save_set]
    backup = by.save_set if isinstance(by, Copying) else job.save_set
    on, tool = str(getattr(by, "to", "")), tool_of(getattr(spec.jobs[backup], "tool", None))
    size = job.size.si if job.size is not None else None
    return Consolidation(backup, job.save_set, on, spec.owner_of(on) or "", job.into == "full", size, tool)
