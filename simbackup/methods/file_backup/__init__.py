"""Image and file-level backup to tape or disk, and the restores."""

from __future__ import annotations

from simbackup.methods.file_backup.spec import FileBackupSpec
from simbackup.schema.registry import MethodKind

KINDS = (
    MethodKind(
        ("image", "file_level"),
        FileBackupSpec,
        "simbackup.methods.file_backup.make:make",
        "simbackup.methods.file_backup.make:restore",
    ),
)
