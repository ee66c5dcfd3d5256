"""The flows on either side of a buffer, and what it holds of their bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from simbackup.engine.flow import Flow

ROUNDING = 2.0**-48
"""Share of all bytes moved within which a level counts as reached, for rounding of sums."""


@dataclass(frozen=True, slots=True)
class BufferPort:
    """A flow attached to a buffer: bytes per unit, and the units completed when it was attached."""

    flow: Flow
    bytes_per_unit: float
    start: float

    @property
    def bytes_moved(self) -> float:
        """Bytes that it has moved since then."""
        return (self.flow.completed - self.start) * self.bytes_per_unit


class Ports(dict[Flow, BufferPort]):
    """The flows on one side by themselves, in the order in which they came."""

    def moved(self) -> tuple[float, float]:
        """Bytes that they have moved since they were attached, and what they have left to move."""
        moved = left = 0.0
        for flow, port in self.items():
            completed = flow.completed
            moved += (completed - port.start) * port.bytes_per_unit
            left += (flow.amount - completed) * port.bytes_per_unit
        return moved, left

    @property
    def bytes_per_s(self) -> float:
        """Bytes a second that they move together."""
        rate = 0.0
        for flow, port in self.items():
            rate += flow.rate * port.bytes_per_unit
        return rate

    @property
    def sizes(self) -> dict[Flow, float]:
        """Bytes of one unit of each."""
        return {flow: port.bytes_per_unit for flow, port in self.items()}

    def range(self, slack: float) -> tuple[float, float]:
        """Bytes a second that they move together at least and at most, if levels that they share move by a share."""
        low = high = 0.0
        for flow, port in self.items():
            if flow.crowd is None:
                rate = flow.own_rate * port.bytes_per_unit
                low, high = low + rate, high + rate
            else:
                rate = flow.rate * port.bytes_per_unit
                low, high = low + rate * (1.0 - slack), high + rate * (1.0 + slack)
        return low, high


class BufferReading(NamedTuple):
    """What a buffer holds at a time, in bytes, what of that may be due to rounding, and what is left to fill and drain.

    The balance, bytes that came in less bytes that went out, may leave the range by what moves in the least step of the
    clock. It is never forced: a drain that found fewer bytes than were filled would wait for the last of them for ever.
    """

    now: float
    balance: float
    rounding: float
    to_fill: float
    to_drain: float

    @classmethod
    def of(cls, base: float, fills: Ports, drains: Ports, now: float, capacity: float) -> BufferReading:
        """The reading of a buffer of a capacity that holds `base` beside what these flows have moved."""
        (filled, to_fill), (drained, to_drain) = fills.moved(), drains.moved()
        rounding = min(ROUNDING * (abs(base) + filled + drained), 0.25 * capacity)  # one bound at a time
        return cls(now, base + filled - drained, rounding, to_fill, to_drain)


UNKNOWN = BufferReading(-math.inf, 0.0, 0.0, 0.0, 0.0)
"""The reading of a buffer of which nothing is known."""
