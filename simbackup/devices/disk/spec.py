"""simbackup.devices.disk.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.schema.modelled import Modelled
from simbackup.schema.quantity import (
    Duration,
    Frequency,
    Frozen,
    PositiveSize,
    Rate,
)


class DiskSheet(Frozen):
    """A rotating disk."""

    capacity: PositiveSize
    """Formatted capacity."""
    rotation_speed: Frequency
    """Revolutions a second."""
    track_to_track_seek: Duration
    """Time of the shortest seek."""
    average_seek: Duration
    """Time of a seek over a third of the stroke."""
    full_stroke_seek: Duration
    """Time of the longest seek."""
    outer_rate: Rate
    """Sustained rate in the outermost zone, where the addresses begin."""
    inner_rate: Rate
    """Sustained rate in the innermost zone."""
    stream_turn: PositiveSize
    """Bytes served for one sequential stream before the disk turns to another."""
    command_overhead: Duration
    """Time that drive and controller spend on each request."""


class DiskSpec(Modelled, DiskSheet):
    """A rotating disk in a scenario."""

    kind: Literal["disk"]
