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
from simbackup.equations.shingles import cleaning_factor
from simbackup.late import Late

FULL = ("is full", "has room again")
"""Notes in the trace."""
LEAST_RUN = 4096.0
"""Bytes of the smallest runs that a landing zone with free space accepts at the rate of its device."""
ROOMY = 4.0
"""Rate of a landing zone with free space, as a multiple of its device's: the device is the limit then."""


@dataclass(frozen=True, slots=True)
class LandingZone(Late):
    """The size and the rates of a landing zone.

    Fields are those of `LandingSheet`, in SI units.
    """

    landing_zone: float | None = None
    drain_rate: float | None = None
    band: float | None = None
    """Bytes that a disk with shingled tracks reads and writes as a whole when data leave the zone; None for other
    disks.
    """
    disks: int = 1
    """Disks that have it together."""

    def of(self, disks: int) -> LandingZone:
        """The landing zone of several disks together."""
        if self.landing_zone is None or self.drain_rate is None:
            return self
        return LandingZone(disks * self.landing_zone, disks * self.drain_rate, self.band, disks)

    def effort(self, share: float, run: float) -> float:
        """Factor by which draining a byte takes longer if a share of a place is written, in runs of so many bytes.

        Each disk of an array has its part of a run.
        """
        return 1.0 if self.band is None else cleaning_factor(share, run / self.disks, self.band)


class Landed(Store):
    """Base of a device that may have a landing zone, which all writes pass.

    The free space is that of a token bucket: writes take it, and it returns at the rate of draining. A full zone
    accepts no more than that rate (Turner, as in `equations/burst.py`). Reads do not pass it.
    """

    _zone: LandingZone = LandingZone()

    def lands(self, site: Site, zone: LandingZone, fastest: float) -> None:
        """Put a landing zone before the device, which moves so many bytes a second at most."""
        if zone.landing_zone is None or zone.drain_rate is None:
            return
        name, most = f"{site.address}.landing_zone", ROOMY * fastest * zone.effort(0.0, LEAST_RUN)
        beside = Network(Link(f"{name}.passed", most), 0.0, math.inf)
        way = Network(Link(name, most, fastest=fastest), 0.0, math.inf, other=beside)
        bucket = Bucket(most, zone.drain_rate, zone.landing_zone)
        _Draining(way.link, bucket, bucket.credits, site.system.clock, site.system.network, words=FULL)
        self._behind, self._zone = (way,), zone

    def rewriting(self, share: float, run: float) -> dict[Link, float]:
        """What each byte loads on the landing zone in addition, if a share of a place is written, in runs."""
        more = self._zone.effort(share, run) - 1.0
        return {way.link: more for way in self._behind} if more > 0.0 else {}


class _Draining(Credits):
    """The free space of a landing zone, which returns more slowly while draining is expensive.

    Flows demand more than their bytes, by the factor with which these take longer to drain. All data in the zone are
    assumed to have the factor of the writes of now, or of the last ones.
    """

    _effort: float = 1.0

    def _spent(self) -> float:
        """Bytes a second that come, less what drains."""
        asked, link = super()._spent(), self._link
        moved = sum(flow.moves.get(link, 0.0) * flow.rate for flow in link.flows)
        if moved > 0.0:
            self._effort = asked / moved
        return self._bucket.baseline + (asked - self._bucket.baseline) / self._effort
