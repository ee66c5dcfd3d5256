"""Flows and the links that they cross, each of which keeps its own totals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import simpy

from simbackup.engine.limit import WHOLE, Law, Limit, Parts, Segment, Spot
from simbackup.engine.rounds import Going
from simbackup.engine.trace import Trace

DONE = 1e-9
"""Share of a flow's amount below which what is left counts as done."""


class Link:
    """A resource that flows cross: a disk, a wire, a processor.

    `capacity` is in units per second: a number, or a function of the flows attached (which ones, never their
    rates), asked again whenever that set changes. `surcharge` gives the extra units that one unit of each flow consumes
    among those attached: what a disk loses when it turns from one stream to another. A link that is `pooled` is as
    many servers of one queue as its capacity says, as cores are. `fastest` are the bytes a second that it moves at
    most; if it is `plain`, flows demand what their bytes take at the least. Totals are as of the last change of the
    link's rates; `FlowNetwork.settle` brings them to now.
    """

    def __init__(
        self,
        name: str,
        capacity: float | Callable[[Sequence[Flow]], float],
        surcharge: Callable[[Sequence[Flow]], Mapping[Flow, float]] | None = None,
        *,
        pooled: bool = False,
        fastest: float = math.inf,
        plain: bool = False,
    ) -> None:
        self.name = name
        self.pooled = pooled
        self.fastest, self.plain = fastest, plain
        self.least: dict[str, float] = {}  # seconds of all that ended flows of a name have moved, at its full rate
        self._least: dict[Flow, float] = {}
        self._surcharge = surcharge
        self._turned: Mapping[Flow, float] = {}
        self._flows: dict[Flow, None] = {}
        self._since = self._used = self._busy = self._bytes_per_s = 0.0
        self._units = self._busy_s = self._bytes = self._peak = 0.0
        self.set_capacity(capacity)

    def __repr__(self) -> str:
        return f"<Link {self.name}>"

    @property
    def capacity(self) -> float:
        """Units per second that the flows now attached can have together."""
        if self._capacity is None:
            self._capacity = self._rule(self.flows) if callable(self._rule) else self._rule
            if not self._capacity >= 0.0:
                raise ValueError(f"capacity of {self.name} must be zero or more, not {self._capacity}")
        return self._capacity

    @property
    def flows(self) -> tuple[Flow, ...]:
        """The flows attached, in the order in which they came."""
        return tuple(self._flows)

    @property
    def units(self) -> float:
        """Units used so far."""
        return self._units

    @property
    def busy_s(self) -> float:
        """Seconds busy so far: the integral of the share of capacity in use."""
        return self._busy_s

    @property
    def bytes_moved(self) -> float:
        """Bytes moved so far."""
        return self._bytes

    @property
    def peak_bytes_per_s(self) -> float:
        """The greatest bytes per second that lasted for any time so far."""
        return self._peak

    def demand(self, flow: Flow) -> float:
        """Units that one unit of a flow consumes at the present rates, with what it turns."""
        return flow.demands.get(self, 0.0) + self.lost(flow)

    def lost(self, flow: Flow) -> float:
        """Units of these that go into turning to the flow from others."""
        return self._turned.get(flow, 0.0)

    def streams(self) -> dict[Flow, float]:
        """The streams between which it turns, if there are several: units lost by a unit that turns after each run."""
        if self._surcharge is None or len(self._flows) < 2:  # noqa: PLR2004 (whoever is alone turns to nobody)
            return {}
        found = self._surcharge(self.flows)
        return {flow: lost for flow, lost in found.items() if lost > 0.0 and self in flow.demands}

    def turn(self, lost: Mapping[Flow, float]) -> None:
        """Note the units that one unit of each stream loses at the present rates; called by the network."""
        self._turned = lost

    def set_capacity(self, capacity: float | Callable[[Sequence[Flow]], float]) -> None:
        """Take another capacity; called by the network, which solves anew."""
        self._rule = capacity
        self._capacity: float | None = None

    def attach(self, flow: Flow) -> None:
        """Attach a flow; called by the network."""
        self._flows[flow] = None
        self._capacity = None
        self._least[flow] = self._least_of(flow)

    def detach(self, flow: Flow, now: float, left: float) -> None:
        """Detach a flow, and count the `left` units of it that rounding kept back; called by the network."""
        del self._flows[flow]
        self._capacity = None
        self.settle(now)
        self._units += left * flow.demands.get(self, 0.0)
        self._bytes += left * flow.moves.get(self, 0.0)
        least = min(self._least.pop(flow), self._least_of(flow)) * flow.completed  # its shape may have changed
        self.least[flow.name] = self.least.get(flow.name, 0.0) + least

    def _least_of(self, flow: Flow) -> float:
        return flow.demands.get(self, 0.0) if self.plain else flow.moves.get(self, 0.0) / self.fastest

    def settle(self, now: float) -> None:
        """Update the totals to `now`, seconds."""
        elapsed = now - self._since
        if elapsed > 0.0:
            self._units += self._used * elapsed
            self._busy_s += self._busy * elapsed
            self._bytes += self._bytes_per_s * elapsed
            self._peak = max(self._peak, self._bytes_per_s)
        self._since = now

    def take_rates(self, now: float, trace: Trace | None) -> None:
        """Take over the rates of the flows attached, and record the change; called by the network."""
        used = sum(self.demand(flow) * flow.rate for flow in self._flows)
        bytes_per_s = sum(flow.moves.get(self, 0.0) * flow.rate for flow in self._flows)
        busy = min(1.0, used / self.capacity) if used > 0.0 else 0.0
        if (used, busy, bytes_per_s) == (self._used, self._busy, self._bytes_per_s):
            return
        self.settle(now)
        if trace is not None and (busy, bytes_per_s) != (self._busy, self._bytes_per_s):
            trace.rate(now, self.name, busy, bytes_per_s)
        self._used, self._busy, self._bytes_per_s = used, busy, bytes_per_s


