"""Tape drives: what a stream that passes one loads, and how a slow host stops and starts the tape."""

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
    """What passes a drive: host bytes per byte on the tape, bytes of a command, if stated, and which way it goes.

    Where blocks of other streams lie between its own, so many bytes pass for each of its own (`spread`). Streams that
    share a drive meet at its interface, too. `away` is how its commands travel. From whoever reads for it come so many
    bytes a second, if less than are taken, and so many wait at the host while the drive takes none.
    """

    compression: float = 1.0
    block: float | None = None
    reading: bool = False
    spread: float = 1.0
    shares: bool = False
    away: Travel = NEAR
    comes: float = math.inf
    waiting: float = 0.0


@dataclass(slots=True, eq=False)
class Drive:
    """A tape drive: what is loaded, where on the tape its head stands, and for how long it stays loaded when idle."""

    name: str
    parameters: tape.TapeDriveParameters
    link: Link
    cartridge: Cartridge | None = None
    position: float = 0.0
    visits: int = 0
    stay: float | None = None
    waits_for_repair: bool = False
    """Whether it is broken, and nobody has it."""
    interface: Link = field(init=False)

    def __post_init__(self) -> None:
        self.interface = Link(f"{self.name}.interface", 1.0)

    def seen(self, stream: Stream) -> tape.TapeDriveParameters:
        """The drive as a host sees it: a command takes as long as it travels, if that is longer than its own time."""
        if stream.away.seconds <= self.parameters.command_time:
            return self.parameters
        rate = min(self.parameters.host_rate, stream.away.rate)
        return replace(self.parameters, command_time=stream.away.seconds, host_rate=rate)

    def waits(self, stream: Stream) -> float:
        """Seconds for which a host waits that hands over a byte of those that pass, besides what links take for it."""
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
