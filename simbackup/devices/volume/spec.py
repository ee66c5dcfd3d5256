"""simbackup.devices.volume.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.devices.disk.spec import DiskSpec
from simbackup.devices.raid.spec import RaidSpec
from simbackup.devices.ssd.spec import SsdSpec
from simbackup.schema.quantity import (
    Frozen,
    PositiveSize,
    Text,
)


class Volume(Frozen):
    """A volume on a device."""

    on: Text
    """The device that it lies on."""
    size: PositiveSize
    """Its size."""


class LogicalVolumeSpec(Volume):
    """A logical volume: a contiguous part of a device, allocated in the order in which the volumes are listed."""

    kind: Literal["logical_volume"]


BLOCK_KINDS = (DiskSpec, SsdSpec, RaidSpec, Volume)
"""Devices that hold data and backups."""
