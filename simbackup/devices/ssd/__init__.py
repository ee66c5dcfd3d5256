"""Solid-state disks."""

from __future__ import annotations

from simbackup.devices.ssd.spec import SsdSheet, SsdSpec
from simbackup.schema.registry import DeviceKind, Look

KINDS = (DeviceKind("ssd", SsdSpec, "simbackup.devices.ssd.make:make"),)
SHEETS = {"ssd": SsdSheet}
LOOKS = {"ssd": Look("M3 2h10v12H3zM6 5h4v4H6zM5 12h6", "#e8f0fb", "#4a7ab5", "cylinder")}
