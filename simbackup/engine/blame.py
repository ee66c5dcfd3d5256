"""What limits each flow under an allocation: a link, its own cap, or what a buffer holds it to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from simbackup.engine.flow import Flow
from simbackup.engine.limit import WHOLE, Parts
from simbackup.engine.link import Link
from simbackup.engine.mover import Mover
from simbackup.engine.solver import CAP, TIE, Allocation


class Held(NamedTuple):
    """A full or empty buffer by name, with its followers and leaders, and the bytes of one unit of each."""

    name: str
    followers: Mapping[Flow, float]
    leaders: Mapping[Flow, float]


def led_by(store: str, leaders: Mapping[Flow, float]) -> tuple[str, Parts]:
    """What limits the greatest of some leaders, the first among equals, and its parts; the store without leaders."""
    moved = {flow: flow.rate * size for flow, size in leaders.items()}
    if not moved:
        return store, WHOLE
    most = max(moved.values()) * (1.0 - TIE)
    leader = next(flow for flow, bytes_per_s in moved.items() if bytes_per_s >= most)
    return leader.cause, leader.spent


@dataclass(frozen=True, slots=True)
class Blame:
    """The rates of flows that share links, and the holds of named buffers, which explain them."""

    flows: Sequence[Mover]
    links: Sequence[Link]
    holds: Sequence[Held]
    allocation: Allocation
    place: Mapping[Mover, int]

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
        """What limits a flow itself."""
        return cast("Flow", self.flows[number]).why(self.allocation.rates[number], self.link(number))

    def _of_hold(self, number: int, passed: frozenset[int]) -> tuple[str, Parts]:
        """What limits the greatest leader, the first among equals; the buffer where there is no such end."""
        name, leaders = self.holds[number].name, self.holds[number].leaders
        if not leaders or number in passed:
            return name, WHOLE
        moved = {flow: self._rate(flow) * size for flow, size in leaders.items()}
        most = max(moved.values()) * (1.0 - TIE)
        leader = next(flow for flow, bytes_per_s in moved.items() if bytes_per_s >= most)
        if leader not in self.place:
            return leader.cause, leader.spent
        if self.held(self.place[leader]):
            bottleneck = self.allocation.bottlenecks[self.place[leader]] - len(self.links)
            return self._of_hold(bottleneck, passed | {number})
        return self._own(self.place[leader])

    def _rate(self, flow: Flow) -> float:
        """The rate of a flow under the allocation, alone or in a crowd; one that is not of it goes on as it is."""
        place = self.place.get(flow if flow.crowd is None else flow.crowd)
        if place is None:
            return flow.rate
        return self.allocation.rates[place] * (1.0 if flow.crowd is None else flow.weight)
