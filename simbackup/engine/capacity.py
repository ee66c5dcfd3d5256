"""What a link has for its flows, and what these can use of it at the most."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from simbackup.engine.meter import Meter

if TYPE_CHECKING:
    from simbackup.engine.flow import Flow

ENDLESS = 1e150
"""Units a second of a flow that no link of a steady capacity and no cap limits: a number that sums can hold."""

MARGIN = 1e-6
"""Share of a capacity that its flows must leave at their greatest rates before a link counts as free. Far above what
rounding may add up to in the sum of these rates, and above `TIE`."""


class CapacityMeter(Meter):
    """A link's capacity, and whether the flows attached can use all of it.

    Each flow has a greatest rate: that of a link alone, or its own cap. A link is `free` if all of its flows at these
    rates together leave room. It is never full then, so no rate depends on it. Links that turn between streams, and
    those whose capacity is not always the same, never count as free.
    """

    __slots__ = (
        "_bound",
        "_room",
        "_rule",
        "_varies",
        "crossing",
        "free",
        "known_capacity",
        "name",
        "odd",
        "stale",
        "steady",
    )

    def __init__(self, name: str, capacity: float | Callable[[Sequence[Flow]], float], *, turns: bool) -> None:
        super().__init__()
        self.name = name
        self.crossing: dict[Flow, tuple[float, float]] = {}
        """The flows attached, in the order in which they came, with what one unit of each demands and moves."""
        self._rule = capacity
        self._varies = callable(capacity)
        self.known_capacity: float = -1.0
        """Its capacity for the flows attached, negative until somebody asks for it."""
        self.stale = False
        """Whether its totals do not know of its rates or its capacity yet."""
        self.steady = math.inf if callable(capacity) else capacity
        """Its capacity if that is always the same, else infinite."""
        self._bound = 0.0
        self._room = -math.inf if turns or not 0.0 < self.steady < math.inf else self.steady * (1.0 - MARGIN)
        self.free = self._room > 0.0
        """Whether its flows cannot use all of it, so that it is never full."""
        self.odd = turns or callable(capacity)
        """Whether more than a capacity and the rates of flows may have to be asked for. Such a link is never free."""

    @property
    def capacity(self) -> float:
        """Units per second that the flows now attached can have together."""
        if self.known_capacity < 0.0:
            capacity = self._rule(tuple(self.crossing)) if callable(self._rule) else self._rule
            if not capacity >= 0.0:
                raise ValueError(f"capacity of {self.name} must be zero or more, not {capacity}")
            self.known_capacity = capacity
        return self.known_capacity

    def set_capacity(self, capacity: float | Callable[[Sequence[Flow]], float]) -> None:
        """Take another capacity; called by the network, which solves anew."""
        self._rule = capacity
        self._varies = callable(capacity)
        self.known_capacity = -1.0
        self.stale = True
        self.steady = math.inf
        self.mark_odd()
        for flow in self.crossing:
            flow.recount()

    def mark_odd(self) -> None:
        """Note that it may take more than rates and a capacity to solve it, from now on."""
        self.odd, self.free, self._room = True, False, -math.inf

    def count(self, units: float) -> None:
        """Note that the flows attached can use so many units a second more at the most."""
        self._bound += units
        if self._bound >= self._room:
            self.free = False
        elif not self.free:  # summed anew, as rounding must never make a link free
            self._bound = sum([demand * flow.most for flow, (demand, _) in self.crossing.items()])
            self.free = self._bound < self._room
