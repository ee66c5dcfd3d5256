"""What the members of a crowd use of one link, kept up as they come and go."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from simbackup.engine.ends import FEW

if TYPE_CHECKING:
    from simbackup.engine.flow import Flow
    from simbackup.engine.link import Link


class CrowdLoad:
    """The members that cross one link, with the units that they use of it and the bytes that they move, at level 1.

    `own` are the units without what they turn; `kinds` the amounts of streams of each kind, and the most of one.
    """

    __slots__ = ("bytes", "changes", "flows", "kinds", "link", "most", "own")

    def __init__(self, link: Link) -> None:
        self.link = link
        self.flows: dict[Flow, None] = {}
        self.kinds: dict[Hashable, tuple[float, float]] = {}
        self.own = self.bytes = self.most = 0.0
        self.changes = 0

    @property
    def units(self) -> float:
        """Units of the link that they use at level 1."""
        return self.own + self.lost()[1] if self.kinds else self.own

    def lost(self) -> tuple[float, float]:
        """Units that one of them loses by turning at most, and all of them."""
        streams, most, total = self.link.streams, 0.0, 0.0
        for kind, (amount, greatest) in self.kinds.items():
            each = streams.each(kind) if streams is not None else 0.0
            most, total = max(most, greatest * each), total + amount * each
        return most, total

    def greatest(self) -> float:
        """Units that one of them loses by turning, exactly: `lost` may be that of one who has left."""
        streams = self.link.streams
        return max([streams.most_lost(flow) * flow.weight for flow in self.flows]) if streams is not None else 0.0

    def add(self, flow: Flow) -> None:
        """Count one more member."""
        self.flows[flow] = None
        self._count(flow, 1.0)
        self.most = max(self.most, self.own)
        self._sum_now_and_then()

    def remove(self, flow: Flow) -> None:
        """Count one member less."""
        del self.flows[flow]
        self._count(flow, -1.0)
        self._sum_now_and_then()

    def _count(self, flow: Flow, sign: float) -> None:
        weight = sign * flow.weight
        self.own += flow.demands.get(self.link, 0.0) * weight
        self.bytes += flow.moves.get(self.link, 0.0) * weight
        stream = self.link.streams.of(flow) if self.link.streams is not None and self.link in flow.demands else None
        if stream is not None:
            amount, greatest = self.kinds.get(stream.kind, (0.0, 0.0))
            self.kinds[stream.kind] = (amount + stream.amount * weight, max(greatest, stream.amount * weight))

    def _sum_now_and_then(self) -> None:
        """Sum anew when half is gone or all may have changed, so that rounding neither stays nor adds up."""
        self.changes += 1
        if self.own <= 0.5 * self.most or self.changes > len(self.flows) + FEW:
            self.own = self.bytes = 0.0
            self.kinds.clear()
            for flow in self.flows:
                self._count(flow, 1.0)
            self.most, self.changes = self.own, 0
