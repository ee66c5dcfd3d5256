"""Arrays of equal disks."""

from __future__ import annotations

from simbackup.devices.raid.spec import RaidSheet, RaidSpec
from simbackup.schema.registry import DeviceKind, Look

KINDS = (DeviceKind("raid", RaidSpec, "simbackup.devices.raid.make:make"),)
SHEETS = {"raid": RaidSheet}
_SIGN = "M2 3.5c0-2.5 12-2.5 12 0v9c0 2.5-12 2.5-12 0zM2 3.5c0 2.5 12 2.5 12 0M2 8c0 2.5 12 2.5 12 0"
LOOKS = {"array": Look(_SIGN, "#e8f0fb", "#4a7ab5", "cylinder")}
