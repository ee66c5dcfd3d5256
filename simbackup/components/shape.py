"""How one unit of a flow loads what it crosses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from simbackup.components.network import Network
from simbackup.engine.flows import Flow, FlowNetwork, Link
from simbackup.engine.link import Law


@dataclass(frozen=True, slots=True)
class FlowShape:
    """How one unit of a flow loads the links it crosses, and how fast it can be at most.

    `demands` are units of each link, `moves` bytes on each link, `cap` units a second with the address that causes it.
    `parts` says where the seconds of a serial cycle go: (address, activity) -> seconds a unit. A flow that is not
    `sequential` makes requests here and there, and takes no turns with streams.
    """

    demands: dict[Link, float] = field(default_factory=dict[Link, float])
    moves: dict[Link, float] = field(default_factory=dict[Link, float])
    cap: float = math.inf
    cause: str | None = None
    parts: dict[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])
    sequential: bool = True

    def start(
        self,
        network: FlowNetwork,
        name: str,
        activity: str,
        amount: float,
        law: Law | None = None,
    ) -> Flow:
        """A flow of this shape under way."""
        return network.start(
            name, activity, amount, self.demands, cap=self.cap, cap_cause=self.cause, moves=self.moves,
            sequential=self.sequential, law=law,
        )  # fmt: skip

    def plus(self, demands: Mapping[Link, float], moves: Mapping[Link, float] | None = None) -> FlowShape:
        """The shape when each unit also takes so much of some links, and moves bytes on some."""
        return replace(self, demands=_sum(self.demands, demands), moves=_sum(self.moves, moves or {}))

    def over(self, networks: Iterable[Network], size: float = 1.0) -> FlowShape:
        """The shape when each unit also moves so many bytes over networks, on one wire of each."""
        shape = self
        for network in networks if size > 0.0 else ():
            shape = shape.plus({network.link: size}, {network.link: size})
            if network.rate < network.link.capacity:
                shape = shape.at_most(network.rate / size, network.link.name)
        return shape

    def at_most(self, rate: float, cause: str) -> FlowShape:
        """The shape when a flow makes no more than so many units a second, for a cause."""
        return replace(self, cap=rate, cause=cause) if rate < self.cap else self

    def part(self, share: float) -> FlowShape:
        """The shape when only a share of the units loads the links; nothing that takes no part is crossed."""
        if share <= 0.0:
            return replace(self, demands={}, moves={}, cap=math.inf, cause=None)
        demands = {link: demand * share for link, demand in self.demands.items()}
        moves = {link: moved * share for link, moved in self.moves.items()}
        return replace(self, demands=demands, moves=moves, cap=self.cap / share)

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


def _sum(one: Mapping[Link, float], other: Mapping[Link, float]) -> dict[Link, float]:
    """Both mappings, with the sums where both have a key."""
    return dict(one) | {link: one.get(link, 0.0) + value for link, value in other.items()}
