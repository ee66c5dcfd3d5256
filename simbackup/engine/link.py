"""A link: a resource whose capacity the flows that cross it share, with totals of what they used."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from simbackup.engine.filling import TIE
from simbackup.refusals import Closure

if TYPE_CHECKING:
    from simbackup.engine.affected import Coupling
    from simbackup.engine.flow import Flow
    from simbackup.engine.group import BottleneckGroup, GroupMeter, Variable
    from simbackup.trace.trace import Trace


class StreamKind(NamedTuple):
    """The kind of a stream, and its amount for one unit of the flow; a kind loses the same for each unit of amount."""

    kind: Hashable
    amount: float


class Losses(Protocol):
    """What the streams of one link lose if each of them turns for all that it moves.

    A stream loses its amount times what its kind loses `each`: a change among thousands of streams moves what all of
    them lose at the cost of one.
    """

    def attach(self, link: Link, flow: Flow) -> StreamKind | None:
        """Add a flow to the streams of the link; None if it is not a stream."""
        ...

    def detach(self, flow: Flow) -> None:
        """Remove a flow from the streams of its link."""
        ...

    def each(self, kind: Hashable) -> float:
        """Units of the link that turning from stream to stream costs, for each unit that a stream of a kind moves."""
        ...


class SequentialFlows:
    """The streams of one link.

    They are even if none moves more than all others together: then each turns for all that it moves, and demands the
    same at any rates (`switchover`). Uneven ones are solved together.
    """

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._streams: dict[Flow, StreamKind] = {}
        self._lost: Mapping[Flow, float] | None = None

    @property
    def uneven(self) -> bool:
        """Whether one stream moves more than all others together. Then the device has to turn to it less often."""
        return self._lost is not None

    def attach(self, link: Link, flow: Flow) -> None:
        """Add a flow, if it is a stream."""
        stream = self._losses.attach(link, flow)
        if stream is not None:
            self._streams[flow] = stream

    def detach(self, flow: Flow) -> None:
        """Remove a flow."""
        if self._streams.pop(flow, None) is not None:
            self._losses.detach(flow)
        if len(self._streams) < 2:  # noqa: PLR2004 (whoever is alone turns to nobody)
            self._lost = None

    def of(self, flow: Flow) -> StreamKind | None:
        """The stream kind and amount of a flow."""
        return self._streams.get(flow)

    def each(self, kind: Hashable) -> float:
        """Units of the link that are lost for each unit of amount of a kind."""
        return self._losses.each(kind) if len(self._streams) > 1 else 0.0

    def lost(self, flow: Flow) -> float:
        """Units of the link that are lost for one unit of a flow, at the present rates."""
        if self._lost is None or flow not in self._lost:
            return self.most_lost(flow)
        return self._lost[flow]

    def most_lost(self, flow: Flow) -> float:
        """Units of the link that are lost for one unit of a flow, if all its bytes cost a turn."""
        stream = self._streams.get(flow)
        return stream.amount * self.each(stream.kind) if stream is not None else 0.0

    def spares(self, flow: Flow) -> bool:
        """Whether not all bytes of a flow cost a turn."""
        return self.uneven and self.lost(flow) < self.most_lost(flow) * (1.0 - TIE)

    def set_lost(self, lost: Mapping[Flow, float] | None) -> None:
        """Set what streams lose at the present rates; None if all bytes of all streams cost a turn."""
        self._lost = lost

    def even(self, link: Link, rates: Mapping[Variable, float]) -> bool:
        """Whether no stream moves more than all others together, at given rates and the present ones of other flows."""
        most = total = 0.0
        for variable in link.variables:
            rate = rates.get(variable, variable.rate)
            one, lost = variable.lost_on(link)
            most, total = max(most, one * rate), total + lost * rate
        return 2.0 * most <= total * (1.0 + TIE)


class Link:
    """A resource that flows cross: a disk, a wire, a processor.

    Totals are as of the last change of the link's rates; `FlowNetwork.settle` brings them to now.

    Parameters
    ----------
    name
        Its address.
    capacity
        Units per second.
    losses
        The extra units that one unit of each stream consumes among those attached: what a disk loses when it turns
        from one to another.
    pooled
        Whether it is as many servers of one queue as its capacity says, as cores are.
    fastest
        The bytes a second that it moves at most.
    plain
        Whether no flow can take less than it demands; else its bytes at `fastest` are the least that it takes.
    """

    __slots__ = (
        "_dependents", "_first", "busy", "busy_s", "bytes_moved", "bytes_per_s", "capacity", "closures", "crossing",
        "depended_on", "fastest", "group_meter", "groups", "heaviest", "limited", "may_depend", "name", "nominal",
        "number", "peak_bytes_per_s", "plain", "pooled", "recorded_at", "recorded_busy", "recorded_bytes",
        "settled_at", "solved_capacity", "solved_jointly", "stale", "streams", "units", "used", "variables",
        "watchers", "weighed",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        capacity: float,
        losses: Losses | None = None,
        *,
        pooled: bool = False,
        fastest: float = math.inf,
        plain: bool = False,
    ) -> None:
        self.name, self.number = name, 0
        self.pooled, self.fastest, self.plain = pooled, fastest, plain
        self.closures: dict[Closure, bool] = {}
        """Why it serves nobody, if so; and whether flows wait meanwhile, or fail."""
        self.capacity = self.nominal = self._checked(capacity)
        """Units per second, zero while it is closed; and what it has, or would have if it were not closed."""
        self.streams = SequentialFlows(losses) if losses is not None else None

        # who is there
        self.crossing: dict[Flow, tuple[float, float]] = {}
        """The flows attached, in the order in which they came, with what one unit of each demands and moves."""
        self._first: dict[Flow, tuple[float, float]] = {}
        """What one unit of a flow demanded and moved when it came, where that is another now."""
        self.variables: dict[Variable, None] = {}
        """Who is solved for of them: flows by themselves, and the groups of the others."""
        self.groups: dict[BottleneckGroup, None] = {}
        self.limited: dict[Variable, None] = {}
        """Those whose bottleneck it is."""
        self.watchers: dict[Coupling, None] = {}
        self.weighed: dict[Flow, float] = {}
        """The flows attached that have a local weight here, with that weight, measured in streams."""
        self.heaviest = 0.0
        """The local weight that counts as one: one if a stream crosses the link, else the greatest of these; zero
        if none of them ever came."""

        # which flows depend on what others use of it
        self._dependents: dict[Flow, None] = {}
        self.depended_on = False
        """Whether flows attached depend on what others use of it: those with laws, and requests that wait."""
        self.solved_jointly = False
        """Whether all flows attached have to be solved together: some depend on others, or its streams are uneven."""
        self.may_depend = False
        """Whether flows that may depend on others have ever crossed it."""

        self._begin_totals()

    def __repr__(self) -> str:
        return f"<Link {self.name}>"

    # capacity and demand

    def _checked(self, capacity: float) -> float:
        if not capacity >= 0.0:
            raise ValueError(f"capacity of {self.name} must be zero or more, not {capacity}")
        return capacity

    def set_capacity(self, capacity: float) -> None:
        """Take another capacity; called by the network, which solves anew."""
        self.nominal = self._checked(capacity)
        self.capacity, self.stale = 0.0 if self.closures else capacity, True

    def close(self, closure: Closure, *, waits: bool) -> None:
        """Serve nobody from now on; called by the network, which solves anew."""
        self.closures[closure] = waits
        self.set_capacity(self.nominal)

    def open(self, closure: Closure) -> None:
        """Serve again, unless something else keeps it closed; called by the network, which solves anew."""
        del self.closures[closure]
        self.set_capacity(self.nominal)

    @property
    def moves_all(self) -> bool:
        """Whether a change of its capacity or of its streams may change the rates of all its flows."""
        used = sum([variable.load_on(self) * variable.rate for variable in self.variables])
        full = used >= self.capacity * (1.0 - TIE)
        return full or (self.streams is not None and not self.streams.even(self, {}))

    @property
    def flows(self) -> tuple[Flow, ...]:
        """The flows attached, in the order in which they came."""
        return tuple(self.crossing)

    def demand(self, flow: Flow) -> float:
        """Units that one unit of a flow consumes at the present rates, with those lost to switchover."""
        demand = flow.demands.get(self, 0.0)
        return demand if self.streams is None else demand + self.lost(flow)

    def lost(self, flow: Flow) -> float:
        """The part of `demand` that is lost to switchover."""
        return self.streams.lost(flow) if self.streams is not None and self in flow.demands else 0.0

    def most_lost(self, among: Collection[Variable]) -> list[tuple[Flow, float]]:
        """Units lost to switchover for one unit of each of these streams, if the link switches for all its bytes.

        Empty if only one flow crosses the link.
        """
        streams = self.streams
        if streams is None or len(self.crossing) == 1:
            return []
        few, others = sorted((among, self.crossing), key=len)  # both are in the order in which they came
        flows = [flow for flow in cast("Iterable[Flow]", few) if flow in others and self in flow.demands]
        return [(flow, lost) for flow in flows if (lost := streams.most_lost(flow))]

    def is_own(self, flow: Flow) -> bool:
        """Whether a flow is the only one that crosses it, and nobody watches it."""
        return len(self.crossing) == 1 and flow in self.crossing and not self.watchers

    # called by the network as flows come, change and go

    def attach(self, flow: Flow) -> None:
        """Attach a flow."""
        self.variables[flow] = None
        self.crossing[flow] = (flow.demands.get(self, 0.0), flow.moves.get(self, 0.0))
        if flow.among is not None and flow.among.link is self:
            self.weighed[flow] = flow.given_weight / flow.among.elsewhere
            self.heaviest = self.heaviest or 1.0
        if flow.may_depend:
            self._may_be_depended_on(flow)
        if self.streams is not None:
            self.streams.attach(self, flow)
            self._streams_changed()

    def reload(self, flow: Flow) -> None:
        """Update the load of an attached flow, after its demands have changed."""
        self.stale = True
        self._first.setdefault(flow, self.crossing[flow])
        self.crossing[flow] = (flow.demands.get(self, 0.0), flow.moves.get(self, 0.0))
        if flow.may_depend:
            self._may_be_depended_on(flow)
        if self.streams is not None:
            self.streams.detach(flow)
            self.streams.attach(self, flow)
            self._streams_changed()
        self.note_dependence(flow)

    def detach(self, flow: Flow, now: float, left: float) -> float:
        """Detach a flow, and count the `left` units of it that rounding kept back.

        Returns the seconds that all it has moved takes at the least, at the full rate of the link.
        """
        demand, moved = self.crossing.pop(flow)
        self.weighed.pop(flow, None)
        self.variables.pop(flow, None)  # a member of a group is none
        self.stale = True
        if self.streams is not None:
            self.streams.detach(flow)
            self._streams_changed()
        if self.solved_jointly:
            self._dependents.pop(flow, None)
            self._update_joint()
        self.advance(now)
        self.units += left * demand
        self.bytes_moved += left * moved
        least = demand if self.plain else moved / self.fastest
        if self._first and (first := self._first.pop(flow, None)) is not None:
            least = min(least, first[0] if self.plain else first[1] / self.fastest)
        return least * flow.completed if least > 0.0 else 0.0

    def set_lost(self, lost: Mapping[Flow, float] | None) -> None:
        """Set the units lost to switchover for one unit of each stream; None if all their bytes cost a turn."""
        if self.streams is not None:
            self.stale = True
            self.streams.set_lost(lost)
            self._update_joint()

    def _streams_changed(self) -> None:
        """Note that each stream may lose more or less than before."""
        self.stale = True
        for group in self.groups:
            group.reload(self)

    # which flows depend on what others use of it

    def update_dependence(self) -> None:
        """Let its flows update whether they depend on others, after a second flow has come or gone."""
        for flow in self.crossing if len(self.crossing) <= 2 else ():  # noqa: PLR2004 (one was alone)
            if flow.may_depend:
                flow.update_dependence()

    def note_dependence(self, flow: Flow) -> None:
        """Count the attached flows that depend on what others use; called by the flow."""
        if flow.depends:
            self._dependents[flow] = None
        else:
            self._dependents.pop(flow, None)
        self._update_joint()

    def _may_be_depended_on(self, flow: Flow) -> None:
        self.may_depend = True
        if flow.depends:
            self.note_dependence(flow)

    def _update_joint(self) -> None:
        self.depended_on = bool(self._dependents)
        self.solved_jointly = self.depended_on or (self.streams is not None and self.streams.uneven)

    # groups

    def meter_by(self, meter: GroupMeter | None, now: float) -> None:
        """Keep the totals by the clock of the only group on the link, or by time again; called by the group."""
        self.advance(now)
        self.group_meter, self.stale = meter, True

    # totals

    def _begin_totals(self) -> None:
        self.group_meter: GroupMeter | None = None
        """What meters it while a group is alone on it."""
        self.units: float = 0.0
        """Units used so far."""
        self.busy_s: float = 0.0
        """Seconds busy so far: the integral of the share of capacity in use."""
        self.bytes_moved: float = 0.0
        self.peak_bytes_per_s: float = 0.0
        """The greatest bytes per second that lasted for any time so far."""
        self.settled_at: float = 0.0
        """The time of these totals, seconds."""
        self.used: float = 0.0
        """Units a second in use since then."""
        self.busy: float = 0.0
        """The share of capacity in use since then."""
        self.bytes_per_s: float = 0.0
        self.stale = False
        """Whether its totals do not know of its rates or its capacity yet."""
        self.solved_capacity: float = -1.0
        """Its capacity at the last change of its rates, negative before the first."""
        self.recorded_busy: float = 0.0
        self.recorded_bytes: float = 0.0
        """What is on record of it: the share of it in use by flows by themselves, and their bytes a second."""
        self.recorded_at: float = -1.0
        """The time, seconds, of the last record of these."""

    def advance(self, now: float) -> None:
        """Update the totals to `now`, seconds."""
        elapsed = now - self.settled_at
        if elapsed <= 0.0:
            return
        if used := self.used:
            self.units += used * elapsed
            self.busy_s += self.busy * elapsed
        if bytes_per_s := self.bytes_per_s:
            self.bytes_moved += bytes_per_s * elapsed
            if bytes_per_s > self.peak_bytes_per_s:  # noqa: PLR1730 (`max` costs a call, at each change of a rate)
                self.peak_bytes_per_s = bytes_per_s
        if self.group_meter is not None:
            self._advance_group(self.group_meter, now)
        self.settled_at = now

    def _advance_group(self, meter: GroupMeter, now: float) -> None:
        reading = meter.group.clock(now)
        levels = reading - meter.showed
        self.units += meter.units * levels
        self.busy_s += meter.busy * levels
        self.bytes_moved += meter.bytes * levels
        self.peak_bytes_per_s = max(self.peak_bytes_per_s, meter.bytes * meter.group.greatest(self.settled_at, now))
        meter.showed = reading

    def take_rates(self, now: float, recorder: Trace | None) -> None:
        """Update the totals for the rates of its flows from `now` (seconds) on, and record them if they have changed.

        This is the hottest code of a simulation: it asks others only where it has to.
        """
        capacity = self.capacity
        if self.groups or self.streams is not None:
            used, bytes_per_s = self._sums()
        else:
            used = bytes_per_s = 0.0
            for flow, (demand, moved) in self.crossing.items():
                rate = flow.own_rate
                used += demand * rate
                if moved:
                    bytes_per_s += moved * rate
        busy = (used / capacity if used < capacity else 1.0) if used > 0.0 else 0.0
        if recorder is not None and (bytes_per_s != self.recorded_bytes or busy != self.recorded_busy):
            self.recorded_busy, self.recorded_bytes = busy, bytes_per_s
            # unless the record of a level that flows join or leave is about to say it
            if not (self.groups and any(self in group.unrecorded for group in self.groups)) or self.recorded_at == now:
                self.recorded_at = now
                recorder.rate(now, self.name, busy, bytes_per_s)
        if self.groups:
            used, bytes_per_s = self._with_groups(used, bytes_per_s, capacity)
            busy = min(1.0, used / capacity) if used > 0.0 else 0.0
        self.solved_capacity, self.stale = capacity, False
        if used != self.used or bytes_per_s != self.bytes_per_s or busy != self.busy:
            if now > self.settled_at:
                self.advance(now)
            self.used, self.busy, self.bytes_per_s = used, busy, bytes_per_s

    def _sums(self) -> tuple[float, float]:
        """Units and bytes a second of the flows that are in no group."""
        used = bytes_per_s = 0.0
        turning = self.streams is not None
        for flow in cast("Iterable[Flow]", self.variables):
            load = self.crossing.get(flow)
            if load is not None:  # a group has none
                rate = flow.own_rate
                used += (self.demand(flow) if turning else load[0]) * rate
                bytes_per_s += load[1] * rate
        return used, bytes_per_s

    def _with_groups(self, used: float, bytes_per_s: float, capacity: float) -> tuple[float, float]:
        """These units and bytes a second plus those of groups, unless the clock of a group meters the link."""
        for group in self.groups:
            load = group.loads[self]
            if self.group_meter is None:
                used += load.units * group.rate
                bytes_per_s += load.bytes * group.rate
            if capacity != self.solved_capacity:
                group.unrecorded[self] = None
        return used, bytes_per_s
