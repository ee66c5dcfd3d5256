"""Work on frozen images: creation, removal, synchronisation, backups that are one, and restores from these."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import simpy

from simbackup.catalogue import Copy, Extent, SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.host.page_cache import LEAST
from simbackup.devices.image import FrozenImage, reading
from simbackup.devices.mirror.live import Mirror
from simbackup.devices.network.live import travelling
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region, bus
from simbackup.devices.volume.live import Stretch, first_write_shape
from simbackup.engine.events import LAST, Call
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Spot
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.methods.job import Moved, Steps, passing
from simbackup.methods.selection import Selection, selection_of, wanted
from simbackup.methods.tool.live import NO_TOOL, Tool, prepare, tool_of
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.methods.frozen_image.spec import (
        CreateSnapshotSpec,
        FrozenImageBackupSpec,
        RemoveSnapshotSpec,
        SynchroniseSpec,
    )
    from simbackup.methods.restore.spec import RestoreSpec
    from simbackup.scenario.spec import Spec


class Neighbours:
    """The other flows with random requests on some devices: users, applications, native backups.

    The cost of some flows depends on them, and is computed again when one begins or ends. Changes of their rates are
    not noticed, as these may be consequences of that cost.
    """

    def __init__(self, network: FlowNetwork, flow: Flow, *links: Link) -> None:
        self.name = flow.name
        self._network, self._flow, self._links = network, flow, links
        self._there = self._names()
        self.changed = simpy.Event(network.env)
        """Succeeds when one of them begins or ends."""
        network.couple(self, *links)

    def renew(self) -> None:
        """Wait for the next change."""
        if self.changed.triggered:
            self.changed = simpy.Event(self._network.env)

    def leave(self) -> None:
        """Notice no further changes."""
        self._network.uncouple(self)

    def constraint(self) -> None:
        """Adds no constraint."""

    def solved(self, *, binding: bool) -> None:
        """Compare the flows with those of before."""
        del binding
        now = self._names()
        if now != self._there:
            self._there = now
            if not self.changed.triggered:
                self.changed.succeed()

    def _names(self) -> frozenset[str]:
        flows = [flow for link in self._links for flow in link.crossing]
        return frozenset([flow.name for flow in flows if flow is not self._flow and not flow.sequential])


@dataclass(frozen=True, slots=True)
class CreateSnapshot:
    """Creation of a frozen image: it takes the same time whatever the size of the data."""

    snapshot: str
    method: str = "create_snapshot"

    def run(self, system: System, job: str) -> Steps:
        """Freeze the origin."""
        yield from create(system, job, self.snapshot)
        return Moved(0.0, 0.0)


def create(system: System, job: str, name: str) -> Steps:
    """Create a frozen image, if possible."""
    image = system.of(FrozenImage)[name]
    if image.hindrance is not None:
        raise JobFailedError(f"snapshot '{name}' {image.hindrance}")
    yield from passing(system, job, image.name, Activity.CREATE, image.create_time)
    yield from _noted(system, image)
    if image.hindrance is not None:  # another job was faster
        raise JobFailedError(f"snapshot '{name}' {image.hindrance}")
    image.create()
    return Moved(0.0, 0.0)


def _noted(system: System, image: FrozenImage) -> Generator[simpy.Event, Any, None]:
    """Let all writers count what they have written so far, before its cost changes."""
    image.origin.announce()
    yield Call(system.env, lambda _: None, priority=LAST)


@dataclass(frozen=True, slots=True)
class RemoveSnapshot:
    """Removal of a frozen image: writes to its origin cost nothing more."""

    snapshot: str
    method: str = "remove_snapshot"

    def run(self, system: System, job: str) -> Steps:
        """Remove the frozen image."""
        image = system.of(FrozenImage)[self.snapshot]
        if not image.removable:
            raise JobFailedError(f"there is no snapshot '{self.snapshot}' to remove")
        yield from passing(system, job, image.name, Activity.REMOVE, image.remove_time)
        yield from _noted(system, image)
        if not image.removable:
            raise JobFailedError(f"there is no snapshot '{self.snapshot}' to remove")
        image.remove()
        return Moved(0.0, 0.0)


def _copy(
    system: System, job: str, mirror: Mirror, size: float, *, scattered: bool
) -> Generator[simpy.Event, Any, None]:
    """Copy what is behind, at another cost when others come to the devices of both sides, or leave them."""

    def shape(flow: Flow | None = None) -> FlowShape:
        return system.bounded(job, mirror.copying(size, scattered=scattered, flow=flow)._replace(sent=1.0))

    flow = shape().start(system.network, job, Activity.SYNCHRONISE, size)
    neighbours = Neighbours(system.network, flow, *mirror.sides)
    yield flow.done | neighbours.changed
    while flow.active:
        neighbours.renew()
        yield Call(system.env, lambda _: None, priority=LAST)  # who has come has a rate now
        if flow.active:
            shape(flow).change(system.network, flow)
            yield flow.done | neighbours.changed
    neighbours.leave()
    system.account(job, flow)


@dataclass(frozen=True, slots=True)
class Synchronise:
    """Synchronisation of a mirror: of the whole volume at first, of the changed regions after a split."""

    mirror: str
    method: str = "synchronise"

    def run(self, system: System, job: str) -> Steps:
        """Copy what is behind, runs in sequence before regions here and there; new writes go to both sides."""
        mirror = system.of(Mirror)[self.mirror]
        if mirror.state == "synchronising":
            raise JobFailedError(f"mirror '{self.mirror}' is already being synchronised")
        yield from _noted(system, mirror)
        behind = mirror.behind
        mirror.synchronise()
        for _ in range(2):  # users write to both sides from now on, and then have their rates
            yield Call(system.env, lambda _: None, priority=LAST)
        for size, scattered in zip(behind, (False, True), strict=True):
            if size > 0.0:
                yield from _copy(system, job, mirror, size, scattered=scattered)
        mirror.attach()
        return Moved(sum(behind), 0.0)


DEFAULT_REQUEST = 128.0 * 1024.0
"""Default number of bytes that a program reads and then writes: the read-ahead of many systems."""


@dataclass(frozen=True, slots=True)
class FrozenImageBackup:
    """A backup that ends as soon as the frozen image exists."""

    data: str
    """The data set."""
    to: str
    """The frozen image."""
    tool: Tool = NO_TOOL
    """The program."""
    method: str = "frozen_image"

    def run(self, system: System, job: str) -> Steps:
        """Prepare, create the image, and enter it in the catalogue."""
        data = system.data[self.data]
        copy = Copy(job, self.to, 1.0, system.env.now)
        saved = SaveSet(job, self.data, self.method, data.size, data.files, copy.time, [copy])
        yield from prepare(system, job, data, self.tool, data.files)
        yield from create(system, job, self.to)
        copy.extents.append(Extent(0.0, data.size, self.to, data.begin))
        system.catalogue.add(saved)
        return Moved(data.size, float(data.files))


@dataclass(frozen=True, slots=True)
class FrozenImageRestore:
    """A restore from a frozen image: the image is mounted, and a program copies from it, one request at a time."""

    host: str
    """The host of the data set."""
    backup: str
    """The job of the backup."""
    to: str
    """The data set that is written."""
    selection: Selection | None
    """The files that are wanted; None for all."""
    tool: Tool = NO_TOOL
    """The program."""
    method: str = "restore"

    def run(self, system: System, job: str) -> Steps:
        """Mount the image, and copy each file that is wanted."""
        saved, copy = system.saved(self.backup)
        image = system.of(FrozenImage)[copy.target]
        system.require_image(copy.target)
        files, pieces = wanted(saved, self.selection)
        yield from prepare(system, job, system.data[self.to], self.tool, files)
        yield from passing(system, job, image.name, Activity.MOUNT, self.tool.mount_time)
        with system.shut_out(self.to):
            try:
                for begin, size in pieces:
                    yield from self._copy(system, job, copy, begin, size)
            finally:
                system.data[self.to].volume.claims.leave(job)
        return Moved(sum(size for _, size in pieces), float(files))

    def _copy(
        self, system: System, job: str, copy: Copy, begin: float, size: float
    ) -> Generator[simpy.Event, Any, None]:
        """Copy a part of the save set, in stretches with constant cost."""
        target, image = system.data[self.to], system.of(FrozenImage)[copy.target]
        source = image.source(copy.extents[0].position, copy.done)
        first, done = target.begin + min(begin, max(target.size - size, 0.0)), 0.0
        if target.volume.fits(first, size) < size - LEAST:
            raise JobFailedError(f"no space left on '{target.volume.name}'")
        while size - done >= LEAST:
            stretch = yield from target.volume.claim(job, first + done, size - done)
            system.require_image(copy.target)  # what is written may have filled its area
            shape = self._cycle(system, source.part(begin + done, stretch.size), self._place(target, image, stretch))
            shape = shape.after(image.lookup_time / image.lookup_size, image.name, Activity.LOOKUP)
            at, window = copy.extents[0].position + begin + done, self._request(stretch.size)
            shape = reading(image, shape, (at, stretch.size), window)
            shape = target.volume.mirrored(shape, stretch)
            copied = stretch._replace(fresh=tuple(s for s in stretch.fresh if s.in_place))
            if copied.fresh:  # what is overwritten is copied first, one request at a time
                region, waiting = target.volume.region, self._request(stretch.size)
                before = first_write_shape(region.store, region.begin + copied.begin, copied, waiting, own=False)
                shape = shape.following(before.parts).plus(before.demands, before.moves, before.places)
            flow = system.bounded(job, shape._replace(sent=1.0)).start(system.network, job, Activity.COPY, stretch.size)
            yield flow.done | target.volume.changed
            written = system.network.stop(flow)
            target.volume.wrote(stretch, written)
            done += written
            system.account(job, flow)

    @staticmethod
    def _place(target: DataSet, image: FrozenImage, stretch: Stretch) -> Region:
        """Where a stretch is written: after the old blocks if a checkpoint keeps these, otherwise in place."""
        fresh = image.new_blocks(target.volume, stretch.begin - target.begin, stretch.size)
        return fresh or target.volume.region.part(stretch.begin, stretch.size)

    def _request(self, size: float) -> float:
        """Bytes that are read and then written together."""
        return min(self.tool.request or DEFAULT_REQUEST, size)

    def _cycle(self, system: System, source: Region, target: Region) -> FlowShape:
        """What a byte loads on both sides: a request is read and passes through the host, then it is written.

        The disks read ahead, so that a read takes no more than a transfer; a write finds its disks at a random angle.
        On the same disks both streams take turns.
        """
        host, request = system.hosts[self.host], self._request(source.size)
        cpu = self.tool.copying(host)
        read = source.store.continued(source.begin, request)
        write = target.store.request("write", target.begin, target.begin, request)
        shape = host.working(FlowShape().through(bus(source.store, "read")).through(target.store.path), cpu)
        parts = travelling((*bus(source.store, "read"), *target.store.path), 1.0 / request)
        for region, service, activity in ((source, read, Activity.READ), (target, write, Activity.WRITE)):
            store, place = region.store, Spot(region.begin + region.size / 2.0, request, writes=region is target)
            shape = shape.plus({store.link: service.busy / request}, {store.link: 1.0}, {store.link: place})
            parts[store.name, activity] = service.latency / request
        if source.store.link is target.store.link:
            # the write finds no place itself
            turn = source.store.switchover(source.begin, target.begin, request, back=True)
            shape = shape.plus({source.store.link: turn.busy / request})
            parts[source.store.name, Activity.TURN] = turn.latency / request
        return shape.cycle(parts | {(host.cpu.name, ""): cpu})


def make_create(job: CreateSnapshotSpec, spec: Spec) -> CreateSnapshot:
    """The creation of a frozen image."""
    del spec
    return CreateSnapshot(job.snapshot)


def make_remove(job: RemoveSnapshotSpec, spec: Spec) -> RemoveSnapshot:
    """The removal of a frozen image."""
    del spec
    return RemoveSnapshot(job.snapshot)


def make_synchronise(job: SynchroniseSpec, spec: Spec) -> Synchronise:
    """The synchronisation of a mirror."""
    del spec
    return Synchronise(job.mirror)


def make(job: FrozenImageBackupSpec, spec: Spec) -> FrozenImageBackup:
    """The creation of the image that is the backup."""
    del spec
    return FrozenImageBackup(job.data, job.to, tool_of(job.tool))


def restore(job: RestoreSpec, saved: FrozenImageBackupSpec, spec: Spec) -> FrozenImageRestore:
    """The copy back from the image."""
    to = job.to or saved.data
    return FrozenImageRestore(spec.host_of(to), job.restore, to, selection_of(job), tool_of(saved.tool))
