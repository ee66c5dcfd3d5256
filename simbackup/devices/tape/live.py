"""Tape drives: how a byte loads a drive and its interface, and the rate of a tape that stops and starts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import simpy

from simbackup import units
from simbackup.devices.library import Cartridge, Drive, DriveLoad, Library
from simbackup.devices.shape import FlowShape
from simbackup.engine.limit import Limit, OnOwnLink, Use, limit_of
from simbackup.engine.link import Link
from simbackup.equations import streaming, tape
from simbackup.equations import tape as equations
from simbackup.parameters import parameters_of
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.devices.site import Site
    from simbackup.devices.tape.spec import TapeLibrarySpec


@dataclass(slots=True, eq=False)
class TapeDrive(Drive):
    """A tape drive and its state."""

    kind: ClassVar[str] = "tape drive"

    parameters: tape.TapeDriveParameters
    """Its rates and times, with the cartridges that it loads."""
    interface: Link = field(init=False)
    """Its interface to the host, as a resource."""

    def __post_init__(self) -> None:
        own, self.interface = self.parameters, Link(f"{self.name}.interface", 1.0)
        self.native_rate, self.load_time, self.unload_time = own.native_rate, own.load_time, own.unload_time
        self.initialise_time, self.mark_time = own.initialise_time, own.reposition_time

    @property
    def links(self) -> Sequence[Link]:
        """Its tape and its interface."""
        return (self.link, self.interface)

    def locate_time(self, byte: float, drawn: float = 1.0) -> float:
        """Seconds to wind the tape to a byte."""
        overhead = self.parameters.locate_overhead * drawn
        parameters = self.parameters if drawn == 1.0 else replace(self.parameters, locate_overhead=overhead)
        return tape.locate_time(parameters, self.position, byte)

    def rewind_time(self) -> float:
        """Seconds to wind the tape back to its beginning."""
        return tape.rewind_time(self.parameters, self.position)

    def recorded(self, used: Sequence[tuple[float, float]], end: float) -> Mapping[str, Any]:
        """How often its tape stopped, and its mean rate."""
        return stops(self.parameters, used, end)

    def seen(self, stream: DriveLoad) -> tape.TapeDriveParameters:
        """Its parameters as a host sees them, where a command takes its travel time if that is longer than its own."""
        if stream.away.seconds <= self.parameters.command_time:
            return self.parameters
        rate = min(self.parameters.host_rate, stream.away.rate)
        return replace(self.parameters, command_time=stream.away.seconds, host_rate=rate)

    def waits(self, stream: DriveLoad) -> float:
        """Seconds that a host waits with each byte that it hands over, in addition to the time of links."""
        each = max(self.parameters.command_time, stream.away.seconds)
        return streaming.handing_over(replace(self.parameters, command_time=each), stream.compression, stream.block)

    def crossing(self, stream: DriveLoad) -> FlowShape:
        """How a byte of the host's data loads the tape, and the interface where that can be the slower of the two.

        Commands that travel far bound a stream that has the drive for itself, those of several meet at the interface.
        """
        seen = self.seen(stream)
        drained = streaming.drain_rate(seen, stream.compression) / stream.spread
        passed = streaming.interface_rate(seen, stream.block) / stream.spread
        shape = FlowShape().plus({self.link: 1.0 / drained}, {self.link: 1.0})
        if not math.isfinite(passed) or not (passed < drained or stream.shares):
            return shape
        if seen is self.parameters or stream.shares or stream.block is None:
            return shape.plus({self.interface: 1.0 / passed})
        travel, slowest = seen.command_time / stream.block * stream.spread, seen.host_rate < self.parameters.host_rate
        moved = {(stream.away.on if slowest else self.name, ""): 1.0 / passed - travel}
        return shape.within(limit_of({(stream.away.on, Activity.TRAVEL): travel} | moved, passed))

    def law(self, stream: DriveLoad) -> Use:
        """The rate of a tape whose host offers or takes a rate: if the host is too slow, the tape stops and starts.

        The time for which the host has to wait meanwhile is the drive's; the rest is that of what limits the host.
        Streams that share the drive keep it moving together, and are held up together.
        """
        drained = streaming.drain_rate(self.parameters, stream.compression)

        def stop_and_start(rate: float, others: Callable[[Link], float]) -> Limit:
            seen, comes = self.seen(stream), min(rate, stream.comes)
            if comes < rate:  # what waits at the host is taken faster than it comes
                seen = replace(seen, buffer=seen.buffer + stream.waiting / stream.compression)
            offered = comes * stream.spread + others(self.link) * drained
            given = (seen, offered, stream.compression, stream.block)
            lost = streaming.held_up_share(*given, reading=stream.reading)
            found, cause = comes * (1.0 - lost), f"{self.name}.repositioning"
            if lost <= 0.0:
                return Limit(rate, cause)
            return Limit(found, cause, {(self.name, Activity.REPOSITION): lost / found}, rest=(1.0 - lost) / found)

        return OnOwnLink(stop_and_start, self.link)


def stops(drive: tape.TapeDriveParameters, used: Sequence[tuple[float, float]], end: float) -> dict[str, Any]:
    """How often a tape stopped, its mean rate while it was used, and its slowest, bytes a second.

    Words say so where it did not stream. `used` are shares of its native rate, each from a time on. Where rates change
    within a buffer's length the number is rough.

    >>> drive = tape.TapeDriveParameters(5e6, 35e9, 541, 52, 4.06, 4.445, 40, 17, 2.5, 1.5, 8e6, reposition_time=2.0)
    >>> stops(drive, [(0.0, 0.4), (100.0, 0.0)], end=200.0)["state"]
    'stops 15 times: 2 MB/s, streams from 5 MB/s'
    >>> stops(drive, [(0.0, 1.0), (100.0, 0.0)], end=200.0)
    {'stops': 0.0, 'tape_rate': 5000000.0, 'streams_from': 5000000.0}
    """
    number = moved = seconds = 0.0
    for (begin, share), (until, _) in pairwise([*used, (end, 0.0)]):
        if share > 0.0:
            lasted, rate = until - begin, share * drive.native_rate
            number += streaming.stop_frequency(drive, rate) * lasted
            moved, seconds = moved + rate * lasted, seconds + lasted
    slowest = drive.native_rate if drive.slowest_rate is None else drive.slowest_rate
    figures = {"stops": number, "tape_rate": moved / seconds if seconds else 0.0, "streams_from": slowest}
    if number < 1.0:
        return figures | {"stops": 0.0}
    found, least = (units.show_short(figures[each], "B/s", 3) for each in ("tape_rate", "streams_from"))
    return figures | {"state": f"stops {number:,.0f} times: {found}, streams from {least}"}


def make(site: Site, library: TapeLibrarySpec) -> Library:
    """The library with its drives, robots and cartridges."""
    parameters, address = parameters_of(equations.TapeDriveParameters, library.drive), site.address
    names = [f"{address}.drive.{i + 1}" for i in range(library.drive_count())]
    drives = [TapeDrive(name, Link(name, 1.0, plain=True), parameters) for name in names]
    pools = [(pool, i) for pool, number in library.pool_sizes().items() for i in range(number)]
    capacity, new = parameters.cartridge_capacity, library.never_loaded() or 0.0
    cartridges = [Cartridge(f"cartridge.{n}", capacity, pool, new=i < new) for n, (pool, i) in enumerate(pools, 1)]
    robots = simpy.Resource(site.system.env, int(library.robots.si))
    stay = library.unload_after.si if library.unload_after else None
    return Library(site.system.clock, address, robots, library.exchange_time.si, cartridges, drives, stay)
