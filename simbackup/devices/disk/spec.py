"""What a file may say about a rotating disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from simbackup.schema.capability import BlockDevice, Media, Piece
from simbackup.schema.landing import LandingSheet
from simbackup.schema.measurable import Measurable
from simbackup.schema.part import Fact, Facts, Modelled, Rules, amount
from simbackup.schema.quantity import Duration, Frequency, PositiveSize, Rate
from simbackup.schema.registry import DeviceKind, Look


class DiskSheet(LandingSheet):
    """A rotating disk."""

    capacity: PositiveSize
    """Formatted capacity."""
    rotation_speed: Frequency
    """Rotational speed, such as `7200 rpm`."""
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
    """Bytes of one stream that the disk itself reads ahead or gathers; the host or controller may request more."""
    command_overhead: Duration
    """Time that the drive and its controller spend on each request."""

    written: ClassVar[str] = "outer_rate"
    measured_as: ClassVar[Mapping[Measurable, str]] = {
        Measurable.SEQUENTIAL_READ: "outer_rate",
    }

    def rules(self) -> Rules:
        """The outer zone is the faster, longer seeks take longer, and a landing zone has a rate at which it drains."""
        yield from super().rules()
        if self.inner_rate.si > self.outer_rate.si:
            message = "inner_rate is above outer_rate"
            yield ("inner_rate", "outer_rate"), message, "make inner_rate at most outer_rate: the outer zone is faster"
        if not self.track_to_track_seek.si <= self.average_seek.si <= self.full_stroke_seek.si:
            message = "average_seek is not between track_to_track_seek and full_stroke_seek"
            yield (
                ("average_seek", "track_to_track_seek", "full_stroke_seek"),
                message,
                "keep track_to_track_seek <= average_seek <= full_stroke_seek",
            )


class DiskSpec(BlockDevice, Modelled, DiskSheet):
    """A rotating disk in a scenario."""

    kind: Literal["disk"]

    pieces: ClassVar[Mapping[str, Piece]] = {"landing_zone": Piece(times="drain_rate")}

    def media(self) -> Media:
        """Itself."""
        return Media(self.capacity.si, solid=False)

    def facts(self) -> Facts:
        """Capacity, speed and rate."""
        yield from amount(self.capacity)
        yield Fact(f"{self.rotation_speed.si * 60:,.0f} rpm")
        yield from amount(self.outer_rate, "outside")


KINDS = (DeviceKind("disk", DiskSpec, "simbackup.devices.disk.live:make"),)
SHEETS = {"disk": DiskSheet}
LOOKS = {"disk": Look("M2 4c0-3 12-3 12 0v8c0 3-12 3-12 0zM2 4c0 3 12 3 12 0", "#e8f0fb", "#4a7ab5")}