class Flow:
    """An amount of work in motion over the links that it demands; made by `FlowNetwork.start`.

    `rate` and `bottleneck` are those of the last solve: what is changed at an instant is solved when all else
    of that instant has happened. `done` succeeds with the flow when its amount is finished or it is stopped.
    """

    def __init__(
        self,
        env: simpy.Environment,
        *,
        name: str,
        activity: str,
        amount: float,
        demands: Mapping[Link, float],
        share: float,
        moves: Mapping[Link, float],
        places: Mapping[Link, Spot],
        sequential: float = 1.0,
        law: Law | None = None,
        going: Going | None = None,
    ) -> None:
        self.name = name
        self.activity = activity
        self.amount = amount
        self.demands = {link: demand for link, demand in demands.items() if demand != 0.0}
        self.share = share
        self.moves = dict(moves)
        self.places = dict(places)
        self.sequential = sequential
        self.law = law
        self.going = going
        self.links = tuple(dict.fromkeys([*demands, *moves]))
        self.done = env.event()
        self.ends = math.inf
        self.rate = 0.0
        self.bottleneck: Link | None = None
        self.cause: str = name
        self._env = env
        self._since = float(env.now)
        self._completed = 0.0
        self._segments: list[Segment] = []
        self._cap = Limit(math.inf, name)
        self._spent = WHOLE
        self._bent: Limit | None = None
        self._waits: Limit | None = None

    def __repr__(self) -> str:
        return f"<Flow {self.name} {self.activity}>"

    @property
    def active(self) -> bool:
        """Whether the flow is neither finished nor stopped."""
        return not self.done.triggered

    @property
    def cap(self) -> float:
        """The flow's own greatest rate, units per second, under its law where that binds."""
        return self._limit.rate

    @property
    def cap_cause(self) -> str:
        """The address that explains the cap."""
        return self._limit.cause

    @property
    def cap_parts(self) -> Parts:
        """Where the time of the cap goes, by parts that follow each other; empty where its cause is all there is."""
        return self._limit.parts

    @property
    def _limit(self) -> Limit:
        """What its law leaves, its requests wait for, or its own limit: the lowest, the own one among equals."""
        limit = self._cap if self._waits is None or self._waits.rate >= self._cap.rate * (1.0 - DONE) else self._waits
        return limit if self._bent is None or self._bent.rate > limit.rate else self._bent

    @property
    def bound(self) -> bool:
        """Whether its law limits it."""
        return self._bent is not None

    @property
    def completed(self) -> float:
        """Units finished so far."""
        return min(self.amount, self._completed + self.rate * (self._env.now - self._since))

    @property
    def waited(self) -> dict[str, float]:
        """Seconds so far by what limited the flow: the address of a link, or the cause of a cap."""
        waited: dict[str, float] = {}
        for segment in self.segments:
            waited[segment.cause] = waited.get(segment.cause, 0.0) + segment.end - segment.begin
        return waited

    @property
    def segments(self) -> list[Segment]:
        """What limited the flow so far, one after the other."""
        now, segments = float(self._env.now), list(self._segments)
        if now > self._since and self.active:
            last = Segment(self._since, now, self.cause, self._spent)
            if segments and (segments[-1].cause, segments[-1].parts) == (last.cause, last.parts):
                last = last._replace(begin=segments.pop().begin)
            segments.append(last)
        return segments

    def set_cap(self, cap: float, cause: str, parts: Parts | None = None) -> None:
        """Take another greatest rate, units per second, and its cause; called by the network, which solves anew."""
        if not cap >= 0.0:
            raise ValueError(f"cap of {self.name} must be zero or more, not {cap}")
        self._cap = Limit(cap, cause, parts or WHOLE)

    def bend(self, limit: Limit | None) -> None:
        """Note what the law makes of the rate that the network offers; called by the network."""
        self._bent = limit

    def wait_for(self, limit: Limit | None) -> None:
        """Take what its requests wait for, where they go round; called by the network."""
        self._waits = limit

    def settle(self, now: float) -> None:
        """Update what is completed and waited to `now`, seconds."""
        if now > self._since:
            self._completed, self._segments, self._since = self.completed, self.segments, now

    def assign(self, now: float, rate: float, bottleneck: Link | None, why: tuple[str, Parts]) -> None:
        """Go on at `rate` from `now`, limited by a link, by what a buffer holds the flow to, or by the cap."""
        self.bottleneck = bottleneck
        cause, parts = why
        if (rate, cause, parts) != (self.rate, self.cause, self._spent):
            self.settle(now)
            self.rate, self.cause, self._spent = rate, cause, parts
            self.ends = now + (self.amount - self._completed) / rate if rate > 0.0 else math.inf

    def due(self, now: float) -> bool:
        """Whether the amount is finished at `now`, within rounding."""
        if math.isinf(self.amount):
            return False
        left = self.amount - self.completed
        if now >= self.ends or left <= DONE * self.amount:
            return True
        return self.rate > 0.0 and now + left / self.rate <= now

    def finish(self, now: float, completed: float) -> float:
        """Units of `completed` beyond what the rates account for, as the flow ends; called by the network."""
        self.settle(now)
        extra = completed - self._completed
        self._completed, self.rate, self.ends = completed, 0.0, math.inf
        self.done.succeed(self)
        return extra
