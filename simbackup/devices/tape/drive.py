"""A tape drive: how a byte loads it and its interface, and the rate of a tape that stops and starts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from simbackup.devices.network.live import NEAR, Travel
from simbackup.devices.shape import FlowShape
from simbackup.devices.tape.cartridge import Cartridge
from simbackup.engine.limit import Limit, OnOwnLink, Use, limit_of
from simbackup.engine.link import Link
from simbackup.equations import streaming, tape
from simbackup.trace.activity import Activity


class Stream(NamedTuple):
    """A stream of bytes that a drive writes or reads."""

    compression: float = 1.0
    """Bytes of the host for each byte on the tape."""
    block: float | None = None
    """Bytes of one command; None if that does not limit."""
    reading: bool = False
    """Whether the drive reads."""
    spread: float = 1.0
    """Bytes that pass the heads for each byte of its own, if blocks of other streams are between them."""
    shares: bool = False
    """Whether other streams use the drive at the same time."""
    away: Travel = NEAR
    """How long its commands travel."""
    comes: float = math.inf
    """Bytes a second that whoever reads for it brings at most."""
    waiting: float = 0.0
    """Bytes that wait at the host while the drive takes none."""


@dataclass(slots=True, eq=False)
class Drive:
    """A tape drive and its state."""

    name: str
    parameters: tape.TapeDriveParameters
    """Its rates and times, with the cartridges that it loads."""
    link: Link
    """The time of its tape, as a resource."""
    cartridge: Cartridge | None = None
    """The cartridge that is loaded."""
    position: float = 0.0
    """The byte of the tape at its head."""
    visits: int = 0
    """How often it has become idle."""
    stay: float | None = None
    """Seconds for which it stays loaded when idle; None to unload it at once."""
    waits_for_repair: bool = False
    """Whether it is broken, and no job has it."""
    interface: Link = field(init=False)
    """Its interface to the host, as a resource."""

    def __post_init__(self) -> None:
        self.interface = Link(f"{self.name}.interface", 1.0)

    def seen(self, stream: Stream) -> tape.TapeDriveParameters:
        """Its parameters as a host sees them, where a command takes its travel time if that is longer than its own."""
        if stream.away.seconds <= self.parameters.command_time:
            return self.parameters
        rate = min(self.parameters.host_rate, stream.away.rate)
        return replace(self.parameters, command_time=stream.away.seconds, host_rate=rate)

    def waits(self, stream: Stream) -> float:
        """Seconds that a host waits with each byte that it hands over, in addition to the time of links."""
        each = max(self.parameters.command_time, stream.away.seconds)
        return streaming.handing_over(replace(self.parameters, command_time=each), stream.compression, stream.block)

    def crossing(self, stream: Stream) -> FlowShape:
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

    def law(self, stream: Stream) -> Use:
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
