"""The work of a copy of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.copy_tree.live import CopyTree
from simbackup.methods.copy_tree.spec import CopyTreeSpec
from simbackup.methods.tool.make import tool_of
from simbackup.schema.quantity import si_or

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make(job: CopyTreeSpec, spec: Spec) -> CopyTree:
    """The copy."""
    here, there = spec.host_of(job.data), spec.host_of(job.to)
    way = spec.route(here, there) or () if here != there else ()
    workers = min(si_or(job.workers, 1.0), si_or(spec.data[job.data].files, 1.0))  # each takes whole files
    return CopyTree(
        (here, there), (job.data, job.to), way, tool_of(job.tool), None if job.since is None else job.since.si,
        int(workers), int(si_or(job.connections, 1.0)),
    )  # fmt: skip
