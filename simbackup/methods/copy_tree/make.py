"""The work of a copy of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.late import late
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
    files = spec.data[job.data].files
    return late(
        CopyTree, hosts=(here, there), ends=(job.data, job.to), networks=way, tool=tool_of(job.tool),
        since=None if job.since is None else job.since.si,
        workers=lambda: int(min(job.workers.si, si_or(files, 1.0))),  # each takes whole files
    )  # fmt: skip
