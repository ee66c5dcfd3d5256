"""Tape libraries: robots, drives, cartridges, and the time that each move, load, locate and rewind takes."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import simpy

from simbackup.components.clock import Clock
from simbackup.engine.flows import Link
from simbackup.equations import tape

MECHANICS = frozenset({"load", "locate", "rewind", "unload"})
"""Activities in which a drive moves a tape without transfer."""
LEAST_ROOM = 1.0
"""Bytes on a cartridge below which it is full."""

Wait = Generator[simpy.Event, Any, None]


@dataclass(slots=True)
class Cartridge:
    """A cartridge and how much of it is written, in bytes as they lie on the tape."""

    name: str
    capacity: float
    end: float = 0.0
    in_use: bool = False


@dataclass(slots=True)
class Drive:
    """A tape drive: what is loaded, and where on the tape its head stands."""

    name: str
    parameters: tape.TapeDrive
    link: Link
    cartridge: Cartridge | None = None
    position: float = 0.0

    def rate(self, compression: float) -> float:
        """Bytes a second of the host's data."""
        return tape.transfer_rate(self.parameters, compression)


@dataclass(slots=True)
class Library:
    """A tape library: a pool of cartridges, drives that wait for work, and robots that serve them in turn."""

    clock: Clock
    name: str
    robots: simpy.Resource
    exchange_time: float
    cartridges: list[Cartridge]
    drives: list[Drive]
    idle: simpy.Store = field(init=False)
    returned: simpy.Event = field(init=False)

    def __post_init__(self) -> None:
        self.idle = simpy.Store(self.clock.env)
        self.idle.items.extend(self.drives)
        self.returned = self.clock.env.event()

    def take_drive(self, job: str) -> Generator[simpy.Event, Any, Drive]:
        """A drive, as soon as one is idle."""
        with self.clock.span(job, self.name, "wait for a drive"):
            drive = yield self.idle.get()
        return drive

    def give_drive(self, drive: Drive) -> None:
        """Hand a drive back to those who wait for one."""
        self.idle.put(drive)

    def scratch(self) -> Cartridge | None:
        """The fullest cartridge of the pool that has room at its end and that nobody uses."""
        free = [c for c in self.cartridges if not c.in_use and c.capacity - c.end >= LEAST_ROOM]
        return max(free, key=lambda c: c.end, default=None)

    def take_scratch(self, job: str) -> Generator[simpy.Event, Any, Cartridge | None]:
        """A cartridge with room for oneself, as soon as there is one; none when all are full and at rest."""
        with self.clock.span(job, self.name, "wait for a cartridge"):
            while (cartridge := self.scratch()) is None and any(c.in_use for c in self.cartridges):
                yield self.returned
        if cartridge is not None:
            cartridge.in_use = True
        return cartridge

    def reserve(self, job: str, cartridge: Cartridge) -> Wait:
        """Take a cartridge for oneself, as soon as nobody else uses it."""
        with self.clock.span(job, f"{self.name}.{cartridge.name}", "wait for the cartridge"):
            while cartridge.in_use:
                yield self.returned
        cartridge.in_use = True

    def mount(self, job: str, drive: Drive, cartridge: Cartridge) -> Wait:
        """Bring a reserved cartridge into a drive and load it."""
        yield from self._move(job)
        with self.clock.span(job, drive.name, "load"):
            yield self.clock.env.timeout(drive.parameters.load_time)
        drive.cartridge, drive.position = cartridge, 0.0

    def locate(self, job: str, drive: Drive, byte: float) -> Wait:
        """Bring the tape to a byte."""
        with self.clock.span(job, drive.name, "locate"):
            yield self.clock.env.timeout(tape.locate_time(drive.parameters, drive.position, byte))
        drive.position = byte

    def dismount(self, job: str, drive: Drive) -> Wait:
        """Rewind, unload, and bring the cartridge back to its slot."""
        if drive.cartridge is None:
            return
        with self.clock.span(job, drive.name, "rewind"):
            yield self.clock.env.timeout(tape.rewind_time(drive.parameters, drive.position))
        with self.clock.span(job, drive.name, "unload"):
            yield self.clock.env.timeout(drive.parameters.unload_time)
        yield from self._move(job)
        drive.cartridge.in_use = False
        drive.cartridge, drive.position = None, 0.0
        event, self.returned = self.returned, self.clock.env.event()
        event.succeed()

    def _move(self, job: str) -> Wait:
        """One move of a robot between a slot and a drive."""
        robot = self.robots.request()
        with self.clock.span(job, f"{self.name}.robot", "mount queue"):
            yield robot
        with self.clock.span(job, f"{self.name}.robot", "exchange"):
            yield self.clock.env.timeout(self.exchange_time)
        self.robots.release(robot)
