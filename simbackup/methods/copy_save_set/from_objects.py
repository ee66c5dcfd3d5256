"""Save sets in an object store that a host copies: asked for, read over connections, and handed on."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import simpy

from simbackup.catalogue import Copy, SaveSet
from simbackup.devices.network.live import Network
from simbackup.devices.object_store.live import Objects, ObjectStore
from simbackup.devices.shape import FlowShape
from simbackup.methods.file_backup.backup import objects_of
from simbackup.methods.file_backup.receivers import Crossing, handing_over
from simbackup.methods.tool.live import Tool
from simbackup.system import System


@dataclass(frozen=True, slots=True)
class FromObjects:
    """A save set in an object store that a host reads in order to copy it."""

    host: str
    """The host that copies."""
    lies: Copy
    """The copy that is read."""
    networks: tuple[str, ...]
    """The links from the object store to the host."""
    tool: Tool
    """The program."""
    connections: int = 1
    """Network connections."""
    object_size: float | None = None
    """Bytes of an object, if the job states them."""

    def retrieved(self, system: System, job: str, saved: SaveSet) -> Generator[simpy.Event, Any, None]:
        """Request the objects from an archive, and wait until they can be read."""
        store = system.of(ObjectStore)[self.lies.target]
        yield from store.retrieve(system.clock, job, self._objects(saved).number)

    def reading(self, system: System, job: str, saved: SaveSet) -> FlowShape:
        """How a byte of the save set loads the store, the way from there, and the host that copies it."""
        host, there = system.hosts[self.host], self.lies.fetched
        shape = host.then(FlowShape(), self.tool.copying(host, copies=1.0))  # for each byte that is sent
        networks = [system.networks[name] for name in self.networks]
        store = system.of(ObjectStore)[self.lies.target]
        shape = store.carrying(
            shape, "read", self._objects(saved), networks, self.connections, drawn=system.drawn(job)
        )  # fmt: skip
        return shape.times(1.0 / there)

    def onto_tape(
        self, system: System, job: str, saved: SaveSet, crossing: Crossing, networks: tuple[list[Network], float]
    ) -> FlowShape:
        """What a byte of the save set loads, including a drive, and the networks to it with the bytes that are sent."""
        shape = self.reading(system, job, saved)
        shape = shape.plus(crossing[0].demands, crossing[0].moves, crossing[0].places)
        return handing_over(shape, crossing, networks, self.tool)

    def _objects(self, saved: SaveSet) -> Objects:
        return objects_of(saved.size / self.lies.fetched, saved.files, saved.method, self.object_size, self.tool)
