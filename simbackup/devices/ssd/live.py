"""Solid-state disks."""

from __future__ import annotations

from simbackup.devices.network.live import Network
from simbackup.devices.store import Direction, FlatStore, Service
from simbackup.engine.flows import Link


class Ssd(FlatStore):
    """A solid-state disk."""

    def __init__(self, name: str, size: float, rates: tuple[float, float], latencies: tuple[float, float]) -> None:
        self.name = name
        self.size = size
        self.rates: dict[Direction, float] = {"read": rates[0], "write": rates[1]}
        self.latencies: dict[Direction, float] = {"read": latencies[0], "write": latencies[1]}
        self.link = Link(name, 1.0, fastest=max(rates))
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
