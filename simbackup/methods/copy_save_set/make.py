"""The work of a copy of a save set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.copy_save_set.live import CopySaveSet
from simbackup.methods.copy_save_set.spec import CopySaveSetSpec
from simbackup.methods.tool.make import tool_of
from simbackup.schema.capability import MediaLibrary, ObjectTarget
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
    streams = int(si_or(job.streams, 1.0))
    each = job.object_size.si if job.object_size else None
    owner, connections = spec.owner_of(job.to) or "", int(si_or(job.connections, 1.0))
    return CopySaveSet(
        job.save_set, server, job.to, owner, way, tool, streams, job.pool, connections, each, job.new_chunks,
        back or (), si_or(getattr(by, "object_size", None), 0.0) or None, job.copied_by, job.new_to_target(spec),
    )  # fmt: skip
