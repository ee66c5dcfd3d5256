"""Logical volumes."""

from __future__ import annotations

from simbackup.devices.volume.spec import LogicalVolumeSpec
from simbackup.schema.registry import DeviceKind, Look

KINDS = (DeviceKind("logical_volume", LogicalVolumeSpec, "simbackup.devices.volume.make:make"),)
LOOKS = {"volume": Look("M2 3h12v10H2zM2 7h12", "#f5f9ff", "#7ba2d4")}
