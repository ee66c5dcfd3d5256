"""Who is solved for a rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from simbackup.engine.crowd import Crowd
    from simbackup.engine.flow import Flow

Mover: TypeAlias = "Flow | Crowd"
"""Who is solved for a rate: a flow by itself, or a crowd."""


@dataclass(slots=True)
class Riding:
    """A crowd alone on a link: what that does at level 1, what the crowd's clock showed last, how far it may rise."""

    crowd: Crowd
    units: float
    busy: float
    bytes: float
    since: float
    stop: float
