"""Requests that are made before their bytes are needed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from simbackup.equations.read_ahead import window_wait


class Ahead(NamedTuple):
    """Requests for what follows in a file, which are under way while whoever asks works on what came before.

    The seconds that they take of a unit, one after the other, by part; the share of the work on a unit during which
    they are under way, and the seconds of this work so far.
    """

    parts: Mapping[tuple[str, str], float]
    share: float
    work: float = 0.0

    def waited(self) -> float:
        """Share of their seconds that are waited for."""
        taken = math.fsum(self.parts.values())
        return window_wait(taken, self.share * self.work) / taken if taken > 0.0 else 0.0

    def times(self, units: float) -> Ahead:
        """The same for a unit that is so many of these."""
        return Ahead({part: seconds * units for part, seconds in self.parts.items()}, self.share, self.work * units)
