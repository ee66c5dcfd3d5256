"""Dumps, hot copies, snapshot copies and logs of a database, and the restores."""

from __future__ import annotations

from simbackup.methods.database.spec import BinaryLogSpec, DatabaseBackupSpec
from simbackup.schema.registry import MethodKind

KINDS = (
    MethodKind(
        ("logical_dump", "hot_copy", "snapshot_copy"),
        DatabaseBackupSpec,
        "simbackup.methods.database.make:make_backup",
        "simbackup.methods.database.make:restore",
    ),
    MethodKind(
        ("binary_log",),
        BinaryLogSpec,
        "simbackup.methods.database.make:make_log",
        "simbackup.methods.database.make:restore",
    ),
)
