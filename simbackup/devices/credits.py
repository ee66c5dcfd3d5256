"""Token buckets of a link: burst credits, and the free space of a landing zone (SLC, media cache) before a device."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup.devices.network.live import Network
from simbackup.devices.store import Store
from simbackup.engine.events import Alarm
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.equations.burst import Bucket, credits_after, time_to
from simbackup.late import Late
from simbackup.trace.clock import Clock
from simbackup.units import show_short

if TYPE_CHECKING:
    from simbackup.devices.site import Site

ROUNDING = 1e-9
"""Share of the bucket below which it counts as empty."""
LEAST = 1e-3
"""Share of the bucket that must return before an empty one is used again, so that it does not alternate for ever."""
LENT = ("has used up its credits", "has credits again")
"""Notes in the trace."""
FULL = ("is full", "has room again")
"""Notes in the trace."""
ROOMY = 4.0
"""Rate of a landing zone with free space, as a multiple of its device's: the device is the limit then."""


class Credits:
    """The credits of a link, for operations or for bytes: all its flows spend them, and time restores them.

    With credits, the link has its full capacity; without, the share of the baseline. The trace notes when they are used
    up, and when there are some again.
    """

    def __init__(
        self,
        link: Link,
        bucket: Bucket,
        left: float,
        clock: Clock,
        network: FlowNetwork,
        *,
        words: tuple[str, str] = LENT,
    ) -> None:
        self.name = link.name
        self.left = left
        self._link, self._bucket, self._clock, self._network = link, bucket, clock, network
        self.without_s = 0.0
        self._words = words
        self._full = link.capacity
        self._lends = True
        self._rate = self._since = 0.0
        self._alarm = Alarm(clock.env)
        network.couple(self, link)
        self._go_on()

    def constraint(self) -> None:
        """Adds no constraint: the capacity of the link limits the flows."""

    def solved(self, *, binding: bool) -> None:
        """Note the rate, operations or bytes a second, from now on."""
        self._settle()
        self._rate = self._spent()
        self._go_on()

    def _spent(self) -> float:
        """Operations or bytes a second that spend credits now."""
        return sum(self._link.demand(flow) * flow.rate for flow in self._link.flows) * self._bucket.burst / self._full

    def _ring(self) -> None:
        self._settle()
        self._go_on()

    def _settle(self) -> None:
        """Update the credits to the present time."""
        now = float(self._clock.env.now)
        self.left = credits_after(self._bucket, self.left, self._rate, now - self._since)
        self.without_s += 0.0 if self._lends else now - self._since
        self._since = now

    def reported(self) -> dict[str, object]:
        """The credits that are left, the seconds for which there were none, and both in words."""
        self._settle()
        state = f"{self.left / self._bucket.credits:.0%} of its credits left"
        if self.without_s > 0.0:
            state += f", none for {show_short(self.without_s, 's')}"
        return {"credits": self.left, "without_s": self.without_s, "state": state}

    def _go_on(self) -> None:
        """Switch between full capacity and baseline if needed, and set the alarm for the next change."""
        bucket, now = self._bucket, float(self._clock.env.now)
        level = 0.0 if self._lends else LEAST * bucket.credits
        if now + time_to(bucket, self.left, self._rate, level) == now:
            self.left = level  # sooner than the clock can tell: it would ring for ever
        empty = self.left <= ROUNDING * bucket.credits
        if self._lends and empty and (self._rate > bucket.baseline or not self._rate):
            self._lend(self._words[0], bucket.baseline / bucket.burst)
        elif not self._lends and self.left >= (LEAST - ROUNDING) * bucket.credits:
            self._lend(self._words[1], 1.0)
        if self._lends == (self._rate > bucket.baseline):
            level = 0.0 if self._lends else LEAST * bucket.credits
            self._alarm.set(now + time_to(bucket, self.left, self._rate, level), self._ring)

    def _lend(self, what: str, capacity: float) -> None:
        self._lends = not self._lends
        self._clock.trace.note(self._clock.env.now, self.name, what)
        self._network.set_capacity(self._link, capacity * self._full)


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
