"""Who is solved for a rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from simbackup.engine.crowd import Crowd
    from simbackup.engine.flow import Flow

Mover: TypeAlias = "Flow | Crowd"
"""Who is solved for a rate: a flow by itself, or a crowd."""


class Riding:
    """A crowd alone on a link: what that does at level 1, what the crowd's clock showed last, how far it may rise."""

    __slots__ = ("busy", "bytes", "crowd", "showed", "stop", "units")

    def __init__(self, crowd: Crowd, *, units: float, busy: float, moved: float, showed: float, stop: float) -> None:
        self.crowd = crowd
        self.units = units
        self.busy = busy
        self.bytes = moved
        self.showed = showed
        self.stop = stop
