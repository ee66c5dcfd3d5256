"""A wrapper around a block device with another path (other buses), or another layout (deduplicated, redirected)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simbackup.devices.network.live import Network
from simbackup.devices.store import Direction, Service, Store

if TYPE_CHECKING:
    Base = Store
else:
    Base = object  # so that what is not said here is asked of the device below


class Over(Base):
    """A device with another path of buses; everything else is that of the device below.

    A volume of one host on an array of another host, or on one that no host owns, is reached over the links between the
    two.
    """

    def __init__(self, below: Store, path: tuple[Network, ...] | None = None) -> None:
        self.below = below
        self.path = below.path if path is None else path

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return getattr(object.__getattribute__(self, "below"), name)

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of the device's time for each byte of a sequential stream."""
        return self.below.stream(direction, position, size)

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What a request takes."""
        return self.below.request(direction, head, position, size)
