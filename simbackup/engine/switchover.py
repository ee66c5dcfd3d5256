"""What a resource loses by switching between streams: the switchover times of a polling system, as a fluid.

A stream is interrupted no more often than others are served: it turns for the bytes that they move, or for all of its
own if these are fewer. With `b` the bytes a second of each stream, `k` the units that the resource loses over one of
them, and `T` the sum of all `b`, turns take `sum of k min(b, T - b)`. No more than one stream moves more than all
others together, so this is `sum of k b`, as if each turned for all of its own, less what that one is spared: `k (2 b
- T)`. It rises with each `b`, and is linear but for that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Rates = Sequence[float] | Mapping[int, float]
"""Units a second of flows, by number."""


@dataclass(frozen=True, slots=True)
class Switchover:
    """The streams of one resource by number: bytes that a unit moves, and units that turning for all of it costs.

    A number may be that of many streams at one level: then `single` are the bytes of the greatest of them.
    """

    moved: Mapping[int, float]
    lost: Mapping[int, float]
    single: Mapping[int, float] | None = None

    def spared(self, rates: Rates) -> float:
        """Units a second that the resource does not lose because one stream moves more than all others together.

        >>> Switchover({0: 1.0, 1: 1.0}, {0: 0.5, 1: 0.5}).spared([5.0, 1.0])  # turns for 1 of its 5
        2.0
        """
        flow, most = self._greatest(rates)
        return self._each(flow) * max(most, 0.0) if self.moved else 0.0

    def marginal(self, rates: Rates) -> dict[int, float]:
        """Units by which one more unit of each stream is cheaper than if it turned for all; negative where dearer."""
        flow, most = self._greatest(rates)
        if most <= 0.0:
            return {}
        each = self._each(flow)
        found = {other: -each * moved for other, moved in self.moved.items()}
        found[flow] += 2.0 * each * self._single(flow)
        return found

    def level(
        self, left: float, total: float, weights: Sequence[float], growing: Sequence[bool], rates: Sequence[float]
    ) -> float:
        """The level at which the resource is full.

        What it gives is the least of several linear functions of the level, one for nobody and one for each stream that
        may be the greatest; so it is full at the greatest level of any.

        Parameters
        ----------
        left, total
            Units a second that it has left, and those that growing flows take for each unit of the level, if each turns
            for all that it moves.
        weights, growing, rates
            Of each flow its weight, whether it grows, and its rate if it does not.
        """
        moved: list[tuple[float, float]] = []  # of each that may be the greatest: what turning costs, and its bytes
        fixed: list[tuple[float, float]] = []
        rise = start = 0.0
        for flow, size in self.moved.items():
            each, single = self.lost[flow] / size, self._single(flow)
            if growing[flow]:
                moved.append((each, single * weights[flow]))
                rise += size * weights[flow]
            else:
                fixed.append((each, single * rates[flow]))
                start += size * rates[flow]
        found = left / total
        for each, size in fixed:
            full = (left + each * (2.0 * size - start)) / (total + each * rise)
            found = max(found, full)
        for each, size in moved:
            slope = total - each * (2.0 * size - rise)
            if slope > 0.0:
                full = (left - each * start) / slope
                found = max(found, full)
        return found

    def shares(self, rates: Rates) -> dict[int, float]:
        """For each stream, or the greatest of many under one number, the share of its bytes that costs a turn."""
        total = self._total(rates)
        bytes_per_s = {flow: self._single(flow) * rates[flow] for flow in self.moved}
        return {flow: min(1.0, (total - own) / own) if own > 0.0 else 1.0 for flow, own in bytes_per_s.items()}

    def _each(self, flow: int) -> float:
        """Units that turning costs for each byte of a stream."""
        return self.lost[flow] / self.moved[flow]

    def _greatest(self, rates: Rates) -> tuple[int, float]:
        """The stream that moves most, and by how many bytes a second that is more than all others do."""
        bytes_per_s = {flow: self._single(flow) * rates[flow] for flow in self.moved}
        if not bytes_per_s:
            return -1, 0.0
        flow = max(bytes_per_s, key=bytes_per_s.__getitem__)
        return flow, 2.0 * bytes_per_s[flow] - self._total(rates)

    def _single(self, flow: int) -> float:
        """Bytes that a unit moves of the greatest stream of a number."""
        return self.moved[flow] if self.single is None else self.single.get(flow, self.moved[flow])

    def _total(self, rates: Rates) -> float:
        """Bytes a second of all streams."""
        return sum([size * rates[flow] for flow, size in self.moved.items()])
