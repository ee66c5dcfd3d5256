"""simbackup.methods.database.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.methods.tool.spec import BackupToolSpec
from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import (
    PositiveShare,
    Text,
)


class DatabaseBackupSpec(JobSpec):
    """Full backup of a database onto a volume."""

    method: Literal["logical_dump", "hot_copy", "snapshot_copy"]
    """`logical_dump` writes text under a read lock, `hot_copy` copies files under it, `snapshot_copy` a snapshot."""
    data: Text
    """The database."""
    to: Text
    """The volume or device that takes the backup, behind what lies there."""
    snapshot: Text | None = None
    """The snapshot that a `snapshot_copy` creates and removes."""
    tool: BackupToolSpec | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none unless stated."""


class BinaryLogSpec(JobSpec):
    """Incremental backup of a database: the binary log of what was changed."""

    method: Literal["binary_log"]
    data: Text
    """The database."""
    to: Text
    """The volume or device that takes the backup."""
    changed: PositiveShare
    """Bytes of log since the backup before, as a share of the database."""
    tool: BackupToolSpec | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none unless stated."""
