"""What a job that uses the data of users begins with, and the times for which it locks them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simbackup.workloads.users.passed import Passed

ROUNDING = 1e-9
"""Share of the transactions below which a loss is rounding."""


@dataclass(slots=True)
class Watch:
    """Where the totals of users and device stood when a job began."""

    begin: float
    completed: float
    busy_s: float
    own_s: float
    passed: Passed
    asked: float

    def load(self, asked: float, served: float) -> float:
        """Transactions asked for since then for each of so many that were served; 1 unless devices held them up."""
        since = asked - self.asked
        return since / served if since > served * (1.0 + ROUNDING) > 0.0 else 1.0


@dataclass(slots=True)
class LockTime:
    """Seconds from which and until which a read lock was held, by one job or by several that overlap."""

    begin: float
    end: float = math.inf

    def within(self, begin: float, end: float) -> float:
        """Seconds of it within a time."""
        return min(self.end, end) - max(self.begin, begin)


@dataclass(slots=True)
class Asked:
    """Transactions that users could have done so far if no device had held them up, at so many a second by now."""

    rate: float = 0.0
    total: float = 0.0
    since: float = 0.0

    def until(self, now: float) -> float:
        """All until now."""
        return self.total + self.rate * (now - self.since) if now > self.since else self.total

    def change(self, now: float, rate: float) -> None:
        """Go on with another rate."""
        self.total, self.since, self.rate = self.until(now), now, rate
