"""A flow: an amount of work in motion over links, at a rate that is constant between changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import simpy

from simbackup.engine.capacity import ENDLESS
from simbackup.engine.ends import ULPS
from simbackup.engine.limit import WHOLE, Law, Limit, Parts, Segment, Spot, asks_others
from simbackup.engine.limited import DONE, Limited
from simbackup.engine.rounds import Going, alone
from simbackup.engine.solver import TIE

if TYPE_CHECKING:
    from simbackup.engine.crowd import Crowd
    from simbackup.engine.guards import Guarded
    from simbackup.engine.link import Link
    from simbackup.engine.reach import FlowCoupling
    from simbackup.engine.weights import Among


class Flow(Limited):
    """An amount of work in motion over the links that it demands; made by `FlowNetwork.start`.

    `rate` and `bottleneck` are those of the last solve: what is changed at an instant is solved when all else
    of that instant has happened. `done` succeeds when its amount is finished or it is stopped.
    """

    __slots__ = (
        "_alone", "_completed", "_env", "_limited_since", "_segments", "_since", "_turns", "activity", "among",
        "amount", "asks", "bottleneck", "cause", "crowd", "demands", "done", "ends", "ends_place", "failure", "given",
        "going", "law", "links", "may_ask", "moves", "near", "near_place", "number", "odd", "own_rate", "places",
        "queues", "sequential", "share", "spent", "split", "stop", "then", "until", "uses", "watchers", "weight",
    )  # fmt: skip

    def __init__(
        self,
        env: simpy.Environment,
        *,
        name: str,
        activity: str,
        amount: float,
        demands: Mapping[Link, float],
        share: float,
        limit: Limit,
        moves: Mapping[Link, float],
        places: Mapping[Link, Spot],
        sequential: float = 1.0,
        law: Law | None = None,
        going: Going | None = None,
        among: Among | None = None,
    ) -> None:
        super().__init__(name, limit)
        self.activity = activity
        self.amount = self.until = amount
        """Units in all, and up to where it goes on as it does now."""
        self.then: Callable[[], None] | None = None
        """What changes it there, if that is before its end."""
        self.split: tuple[float, float] | None = None
        """When that was, and the rate before it, units per second."""
        self.share, self.given, self.among = share, share, among
        self.sequential = sequential
        self.law = law
        self.watchers: dict[FlowCoupling, Guarded | None] = {}
        """Who follows its rate; some of them need not be asked at each change of a level that it shares."""
        self.links = tuple(demands) if moves.keys() <= demands.keys() else tuple({**demands, **moves})
        self.load(demands, moves, places, going)
        self.done = env.event()
        self.near = self.ends = self.near_place = self.ends_place = math.inf
        self.crowd: Crowd | None = None
        self.weight, self.stop = share, math.inf
        """What it moves at level one of its crowd, and the level near which a limit of its own stops it."""
        self.own_rate = 0.0
        """Units a second by itself; zero while it shares the level of a crowd."""
        self.bottleneck: Link | None = None
        self.failure: str | None = None
        """Why it could not go on, if it ended before its amount was done because of that."""
        self.number = 0
        self.cause: str = name
        self._env = env
        self._since = self._limited_since = float(env.now)
        self._completed = 0.0
        self._segments: list[Segment] = []
        self.most = self._greatest(ENDLESS)
        self.spent: Parts = WHOLE
        self._alone: tuple[float, ...] | None = None

    def __repr__(self) -> str:
        return f"<Flow {self.name} {self.activity}>"

    @property
    def rate(self) -> float:
        """Units a second since the last solve."""
        return self.own_rate if self.crowd is None else self.weight * self.crowd.rate

    @property
    def crossed(self) -> tuple[tuple[Link, float], ...]:
        """The links that it demands, with the units of each that one unit of it takes at the present rates."""
        return tuple((link, link.demand(self)) for link in self.demands) if self._turns else self._crossed

    def load_on(self, link: Link) -> float:
        """Units of a link that one unit of it takes at the present rates."""
        return link.demand(self)

    def lost_on(self, link: Link) -> tuple[float, float]:
        """Units of a link that one unit of it loses by turning: twice the same, as it is one stream."""
        return (lost := link.lost(self)), lost

    @property
    def completed(self) -> float:
        """Units finished so far."""
        here, speed = self._env.now, self.own_rate
        if self.crowd is not None:
            here, speed = self.crowd.clock(here), self.weight
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
        """Add what limits the flow now, which goes on what did so before if it is the same."""
        if now > self._limited_since and self.active:
            Segment(self._limited_since, now, self.cause, self.spent).follow(segments)

    def load(
        self,
        demands: Mapping[Link, float],
        moves: Mapping[Link, float],
        places: Mapping[Link, Spot],
        going: Going | None,
    ) -> None:
        """Take what a unit of it demands of links, moves on them, where, and how its requests go round."""
        self.demands = {link: demand for link, demand in demands.items() if demand != 0.0}
        self._crossed = tuple(self.demands.items())
        self._turns = False
        for link in self.demands:
            if link.streams is not None:
                self._turns = True
        self.moves, self.places, self.going = dict(moves), dict(places), going
        self.uses = [(link, (self.demands.get(link, 0.0), self.moves.get(link, 0.0))) for link in self.links]
        """The links that it crosses, with the units that it demands of each and the bytes that it moves there."""
        self.queues = () if going is None else tuple(link for link in {**going.waits(), **places} if link in demands)
        """The links where its requests may wait for others."""
        self.asks = asks_others(self.law)
        """Whether it has to be solved with all that cross its links, as it asks what they use; and if it ever may."""
        self.may_ask = self.law is not None or bool(self.queues)
        self.odd = going is not None or self.may_ask or len(self.demands) < len(self.links) or bool(self.watchers)
        """Whether more than links that it demands, and a cap, may have to do with its rate."""
        self._alone = None

    def look_around(self, *, stopped: bool = False) -> None:
        """See whether it asks what others use: by its law, or as its requests wait where others come."""
        asks = stopped or self.bound or asks_others(self.law) or any(len(link.crossing) > 1 for link in self.queues)
        if asks is not self.asks:
            self.asks, self._alone = asks, None
            for link in self.links:
                link.asked_by(self)

    def go_alone(self) -> None:
        """Take what its requests wait for where they meet no others; called by the network."""
        if self.going is not None and self._alone != (now := tuple(link.capacity for link in self.queues)):
            self._alone = now
            self.wait_for(alone(self.going))

    def settle(self, now: float) -> None:
        """Update what is completed to `now`, seconds."""
        here, speed = (now, self.own_rate) if self.crowd is None else (self.crowd.clock(now), self.weight)
        if here > self._since:
            if speed:
                self._completed = min(self.amount, self._completed + speed * (here - self._since))
            self._since = here

    def assign(
        self,
        now: float,
        rate: float,
        bottleneck: Link | None,
        links: dict[Link, None],
        why: tuple[str, Parts] | None = None,
    ) -> bool:
        """Go on at `rate` from `now`, limited by a link or not; whether the rate is another.

        `links` take up those whose totals change. What limits it is the link, or its own limit, unless `why` says more.
        """
        if bottleneck is not self.bottleneck:
            self._limited_by(bottleneck)
        cause, parts = why or self.why(rate, bottleneck)
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
        for link, load in self.uses:
            links[link] = None
            link.stale = True
            if link.tracks:
                link.shift(load[0] * (rate - before), load[1] * (rate - before))
        self._expect(now, rate)
        return True

    def why(self, rate: float, link: Link | None) -> tuple[str, Parts]:
        """The address that limits it at a rate, a link or that of its cap, and the parts of its cycle where it is one.

        A cycle alone on its disk fills that as it meets its cap: its parts tell.
        """
        limit = self.limit
        if link is None:
            return limit.cause, limit.parts
        return link.name, limit.parts if rate >= self.cap * (1.0 - DONE) else WHOLE

    def _expect(self, now: float, rate: float) -> None:
        """Reckon when it is done at a rate, on a clock that shows `now`."""
        left = self.until - self._completed
        if left == math.inf:
            self.ends = self.near = math.inf
            return
        near = left - DONE * self.amount
        if rate > 0.0:
            self.ends = now + left / rate
            self.near = now + near / rate if near > 0.0 else now
        else:
            self.ends = math.inf
            self.near = math.inf if near > 0.0 else now

    def join(self, crowd: Crowd, weight: float, stop: float, now: float) -> None:
        """Go on at a weight times the level of a crowd, until a limit of its own stops it near another level."""
        self.settle(now)
        for link in self.links:
            link.hand_over(self, self.own_rate)
        self.crowd, self.weight, self.stop = crowd, weight, stop
        self.own_rate, self._since = 0.0, crowd.clock(now)
        self.near_place = self.ends_place = math.inf
        self._expect(self._since, weight)

    def leave(self, now: float, *, ends: bool) -> None:
        """Go on by itself, at the rate that its crowd has, unless it ends."""
        self.settle(now)
        self.own_rate, self._since, self.crowd = 0.0 if ends else self.rate, now, None
        self.near_place = self.ends_place = math.inf
        if ends:
            return
        self._expect(now, self.own_rate)
        for link in self.links:
            link.take_back(self, self.own_rate)
        if self.bottleneck is not None:
            self.bottleneck.limited[self] = None

    def _limited_by(self, bottleneck: Link | None) -> None:
        """Take another bottleneck, which knows whom it limits."""
        if self.bottleneck is not None:
            self.bottleneck.limited.pop(self, None)
        if bottleneck is not None:
            bottleneck.limited[self] = None
        self.bottleneck = bottleneck

    def go_on(self, now: float) -> None:
        """Begin the part of its amount behind the one that is done; called by the network, which solves anew."""
        self.settle(now)
        self.split, self.until = (now, self.own_rate), self.amount
        self._expect(now, self.own_rate)

    def due(self, now: float) -> bool:
        """Whether the amount, or the part of it up to where it changes, is finished at `now`, within rounding."""
        if math.isinf(self.amount):
            return False
        left = self.until - self.completed
        here, step = now, 0.0
        if self.crowd is not None:
            here = self.crowd.clock(now)
            step = ULPS * max(here, self.crowd.rate * now)
        if here + step >= self.ends or left <= DONE * self.amount:
            return True
        return self.rate > 0.0 and now + left / self.rate <= now

    def finish(self, now: float, completed: float) -> float:
        """Units of `completed` beyond what the rates account for, as the flow ends; called by the network."""
        self.settle(now)
        self._add_segment(self._segments, now)
        for link, load in self.uses:
            if link.tracks:
                link.shift(load[0] * -self.own_rate, load[1] * -self.own_rate)
        extra = completed - self._completed
        self._completed, self.own_rate, self.ends, self.near = completed, 0.0, math.inf, math.inf
        self._limited_by(None)
        self.active = False
        self.done.succeed()
        return extra
