"""Memory that is used as a disk."""

from __future__ import annotations

from dataclasses import dataclass, field

from simbackup.devices.store import Direction, Service, Store
from simbackup.engine.link import Link


@dataclass(slots=True, eq=False)
class RamDisk(Store):
    """Memory that is used as a disk: one rate for all, wherever the bytes lie."""

    name: str
    size: float
    rate: float
    latency: float
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
