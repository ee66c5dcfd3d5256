"""Copy-on-write snapshots and checkpoints: what they still need, and where they keep copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.devices.changes import Changes
from simbackup.devices.shape import FlowShape
from simbackup.devices.snapshot.reading import ImageReader
from simbackup.devices.store import Region
from simbackup.equations import snapshot as equations
from simbackup.trace.trace import Trace

if TYPE_CHECKING:
    from simbackup.devices.volume.live import Volume
from simbackup.devices.image import Readers, Times, lost


class Snapshot:
    """A copy-on-write snapshot: it keeps what its origin overwrites, until its copy area is full."""

    def __init__(  # noqa: PLR0913
        self,
        name: str,
        origin: Volume,
        area: Region,
        *,
        parameters: equations.CopyOnWriteParameters,
        times: Times,
        trace: Trace,
        in_place: bool = True,
    ) -> None:
        self.name = name
        self.origin = origin
        self.area = area
        self.parameters = parameters
        self.create_time, self.remove_time, self.lookup_time = times
        self.capacity = equations.area_chunks(parameters, area.size)
        self.active = False
        self.invalid_since: float | None = None
        self.changes = Changes(parameters.chunk, origin.region.size)
        self.trace = trace
        self.in_place = in_place
        self.readers = Readers()

    @property
    def used(self) -> int:
        """Chunks in the copy area."""
        return round(self.changes.total / self.parameters.chunk)

    @property
    def room(self) -> float:
        """Bytes of the origin whose chunks still fit into the copy area."""
        return (self.capacity - self.used) * self.parameters.chunk

    def needs(self, begin: float) -> tuple[bool, float]:
        """Whether a write at a byte of the origin needs a copy first, and up to which byte this holds."""
        return self.changes.runs.state(begin)

    @property
    def lookup_size(self) -> float:
        """Bytes covered by one lookup."""
        return self.parameters.chunk

    @property
    def hindrance(self) -> str | None:
        """Why it cannot be created now; None if it can."""
        return "exists already" if self.active else None

    @property
    def removable(self) -> bool:
        """Whether there is something to remove: an image, or what is left of one."""
        return self.active or self.invalid_since is not None

    @property
    def loss(self) -> str | None:
        """Why there is no frozen image; None if there is one."""
        if self.invalid_since is not None:
            return "became invalid: its copy area is full"
        return None if self.active else "is not there"

    def source(self, begin: float, size: float) -> Region:
        """Where a part of the frozen image is read: what was not overwritten is still in the origin."""
        return self.origin.region.part(begin, size)

    def reading(
        self, shape: FlowShape, place: tuple[float, float], window: float | None, together: float = 1.0
    ) -> FlowShape:
        """What was copied is read in the copy area, and more of it while writers go on."""
        return ImageReader(self, self.source(*place), place[0], window, together).on(shape) if together else shape

    def new_blocks(self, volume: Volume, begin: float, size: float) -> Region | None:
        """Room behind the data, where the image is kept inside the file system of the volume that is written."""
        if self.in_place or volume is not self.origin:
            return None
        return self.area.part(min(begin, max(self.area.size - size, 0.0)), min(size, self.area.size))

    def record(self, trace: Trace) -> None:
        """Record its state and the room that it takes in the trace."""
        state = "invalid" if self.invalid_since is not None else "active" if self.active else "removed"
        copied = self.used * self.parameters.chunk
        trace.device(
            self.name, "snapshot", 0.0, units=float(self.used), bytes_moved=copied, peak_bytes_per_s=0.0,
            state=state, copied_bytes=copied, area_bytes=self.area.size,
        )  # fmt: skip

    def create(self) -> None:
        """Freeze the origin as it is now."""
        self._restart(active=True)
        self.origin.attach(self)

    def remove(self) -> None:
        """Remove the frozen image and empty the copy area."""
        if self.active:
            self.origin.detach(self)
        self._restart(active=False)

    def _restart(self, *, active: bool) -> None:
        """Begin anew, with nothing copied."""
        self.active, self.invalid_since = active, None
        self.readers.fail(lost(self))
        self.changes = Changes(self.parameters.chunk, self.origin.region.size)

    def invalidate(self, time: float) -> None:
        """Invalidate the frozen image because the copy area is full."""
        self.active, self.invalid_since = False, time
        self.trace.note(time, self.name, "is invalid, as its copy area is full", chunks=self.used)
        self.origin.detach(self)
        self.readers.fail(lost(self))

    def wrote(self, begin: float, size: float) -> None:
        """Note that the chunks under these bytes of the origin have been copied."""
        chunk = self.parameters.chunk
        first = begin // chunk * chunk
        last = -(-(begin + size) // chunk) * chunk
        runs = self.changes.runs
        runs.add(first, min(last, first + runs.gap(first, last, self.room)))

    def position(self, ahead: float = 0.0) -> float:
        """Where on its device a chunk is copied to when `ahead` more bytes have been copied."""
        used = self.used + ahead // self.parameters.chunk
        areas = 1 + used // equations.records_per_area(self.parameters)
        return self.area.begin + min((1 + areas + used) * self.parameters.chunk, self.area.size)
