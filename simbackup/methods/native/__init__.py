"""Backup and restore by a database's own server."""

from __future__ import annotations

from simbackup.methods.native.spec import BackupEngineSheet, NativeBackupSpec
from simbackup.schema.registry import MethodKind

_MAKE = "simbackup.methods.native.make"
KINDS = (MethodKind(("database_native",), NativeBackupSpec, f"{_MAKE}:make", f"{_MAKE}:restore"),)
SHEETS = {"backup_engine": BackupEngineSheet}
