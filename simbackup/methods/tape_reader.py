"""Reads a copy on tape, cartridge by cartridge: which interleaved streams a pass returns, and what it loads."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import simpy

from simbackup.catalogue import Copy, Extent
from simbackup.devices.host.live import Host
from simbackup.devices.library import LEAST_ROOM, Drive, DriveLoad, Library
from simbackup.devices.network.live import NEAR, Network, command_travel
from simbackup.devices.shape import FlowShape
from simbackup.engine.limit import Limit, Others, Use
from simbackup.methods.tool.live import Tool
from simbackup.system import System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process

Pass = list[Extent]
"""Runs that are read at once, between two places of a cartridge."""


def passes(runs: Sequence[Extent], compression: float) -> list[Pass]:
    """The passes over one cartridge that read some runs of a save set, in order.

    The tape is cut wherever a run begins or ends. The blocks of the runs on a piece of tape are spread evenly over it,
    so each run has its share of the piece. Runs that do not lie interleaved stay as they are.

    Parameters
    ----------
    runs
        What is wanted from the cartridge.
    compression
        Bytes of the save set for each byte on the tape.

    >>> both = [Extent(0.0, 60.0, "c1", 0.0, 2.0), Extent(60.0, 30.0, "c1", 0.0, 2.0)]
    >>> [[round(run.size) for run in each] for each in passes(both, 1.0)]
    [[30, 30], [30]]
    """
    ordered = sorted(runs, key=lambda run: run.position)
    ends = [end_of(run, compression) for run in ordered]
    apart = all(end <= run.position + LEAST_ROOM for end, run in zip(ends, ordered[1:], strict=False))
    if apart:
        return [[run] for run in runs]
    cuts = _cuts([*(run.position for run in ordered), *ends])
    found: list[Pass] = []
    under: list[Extent] = []
    left = list(reversed(ordered))
    for low, high in pairwise(cuts):
        while left and left[-1].position <= low + LEAST_ROOM:
            under.append(left.pop())
        under = [run for run in under if end_of(run, compression) > low + LEAST_ROOM]
        if under:
            found.append([_between(run, low, high, compression) for run in under])
    return found


def width(each: Pass, compression: float) -> float:
    """Bytes of tape that a pass moves over."""
    return end_of(each[0], compression) - each[0].position


def end_of(run: Extent, compression: float) -> float:
    """Where a run ends on the tape."""
    return run.position + run.size * run.spread / compression


def _cuts(places: Iterable[float]) -> list[float]:
    """The places in order; those that differ only by rounding count once."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place > found[-1] + LEAST_ROOM:
            found.append(place)
    return found


def _between(run: Extent, low: float, high: float, compression: float) -> Extent:
    """The part of a run between two places of the tape, which cut it or are its ends but for rounding."""
    long = run.size * run.spread / compression
    begin, end = max((low - run.position) / long, 0.0), min((high - run.position) / long, 1.0)
    begin = 0.0 if begin * long <= LEAST_ROOM else begin
    end = 1.0 if (1.0 - end) * long <= LEAST_ROOM else end
    return run._replace(begin=run.begin + begin * run.size, size=(end - begin) * run.size, position=low)


Cartridges = dict[str, list[Extent]]
"""The wanted runs of a save set, by cartridge."""
Take = Callable[[Drive, Pass], Process]
"""Takes what a drive reads in one pass; the tape is at its beginning."""


@dataclass(frozen=True, slots=True)
class TapeReader:
    """A program that reads a copy on tape."""

    lies: Copy
    """The copy."""
    networks: tuple[str, ...]
    """The links from the library to the host."""
    tool: Tool
    """The program."""
    connections: int = 1
    """Network connections."""

    def cartridges(self, begin: float, size: float) -> Cartridges:
        """The runs with so many bytes of the save set from a byte on, by cartridge, in the order of the save set."""
        on: Cartridges = {}
        for run in self.lies.locate(begin, size):
            on.setdefault(run.medium, []).append(run)
        return on

    def load(self, library: Library, job: str, drive: Drive, name: str) -> Generator[simpy.Event, Any, Drive]:
        """Reserve a cartridge and mount it; return the drive that has it."""
        medium = next(cartridge for cartridge in library.cartridges if cartridge.name == name)
        yield from library.reserve(job, medium, drive)
        return (yield from library.mount(job, drive, medium))

    def passes(self, runs: Sequence[Extent]) -> list[Pass]:
        """The passes over a cartridge that read some runs."""
        return passes(runs, self.lies.compression)

    def width(self, each: Pass) -> float:
        """Bytes of tape that a pass moves over."""
        return width(each, self.lies.compression)

    def in_turn(self, system: System, job: str, wanted: tuple[list[str], Cartridges], take: Take) -> Process:
        """Read one cartridge after the other in a drive, and let `take` receive what each pass reads.

        The names in `wanted` are those of cartridges that nobody reads yet; several drives may share the list.
        """
        library, (names, on) = system.of(Library)[self.lies.target], wanted
        drive = yield from library.take_drive(job)
        try:
            while names:
                name = names.pop(0)
                drive = yield from self.load(library, job, drive, name)
                for each in self.passes(on[name]):
                    yield from library.locate(job, drive, each[0].position)
                    yield from take(drive, each)
                    drive.position = each[0].position + self.width(each)
                yield from library.release(job, drive, self.tool.unload_after)
        finally:
            library.give_drive(drive)

    def stream(self, system: System, each: Pass) -> DriveLoad:
        """The stream of a pass through a drive."""
        stored = self.lies.reduction.stored
        spread = self.width(each) * self.lies.compression / sum(run.size for run in each)
        away = command_travel(self._networks(system), reading=True)
        return DriveLoad(
            self.lies.compression / stored, self.tool.block, reading=True, spread=spread / stored, away=away
        )

    def reading(self, system: System, drive: Drive, stream: DriveLoad, worker: tuple[Host, float]) -> FlowShape:
        """What a byte of the save set loads on drive, networks and worker in a pass.

        The worker is the host that receives it, and its core seconds for each byte; it works while the drive reads on.
        """
        stored, (host, seconds) = self.lies.reduction.stored, worker
        near = stream._replace(away=NEAR) if self.tool.alternates else stream
        shape = host.then(drive.crossing(near), seconds)
        shape = shape.over(self._networks(system), 1.0 / stored, self.connections)
        if self.tool.alternates:  # it waits for what it reads, and then writes it
            shape = shape.after(drive.waits(stream) / stored, drive.link.name, Activity.READ)
        return shape

    def _networks(self, system: System) -> list[Network]:
        return [system.networks[name] for name in self.networks]


def scaled(law: Use, units: float) -> Use:
    """The law of a flow whose unit is so many units of this one."""
    if units == 1.0:
        return law

    def each(rate: float, others: Others) -> Limit:
        found = law(rate * units, others)
        parts = {part: seconds * units for part, seconds in found.parts.items()}
        return Limit(found.rate / units, found.cause, parts, found.rest * units)

    return each


def slower(one: Use, other: Use) -> Use:
    """The law of the slower of two drives that a flow passes."""

    def both(rate: float, others: Others) -> Limit:
        return min(one(rate, others), other(rate, others), key=lambda limit: limit.rate)

    return both
