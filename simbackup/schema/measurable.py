"""What tools measure of a device or a link, by names that readers of their output and datasheets share.

A class of datasheets maps some of these names to its parameters, as `measured_as`; see `simbackup measure`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from simbackup.schema.quantity import Frozen


class Measurable(StrEnum):
    """One thing that a tool measures."""

    SEQUENTIAL_READ = "rate of reading in sequence"
    SEQUENTIAL_WRITE = "rate of writing in sequence"
    SMALL_READ = "time of a small read"
    SMALL_WRITE = "time of a small write"
    TRANSFER = "rate of a transfer over a network"
    ROUND_TRIP = "round trip of a network"
    TAPE_RANDOM = "rate of writing random data to tape"
    TAPE_ZEROS = "rate of writing zeros to tape"

    @property
    def unit(self) -> str:
        """Its SI unit, a key of `units.DIMENSIONS`."""
        return _UNITS.get(self, "B/s")


_UNITS = {Measurable.SMALL_READ: "s", Measurable.SMALL_WRITE: "s", Measurable.ROUND_TRIP: "s"}
"""SI units of what is no rate."""


def measured_as(sheet: type[Frozen]) -> Mapping[Measurable, str]:
    """The parameters of a class of datasheets that tools measure, by what they measure."""
    return getattr(sheet, "measured_as", {})
