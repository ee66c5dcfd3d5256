"""Solid-state disks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup.devices.credits import Landed, LandingZone
from simbackup.devices.store import Direction, Service
from simbackup.engine.link import Link
from simbackup.late import Late
from simbackup.parameters import parameters_of

if TYPE_CHECKING:
    from simbackup.devices.site import Site
    from simbackup.devices.ssd.spec import SsdSpec


@dataclass(frozen=True, slots=True)
class Flash(Late):
    """The performance of a solid-state disk.

    Fields are those of `SsdSheet`, in SI units.
    """

    capacity: float
    read_rate: float
    write_rate: float
    read_latency: float
    write_latency: float
    read_requests: float = math.inf
    write_requests: float = math.inf

    def rate(self, direction: Direction) -> float:
        """Sequential rate, bytes a second."""
        return self.read_rate if direction == "read" else self.write_rate

    def latency(self, direction: Direction) -> float:
        """Seconds of one small request without others."""
        return self.read_latency if direction == "read" else self.write_latency

    def busy(self, direction: Direction, size: float, operations: float = 1.0) -> float:
        """Seconds of its time for so many requests of `size` bytes together: their bytes, or their number.

        With many requests under way the interface carries large ones no faster than its rate, and the processor of the
        disk handles small ones no faster than their greatest number a second; whichever is the slower limits.
        """
        most = self.read_requests if direction == "read" else self.write_requests
        return max(size / self.rate(direction), operations / most)


class Ssd(Landed):
    """A solid-state disk."""

    def __init__(self, name: str, figures: Flash) -> None:
        self.name = name
        self.size = figures.capacity
        self.figures = figures
        self.link = Link(name, 1.0, fastest=max(figures.read_rate, figures.write_rate))

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream."""
        return 1.0 / self.figures.rate(direction)

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What one request takes; its latency leaves the device free for others."""
        busy = self.figures.busy(direction, size)
        return Service(max(self.figures.latency(direction) + size / self.figures.rate(direction), busy), busy)


def make(site: Site, ssd: SsdSpec) -> Ssd:
    """The solid-state disk."""
    live = Ssd(site.address, parameters_of(Flash, ssd))
    live.lands(site, parameters_of(LandingZone, ssd), live.link.fastest)
    return live
