"""What every live frozen image does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from simbackup.devices.store import Region
from simbackup.engine.trace import Trace

if TYPE_CHECKING:
    from simbackup.devices.shape import FlowShape
    from simbackup.devices.volume.live import Volume
    from simbackup.engine.flows import Flow, Link


class Times(NamedTuple):
    """Seconds to create and to remove a frozen image, and to look up a chunk of it."""

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
        """Bytes covered by one lookup."""
        ...

    @property
    def hindrance(self) -> str | None:
        """Why it cannot be created now; None if it can."""
        ...

    @property
    def removable(self) -> bool:
        """Whether there is something to remove."""
        ...

    @property
    def loss(self) -> str | None:
        """Why there is no frozen image; None if there is one."""
        ...

    def source(self, begin: float, size: float) -> Region:
        """Where a part of the frozen image is read."""
        ...

    def reading(
        self, shape: FlowShape, place: tuple[float, float], window: float | None, together: float = 1.0
    ) -> FlowShape:
        """The shape of reading a part of the image (begin, size), some of which lies elsewhere than in its source.

        `window` are the bytes that a host asks for at once, and then waits for; None if it reads ahead without end. A
        share is read `together`, in sequence; requests here and there cost the same wherever they find their data.
        """
        ...

    def new_blocks(self, volume: Volume, begin: float, size: float) -> Region | None:
        """Where a file system that keeps old blocks for the image writes a part of it back; None if in place."""
        ...

    def create(self) -> None:
        """Freeze the volume as it is now."""
        ...

    def remove(self) -> None:
        """Remove the frozen image."""
        ...

    def record(self, trace: Trace) -> None:
        """Record its state in the trace."""
        ...


class SynchronisedImage(FrozenImage, Protocol):
    """A frozen image that can be synchronised with its volume again."""

    state: str

    @property
    def behind(self) -> tuple[float, float]:
        """Bytes to copy: in sequence, and in scattered regions."""
        ...

    def synchronise(self) -> None:
        """Take new writes from now on, while old data are copied."""
        ...

    @property
    def sides(self) -> tuple[Link, Link]:
        """The devices of the origin and of the copy."""
        ...

    def copying(self, size: float, *, scattered: bool, flow: Flow | None = None) -> FlowShape:
        """What a byte of a synchronisation loads on both sides, beside others than its own flow if that is there."""
        ...

    def attach(self) -> None:
        """Mark it as in sync with the volume."""
        ...
