"""Landing zones: a device writes to a small fast area first (SLC, media cache), and moves data on later."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simbackup.devices.credits import Credits
from simbackup.devices.network.live import Network
from simbackup.devices.site import Site
from simbackup.devices.store import Store
from simbackup.engine.link import Link
from simbackup.equations.burst import Bucket
from simbackup.late import Late

FULL = ("is full", "has room again")
"""Notes in the trace."""
ROOMY = 4.0
"""Rate of a landing zone with free space, as a multiple of its device's: the device is the limit then."""


@dataclass(frozen=True, slots=True)
class LandingZone(Late):
    """The size and the rates of a landing zone.

    Fields are those of `LandingSheet`, in SI units.
    """

    landing_zone: float | None = None
    drain_rate: float | None = None

    def of(self, disks: int) -> LandingZone:
        """The landing zone of several disks together."""
        if self.landing_zone is None or self.drain_rate is None:
            return self
        return LandingZone(disks * self.landing_zone, disks * self.drain_rate)


class Landed(Store):
    """Base of a device that may have a landing zone, which all writes pass.

    The free space is that of a token bucket: writes take it, and it returns at the rate of draining. A full zone
    accepts no more than that rate (Turner, as in `equations/burst.py`). Reads do not pass it.
    """

    def lands(self, site: Site, zone: LandingZone, fastest: float) -> None:
        """Put a landing zone before the device, which moves so many bytes a second at most."""
        if zone.landing_zone is None or zone.drain_rate is None:
            return
        name, most = f"{site.address}.landing_zone", ROOMY * fastest
        beside = Network(Link(f"{name}.passed", most), 0.0, math.inf)
        way = Network(Link(name, most, fastest=fastest), 0.0, math.inf, other=beside)
        bucket = Bucket(most, zone.drain_rate, zone.landing_zone)
        Credits(way.link, bucket, bucket.credits, site.system.clock, site.system.network, words=FULL)
        self._behind = (way,)
