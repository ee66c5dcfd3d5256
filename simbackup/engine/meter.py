"""What a link has done so far: units, busy seconds, bytes."""

from __future__ import annotations

from simbackup.engine.mover import Riding


class Meter:
    """Integrals over time of what is used of a link, at rates that are constant between changes."""

    __slots__ = (
        "busy",
        "busy_s",
        "bytes_moved",
        "bytes_per_s",
        "peak_bytes_per_s",
        "riding",
        "settled_at",
        "units",
        "used",
    )

    def __init__(self) -> None:
        self.riding: Riding | None = None
        """A crowd that is alone on the link, by whose clock it is metered."""
        self.units: float = 0.0
        """Units used so far."""
        self.busy_s: float = 0.0
        """Seconds busy so far: the integral of the share of capacity in use."""
        self.bytes_moved: float = 0.0
        self.peak_bytes_per_s: float = 0.0
        """The greatest bytes per second that lasted for any time so far."""
        self.settled_at: float = 0.0
        """The time of these totals, seconds."""
        self.used: float = 0.0
        """Units a second in use since then."""
        self.busy: float = 0.0
        """The share of capacity in use since then."""
        self.bytes_per_s: float = 0.0

    def settle(self, now: float) -> None:
        """Update the totals to `now`, seconds."""
        elapsed = now - self.settled_at
        if elapsed <= 0.0:
            return
        if used := self.used:
            self.units += used * elapsed
            self.busy_s += self.busy * elapsed
        if bytes_per_s := self.bytes_per_s:
            self.bytes_moved += bytes_per_s * elapsed
            if bytes_per_s > self.peak_bytes_per_s:  # noqa: PLR1730 (`max` costs a call, at each change of a rate)
                self.peak_bytes_per_s = bytes_per_s
        if self.riding is not None:
            self._settle_riding(self.riding, now)
        self.settled_at = now

    def _settle_riding(self, riding: Riding, now: float) -> None:
        reading = riding.crowd.clock(now)
        levels = reading - riding.showed
        self.units += riding.units * levels
        self.busy_s += riding.busy * levels
        self.bytes_moved += riding.bytes * levels
        self.peak_bytes_per_s = max(self.peak_bytes_per_s, riding.bytes * riding.crowd.greatest(self.settled_at, now))
        riding.showed = reading
