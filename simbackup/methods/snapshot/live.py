"""Work on frozen images: creation, removal, synchronisation."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import simpy

from simbackup.devices.image import FrozenImage, SynchronisedImage
from simbackup.devices.neighbours import Neighbours
from simbackup.devices.shape import FlowShape
from simbackup.engine.events import LAST, Call
from simbackup.engine.flow import Flow
from simbackup.methods.job import Moved, Steps
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity


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
    with system.clock.span(job, image.name, Activity.CREATE):
        yield system.env.timeout(image.create_time)
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
        with system.clock.span(job, image.name, Activity.REMOVE):
            yield system.env.timeout(image.remove_time)
        yield from _noted(system, image)
        if not image.removable:
            raise JobFailedError(f"there is no snapshot '{self.snapshot}' to remove")
        image.remove()
        return Moved(0.0, 0.0)


def _copy(
    system: System, job: str, mirror: SynchronisedImage, size: float, *, scattered: bool
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
        mirror = system.of(SynchronisedImage)[self.mirror]
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
