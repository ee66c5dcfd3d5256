"""The work of jobs on save sets: copies, synthetic full backups and merges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.late import late
from simbackup.methods.save_sets.live import Consolidation, CopySaveSet
from simbackup.methods.save_sets.spec import ConsolidateSpec, CopySaveSetSpec
from simbackup.methods.tool.live import tool_of
from simbackup.schema.capability import MediaLibrary, ObjectTarget
from simbackup.schema.job import Copying
from simbackup.schema.quantity import si_or

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make(job: CopySaveSetSpec, spec: Spec) -> CopySaveSet:
    """The copy, by the host that copies."""
    saved, server = spec.jobs[job.save_set], job.copying_host(spec)
    by, source = job.read_job(spec), job.source(spec)
    away = isinstance(spec.devices[source], MediaLibrary | ObjectTarget)
    back = spec.way_from(server, source) if away else None
    way, tool = spec.way_to(server, job.to) or (), tool_of(getattr(saved, "tool", None))
    return late(
        CopySaveSet, backup=job.save_set, server=server, to=job.to, host=spec.owner_of(job.to) or "", networks=way,
        tool=tool, streams=lambda: int(job.streams.si), pool=lambda: job.pool,
        connections=lambda: int(si_or(job.connections, 1.0)), new_chunks=job.new_chunks, back=back or (),
        object_size=lambda: job.object_size.si if job.object_size else None, copied_by=job.copied_by,
        objects_of=lambda: si_or(getattr(by, "object_size", None), 0.0) or None,
        new_to_target=lambda: job.new_to_target(spec),
    )  # fmt: skip


def make_consolidation(job: ConsolidateSpec, spec: Spec) -> Consolidation:
    """The work, at the host that owns the disk."""
    by = spec.jobs[job.save_set]
    backup = by.save_set if isinstance(by, Copying) else job.save_set
    on, tool = str(getattr(by, "to", "")), tool_of(getattr(spec.jobs[backup], "tool", None))
    return Consolidation(backup, job.save_set, on, spec.owner_of(on) or "", job.into == "full", tool)
