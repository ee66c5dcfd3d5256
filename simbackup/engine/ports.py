"""The flows on one side of a buffer."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.engine.flow import Flow


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

    @property
    def bytes_moved(self) -> float:
        """Bytes that they have moved since they were attached."""
        moved = 0.0
        for flow, port in self.items():
            moved += (flow.completed - port.start) * port.bytes_per_unit
        return moved

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
