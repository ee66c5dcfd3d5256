"""A backup program from its spec."""

from __future__ import annotations

from simbackup.methods.tool.live import NO_TOOL, Tool
from simbackup.methods.tool.spec import BackupToolSpec
from simbackup.parameters import parameters_of


def tool_of(said: BackupToolSpec | None) -> Tool:
    """The program that runs a job; one that adds nothing where the file names none."""
    return NO_TOOL if said is None else parameters_of(Tool, said)
