"""The work of a rebuild."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.rebuild.live import Rebuild
from simbackup.methods.rebuild.spec import RebuildSpec

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make(job: RebuildSpec, spec: Spec) -> Rebuild:
    """The rebuild."""
    del spec
    return Rebuild(job.of, job.precedence.si)
