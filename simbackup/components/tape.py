"""Tape libraries: robots, drives, cartridges, and the time that each move, load, locate and rewind takes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import simpy

from simbackup.components.clock import Clock
from simbackup.engine.flows import Link
from simbackup.engine.link import Law
from simbackup.equations import tape

MECHANICS = frozenset({"load", "locate", "rewind", "unload", "tape marks"})
"""Activities in which a drive moves a tape without transfer."""
LEAST_ROOM = 1.0
"""Bytes on a cartridge below which it is full."""

Wait = Generator[simpy.Event, Any, None]


@dataclass(slots=True, eq=False)
class Cartridge:
    """A cartridge, its pool, and how much of it is written, in bytes as they lie on the tape."""

    name: str
    capacity: float
    pool: str | None = None
    end: float = 0.0
    in_use: bool = False


@dataclass(slots=True, eq=False)
class Drive:
    """A tape drive: what is loaded, and where on the tape its head stands."""

    name: str
    parameters: tape.TapeDrive
    link: Link
    cartridge: Cartridge | None = None
    position: float = 0.0
    idle_since: float = 0.0

    def rate(self, compression: float) -> float:
        """Bytes a second of the host's data."""
        return tape.transfer_rate(self.parameters, compression)

    def law(self, compression: float) -> Law:
        """What becomes of the rate that a host offers or takes: a tape that it cannot keep moving stops and starts."""

        def stop_and_start(rate: float, others: Callable[[Link], float]) -> tuple[float, str]:
            del others
            return tape.stop_start_rate(self.parameters, rate, compression), f"{self.name}.repositioning"

        return stop_and_start


@dataclass(slots=True)
class Library:
    """A tape library: pools of cartridges, drives that wait for work, and robots that serve them in turn.

    A drive that stays loaded for some idle time (`unload_after`) saves the next job that wants its cartridge the mount.
    """

    clock: Clock
    name: str
    robots: simpy.Resource
    exchange_time: float
    cartridges: list[Cartridge]
    drives: list[Drive]
    unload_after: float | None = None
    idle: list[Drive] = field(init=False)
    free: simpy.Resource = field(init=False)
    claims: dict[Drive, Any] = field(default_factory=dict[Drive, Any])
    returned: simpy.Event = field(init=False)

    def __post_init__(self) -> None:
        self.idle = list(self.drives)
        self.free = simpy.Resource(self.clock.env, len(self.drives))
        self.returned = self.clock.env.event()

    def take_drive(self, job: str, wanted: Cartridge | None = None) -> Generator[simpy.Event, Any, Drive]:
        """A drive, as soon as one is idle: the one that holds a wanted cartridge, else an empty one if there is."""
        claim = self.free.request()
        with self.clock.span(job, self.name, "wait for a drive"):
            yield claim
        drive = min(self.idle, key=lambda d: (d.cartridge is not wanted or wanted is None, d.cartridge is not None))
        self.idle.remove(drive)
        self.claims[drive] = claim
        return drive

    def give_drive(self, drive: Drive) -> None:
        """Hand a drive back to those who wait for one."""
        drive.idle_since = float(self.clock.env.now)
        self.idle.append(drive)
        self.free.release(self.claims.pop(drive))

    def scratch(self, pool: str | None = None) -> Cartridge | None:
        """The fullest cartridge of a pool that has room at its end and that nobody uses."""
        free = [c for c in self.cartridges if c.pool == pool and not c.in_use and c.capacity - c.end >= LEAST_ROOM]
        return max(free, key=lambda c: c.end, default=None)

    def take_scratch(self, job: str, pool: str | None = None) -> Generator[simpy.Event, Any, Cartridge | None]:
        """A cartridge of a pool with room for oneself, once there is one; none when all are full and at rest."""
        with self.clock.span(job, self.name, "wait for a cartridge"):
            while (cartridge := self.scratch(pool)) is None and any(
                c.in_use for c in self.cartridges if c.pool == pool
            ):
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

    def mount(self, job: str, drive: Drive, cartridge: Cartridge) -> Generator[simpy.Event, Any, Drive]:
        """Bring a reserved cartridge into a drive and load it; the drive that holds it, which may be an idle other."""
        holder = next((d for d in self.idle if d.cartridge is cartridge), None)
        if holder is not None:  # the idle drive that still holds it takes the place of one's own
            self.idle.remove(holder)
            self.idle.append(drive)
            self.claims[holder] = self.claims.pop(drive)
            drive = holder
        if drive.cartridge is cartridge:
            return drive
        if drive.cartridge is not None:
            yield from self._eject(job, drive)
        with self.clock.span(job, f"{self.name}.{cartridge.name}", "wait for the cartridge"):
            while any(other.cartridge is cartridge for other in self.drives):  # it is on its way to its slot
                yield self.returned
        yield from self._move(job)
        with self.clock.span(job, drive.name, "load"):
            yield self.clock.env.timeout(drive.parameters.load_time)
        drive.cartridge, drive.position = cartridge, 0.0
        return drive

    def locate(self, job: str, drive: Drive, byte: float) -> Wait:
        """Bring the tape to a byte."""
        with self.clock.span(job, drive.name, "locate"):
            yield self.clock.env.timeout(tape.locate_time(drive.parameters, drive.position, byte))
        drive.position = byte

    def mark(self, job: str, drive: Drive, marks: float) -> Wait:
        """Write tape marks, each of which is waited for: the tape stops and has to be repositioned."""
        with self.clock.span(job, drive.name, "tape marks"):
            yield self.clock.env.timeout(marks * drive.parameters.reposition_time)

    def release(self, job: str, drive: Drive) -> Wait:
        """Have done with the cartridge in a drive: it goes back to its slot, unless drives stay loaded for a while."""
        if drive.cartridge is None:
            return
        cartridge = drive.cartridge
        if self.unload_after is None:
            yield from self._eject(job, drive)
        else:
            self.clock.env.process(self._unload_later(drive, cartridge))
        cartridge.in_use = False
        self._announce()

    def _unload_later(self, drive: Drive, cartridge: Cartridge) -> Wait:
        """Unload a drive that has been idle for long enough."""
        yield self.clock.env.timeout(self.unload_after or 0.0)
        rested = float(self.clock.env.now) - drive.idle_since
        if drive not in self.idle or drive.cartridge is not cartridge or rested < (self.unload_after or 0.0):
            return
        claim = self.free.request()  # the drive is idle, so that there is one
        yield claim
        self.idle.remove(drive)
        self.claims[drive] = claim
        yield from self._eject(self.name, drive)
        self.give_drive(drive)

    def _eject(self, job: str, drive: Drive) -> Wait:
        """Rewind, unload, and bring the cartridge back to its slot."""
        with self.clock.span(job, drive.name, "rewind"):
            yield self.clock.env.timeout(tape.rewind_time(drive.parameters, drive.position))
        with self.clock.span(job, drive.name, "unload"):
            yield self.clock.env.timeout(drive.parameters.unload_time)
        yield from self._move(job)
        drive.cartridge, drive.position = None, 0.0
        self._announce()

    def _announce(self) -> None:
        """Tell those who wait that a cartridge is back."""
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
