"""simbackup.methods.frozen_image.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.methods.tool.spec import BackupToolSpec
from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import (
    Text,
)


class FrozenImageBackupSpec(JobSpec):
    """Backup that is a frozen image itself: nothing is copied until something is restored."""

    method: Literal["frozen_image"]
    data: Text
    """The data set that is saved."""
    to: Text
    """The snapshot or checkpoint that is created, or the mirror that is split off."""
    tool: BackupToolSpec | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none unless stated."""
