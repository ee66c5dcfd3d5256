"""Creation, removal and synchronisation of frozen images."""

from __future__ import annotations

from simbackup.methods.snapshot.spec import CreateSnapshotSpec, RemoveSnapshotSpec, SynchroniseSpec
from simbackup.schema.registry import MethodKind

KINDS = (
    MethodKind(("create_snapshot",), CreateSnapshotSpec, "simbackup.methods.snapshot.make:make_create"),
    MethodKind(("remove_snapshot",), RemoveSnapshotSpec, "simbackup.methods.snapshot.make:make_remove"),
    MethodKind(("synchronise",), SynchroniseSpec, "simbackup.methods.snapshot.make:make_synchronise"),
)
