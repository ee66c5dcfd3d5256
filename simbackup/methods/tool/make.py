"""Backup programs, and what they add to a group of save sets, from their specs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.tool.group import SaveIndex, StartGroup, SystemState
from simbackup.methods.tool.live import NO_TOOL, Tool
from simbackup.methods.tool.spec import BackupToolSpec, SaveIndexSpec, StartGroupSpec, SystemStateSpec
from simbackup.parameters import parameters_of

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def tool_of(said: BackupToolSpec | None) -> Tool:
    """The program that runs a job; one that adds nothing where the file names none."""
    return NO_TOOL if said is None else parameters_of(Tool, said)


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
