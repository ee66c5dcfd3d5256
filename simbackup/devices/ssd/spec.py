"""What a file may say about a solid-state disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from simbackup.schema.capability import BlockDevice, Media, Piece
from simbackup.schema.landing import LandingSheet
from simbackup.schema.measurable import Measurable
from simbackup.schema.part import Facts, Modelled, amount
from simbackup.schema.quantity import Duration, Frequency, PositiveSize, Rate
from simbackup.schema.registry import DeviceKind, Look


class SsdSheet(LandingSheet):
    """A solid-state disk."""

    capacity: PositiveSize
    """Bytes that it holds."""
    read_rate: Rate
    """Sequential read rate."""
    write_rate: Rate
    """Sequential write rate."""
    read_latency: Duration
    """Time of one small read."""
    write_latency: Duration
    """Time of one small write."""
    read_requests: Frequency | None = None
    """Small reads per second with many in flight at once; by default, as many as the read rate allows."""
    write_requests: Frequency | None = None
    """Sustained small writes per second with many in flight at once; by default, as many as the write rate allows."""

    written: ClassVar[str] = "write_rate"
    measured_as: ClassVar[Mapping[Measurable, str]] = {
        Measurable.SEQUENTIAL_READ: "read_rate",
        Measurable.SEQUENTIAL_WRITE: "write_rate",
        Measurable.SMALL_READ: "read_latency",
        Measurable.SMALL_WRITE: "write_latency",
    }


class SsdSpec(BlockDevice, Modelled, SsdSheet):
    """A solid-state disk in a scenario."""

    kind: Literal["ssd"]

    pieces: ClassVar[Mapping[str, Piece]] = {"landing_zone": Piece(times="drain_rate")}

    def media(self) -> Media:
        """Itself."""
        return Media(self.capacity.si, solid=True)

    def facts(self) -> Facts:
        """Capacity and rates."""
        yield from amount(self.capacity, "solid state")
        yield from amount(self.read_rate, "read")
        yield from amount(self.write_rate, "written")


KINDS = (DeviceKind("ssd", SsdSpec, "simbackup.devices.ssd.live:make"),)
SHEETS = {"ssd": SsdSheet}
LOOKS = {"ssd": Look("M3 2h10v12H3zM6 5h4v4H6zM5 12h6", "#e8f0fb", "#4a7ab5")}
