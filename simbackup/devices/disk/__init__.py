"""Rotating disks."""

from __future__ import annotations

from simbackup.devices.disk.spec import DiskSheet, DiskSpec
from simbackup.schema.registry import DeviceKind, Look

KINDS = (DeviceKind("disk", DiskSpec, "simbackup.devices.disk.make:make"),)
SHEETS = {"disk": DiskSheet}
LOOKS = {"disk": Look("M2 4c0-3 12-3 12 0v8c0 3-12 3-12 0zM2 4c0 3 12 3 12 0", "#e8f0fb", "#4a7ab5", "cylinder")}
