"""What a job that uses the data of users begins with, and the times for which it locks them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simbackup.workloads.users.queues import Passed

ROUNDING = 1e-9
"""Share of lost transactions below which the loss is a rounding error."""


@dataclass(slots=True)
class Watch:
    """The totals of users and device when a job began."""

    begin: float
    """When it began, seconds after the start."""
    completed: float
    """Transactions that were done."""
    busy_s: float
    """Seconds for which the device was busy."""
    own_s: float
    """Those for transactions of the users."""
    passed: Passed
    """Totals of the transactions that were done."""
    asked: float
    """Transactions that would have been done without slow devices."""

    def load(self, asked: float, served: float) -> float:
        """Transactions begun since then for each that was served, given both totals; 1 unless devices delayed them."""
        since = asked - self.asked
        return since / served if since > served * (1.0 + ROUNDING) > 0.0 else 1.0


@dataclass(slots=True)
class LockTime:
    """The time for which a read lock was held, by one job or by several that overlap."""

    begin: float
    """In seconds after the start."""
    end: float = math.inf
    """In seconds after the start; infinite while it is held."""

    def within(self, begin: float, end: float) -> float:
        """Seconds of it between two times."""
        return min(self.end, end) - max(self.begin, begin)


@dataclass(slots=True)
class Asked:
    """Transactions that users would have done so far without slow devices."""

    rate: float = 0.0
    """Transactions a second now."""
    total: float = 0.0
    """All until `since`."""
    since: float = 0.0
    """When the rate changed last, in seconds."""

    def until(self, now: float) -> float:
        """All transactions until now."""
        return self.total + self.rate * (now - self.since) if now > self.since else self.total

    def change(self, now: float, rate: float) -> None:
        """Go on with another rate."""
        self.total, self.since, self.rate = self.until(now), now, rate
