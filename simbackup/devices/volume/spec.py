"""What a file may say about a logical volume."""

from __future__ import annotations

from typing import ClassVar, Literal

from simbackup.schema.capability import VolumeDevice
from simbackup.schema.part import Facts, amount
from simbackup.schema.registry import DeviceKind, Look


class LogicalVolumeSpec(VolumeDevice):
    """A logical volume: a contiguous part of a device, allocated in the order in which the volumes are listed."""

    kind: Literal["logical_volume"]

    drawn_as: ClassVar[str] = "volume"

    def facts(self) -> Facts:
        """Its size."""
        yield from amount(self.size)


KINDS = (DeviceKind("logical_volume", LogicalVolumeSpec, "simbackup.devices.volume.live:make"),)
LOOKS = {"volume": Look("M2 3h12v10H2zM2 7h12", "#f5f9ff", "#7ba2d4")}
