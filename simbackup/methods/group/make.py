"""The work that a backup program adds to a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.group.live import SaveIndex, StartGroup, SystemState
from simbackup.methods.group.spec import SaveIndexSpec, StartGroupSpec, SystemStateSpec
from simbackup.methods.tool.make import tool_of

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def make_start(job: StartGroupSpec, spec: Spec) -> StartGroup:
    """The start of a group."""
    del spec
    return StartGroup(tool_of(job.tool))


def make_index(job: SaveIndexSpec, spec: Spec) -> SaveIndex:
    """The backup of the index."""
    del spec
    return SaveIndex(job.of, tool_of(job.tool))


def make_state(job: SystemStateSpec, spec: Spec) -> SystemState:
    """The backup of the state of an operating system."""
    del spec
    return SystemState(job.machine, job.data, tool_of(job.tool))
