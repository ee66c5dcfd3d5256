"""simbackup.methods.group.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.methods.tool.spec import BackupToolSpec
from simbackup.schema.job import JobSpec, Names
from simbackup.schema.quantity import (
    Text,
)


class StartGroupSpec(JobSpec):
    """Start of a group: what the backup program does before the first save set begins."""

    method: Literal["start_group"]
    tool: BackupToolSpec
    """The backup program: a datasheet `backup_tool/name`, or a mapping."""


class SaveIndexSpec(JobSpec):
    """Backup of the index in which the backup program keeps every file that it has saved."""

    method: Literal["save_index"]
    of: Names
    """The backups whose files it keeps."""
    tool: BackupToolSpec
    """The backup program: a datasheet `backup_tool/name`, or a mapping."""


class SystemStateSpec(JobSpec):
    """Backup of the state of an operating system through its shadow copy service."""

    method: Literal["system_state"]
    machine: Text
    """The host whose state is saved."""
    data: Text | None = None
    """Its files; none are counted unless stated."""
    tool: BackupToolSpec
    """The backup program: a datasheet `backup_tool/name`, or a mapping."""
