"""A flow: an amount of work in motion over links, at a rate that is constant between changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import simpy

from simbackup.engine.events import ENDS, ULPS
from simbackup.engine.filling import TIE
from simbackup.engine.limit import WHOLE, Customers, Law, Limit, Parts, Segment, Spot, alone, depends_on_others

if TYPE_CHECKING:
    from simbackup.engine.affected import Coupling
    from simbackup.engine.buffer import Buffer
    from simbackup.engine.group import BottleneckGroup
    from simbackup.engine.link import Link

DONE = 1e-9
"""Share of a flow's amount below which what is left counts as done, and of a rate within which limits are equal."""


class LocalWeight(NamedTuple):
    """The weight of a flow that is measured in streams of one link: `elsewhere` is its weight if a stream crosses it.

    If no stream crosses the link, the heaviest of these flows counts as one.
    """

    link: Link
    elsewhere: float


class FlowOptions(TypedDict, total=False):
    """How a flow differs from a plain one."""

    cap: float
    """Greatest rate, units per second; none by default."""
    cap_cause: str | None
    """The address that explains it; the name of the flow by default."""
    cap_parts: Parts | None
    """Seconds of one unit at that rate by address and activity, where it is a cycle of several."""
    weight: float
    """Weight in fairness; 1 by default."""
    among: LocalWeight | None
    """Where that weight holds, if not everywhere."""
    moves: Mapping[Link, float]
    """Bytes that one unit of the flow moves on a link, zero where not named."""
    places: Mapping[Link, Spot]
    """Where it moves them."""
    sequential: float
    """Share of it that is a stream and takes turns with other streams, all by default; the rest are requests here and
    there, whose demand holds what they lose between them."""
    law: Law | None
    """How it uses the rate that the network offers: a tape that stops and starts, users who wait in queues."""
    customers: Customers | None
    """Its requests as customers of a closed queueing network, if it is made of them: they wait behind those of others.
    """
    low_priority: bool
    """Whether requests of other flows are served before it, as they are before write-back."""
    patient: bool
    """Whether it waits while a link is closed, as users do; other flows fail."""


class Limits(NamedTuple):
    """What limits a flow beside the links that it shares: itself, what its requests wait for, and its law."""

    own: Limit
    wait: Limit | None = None
    """Of a flow that is made of requests: the time that these wait."""
    law: Limit | None = None
    """Where its law binds it."""

    def without_law(self) -> Limits:
        """These limits without the one of the law."""
        return self if self.law is None else self._replace(law=None)

    def waiting(self, wait: Limit) -> Limits:
        """These limits with another one for the time that requests wait; without it, if that time is zero."""
        return self._replace(wait=wait if math.isfinite(wait.rate) else None)

    @property
    def lowest(self) -> Limit:
        """The limit with the lowest rate; the flow's own, if several are equal."""
        limit = self.own
        if self.wait is not None and self.wait.rate < limit.rate * (1.0 - DONE):
            limit = self.wait
        if self.law is not None and self.law.rate <= limit.rate:
            limit = self.law
        return limit


def own_limit(name: str, cap: float, cause: str | None, parts: Parts | None) -> Limit:
    """A greatest rate of a flow, units per second, and the address that explains it: its name if none is given."""
    if not cap >= 0.0:
        raise ValueError(f"cap of {name} must be zero or more, not {cap}")
    return Limit(cap, cause or name, parts or WHOLE)


