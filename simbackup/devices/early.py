"""Read-ahead of a worker: how much of the time of later requests is hidden behind its computing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from simbackup.equations.read_ahead import window_wait


class Ahead(NamedTuple):
    """Requests for what follows in a file, which are under way while the worker computes with what came before."""

    parts: Mapping[tuple[str, str], float]
    """Seconds that they take for each unit, one after the other, by address and activity."""
    share: float
    """Share of the worker's computing (0 to 1) during which they are under way."""
    work: float = 0.0
    """Seconds that the worker computes for each unit, so far."""

    def waited(self) -> float:
        """Share of their seconds that are waited for."""
        taken = math.fsum(self.parts.values())
        return window_wait(taken, self.share * self.work) / taken if taken > 0.0 else 0.0

    def times(self, units: float) -> Ahead:
        """The same for a unit that is so many of these."""
        return Ahead({part: seconds * units for part, seconds in self.parts.items()}, self.share, self.work * units)
