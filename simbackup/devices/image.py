"""The base class of frozen images: created, read, lost, removed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from simbackup.devices.store import Region
from simbackup.trace.trace import Trace

if TYPE_CHECKING:
    from simbackup.devices.shape import FlowShape, Source
    from simbackup.devices.volume.live import Volume
    from simbackup.engine.flow import Flow
    from simbackup.engine.network import FlowNetwork


class Times(NamedTuple):
    """Seconds of operations on a frozen image."""

    create: float
    """To create it."""
    remove: float
    """To remove it."""
    lookup: float = 0.0
    """To look up a chunk."""


@dataclass(slots=True)
class Readers:
    """The flows that read a frozen image; their reads fail when it is lost."""

    flows: list[tuple[FlowNetwork, Flow]] = field(default_factory=list[tuple["FlowNetwork", "Flow"]])

    def add(self, network: FlowNetwork, flow: Flow) -> None:
        """Note a flow that has begun to read."""
        self.flows = [(each, reader) for each, reader in self.flows if reader.active]
        self.flows.append((network, flow))

    def fail(self, reason: str) -> None:
        """Let the reads of all flows that are still reading fail for a reason."""
        flows, self.flows = self.flows, []
        for network, flow in flows:
            network.fail(flow, reason)


@dataclass(frozen=True, slots=True)
class ImageSource:
    """A frozen image that a flow reads; its reads fail when the image is lost."""

    image: FrozenImage
    within: Source | None = None
    """What changes the flow while it reads, if anything does."""

    def follow(self, network: FlowNetwork, flow: Flow, shape: FlowShape) -> None:
        """Register the flow as a reader of the image."""
        self.image.readers.add(network, flow)
        if self.within is not None:
            self.within.follow(network, flow, shape)

    def times(self, units: float) -> ImageSource:
        """The source for a flow whose unit is so many units of this one."""
        return self if self.within is None else replace(self, within=self.within.times(units))


def reading(
    image: FrozenImage, shape: FlowShape, place: tuple[float, float], window: float | None, together: float = 1.0
) -> FlowShape:
    """The shape of reading a part of a frozen image, as `FrozenImage.reading` has it, until the image is lost."""
    read = image.reading(shape, place, window, together)
    return read._replace(source=ImageSource(image, read.source))


def lost(image: FrozenImage) -> str:
    """The reason for which what reads an image fails that is not there any more."""
    return f"'{image.name.removeprefix('devices.')}' {image.loss}"


class FrozenImage(ABC):
    """A frozen image of a volume; without more, all of it lies in its source."""

    lookup_size: float
    """Bytes covered by one lookup."""

    def __init__(self, name: str, origin: Volume, times: Times) -> None:
        self.name, self.origin = name, origin
        self.create_time, self.remove_time, self.lookup_time = times
        self.active = False
        self.readers = Readers()

    @property
    @abstractmethod
    def hindrance(self) -> str | None:
        """Why it cannot be created now; None if it can."""

    @property
    def removable(self) -> bool:
        """Whether there is something to remove: an image, or what is left of one."""
        return self.active

    @property
    @abstractmethod
    def loss(self) -> str | None:
        """Why there is no frozen image; None if there is one."""

    def source(self, begin: float, size: float) -> Region:
        """Where a part of the frozen image is read: by itself in the volume, which holds what was not overwritten."""
        return self.origin.region.part(begin, size)

    def reading(
        self, shape: FlowShape, place: tuple[float, float], window: float | None, together: float = 1.0
    ) -> FlowShape:
        """The shape of reading a part of the image (begin, size), some of which may lie elsewhere than in its source.

        `window` are the bytes that a host asks for at once, and then waits for; None if it reads ahead without end. A
        share is read `together`, in sequence; requests here and there cost the same wherever they find their data.
        """
        return shape

    def new_blocks(self, volume: Volume, begin: float, size: float) -> Region | None:
        """Where a file system that keeps old blocks for the image writes a part of it back; None if in place."""
        del volume, begin, size

    @abstractmethod
    def create(self) -> None:
        """Freeze the volume as it is now."""

    @abstractmethod
    def remove(self) -> None:
        """Remove the frozen image."""

    def record(self, trace: Trace) -> None:
        """Record its state in the trace; nothing if its disks have their own records."""
        del trace
