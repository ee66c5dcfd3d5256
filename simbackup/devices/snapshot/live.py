"""Copy-on-write snapshots and checkpoints: what they still need, where they keep copies, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from simbackup.devices.changes import Changes
from simbackup.devices.image import FrozenImage, Times, lost
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region, Service
from simbackup.engine.flow import Flow
from simbackup.engine.network import FlowNetwork
from simbackup.equations import snapshot as equations
from simbackup.parameters import parameters_of
from simbackup.trace.activity import Activity
from simbackup.trace.trace import Trace

if TYPE_CHECKING:
    from simbackup.devices.site import Site
    from simbackup.devices.snapshot.spec import CheckpointSpec, CopyOnWriteSheet, SnapshotSpec
    from simbackup.devices.volume.live import Volume


CHANGE = 0.01
"""Change of the copied share below which a flow is left unchanged."""


class More(NamedTuple):
    """What reading a byte of an image costs in addition to reading it in the origin; an amount may be negative."""

    origin: float = 0.0
    """Seconds of the origin's time."""
    area: float = 0.0
    """Seconds of the copy area's time."""
    wait: float = 0.0
    """Seconds for which its reader waits."""
    share: float = 0.0
    """Share (0 to 1) of the byte that comes from the copy area."""

    def times(self, units: float) -> More:
        """The amounts multiplied."""
        return More(*(units * each for each in self))

    def minus(self, other: More) -> More:
        """The difference to another."""
        return More(*(mine - its for mine, its in zip(self, other, strict=True)))


@dataclass(slots=True)
class ImageReader:
    """A sequential reader of a part of a frozen image, and what that costs in addition to reading the origin.

    Each copied piece is read in the copy area, at another place than the last, and the origin is then read behind it:
    its arm returns, or passes over the piece. The copied share of the whole part is assumed also for what is still to
    be read.
    """

    image: Snapshot
    """The image."""
    region: Region
    """The part, on the origin."""
    begin: float
    """Byte of the volume at which it begins."""
    window: float | None
    """Bytes that a host requests at once, and then waits for; None if reads are complete before they are needed."""
    together: float = 1.0
    """Share (0 to 1) of the part that is read in sequence."""
    unit: float = 1.0
    """Bytes of a unit of the flow."""

    def times(self, units: float) -> ImageReader:
        """The reader for a flow whose unit is so many units of this one."""
        return replace(self, unit=self.unit * units)

    def on(self, shape: FlowShape) -> FlowShape:
        """The shape of reading as it costs now; it changes later."""
        links = dict.fromkeys((self.region.store.link, self.image.area.store.link), 0.0)
        return self._with(shape.plus(links, links), self.more())._replace(source=self)

    def follow(self, network: FlowNetwork, flow: Flow, shape: FlowShape) -> None:
        """Change the flow whenever more has been copied, until it ends."""
        before, readers = self.more(), self.image.origin.readers
        last = before

        def again() -> None:
            nonlocal last
            if not flow.active:
                readers.remove(again)
            elif (now := self.more()).share > last.share + CHANGE:
                last = now
                self._with(shape.by_one if flow.phase_change else shape, now.minus(before).times(self.unit)).change(
                    network, flow
                )

        readers.append(again)

    def more(self) -> More:
        """What a byte costs now."""
        origin = area = wait = share = 0.0
        found = self.image.changes.pieces(self.begin, self.region.size)
        unchanged = 1.0 - sum(size for size, _ in found) / self.region.size
        for size, piece in found:
            pieces = self.together * size / piece / self.region.size
            there, back = self._piece(piece, unchanged)
            at_once = max(pieces * self.window, 1.0) if self.window else 1.0
            area += pieces * there.busy
            origin += pieces * back.busy
            wait += pieces * max((there.latency + back.latency) / at_once, there.busy + back.busy)
            share += size / self.region.size
        return More(origin, area, wait, share)

    def _piece(self, piece: float, unchanged: float) -> tuple[Service, Service]:
        """The time of one piece in the area, and what its origin takes in addition to reading it there.

        A share of the pieces follows an unchanged piece, and is followed by one, for which the origin is needed.
        """
        store, area = self.region.store, self.image.area
        middle = min(self.region.begin + self.region.size / 2.0, store.size - 1.0)
        used = min(max(self.image.used * self.image.parameters.chunk, piece), area.size)
        at = max(min(area.begin + used / 3.0, area.store.size - piece), 0.0)
        there = area.store.request("read", area.begin, at, piece)  # two places of the used part are a third of it apart
        passed = store.stream("read", self.region.begin, self.region.size) * piece
        sides = store.sides(self.region.begin, self.region.size)
        if area.store.link is store.link:
            back, over = store.request("read", at, middle, 1.0), store.request("read", middle, at, piece)
            there = Service(
                unchanged * over.latency + (1.0 - unchanged) * there.latency,
                unchanged * over.busy + (1.0 - unchanged) * there.busy,
            )
            return there, Service(unchanged * back.latency - passed, unchanged * back.busy - passed / sides)
        ahead = store.request("read", middle, middle, 1.0)  # the arm waits until the end of a long piece comes round
        return there, Service(min(ahead.latency - passed, 0.0), min(ahead.busy - passed / sides, 0.0))

    def _with(self, shape: FlowShape, more: More) -> FlowShape:
        """The shape with further costs at origin and copy area."""
        here, there = self.region.store, self.image.area.store
        shape = shape.plus({here.link: more.origin}, {here.link: -more.share})
        shape = shape.plus({there.link: more.area}, {there.link: more.share})
        return shape.after(more.wait, there.name, Activity.READ) if self.window and more.wait > 0.0 else shape


class Snapshot(FrozenImage):
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
        super().__init__(name, origin, times)
        self.area = area
        self.parameters = parameters
        self.lookup_size = parameters.chunk
        self.capacity = equations.area_chunks(parameters, area.size)
        self.invalid_since: float | None = None
        self.changes = Changes(parameters.chunk, origin.region.size)
        self.trace = trace
        self.in_place = in_place

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


def make_snapshot(site: Site, snapshot: SnapshotSpec) -> Snapshot:
    """A snapshot with a copy area of its own."""
    return _made(site, snapshot, snapshot.of, site.room, in_place=True)


def make_checkpoint(site: Site, checkpoint: CheckpointSpec) -> Snapshot:
    """A checkpoint with its copies behind the data of its volume."""
    volume, behind = site.volume(checkpoint.of).region, site.spec.data_end(checkpoint.of)
    return _made(site, checkpoint, checkpoint.of, volume.part(behind, volume.size - behind), in_place=False)


def _made(site: Site, image: CopyOnWriteSheet, of: str, area: Region, *, in_place: bool) -> Snapshot:
    return Snapshot(
        site.address, site.volume(of), area,
        parameters=parameters_of(equations.CopyOnWriteParameters, image),
        times=Times(image.create_time.si, image.remove_time.si, image.lookup_time.si), trace=site.system.trace,
        in_place=in_place,
    )  # fmt: skip
