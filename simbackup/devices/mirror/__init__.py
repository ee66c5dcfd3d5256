"""Mirrors of volumes that are split off as frozen images."""

from __future__ import annotations

from simbackup.devices.mirror.spec import MirrorSheet, MirrorSpec
from simbackup.schema.registry import DeviceKind, Look

KINDS = (DeviceKind("mirror", MirrorSpec, "simbackup.devices.mirror.make:make"),)
SHEETS = {"mirror": MirrorSheet}
LOOKS = {"mirror": Look("M8 1.5v13M6 4L2 8l4 4zM10 4l4 4-4 4z", "#e6f6f6", "#2b8a8f")}
