"""simbackup.methods.file_backup.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.methods.tool.spec import BackupToolSpec
from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import (
    Pieces,
    Text,
)


class FileBackupSpec(JobSpec):
    """Backup of a data set to a tape library or onto a disk."""

    method: Literal["image", "file_level"]
    """`image` reads the blocks in sequence, `file_level` walks the files."""
    data: Text
    """The data set that is saved."""
    to: Text
    """The tape library, or the volume or device of any host, that takes the save set."""
    source: Text | None = None
    """The frozen image that is read; the data themselves unless stated."""
    streams: Pieces | None = None
    """Parts that are saved at once, each on a drive of its own; one unless stated."""
    pool: Text | None = None
    """The pool whose cartridges are written; those of no pool unless stated."""
    tool: BackupToolSpec | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none unless stated."""
