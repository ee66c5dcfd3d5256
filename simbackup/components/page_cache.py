"""The page cache of a host: programs write into memory, write-back empties it, and a limit couples the two."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple

import simpy

from simbackup.components.shape import FlowShape
from simbackup.components.snapshot import Stretch, Volume
from simbackup.engine.buffer import Buffer
from simbackup.engine.flows import Flow, FlowNetwork

LEAST = 1.0
"""Bytes that are worth writing: what is left below this is rounding."""


class Place(NamedTuple):
    """Bytes of a volume: from where, and how many."""

    volume: Volume
    begin: float
    size: float


@dataclass(slots=True)
class Dirty:
    """Bytes of a volume that a job has written or is about to write, not yet on disk."""

    job: str
    volume: Volume
    begin: float
    size: float
    on_disk: simpy.Event


class PageCache:
    """Unwritten data of one host for one device."""

    def __init__(self, network: FlowNetwork, name: str, limit: float, background: float) -> None:
        self.network = network
        self.env = network.env
        self.name = name
        self.background = background
        self.buffer = Buffer(network, limit, name)
        self.queue: deque[Dirty] = deque()
        self.writers = 0
        self.flush = self.env.event()
        self.running = False

    def write(
        self, job: str, place: Place, fill: FlowShape, activity: str = "write"
    ) -> Generator[simpy.Event, Any, tuple[Flow, Dirty]]:
        """Write bytes of a volume through the cache; ends when the last of them is in memory."""
        volume, begin, size = place
        dirty = Dirty(job, volume, begin, size, self.env.event())
        self.queue.append(dirty)
        flow = self.network.start(
            job, activity, size, fill.demands, cap=fill.cap, cap_cause=fill.cause, moves=fill.moves
        )
        self.writers += 1
        self.buffer.fill(flow)
        if not self.running:
            self.running = True
            self.env.process(self._write_back())
        yield flow.done
        self.writers -= 1
        if not self.writers:
            self.flush.succeed()
            self.flush = self.env.event()
        return flow, dirty

    def _write_back(self) -> Generator[simpy.Event, Any, None]:
        """Bring what is dirty to disk, oldest first, from the background limit or the end of writing on."""
        yield self.buffer.when(self.background, rising=True) | self.flush
        while self.queue:
            dirty = self.queue[0]
            done = 0.0
            while dirty.size - done >= LEAST:
                stretch = dirty.volume.stretch(dirty.begin + done, dirty.size - done)
                written = yield from self._drain(dirty, stretch)
                dirty.volume.wrote(stretch, written)
                done += written
            self.queue.popleft()
            dirty.on_disk.succeed()
        self.running = False

    def _drain(self, dirty: Dirty, stretch: Stretch) -> Generator[simpy.Event, Any, float]:
        """Write one stretch, or as much of it as costs the same; bytes that reached the disk."""
        shape = dirty.volume.write_shape(stretch)
        flow: Flow = self.network.start(
            dirty.job, "write-back", stretch.size, shape.demands,
            cap=shape.cap, cap_cause=shape.cause, moves=shape.moves,
        )  # fmt: skip
        self.buffer.drain(flow)
        changed = dirty.volume.changed
        yield flow.done | changed
        return self.network.stop(flow)
