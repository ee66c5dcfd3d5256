"""A wrapper around a block device with another path (other buses), or another layout (deduplicated, redirected)."""

from __future__ import annotations

from collections.abc import Mapping

from simbackup.devices.network.live import Network
from simbackup.devices.store import Direction, Service, Store, Visitor
from simbackup.engine.link import Link


class Over:
    """A device with another path of buses; everything else is that of the device below.

    A volume of one host on an array of another host, or on one that no host owns, is reached over the links between the
    two.
    """

    def __init__(self, below: Store, path: tuple[Network, ...] | None = None) -> None:
        self.below = below
        self.name = below.name
        self.size = below.size
        self.link: Link = below.link
        self.path: tuple[Network, ...] = below.path if path is None else path

    @property
    def ahead(self) -> float:
        """Bytes that hosts read ahead at least."""
        return self.below.ahead

    @property
    def passed(self) -> float:
        """Bytes that are read ahead or pass below its heads."""
        return self.below.passed

    @property
    def gathers(self) -> float:
        """Bytes of writes that a cache gathers below."""
        return self.below.gathers

    def sides(self, position: float, size: float) -> float:
        """Streams that the device below reads at once."""
        return self.below.sides(position, size)

    def run(self, direction: Direction, window: float) -> float:
        """Bytes of a stream before a disk goes elsewhere."""
        return self.below.run(direction, window)

    @property
    def width(self) -> int:
        """Disks below that move a stream at the same time."""
        return self.below.width

    @property
    def fetches(self) -> bool:
        """Whether the device below reads ahead by itself."""
        return self.below.fetches

    @property
    def arms(self) -> int:
        """Disks below over which small reads spread."""
        return self.below.arms

    @property
    def visitors(self) -> dict[str, Visitor]:
        """Users of the device below."""
        return self.below.visitors

    @property
    def stripe(self) -> float:
        """Bytes that parity joins below."""
        return self.below.stripe

    @property
    def jumps(self) -> float:
        """Share of the requests of a reader in sequence that go to places of their own."""
        return self.below.jumps

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of the device's time for each byte of a sequential stream."""
        return self.below.stream(direction, position, size)

    def alone(self, position: float, size: float) -> float:
        """Greatest rate of one reader."""
        return self.below.alone(position, size)

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What a request takes."""
        return self.below.request(direction, head, position, size)

    def scattered(
        self, direction: Direction, begin: float, extent: float, size: float, waiting: float = 1.0
    ) -> Service:
        """What a request at a random place takes."""
        return self.below.scattered(direction, begin, extent, size, waiting)

    def continued(self, position: float, size: float) -> Service:
        """The time of a read that continues the one before."""
        return self.below.continued(position, size)

    def append(self, position: float, size: float) -> Service:
        """The time of a write that continues the one before."""
        return self.below.append(position, size)

    def rewriting(self, share: float, run: float) -> Mapping[Link, float]:
        """What scattered writes ask of links beside themselves."""
        return self.below.rewriting(share, run)

    def switchover(self, here: float, there: float, size: float, *, back: bool = False, writing: int = 0) -> Service:
        """What a request loses to a stream elsewhere on the same device."""
        return self.below.switchover(here, there, size, back=back, writing=writing)

    def spread(self, size: float, *, writes: bool) -> int:
        """Disks over which a request is spread."""
        return self.below.spread(size, writes=writes)
