"""How one unit of a flow loads what it crosses."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from simbackup.engine.flows import Link


@dataclass(frozen=True, slots=True)
class FlowShape:
    """How one unit of a flow loads the links it crosses, and how fast it can be at most.

    `demands` are units of each link, `moves` bytes on each link, `cap` units a second with the address that causes it.
    `parts` says where the seconds of a serial cycle go: (address, activity) -> seconds a unit.
    """

    demands: dict[Link, float]
    moves: dict[Link, float]
    cap: float = math.inf
    cause: str | None = None
    parts: dict[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])

    def times(self, units: float) -> FlowShape:
        """The shape of a flow each unit of which is so many units of this one."""
        return replace(
            self,
            demands={link: demand * units for link, demand in self.demands.items()},
            moves={link: moved * units for link, moved in self.moves.items()},
            cap=self.cap / units,
            parts={part: seconds * units for part, seconds in self.parts.items()},
        )

    def after(self, seconds: float, link: Link | None = None) -> FlowShape:
        """The shape when each unit takes some seconds more, one unit after the other, on a link or none."""
        before = 0.0 if math.isinf(self.cap) else 1.0 / self.cap
        demands = dict(self.demands)
        if link is not None:
            demands[link] = demands.get(link, 0.0) + seconds
        cause = link.name if link is not None and seconds > before else self.cause
        total = before + seconds
        return replace(self, demands=demands, cap=1.0 / total if total else math.inf, cause=cause)
