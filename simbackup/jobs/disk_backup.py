"""Backup onto a disk of any host, and restores from it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import simpy

from simbackup.components.network import Network
from simbackup.components.page_cache import Place
from simbackup.components.shape import FlowShape
from simbackup.components.storage import Region
from simbackup.jobs.catalogue import Extent, SaveSet
from simbackup.jobs.job import Moved, Steps
from simbackup.jobs.selection import Selection
from simbackup.jobs.system import DataSet, JobFailedError, System
from simbackup.jobs.tool import NO_TOOL, Tool, prepare
from simbackup.jobs.walk import walking

Wait = Generator[simpy.Event, Any, None]


@dataclass(frozen=True, slots=True)
class DiskBackup:
    """A save set from a data set, or from a frozen image of it, onto a volume of the same or of another host."""

    host: str
    data: str
    to: str
    server: str
    networks: tuple[str, ...]
    method: str
    tool: Tool = NO_TOOL
    source: str | None = None

    def run(self, system: System, job: str) -> Steps:
        """Prepare, read blocks or files, and wait until the save set is on disk; then enter the catalogue."""
        data = system.data[self.data]
        saved = SaveSet(job, self.data, self.method, self.to, data.size, data.files, 1.0, system.env.now)
        if system.hosts[self.host].suspended is not None:
            raise JobFailedError(f"'{self.host}' is suspended")
        if self.source is not None:
            system.require_image(self.source)
        position = system.room(self.to, data.size)
        if position is None:
            raise JobFailedError(f"'{self.to}' is full")
        yield from prepare(system, job, data, self.tool, data.files)
        shape = self._reading(system, data).over([system.networks[name] for name in self.networks])
        place = Place(system.volumes[self.to], position, data.size)
        yield from _write(system, (job, "save"), self.server, place, shape)
        if self.source is not None:
            system.require_image(self.source)
        saved.extents.append(Extent(0.0, data.size, self.to, position))
        system.catalogue.save_sets.append(saved)
        return Moved(data.size, float(data.files))

    def _reading(self, system: System, data: DataSet) -> FlowShape:
        """How a byte of the save set loads device and host."""
        host, lookup = system.hosts[self.host], 0.0
        region = data.volume.region.part(data.begin, data.size)
        if self.source is not None:
            image = system.images[self.source]
            region, lookup = image.source(data.begin, data.size), image.lookup_time / image.lookup_size
        copy, cached = self.tool.copying(host), data.cached if self.source is None else 0.0
        if self.method == "image":
            return host.reading(region, copy, cached).after(lookup)
        return host.then(walking(host, data, region, self.tool.file_cpu), copy).after(lookup)


@dataclass(frozen=True, slots=True)
class DiskRestore:
    """A restore from a disk of any host onto the place of a data set.

    Of files that were saved one by one some may be chosen; an image comes back whole, whatever is wanted of it.
    """

    host: str
    backup: str
    to: str
    server: str
    networks: tuple[str, ...]
    selection: Selection | None
    tool: Tool = NO_TOOL
    method: str = "restore"

    def run(self, system: System, job: str) -> Steps:
        """Read what is wanted at the server, send it, and write it; done when it is on disk."""
        saved = system.catalogue.last(f"jobs.{self.backup}")
        if saved is None:
            raise JobFailedError(f"the catalogue has no save set of '{self.backup}'")
        target = system.data[self.to]
        chosen = self.selection if saved.method == "file_level" else None
        files = chosen.files if chosen else saved.files
        pieces = chosen.pieces(saved) if chosen else [(0.0, saved.size)]
        yield from prepare(system, job, target, self.tool, files)
        place = saved.extents[0]
        networks = [system.networks[name] for name in self.networks]
        with system.shut_out(self.to):
            for begin, size in pieces:
                source = system.volumes[place.medium].region.part(place.position + begin, size)
                with system.clock.span(job, source.store.name, "seek"):
                    yield system.env.timeout(_way_there(source, networks))
                shape = self._copying(system, source, saved, target).over(networks)
                there = target.begin + min(begin, max(target.size - size, 0.0))
                yield from _write(system, (job, "restore"), self.host, Place(target.volume, there, size), shape)
        return Moved(sum(size for _, size in pieces), float(files))

    def _copying(self, system: System, source: Region, saved: SaveSet, target: DataSet) -> FlowShape:
        """How a byte that comes back loads the server's disk, and the processor of the host that writes it."""
        host, server = system.hosts[self.host], system.hosts[self.server]
        copy = self.tool.copying(host)
        if saved.method == "file_level" and target.filesystem is not None:
            copy += host.seconds(target.filesystem.cpu + self.tool.file_cpu) * self._files(saved) / self._bytes(saved)
        if host is server:
            return host.reading(source, copy)
        return host.then(server.reading(source), copy)

    def _files(self, saved: SaveSet) -> float:
        """Files that come back."""
        return self.selection.files if self.selection and saved.method == "file_level" else saved.files

    def _bytes(self, saved: SaveSet) -> float:
        """Bytes that come back."""
        return self.selection.size if self.selection and saved.method == "file_level" else saved.size


@dataclass(frozen=True, slots=True)
class StartGroup:
    """What the backup program does before the save sets of a group begin."""

    tool: Tool
    method: str = "start_group"

    def run(self, system: System, job: str) -> Steps:
        """Let the time pass."""
        with system.clock.span(job, "catalogue", "start group"):
            yield system.env.timeout(self.tool.group_time)
        return Moved(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class SaveIndex:
    """The save set of the index: a record for each file that was saved, and a time of its own."""

    of: tuple[str, ...]
    tool: Tool
    method: str = "save_index"

    def run(self, system: System, job: str) -> Steps:
        """Save the records of the last runs."""
        saved = [system.catalogue.last(f"jobs.{name}") for name in self.of]
        files = sum(one.files for one in saved if one is not None)
        with system.clock.span(job, "catalogue", "save index"):
            yield system.env.timeout(self.tool.index_time)
        return Moved(files * self.tool.index_record, float(files))


@dataclass(frozen=True, slots=True)
class SystemState:
    """The save sets of an operating system's state."""

    machine: str
    data: str | None
    tool: Tool
    method: str = "system_state"

    def run(self, system: System, job: str) -> Steps:
        """Save them, one after the other."""
        with system.clock.span(job, f"hosts.{self.machine}", "system state"):
            yield system.env.timeout(self.tool.system_state_time)
        if self.data is None:
            return Moved(0.0, 0.0)
        data = system.data[self.data]
        saved = SaveSet(job, data.name, self.method, "", data.size, data.files, 1.0, system.env.now)
        system.catalogue.save_sets.append(saved)
        return Moved(data.size, float(data.files))


def _way_there(source: Region, networks: Sequence[Network]) -> float:
    """Seconds until the first byte of a piece comes: the server's disk seeks, and the request travels."""
    store, away = source.store, sum(network.latency for network in (*networks, *source.store.path))
    first = store.request("read", 0.0, min(source.begin, store.size - 1.0), 1.0)
    return first.latency + away


def _write(system: System, doing: tuple[str, str], host: str, place: Place, shape: FlowShape) -> Wait:
    """Write bytes through the page cache of a host for a job and an activity, and wait until they are on disk."""
    job, activity = doing
    on_disk = yield from system.write(job, host, place, shape, activity)
    with system.clock.span(job, place.volume.region.store.name, "write-back"):
        yield on_disk
