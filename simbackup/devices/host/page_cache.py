"""The page cache of a host: programs write into memory, write-back empties it, and a limit couples the two."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import simpy

from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Stretch, Volume
from simbackup.engine.buffer import Buffer
from simbackup.engine.flow import Flow
from simbackup.engine.limit import WHOLE, Segment
from simbackup.engine.network import FlowNetwork
from simbackup.late import Late
from simbackup.trace.activity import Activity

LEAST = 1.0
"""Bytes below which what is left to write is a rounding error."""


NOTHING = FlowShape()


class VolumeRange(NamedTuple):
    """A range of bytes of a volume that is written."""

    volume: Volume
    begin: float
    """Byte of the volume at which it begins."""
    size: float
    """Bytes."""
    beside: FlowShape = NOTHING
    """What each byte loads in addition to its own write when it goes to disk."""


@dataclass(slots=True, eq=False)
class Dirty:
    """Bytes of a volume that a job has written, or is about to write, and that are not yet on disk."""

    job: str
    volume: Volume
    begin: float
    """Byte of the volume at which they begin."""
    size: float
    """Bytes."""
    beside: FlowShape
    """What each byte loads in addition to its own write when it goes to disk."""
    on_disk: simpy.Event
    """Succeeds when all of them are on disk, or when the rest never will be."""
    left: dict[Dirty, None]
    """All writes to the same volume that have ended in memory and are not yet on disk; they share this mapping."""
    segments: list[Segment] = field(default_factory=list[Segment])
    """What limited its way to disk, and when."""
    drain: Flow | None = None
    """The flow that writes a part of it to disk now."""
    failure: str | None = None
    """Why the rest of it will not reach the disk; None unless it failed."""

    def came(self, size: float) -> bool:
        """Note that its writer has ended with so many bytes in memory; later writers go to disk after it.

        Whether these are fewer than expected, because the writer failed.
        """
        if not self.on_disk.triggered:
            self.left[self] = None
        if self.size - size < LEAST:
            return False
        self.volume.forgo(self.begin + size, self.begin + self.size)
        self.size = size
        return True

    def limits(self, since: float) -> list[Segment]:
        """What limited its way to disk after a time (seconds), including waits for earlier writes."""
        return [s._replace(begin=max(s.begin, since)) for s in self.segments if s.end > since]


@dataclass(frozen=True, slots=True)
class DirtyLimits(Late):
    """When unwritten data of a device go to disk."""

    limit: float
    """Bytes above which writers wait."""
    background: float
    """Bytes above which write-back begins."""
    expire: float = math.inf
    """Age in seconds at which write-back begins in any case."""
    run: float = 0.0
    """Bytes of one writer that go to disk before it is another's turn."""


class PageCache:
    """Unwritten data of one host for one device.

    Each writer's data are written back by themselves: side by side with those of others at work, and after those that
    others left behind on the same volume. Writers that come while others' data are dirty share the limit equally.
    """

    def __init__(self, network: FlowNetwork, name: str, limits: DirtyLimits) -> None:
        self.network = network
        self.env = network.env
        self.name = name
        self.limits = limits
        self.dirty = 0
        """Writers whose data are not on disk."""
        self._left: dict[Volume, dict[Dirty, None]] = {}

    def take(self, job: str, place: VolumeRange, flow: Flow, each: float = 1.0) -> Dirty:
        """Let a flow fill the cache with `each` bytes of a volume for each unit; it may write elsewhere, too."""
        dirty = Dirty(job, *place, self.env.event(), self._left.setdefault(place.volume, {}))
        older = [other.on_disk for other in dirty.left]
        self.dirty += 1
        part = 1.0 / self.dirty
        buffer = Buffer(self.network, part * self.limits.limit, self.name)
        buffer.fill(flow, bytes_per_unit=each)

        def ended(_: simpy.Event) -> None:
            if dirty.came(flow.completed * each) and dirty.drain is not None:
                self.network.stop(dirty.drain)  # it goes on with what is left

        callbacks = cast("list[Callable[[simpy.Event], None]] | None", cast("Any", flow.done).callbacks)
        if callbacks is not None:
            callbacks.append(ended)
        signs = [buffer.when(part * self.limits.background, rising=True), flow.done]
        if math.isfinite(self.limits.expire):
            signs.append(self.env.timeout(self.limits.expire))
        begin = self.env.any_of(signs)
        begin = self.env.all_of([begin, *older]) if older else begin
        self.env.process(self._write_back(dirty, buffer, begin, flow))
        return dirty

    def _write_back(
        self, dirty: Dirty, buffer: Buffer, begin: simpy.Event, fill: Flow
    ) -> Generator[simpy.Event, Any, None]:
        """Write dirty data back, from the background limit, their greatest age or the end of writing on."""
        since = float(self.env.now)
        yield begin
        if self.env.now > since:  # those before it go first
            dirty.segments.append(Segment(since, float(self.env.now), self.name, WHOLE))
        done = 0.0
        while dirty.size - done >= LEAST:
            stretch = yield from dirty.volume.claim(dirty, dirty.begin + done, dirty.size - done)
            written = yield from self._drain(dirty, buffer, stretch)
            dirty.volume.wrote(stretch, written)
            done += written
            if dirty.failure is not None:  # what is still to come finds no disk
                self.network.fail(fill, dirty.failure)
                dirty.volume.forgo(dirty.begin + done, dirty.begin + dirty.size)
                dirty.size = done
        dirty.volume.claims.leave(dirty)
        self.dirty -= 1
        dirty.left.pop(dirty, None)
        dirty.on_disk.succeed()

    def _drain(self, dirty: Dirty, buffer: Buffer, stretch: Stretch) -> Generator[simpy.Event, Any, float]:
        """Write one stretch, or as much of it as has the same cost; return the bytes that reached the disk."""
        volume = dirty.volume
        turns = volume.mirrors or volume.region.store.run("write", 0.0) < math.inf  # else no arm goes elsewhere
        shape = volume.write_shape(stretch, run=self.limits.run if turns else 0.0)
        shape = shape.plus(dirty.beside.demands, dirty.beside.moves)
        flow = shape.start(self.network, dirty.job, Activity.WRITE_BACK, stretch.size, low_priority=True)
        buffer.drain(flow)
        dirty.drain = flow
        yield flow.done | dirty.volume.changed
        dirty.drain, written = None, self.network.stop(flow)
        dirty.failure = flow.failure
        dirty.segments += flow.segments
        return written
