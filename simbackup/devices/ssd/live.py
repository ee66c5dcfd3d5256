"""Solid-state disks."""

from __future__ import annotations

import math

from simbackup.devices.network.live import Network
from simbackup.devices.store import Direction, Service
from simbackup.engine.flows import Link


class Ssd:
    """A solid-state disk."""

    def __init__(self, name: str, size: float, rates: tuple[float, float], latencies: tuple[float, float]) -> None:
        self.name = name
        self.size = size
        self.rates: dict[Direction, float] = {"read": rates[0], "write": rates[1]}
        self.latencies: dict[Direction, float] = {"read": latencies[0], "write": latencies[1]}
        self.link = Link(name, 1.0)
        self.path: tuple[Network, ...] = ()

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream."""
        del position, size
        return 1.0 / self.rates[direction]

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What one request takes; its latency leaves the device free for others."""
        del head, position
        transfer = size / self.rates[direction]
        return Service(self.latencies[direction] + transfer, transfer)

    def continued(self, position: float, size: float) -> Service:
        """What the next read of a sequence takes."""
        return self.request("read", position, position, size)

    def append(self, position: float, size: float) -> Service:
        """What a write takes; there is no rotation to miss."""
        return self.request("write", position, position, size)

    def alone(self, position: float, size: float) -> float:
        """No limit of its own: the device reads ahead."""
        del position, size
        return math.inf

    def turn(self, here: float, there: float, size: float) -> Service:
        """Zero: it has no arm to move."""
        del here, there, size
        return Service(0.0, 0.0)