class Flow:
    """An amount of work in motion over the links that it demands; made by `FlowNetwork.start`.

    `rate` and `bottleneck` are those of the last solution: changes at an instant are solved after all other events
    of that instant. `done` succeeds when its amount is finished or it is stopped.
    """

    __slots__ = (
        "_alone", "_completed", "_env", "_limited_since", "_segments", "_since", "active", "activity",
        "among", "amount", "bottleneck", "cap", "cause", "customers", "demands", "depends", "done",
        "entries", "failure", "given_weight", "group", "in_group", "law", "level_stop",
        "limit", "limits", "links", "low_priority", "may_depend", "moves", "name", "next_phase", "number", "own_rate",
        "patient", "phase_change", "phase_end", "places", "queues", "sequential", "spent", "times",
        "watchers", "weight",
    )  # fmt: skip

    def __init__(
        self,
        env: simpy.Environment,
        name: str,
        activity: str,
        amount: float,
        demands: Mapping[Link, float],
        options: FlowOptions,
    ) -> None:
        self._env = env
        self.name, self.activity, self.number = name, activity, 0
        self.amount = self.phase_end = amount
        """Units in all, and those at which its present phase ends."""
        self.next_phase: Callable[[], None] | None = None
        """What gives it another shape there, if another phase follows."""
        self.phase_change: tuple[float, float] | None = None
        """When the last phase began (seconds), and the rate before it, units per second."""
        given = options.get
        weight, moves = given("weight", 1.0), given("moves", {})
        self.weight, self.given_weight, self.among = weight, weight, given("among")
        self.sequential, self.law = given("sequential", 1.0), given("law")
        self.low_priority, self.patient = given("low_priority", False), given("patient", False)
        limit = own_limit(name, given("cap", math.inf), given("cap_cause"), given("cap_parts"))
        self.limits = Limits(limit)
        self.limit, self.cap = limit, limit.rate
        """The lowest of these, and its rate, units per second."""
        self.watchers: dict[Coupling, Buffer | None] = {}
        """Who follows its rate; some of them need not be asked at each change of a level that it shares."""
        self.links = tuple(demands) if moves.keys() <= demands.keys() else tuple({**demands, **moves})
        self._alone: tuple[float, ...] | None = None
        self.load(demands, moves, given("places", {}), given("customers"))

        # how it goes
        self.active = True
        """Whether it is neither finished nor stopped."""
        self.done = env.event()
        self.failure: str | None = None
        """Why it could not go on, if it ended before its amount was done because of that."""
        self.own_rate = 0.0
        """Units a second by itself; zero while it shares the level of a group."""
        self.bottleneck: Link | None = None
        self.cause: str = name
        """The address that limits it."""
        self.spent: Parts = WHOLE
        """Seconds of a unit by address and activity, if what limits it is a cycle of several."""
        self._since = self._limited_since = float(env.now)
        self._completed = 0.0
        self._segments: list[Segment] = []

        # its group
        self.group: BottleneckGroup | None = None
        self.in_group, self.level_stop = weight, math.inf
        """Its rate when the level of its group is one, and the level near which a limit of its own stops it."""

        # when it ends, on the clock of its group if it has one
        self.times = [math.inf, math.inf]
        """When it counts as done, and when nothing of it is left."""
        self.entries = [math.inf, math.inf]
        """The times under which it is in the two queues of `Completions`."""

    def __repr__(self) -> str:
        return f"<Flow {self.name} {self.activity}>"

    # what it is

    def load(
        self,
        demands: Mapping[Link, float],
        moves: Mapping[Link, float],
        places: Mapping[Link, Spot],
        customers: Customers | None,
    ) -> None:
        """Set what one unit demands of links and moves on them, where it does so, and its requests as customers."""
        self.demands = {link: demand for link, demand in demands.items() if demand != 0.0}
        self.moves, self.places, self.customers = dict(moves), dict(places), customers
        self.queues = (
            ()
            if customers is None
            else tuple(link for link in {**customers.service_demands(), **places} if link in demands)
        )
        """The links where its requests may wait for others."""
        self.depends = depends_on_others(self.law)
        """Whether it depends on what others use of its links, so that it is solved with all that cross them."""
        self.may_depend = self.law is not None or bool(self.queues)
        """Whether it ever may."""
        self._alone = None

    def take_limits(self, limits: Limits) -> None:
        """Set the limits; called by the network."""
        self.limits, self.limit = limits, limits.lowest
        self.cap = self.limit.rate

    def set_cap(self, cap: float, cause: str | None, parts: Parts | None = None) -> None:
        """Set the greatest rate, units per second, and its cause; called by the network, which then solves again."""
        self.take_limits(self.limits._replace(own=own_limit(self.name, cap, cause, parts)))

    def update_dependence(self, *, stopped: bool = False) -> None:
        """Update `depends`: whether its law or its requests depend on what other flows use of its links now."""
        bound = self.limits.law is not None
        asks = stopped or bound or depends_on_others(self.law) or any(len(link.crossing) > 1 for link in self.queues)
        if asks is not self.depends:
            self.depends, self._alone = asks, None
            for link in self.links:
                link.note_dependence(self)

    def go_alone(self) -> None:
        """Set the limit of its requests where no others use their stations; called by the network."""
        if self.customers is not None and self._alone != (now := tuple(link.capacity for link in self.queues)):
            self._alone = now
            self.take_limits(self.limits.waiting(alone(self.customers)))

    # what it does

    @property
    def rate(self) -> float:
        """Units a second since the last solution."""
        return self.own_rate if self.group is None else self.in_group * self.group.rate

    @property
    def completed(self) -> float:
        """Units finished so far."""
        here, speed = self._env.now, self.own_rate
        if self.group is not None:
            here, speed = self.group.clock(here), self.in_group
        return min(self.amount, self._completed + speed * (here - self._since))

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
        segments = list(self._segments)
        self._add_segment(segments, float(self._env.now))
        return segments

    def _add_segment(self, segments: list[Segment], now: float) -> None:
        """Add the time since the limit last changed, joined to the last segment if its cause is the same."""
        if now > self._limited_since and self.active:
            Segment(self._limited_since, now, self.cause, self.spent).follow(segments)

    def load_on(self, link: Link) -> float:
        """Units of a link that one unit of it takes at the present rates."""
        return link.demand(self)

    def lost_on(self, link: Link) -> tuple[float, float]:
        """Units of a link that one unit loses to switchover: in the greatest stream, and in all; here the same."""
        return (lost := link.lost(self)), lost

    # it goes on at another rate; all of this is called by the network

    def advance(self, now: float) -> None:
        """Update what is completed to `now`, seconds."""
        here, speed = (now, self.own_rate) if self.group is None else (self.group.clock(now), self.in_group)
        if here > self._since:
            if speed:
                self._completed = min(self.amount, self._completed + speed * (here - self._since))
            self._since = here

    def assign(self, now: float, rate: float, bottleneck: Link | None, why: tuple[str, Parts]) -> bool:
        """Set the rate from `now` (seconds) on, and return whether it has changed.

        `bottleneck` is the link that limits it, if one does, `why` the address that explains it, and the parts of the
        flow's cycle where that limits it.
        """
        if bottleneck is not self.bottleneck:
            self._limited_by(bottleneck)
        cause, parts = why
        if cause != self.cause or (parts is not self.spent and parts != self.spent):
            self._add_segment(self._segments, now)
            self._limited_since, self.cause, self.spent = now, cause, parts
        before = self.own_rate
        if rate == before or abs(rate - before) <= TIE * before:  # the same within rounding
            return False
        if now > self._since:
            if before:
                self._completed = min(self.amount, self._completed + before * (now - self._since))
            self._since = now
        self.own_rate = rate
        for link in self.links:
            link.stale = True
        self._expect(now, rate)
        return True

    def _expect(self, now: float, rate: float) -> None:
        """Compute when it will be done at a rate, on a clock that shows `now`."""
        left = self.phase_end - self._completed
        near = left - DONE * self.amount if left < math.inf else math.inf
        if rate > 0.0:
            self.times = [now + near / rate if near > 0.0 else now, now + left / rate]
        else:
            self.times = [math.inf if near > 0.0 else now, math.inf]

    def join(self, group: BottleneckGroup, weight: float, level_stop: float, now: float) -> None:
        """Join a group: its rate is its weight times the level of the group, until its own limit stops it."""
        self.advance(now)
        for link in self.links:
            link.stale = True
            del link.variables[self]
            link.limited.pop(self, None)
        self.group, self.in_group, self.level_stop = group, weight, level_stop
        self.own_rate, self._since = 0.0, group.clock(now)
        self.entries = [math.inf, math.inf]
        self._expect(self._since, weight)

    def leave(self, now: float, *, ends: bool) -> None:
        """Leave its group, and keep the rate that it has there unless it ends."""
        self.advance(now)
        self.own_rate, self._since, self.group = 0.0 if ends else self.rate, now, None
        self.entries = [math.inf, math.inf]
        if ends:
            return
        self._expect(now, self.own_rate)
        for link in self.links:
            link.stale = True
            link.variables[self] = None
        if self.bottleneck is not None:
            self.bottleneck.limited[self] = None

    def _limited_by(self, bottleneck: Link | None) -> None:
        """Set the bottleneck, and enter the flow in the list of those that it limits."""
        if self.bottleneck is not None:
            self.bottleneck.limited.pop(self, None)
        if bottleneck is not None:
            bottleneck.limited[self] = None
        self.bottleneck = bottleneck

    def begin_phase(self, now: float) -> None:
        """Begin the next phase of its amount; called by the network, which solves anew."""
        self.advance(now)
        self.phase_change, self.phase_end = (now, self.own_rate), self.amount
        self._expect(now, self.own_rate)

    def due(self, now: float) -> bool:
        """Whether its amount, or its present phase, is finished at `now`, within rounding."""
        if math.isinf(self.amount):
            return False
        left = self.phase_end - self.completed
        here, step = now, 0.0
        if self.group is not None:
            here = self.group.clock(now)
            step = ULPS * max(here, self.group.rate * now)
        if here + step >= self.times[ENDS] or left <= DONE * self.amount:
            return True
        return self.rate > 0.0 and now + left / self.rate <= now

    def finish(self, now: float, completed: float) -> float:
        """End the flow, and return the units of `completed` that its rates do not account for."""
        self.advance(now)
        self._add_segment(self._segments, now)
        extra = completed - self._completed
        self._completed, self.own_rate, self.times = completed, 0.0, [math.inf, math.inf]
        self._limited_by(None)
        self.active = False
        self.done.succeed()
        return extra
