"""The greatest rate of a flow: its own, and what its law, its requests and a buffer leave of that."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simbackup.engine.capacity import ENDLESS
from simbackup.engine.limit import WHOLE, Limit, Parts

if TYPE_CHECKING:
    from simbackup.engine.link import Link

DONE = 1e-9
"""Share of a flow's amount below which what is left counts as done, and of a rate within which limits are equal."""


def own_limit(name: str, cap: float, cause: str | None, parts: Parts | None) -> Limit:
    """A greatest rate of a flow, units per second, and the address that explains it: its name if None is given."""
    if not cap >= 0.0:
        raise ValueError(f"cap of {name} must be zero or more, not {cap}")
    return Limit(cap, cause or name, parts or WHOLE)


class Limited:
    """What limits the rate of a flow beside the links that it shares with others."""

    __slots__ = ("_bent", "_crossed", "_held", "_own_limit", "_waits", "active", "cap", "limit", "most", "name")

    def __init__(self, name: str, limit: Limit) -> None:
        self.name = name
        self._own_limit = self.limit = limit
        """The latter under its law, where that binds."""
        self.cap = limit.rate
        """The greatest rate under that, units per second."""
        self.most = 0.0
        """A rate that it never exceeds, units per second."""
        self.active = True
        """Whether the flow is neither finished nor stopped."""
        self._bent: Limit | None = None
        self._waits: Limit | None = None
        self._held: Limit | None = None
        self._crossed: tuple[tuple[Link, float], ...] = ()

    def _choose_limit(self) -> None:
        """Take what its law leaves, its requests wait for, or its own limit: the lowest, the own one among equals."""
        limit = self._own_limit
        if self._waits is not None and self._waits.rate < limit.rate * (1.0 - DONE):
            limit = self._waits
        if self._held is not None and self._held.rate <= limit.rate * (1.0 + DONE):
            limit = self._held
        if self._bent is not None and self._bent.rate <= limit.rate:
            limit = self._bent
        self.limit, self.cap = limit, limit.rate

    @property
    def bound(self) -> bool:
        """Whether its law limits it."""
        return self._bent is not None

    def bend(self, limit: Limit | None) -> None:
        """Note what the law makes of the rate that the network offers; called by the network."""
        self._bent = limit
        self._choose_limit()

    def hold(self, limit: Limit | None) -> None:
        """Take what a store holds it to, while it is solved; called by the network."""
        self._held = limit
        self._choose_limit()

    def wait_for(self, limit: Limit) -> None:
        """Take what its requests wait for, where they go round; called by the network."""
        self._waits = limit if math.isfinite(limit.rate) else None
        self._choose_limit()

    def set_cap(self, cap: float, cause: str | None, parts: Parts | None = None) -> None:
        """Take another greatest rate, units per second, and its cause; called by the network, which solves anew."""
        self._own_limit = own_limit(self.name, cap, cause, parts)
        self._choose_limit()
        self.recount()

    def recount(self, most: float = ENDLESS) -> None:
        """Note the greatest rate that its limit and any link alone leave; its links know what it can use of them.

        A lower rate is that until the next time.
        """
        before = self.most
        most = self.most = self._greatest(most)
        if most != before and self.active:
            for link, demand in self._crossed:
                if self in link.crossing:
                    link.count(demand * (most - before))

    def _greatest(self, most: float) -> float:
        """The greatest rate that its limit and any link alone leave of a rate."""
        most = min(most, self._own_limit.rate)
        for link, demand in self._crossed:
            if link.steady < most * demand:
                most = link.steady / demand
        return most
