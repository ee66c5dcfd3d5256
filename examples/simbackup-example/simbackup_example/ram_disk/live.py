"""Memory that is used as a disk."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from simbackup.devices.network.live import Network
from simbackup.devices.store import Direction, Service
from simbackup.engine.flows import Link


@dataclass(slots=True, eq=False)
class RamDisk:
    """Memory that is used as a disk: one rate for all, wherever the bytes lie."""

    name: str
    size: float
    rate: float
    latency: float
    path: tuple[Network, ...] = ()
    link: Link = field(init=False)

    def __post_init__(self) -> None:
        self.link = Link(self.name, 1.0)

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream."""
        del direction, position, size
        return 1.0 / self.rate

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What one request takes."""
        del direction, head, position
        return Service(self.latency + size / self.rate, size / self.rate)

    def continued(self, position: float, size: float) -> Service:
        """What the next read of a sequence takes."""
        return self.request("read", position, position, size)

    def append(self, position: float, size: float) -> Service:
        """What a write takes."""
        return self.request("write", position, position, size)

    def alone(self, position: float, size: float) -> float:
        """No bound of its own."""
        del position, size
        return math.inf

    def turn(self, here: float, there: float, size: float) -> Service:
        """Nothing is lost between two streams."""
        del here, there, size
        return Service(0.0, 0.0)
