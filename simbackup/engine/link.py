"""Links that flows cross, each of which keeps its own totals."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from simbackup.engine.capacity import CapacityMeter
from simbackup.engine.mover import Mover, Riding
from simbackup.engine.solver import TIE
from simbackup.engine.streams import Losses, Streams

if TYPE_CHECKING:
    from simbackup.engine.crowd import Crowd
    from simbackup.engine.flow import Flow
    from simbackup.engine.reach import FlowCoupling


FEW = 16
"""Flows up to which the use of a link is summed anew at each change."""


class Link(CapacityMeter):
    """A resource that flows cross: a disk, a wire, a processor.

    `capacity` is in units per second: a number, or a function of the flows attached (which ones, never their
    rates), asked again whenever that set changes. `losses` are the extra units that one unit of each stream consumes
    among those attached: what a disk loses when it turns from one to another. A link that is `pooled` is as
    many servers of one queue as its capacity says, as cores are. `fastest` are the bytes a second that it moves at
    most; if it is `plain`, flows demand what their bytes take at the least. Totals are as of the last change of the
    link's rates; `FlowNetwork.settle` brings them to now.
    """

    __slots__ = (
        "_asking", "_first", "_next_bytes_per_s", "_next_used", "_shifts", "_summed", "_summed_ago", "asked", "crowds",
        "entangled", "fastest", "heaviest", "limited", "may_ask", "movers", "number", "plain", "pooled", "recorded_at",
        "recorded_busy", "recorded_bytes", "solved_capacity", "streams", "tracks", "watchers", "weighed",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        capacity: float | Callable[[Sequence[Flow]], float],
        losses: Losses | None = None,
        *,
        pooled: bool = False,
        fastest: float = math.inf,
        plain: bool = False,
    ) -> None:
        super().__init__(name, capacity, turns=losses is not None)
        self.number, self.pooled = 0, pooled
        self.fastest, self.plain = fastest, plain
        self._first: dict[Flow, tuple[float, float]] = {}
        """What one unit of a flow demanded and moved when it came, where that is another now."""
        self.streams = Streams(losses) if losses is not None else None
        self.movers: dict[Mover, None] = {}
        """Those that are solved of them: flows by themselves, and the crowds of the others."""
        self.crowds: dict[Crowd, None] = {}
        self._asking: dict[Flow, None] = {}
        self.asked = False
        """Whether flows attached ask what others use of it: those with laws, requests that go round."""
        self.entangled = False
        """Whether flows attached ask what others use of it: those with laws, requests that go round, uneven streams."""
        self.may_ask = False
        """Whether flows that may do so have ever crossed it."""
        self.solved_capacity: float = -1.0
        """Its capacity at the last change of its rates, negative before the first."""
        self.limited: dict[Mover, None] = {}
        """Those of them whose bottleneck it is."""
        self.tracks = False
        """Whether it adds up changes of rates, as it is crossed by too many flows to sum their rates each time."""
        self.watchers: dict[FlowCoupling, None] = {}
        self.weighed: dict[Flow, float] = {}
        """The flows attached whose weights hold here, for that of a stream."""
        self.heaviest = 0.0
        """What counts as the weight of a stream among them; zero if there never were any."""
        self.recorded_busy = self.recorded_bytes = 0.0
        """What a trace knows of it: the share of it in use by flows by themselves, and their bytes a second."""
        self.recorded_at = -1.0
        """The time, seconds, of the last record of these."""
        self._next_used = self._next_bytes_per_s = self._shifts = self._summed_ago = 0.0
        self._summed: tuple[float, float] = (0.0, 0.0)

    def __repr__(self) -> str:
        return f"<Link {self.name}>"

    @property
    def has_other_capacity(self) -> bool:
        """Whether its capacity is another than at the last change of its rates."""
        return self.solved_capacity >= 0.0 and self.capacity != self.solved_capacity

    @property
    def moves_all(self) -> bool:
        """Whether another capacity or stream may move all flows attached: it is full, or its streams are uneven."""
        full = self.used_beside((), ()) >= self.capacity * (1.0 - TIE)
        return full or (self.streams is not None and not self.streams.even(self, {}))

    @property
    def flows(self) -> tuple[Flow, ...]:
        """The flows attached, in the order in which they came."""
        return tuple(self.crossing)

    def demand(self, flow: Flow) -> float:
        """Units that one unit of a flow consumes at the present rates, with what it turns."""
        return flow.demands.get(self, 0.0) + self.lost(flow)

    def lost(self, flow: Flow) -> float:
        """Units of these that go into turning to the flow from others."""
        return self.streams.lost(flow) if self.streams is not None and self in flow.demands else 0.0

    def most_lost(self) -> dict[Flow, float]:
        """Units that one unit of each stream loses if it turns for all that it moves; none unless there are several."""
        if self.streams is None:
            return {}
        return {flow: lost for flow in self.crossing if self in flow.demands and (lost := self.streams.most_lost(flow))}

    def turn(self, lost: Mapping[Flow, float] | None) -> None:
        """Note the units that one unit of each stream loses at the present rates; called by the network."""
        if self.streams is not None:
            self.stale, self._shifts = True, math.inf
            self.streams.turn(lost)
            self._entangle()

    def attach(self, flow: Flow, load: tuple[float, float]) -> None:
        """Attach a flow with the units that one unit of it demands, and its bytes; called by the network."""
        self.movers[flow] = None
        self.crossing[flow] = load
        self.count(load[0] * flow.most)
        if flow.among is not None and flow.among.link is self:
            self.weighed[flow] = flow.given / flow.among.elsewhere
            self.heaviest = self.heaviest or 1.0
        if flow.may_ask:
            self._may_be_asked(flow)
        if self.streams is not None:
            self.streams.attach(self, flow)
            self._streams_changed()
        if self._varies:
            self.known_capacity, self.stale = -1.0, True

    def look_around(self) -> None:
        """Let a flow see who has come where it was alone, or that it is alone now; called by the network."""
        for flow in self.crossing if len(self.crossing) <= 2 else ():  # noqa: PLR2004 (one was alone)
            if flow.may_ask:
                flow.look_around()

    def asked_by(self, flow: Flow) -> None:
        """Note whether an attached flow asks what others use; called by the flow."""
        if flow.asks:
            self._asking[flow] = None
        else:
            self._asking.pop(flow, None)
        self._entangle()

    def _may_be_asked(self, flow: Flow) -> None:
        self.may_ask = True
        self.mark_odd()
        if flow.asks:
            self.asked_by(flow)

    def _entangle(self) -> None:
        self.asked = bool(self._asking)
        self.entangled = self.asked or (self.streams is not None and self.streams.uneven)

    def note(self, flow: Flow) -> None:
        """Note that an attached flow loads the link in another way; called by the network."""
        self.stale, self._shifts = True, math.inf
        self._first.setdefault(flow, self.crossing[flow])
        self.crossing[flow] = (flow.demands.get(self, 0.0), flow.moves.get(self, 0.0))
        if flow.may_ask:
            self._may_be_asked(flow)
        if self.streams is not None:
            self.streams.detach(flow)
            self.streams.attach(self, flow)
            self._streams_changed()
        self.asked_by(flow)

    def _streams_changed(self) -> None:
        """Note that each stream may lose more or less than before."""
        self.stale, self._shifts = True, math.inf
        for crowd in self.crowds:
            crowd.load(self)

    def shift(self, used: float, moved: float) -> None:
        """Note that attached flows use so much more a second, and move so many bytes more; called by them."""
        self.stale = True
        if self.tracks:
            self._shifts += 1.0 if self.streams is None else math.inf
            self._next_used += used
            self._next_bytes_per_s += moved

    def used_beside(self, flows: Sequence[tuple[Mover, float]], solved: Container[Mover]) -> float:
        """Units a second that flows use now other than those that are solved; these are given with their demands."""
        if not self.tracks or self._shifts == math.inf:
            if self.crowds or self.streams is not None:
                return sum([mover.load_on(self) * mover.rate for mover in self.movers if mover not in solved])
            used = 0.0
            for flow, load in self.crossing.items():
                if flow not in solved:
                    used += load[0] * flow.own_rate
            return used
        used = self._next_used
        for crowd in self.crowds:
            used += crowd.sides[self].units * crowd.rate
        for mover, demand in flows:
            used -= demand * mover.rate
        return max(0.0, used)

    def is_own(self, flow: Flow) -> bool:
        """Whether a flow is the only one that crosses it, and nobody watches it."""
        return len(self.crossing) == 1 and flow in self.crossing and not self.watchers

    def hand_over(self, flow: Flow, rate: float) -> None:
        """Count a flow no more, as it joins a crowd; called by the flow."""
        self.shift(flow.demands.get(self, 0.0) * -rate, flow.moves.get(self, 0.0) * -rate)
        del self.movers[flow]
        self.limited.pop(flow, None)

    def take_back(self, flow: Flow, rate: float) -> None:
        """Count a flow again that leaves a crowd; called by the flow."""
        self.movers[flow] = None
        self.shift(flow.demands.get(self, 0.0) * rate, flow.moves.get(self, 0.0) * rate)

    @property
    def joined(self) -> bool:
        """Whether flows have joined a crowd or left it since the level of that was recorded."""
        return any(self in crowd.loads for crowd in self.crowds)

    def carry(self, riding: Riding | None, now: float) -> None:
        """Keep the totals by the clock of a crowd, alone on it, or by the time again; called by the crowd."""
        self.settle(now)
        self.riding, self.stale = riding, True

    def detach(self, flow: Flow, now: float, left: float) -> float:
        """Detach a flow, and count the `left` units of it that rounding kept back; called by the network.

        Returns the seconds that all it has moved takes at the least, at the full rate of the link.
        """
        demand, moved = self.crossing.pop(flow)
        self.weighed.pop(flow, None)
        self.movers.pop(flow, None)  # a member of a crowd is none
        self.count(-demand * flow.most)
        self.stale = True
        if self.streams is not None:
            self.streams.detach(flow)
            self._streams_changed()
        if self.entangled:
            self._asking.pop(flow, None)
            self._entangle()
        if self._varies:
            self.known_capacity = -1.0
        self.settle(now)
        self.units += left * demand
        self.bytes_moved += left * moved
        least = demand if self.plain else moved / self.fastest
        if self._first and (first := self._first.pop(flow, None)) is not None:
            least = min(least, first[0] if self.plain else first[1] / self.fastest)
        return least * flow.completed if least > 0.0 else 0.0

    def with_crowds(self, used: float, bytes_per_s: float, capacity: float) -> tuple[float, float]:
        """Units and bytes a second with those of crowds, unless the clock of one keeps them."""
        for crowd in self.crowds:
            side = crowd.sides[self]
            if self.riding is None:
                used += side.units * crowd.rate
                bytes_per_s += side.bytes * crowd.rate
            if capacity != self.solved_capacity:
                crowd.loads[self] = None
        return used, bytes_per_s

    def sums(self) -> tuple[float, float]:
        """Units and bytes a second in use, summed anew now and then so that rounding neither adds up nor stays."""
        many = len(self.movers) > FEW
        if many and self.tracks:
            self._summed_ago += self._shifts
            self._shifts = 0.0
            if self._summed_ago < len(self.movers) and not self._halved:
                return self._next_used, self._next_bytes_per_s
        used = bytes_per_s = 0.0
        for flow in self._alone():
            used += self.demand(flow) * flow.own_rate
            bytes_per_s += self.crossing[flow][1] * flow.own_rate
        self.tracks = many
        if many:
            self._summed = self._next_used, self._next_bytes_per_s = used, bytes_per_s
            self._summed_ago = self._shifts = 0.0
        return used, bytes_per_s

    @property
    def _halved(self) -> bool:
        """Whether half of what was summed last is gone."""
        return self._next_used < 0.5 * self._summed[0] or self._next_bytes_per_s < 0.5 * self._summed[1]

    def _alone(self) -> list[Flow]:
        """The flows that are in no crowd."""
        return [cast("Flow", mover) for mover in self.movers if mover not in self.crowds]
