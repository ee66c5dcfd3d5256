"""Copy-on-write snapshots of volumes, and checkpoints of file systems."""

from __future__ import annotations

from simbackup.devices.snapshot.spec import CheckpointSheet, CheckpointSpec, SnapshotSheet, SnapshotSpec
from simbackup.schema.registry import DeviceKind, Look

KINDS = (
    DeviceKind("snapshot", SnapshotSpec, "simbackup.devices.snapshot.make:make_snapshot"),
    DeviceKind("checkpoint", CheckpointSpec, "simbackup.devices.snapshot.make:make_checkpoint"),
)
SHEETS = {"snapshot": SnapshotSheet, "checkpoint": CheckpointSheet}
_LOOK = Look("M2 5h9v9H2zM5 5V2h9v9h-3", "#e6f6f6", "#2b8a8f")
LOOKS = {"snapshot": _LOOK, "checkpoint": _LOOK}
