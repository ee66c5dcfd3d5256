"""What every live frozen image does, whatever keeps the old data."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from simbackup.devices.store import Region
from simbackup.engine.trace import Trace

if TYPE_CHECKING:
    from simbackup.devices.shape import FlowShape
    from simbackup.devices.volume.live import Volume


class Times(NamedTuple):
    """Seconds to create and to remove a frozen image, and to look up where a chunk of it lies."""

    create: float
    remove: float
    lookup: float = 0.0


class FrozenImage(Protocol):
    """A frozen image of a volume."""

    name: str
    origin: Volume
    create_time: float
    remove_time: float
    lookup_time: float

    @property
    def lookup_size(self) -> float:
        """Bytes that are found with one lookup."""
        ...

    @property
    def hindrance(self) -> str | None:
        """Why it cannot be created now, None if nothing stands in the way."""
        ...

    @property
    def removable(self) -> bool:
        """Whether there is something to remove."""
        ...

    @property
    def loss(self) -> str | None:
        """Why there is no frozen image, None if there is one."""
        ...

    def source(self, begin: float, size: float) -> Region:
        """Where a part of the frozen image is read."""
        ...

    def new_blocks(self, volume: Volume, begin: float, size: float) -> Region | None:
        """Where a file system that keeps old blocks for the image writes a part of it back; None if in place."""
        ...

    def create(self) -> None:
        """Freeze the volume as it is now."""
        ...

    def remove(self) -> None:
        """Give the frozen image up."""
        ...

    def record(self, trace: Trace) -> None:
        """Write what became of it into the trace."""
        ...


class SynchronisedImage(FrozenImage, Protocol):
    """A frozen image that is brought into line with its volume again."""

    state: str

    @property
    def behind(self) -> tuple[float, float]:
        """Bytes that have to be copied: in sequence, and in regions here and there."""
        ...

    def synchronise(self) -> None:
        """Take new writes from now on, while the old data are copied."""
        ...

    def copying(self, size: float, *, scattered: bool) -> FlowShape:
        """How a byte of a synchronisation loads both sides."""
        ...

    def attach(self) -> None:
        """Be in line with the volume."""
        ...
