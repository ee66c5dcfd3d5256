"""What limits each flow under an allocation: a link, its own cap, or what a buffer holds it to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simbackup.engine.coupling import Hold
from simbackup.engine.limit import WHOLE, Parts
from simbackup.engine.link import DONE, Flow, Link
from simbackup.engine.solver import CAP, Allocation


@dataclass(frozen=True, slots=True)
class Blame:
    """The rates of flows that share links, and the holds of named buffers, which explain them."""

    flows: Sequence[Flow]
    links: Sequence[Link]
    holds: Sequence[tuple[str, Hold]]
    allocation: Allocation

    def held(self, number: int) -> bool:
        """Whether a buffer holds a flow."""
        return self.allocation.bottlenecks[number] >= len(self.links)

    def link(self, number: int) -> Link | None:
        """The link that limits a flow, None where its own cap or a buffer does."""
        bottleneck = self.allocation.bottlenecks[number]
        return None if bottleneck == CAP or self.held(number) else self.links[bottleneck]

    def of(self, number: int) -> tuple[str, Parts]:
        """The address that limits a flow, and the parts of its cycle where it is one."""
        if self.held(number):
            return self._of_hold(self.allocation.bottlenecks[number] - len(self.links), frozenset())
        return self._own(number)

    def _own(self, number: int) -> tuple[str, Parts]:
        """What limits a flow itself. A cycle alone on its disk fills that as it meets its cap: its parts tell."""
        flow, link = self.flows[number], self.link(number)
        if link is None:
            return flow.cap_cause, flow.cap_parts
        at_cap = self.allocation.rates[number] >= flow.cap * (1.0 - DONE)
        return link.name, flow.cap_parts if at_cap else WHOLE

    def _of_hold(self, number: int, passed: frozenset[int]) -> tuple[str, Parts]:
        """What limits the greatest leader, the first among equals; the buffer where there is no such end."""
        name, hold = self.holds[number]
        if not hold.leaders or number in passed:
            return name, WHOLE
        leader = max(hold.leaders, key=lambda flow: self.allocation.rates[flow] * hold.leaders[flow])
        if self.held(leader):
            bottleneck = self.allocation.bottlenecks[leader] - len(self.links)
            return self._of_hold(bottleneck, passed | {number})
        return self._own(leader)
