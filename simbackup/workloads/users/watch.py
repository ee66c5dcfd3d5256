"""What a job that uses the data of users begins with, and the times for which it locks them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simbackup.workloads.users.passed import Passed


@dataclass(slots=True)
class Watch:
    """Where the totals of users and device stood when a job began."""

    begin: float
    completed: float
    busy_s: float
    own_s: float
    passed: Passed


@dataclass(slots=True)
class LockTime:
    """Seconds from which and until which a read lock was held, by one job or by several that overlap."""

    begin: float
    end: float = math.inf

    def within(self, begin: float, end: float) -> float:
        """Seconds of it within a time."""
        return min(self.end, end) - max(self.begin, begin)
