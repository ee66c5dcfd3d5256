"""simbackup.devices.ssd.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.schema.modelled import Modelled
from simbackup.schema.quantity import (
    Duration,
    Frozen,
    PositiveSize,
    Rate,
)


class SsdSheet(Frozen):
    """A solid-state disk."""

    capacity: PositiveSize
    """Capacity."""
    read_rate: Rate
    """Sequential read rate."""
    write_rate: Rate
    """Sequential write rate."""
    read_latency: Duration
    """Time of one small read."""
    write_latency: Duration
    """Time of one small write."""


class SsdSpec(Modelled, SsdSheet):
    """A solid-state disk in a scenario."""

    kind: Literal["ssd"]
