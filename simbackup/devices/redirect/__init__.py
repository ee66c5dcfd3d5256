"""Redirect-on-write volumes, their snapshots and clones."""

from __future__ import annotations

from simbackup.devices.redirect.spec import CloneSpec, RedirectSnapshotSpec, RedirectVolumeSheet, RedirectVolumeSpec
from simbackup.schema.registry import DeviceKind, Look

KINDS = (
    DeviceKind("redirect_volume", RedirectVolumeSpec, "simbackup.devices.redirect.make:make_volume"),
    DeviceKind("redirect_snapshot", RedirectSnapshotSpec, "simbackup.devices.redirect.make:make_snapshot"),
    DeviceKind("clone", CloneSpec, "simbackup.devices.redirect.make:make_clone"),
)
SHEETS = {"redirect_volume": RedirectVolumeSheet}
LOOKS = {"clone": Look("M2 5h9v9H2zM5 5V2h9v9h-3", "#e6f6f6", "#2b8a8f")}
