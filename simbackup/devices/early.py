"""Read-ahead of a worker: how much of the time of later requests is hidden behind its computing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from simbackup.equations.read_ahead import window_wait


class Ahead(NamedTuple):
    """Requests for later parts of a file that are in flight while the worker computes with earlier ones."""

    parts: Mapping[tuple[str, str], float]
    """Seconds of these requests for each unit, in series, by address and activity."""
    share: float
    """Share (0 to 1) of the worker's computing during which they are in flight."""
    work: float = 0.0
    """Seconds that the worker computes for each unit, so far."""

    def waited(self) -> float:
        """Share (0 to 1) of their seconds that the worker waits for."""
        taken = math.fsum(self.parts.values())
        return window_wait(taken, self.share * self.work) / taken if taken > 0.0 else 0.0

    def times(self, units: float) -> Ahead:
        """The same for a unit that is so many of these."""
        return Ahead({part: seconds * units for part, seconds in self.parts.items()}, self.share, self.work * units)
