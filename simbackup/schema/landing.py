"""A landing zone: what a device takes at full rate, and puts into its place later."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from simbackup.schema.quantity import Frozen, PositiveSize, Quantity, Rate

if TYPE_CHECKING:
    from simbackup.schema.part import Rules


class LandingSheet(Frozen):
    """A device that may have a landing zone."""

    landing_zone: PositiveSize | None = None
    """Bytes that it takes at full rate and puts into their place later, such as the media cache of a disk with shingled
    tracks, or flash that holds one bit in each cell for now. By default, it takes all data at full rate.
    """
    drain_rate: Rate | None = None
    """Rate at which it does so, and at which it takes more when the landing zone is full."""

    written: ClassVar[str]
    """The key with the rate at which the device is written."""

    def rules(self) -> Rules:
        """A landing zone has a rate at which it drains, slower than that of writing."""
        most: Quantity = getattr(self, self.written)
        if (self.landing_zone is None) != (self.drain_rate is None):
            yield ("landing_zone", "drain_rate"), "landing_zone and drain_rate go together", "give both, or neither"
        elif self.drain_rate is not None and self.drain_rate.si > most.si:
            message = f"drain_rate is above {self.written}"
            yield ("drain_rate", self.written), message, "without a landing zone that fills up, leave both out"
