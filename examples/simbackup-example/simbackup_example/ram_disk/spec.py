"""What a file may say of memory that is used as a disk."""

from __future__ import annotations

from typing import Literal

from simbackup.schema.capability import BlockDevice
from simbackup.schema.part import Modelled
from simbackup.schema.quantity import Duration, Frozen, PositiveSize, Rate


class RamDiskSheet(Frozen):
    """Memory that is used as a disk."""

    capacity: PositiveSize
    """Capacity."""
    rate: Rate
    """Bytes a second that are read and written together."""
    latency: Duration
    """Time of a small request."""


class RamDiskSpec(BlockDevice, Modelled, RamDiskSheet):
    """Memory that is used as a disk in a scenario."""

    kind: Literal["ram_disk"]
