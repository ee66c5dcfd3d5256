"""Burst credits (token bucket) of a link: full rate while credits last, then the baseline."""

from __future__ import annotations

from simbackup.engine.events import Alarm
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.equations import burst
from simbackup.trace.clock import Clock
from simbackup.units import show_short

ROUNDING = 1e-9
"""Share of the bucket below which it counts as empty."""
LEAST = 1e-3
"""Share of the bucket that must return before an empty one is used again, so that it does not alternate for ever."""
LENT = ("has used up its credits", "has credits again")
"""Notes in the trace."""


class Credits:
    """The credits of a link, for operations or for bytes: all its flows spend them, and time restores them.

    With credits, the link has its full capacity; without, the share of the baseline. The trace notes when they are used
    up, and when there are some again.
    """

    def __init__(
        self,
        link: Link,
        bucket: burst.Bucket,
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
        del binding
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
        self.left = burst.credits_after(self._bucket, self.left, self._rate, now - self._since)
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
        if now + burst.time_to(bucket, self.left, self._rate, level) == now:
            self.left = level  # sooner than the clock can tell: it would ring for ever
        empty = self.left <= ROUNDING * bucket.credits
        if self._lends and empty and (self._rate > bucket.baseline or not self._rate):
            self._lend(self._words[0], bucket.baseline / bucket.burst)
        elif not self._lends and self.left >= (LEAST - ROUNDING) * bucket.credits:
            self._lend(self._words[1], 1.0)
        if self._lends == (self._rate > bucket.baseline):
            level = 0.0 if self._lends else LEAST * bucket.credits
            self._alarm.set(now + burst.time_to(bucket, self.left, self._rate, level), self._ring)

    def _lend(self, what: str, capacity: float) -> None:
        self._lends = not self._lends
        self._clock.trace.note(self._clock.env.now, self.name, what)
        self._network.set_capacity(self._link, capacity * self._full)
