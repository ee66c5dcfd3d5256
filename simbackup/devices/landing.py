"""Landing zones: what is written comes to a fast place first, and goes on from there to its own."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simbackup.devices.credits import Credits
from simbackup.devices.network.live import Network
from simbackup.devices.site import Site
from simbackup.engine.flows import Link
from simbackup.equations.burst import Bucket

FULL = ("is full", "has room again")
"""What the trace says."""
ROOMY = 4.0
"""Times the greatest rate of its device that a landing zone with room takes: it is the device that limits then."""


@dataclass(frozen=True, slots=True)
class LandingZone:
    """Bytes of a landing zone, and bytes a second that leave it and that come when it is full."""

    landing_zone: float | None = None
    drain_rate: float | None = None

    def of(self, disks: int) -> LandingZone:
        """That of so many disks together."""
        if self.landing_zone is None or self.drain_rate is None:
            return self
        return LandingZone(disks * self.landing_zone, disks * self.drain_rate)


class Landed:
    """Base of a device that may have a landing zone, which all writes pass on their way to it.

    Room is what a bucket of tokens holds: writes take it, and time gives it back at the rate of draining. A full zone
    takes no more than that rate (Turner, as in `equations/burst.py`). What is read passes beside it.
    """

    _buses: tuple[Network, ...] = ()
    _landing: tuple[Network, ...] = ()

    @property
    def path(self) -> tuple[Network, ...]:
        """The buses between it and the host that owns it, and its own landing zone."""
        return (*self._buses, *self._landing)

    @path.setter
    def path(self, buses: tuple[Network, ...]) -> None:
        self._buses = buses

    def lands(self, site: Site, zone: LandingZone, fastest: float) -> None:
        """Put a landing zone before the device, which moves so many bytes a second at most."""
        if zone.landing_zone is None or zone.drain_rate is None:
            return
        name, most = f"{site.address}.landing_zone", ROOMY * fastest
        beside = Network(Link(f"{name}.passed", most), 0.0, math.inf)
        way = Network(Link(name, most, fastest=fastest), 0.0, math.inf, other=beside)
        bucket = Bucket(most, zone.drain_rate, zone.landing_zone)
        Credits(way.link, bucket, bucket.credits, site.system.clock, site.system.network, words=FULL)
        self._landing = (way,)
