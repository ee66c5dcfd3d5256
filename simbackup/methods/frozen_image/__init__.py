"""Frozen images: they are created, removed, synchronised, and backups that are one are restored from."""

from __future__ import annotations

from simbackup.methods.frozen_image.spec import (
    CreateSnapshotSpec,
    FrozenImageBackupSpec,
    RemoveSnapshotSpec,
    SynchroniseSpec,
)
from simbackup.schema.registry import MethodKind

MAKE = "simbackup.methods.frozen_image.make"
KINDS = (
    MethodKind(("create_snapshot",), CreateSnapshotSpec, f"{MAKE}:make_create"),
    MethodKind(("remove_snapshot",), RemoveSnapshotSpec, f"{MAKE}:make_remove"),
    MethodKind(("synchronise",), SynchroniseSpec, f"{MAKE}:make_synchronise"),
    MethodKind(("frozen_image",), FrozenImageBackupSpec, f"{MAKE}:make", f"{MAKE}:restore"),
)
