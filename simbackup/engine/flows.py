"""Bulk data in motion: flows that share links fairly, with events only where a rate changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import count

import simpy

from simbackup.engine.alarm import LAST, Alarm, Call
from simbackup.engine.crowds import Crowds
from simbackup.engine.ends import Ends
from simbackup.engine.flow import Flow
from simbackup.engine.guards import Guarded
from simbackup.engine.limit import Law, Limit, Parts, Spot
from simbackup.engine.limited import own_limit
from simbackup.engine.link import Link
from simbackup.engine.reach import FlowCoupling, Reach, Touches, waits_alone
from simbackup.engine.rounds import Going
from simbackup.engine.solving import Solving
from simbackup.engine.trace import Trace
from simbackup.engine.weights import Among, meet, weigh

__all__ = ["Flow", "FlowCoupling", "FlowNetwork", "Link"]


class FlowNetwork:
    """All flows of a simulation, at weighted max-min fair rates that are constant between changes.

    Touches at one instant are solved once, after every other event of the instant; processes that wake when
    flows are done, and start others, are heard first. Only what they reach is solved, or with `whole` the whole
    network, which comes to the same. One alarm waits for the next flow to end. It may fire once more after the last
    flow, so end a run with `env.run(until=event)` rather than `env.run()`.

    Examples
    --------
    >>> env = simpy.Environment()
    >>> network, disk = FlowNetwork(env), Link("devices.sda", 100.0)
    >>> first = network.start("jobs.a", "write", 1000.0, {disk: 1.0})
    >>> second = network.start("jobs.b", "write", 500.0, {disk: 1.0})
    >>> env.run(until=first.done)
    >>> first.waited
    {'devices.sda': 15.0}
    """

    def __init__(self, env: simpy.Environment, trace: Trace | None = None, *, whole: bool = False) -> None:
        self.env = env
        self.trace = trace
        self.whole = whole
        self.least: dict[str, dict[Link, float]] = {}
        """Seconds that ended flows of a name take of each link at the least, until they are asked for."""
        self._flows: dict[Flow, None] = {}
        self._numbers = count()
        self._touched = Touches()
        self._ends = Ends[Flow]()
        self._crowds = Crowds(env, self._numbers, self._ends, trace)
        self._solving = Solving(env, self._crowds, self._ends, trace)
        self._alarm = Alarm(env)
        self._solve_pending = self._asking = False

    @property
    def flows(self) -> tuple[Flow, ...]:
        """The active flows in the order in which they started."""
        return tuple(self._flows)

    def start(
        self,
        name: str,
        activity: str,
        amount: float,
        demands: Mapping[Link, float],
        *,
        share: float = 1.0,
        cap: float = math.inf,
        cap_cause: str | None = None,
        cap_parts: Parts | None = None,
        moves: Mapping[Link, float] | None = None,
        places: Mapping[Link, Spot] | None = None,
        sequential: float = 1.0,
        law: Law | None = None,
        going: Going | None = None,
        among: Among | None = None,
    ) -> Flow:
        """A flow under way, in units of the caller's choice (bytes, files).

        Parameters
        ----------
        name, activity
            The address of what is moved for (``"jobs.full"``) and what is done (``"write"``).
        amount
            Units to move, may be infinite; a flow of zero is done at once.
        demands
            Units of each link that one unit of the flow consumes; zero attaches without consuming.
        share, among
            Weight in fairness, and where it holds if not everywhere.
        cap, cap_cause
            Greatest rate, units per second, and the address that explains it (the flow's name if None).
        cap_parts
            Seconds of one unit at that rate by address and activity, where it is a cycle of several.
        moves, places
            Bytes that one unit of the flow moves on a link, zero where not named, and where it moves them.
        sequential
            Share of it that is a stream and takes turns with other streams; the rest are requests here and there, whose
            demand holds what they lose between them.
        law
            How the flow uses the rate that the network offers: a tape that stops and starts, users who wait in queues.
        going
            How its requests go round, if it is made of requests: they wait behind those of others.

        Raises
        ------
        ValueError
            When a number is out of range, or when neither a link nor the cap limits the flow.
        """
        figures = [amount, share, *demands.values(), *(moves or {}).values()]
        if not (min(figures) >= 0.0 and share > 0.0 and sum(figures) >= 0.0):  # no sum with a NaN is
            raise ValueError(f"flow {name}: amount, demands and moves must be zero or more, share above zero")
        flow = Flow(
            self.env, name=name, activity=activity, amount=amount, demands=demands, share=share,
            limit=own_limit(name, cap, cap_cause, cap_parts), moves=moves or {}, places=places or {},
            sequential=sequential, law=law, going=going, among=among,
        )  # fmt: skip
        if not flow.demands and math.isinf(cap) and amount > 0.0:
            raise ValueError(f"flow {name} has no demand on any link and no cap")
        if amount == 0.0:
            flow.active = False
            flow.done.succeed()
            return flow
        flow.number = next(self._numbers)
        self._flows[flow] = None
        for link, load in flow.uses:
            if link.riding is not None:
                self._crowds.see(link)
            link.attach(flow, load)
            if link not in self._solving.links:
                self._solving.links[link], link.number = None, next(self._numbers)
        meet(flow, self._crowds, self._take_weight)
        self._touch(flow)
        return flow

    def split(self, flow: Flow, at: float, then: Callable[[], None]) -> None:
        """Call `then` when a flow that has just been started has moved so many units, to give it another shape."""
        flow.until, flow.then = at, then

    def stop(self, flow: Flow) -> float:
        """Units that the flow completed until now, when it ends; nothing happens to one that has ended."""
        if flow.active:
            self._end(flow, flow.completed, float(self.env.now))
        return flow.completed

    def fail(self, flow: Flow, reason: str) -> None:
        """End a flow that cannot go on, for a reason that it keeps; nothing happens to one that has ended."""
        if flow.active:
            flow.failure = reason
            self._end(flow, flow.completed, float(self.env.now))

    def reshape(
        self,
        flow: Flow,
        demands: Mapping[Link, float],
        moves: Mapping[Link, float],
        limit: Limit,
        going: Going | None,
        *,
        places: Mapping[Link, Spot],
    ) -> None:
        """Let a flow go on with other demands and places on the links that it was started on, and another limit.

        A ValueError names a link that it was not started on.
        """
        if missing := [link.name for link in (*demands, *moves) if link not in flow.links]:
            raise ValueError(f"flow {flow.name} was not started on {missing[0]}")
        self._crowds.release(flow)
        now = float(self.env.now)
        flow.settle(now)
        for link in flow.links:
            link.settle(now)
        flow.recount(0.0)
        flow.load(demands, moves, places, going)
        for link in flow.links:
            link.note(flow)
        meet(flow, self._crowds, self._take_weight)
        self.set_cap(flow, *limit[:3])

    def set_cap(self, flow: Flow, cap: float, cause: str | None = None, parts: Parts | None = None) -> None:
        """Give a flow another greatest rate, units per second, the address that explains it, and the parts of it."""
        self._crowds.release(flow)
        flow.set_cap(cap, cause, parts)
        self._touch(flow)

    def set_capacity(self, link: Link, capacity: float | Callable[[Sequence[Flow]], float]) -> None:
        """Give a link another capacity, units per second."""
        self._crowds.see(link)
        if waits_alone(link):
            self._crowds.leave(link)
        link.set_capacity(capacity)
        self._touched.links[link] = None
        self._solve_later()

    def settle(self) -> None:
        """Update the totals of all active flows and links to the present time."""
        now = float(self.env.now)
        for flow in self._flows:
            flow.settle(now)
        for link in self._solving.links:
            link.settle(now)

    def couple(self, store: FlowCoupling, *watched: Flow | Link, guard: Guarded | None = None) -> None:
        """Ask a store for its hold whenever what it watches is solved: a flow, or those that cross a link.

        A `guard` says between which levels that a flow shares with others the store need not be asked.
        """
        self._solving.stores.setdefault(store, next(self._numbers))
        for part in watched:
            if isinstance(part, Flow):
                self._crowds.release(part)
                part.watchers[store], part.odd = guard, True
            else:
                self._crowds.see(part)
                part.watchers[store] = None
                part.mark_odd()

    def uncouple(self, store: FlowCoupling) -> None:
        """Ask a store no more."""
        self._solving.stores.pop(store, None)

    def changed(self, store: FlowCoupling) -> None:
        """Solve what a store has to do with after everything else of this instant."""
        self._touched.stores[store] = None
        self._solve_later()

    def freed(self, flow: Flow) -> None:
        """Give a flow another rate that a store holds no more."""
        self._touch(flow)

    def queued(self, link: Link) -> None:
        """Ask those who watch a link again: more waits for it, though no rate has changed."""
        self._touched.links[link] = None
        self._solve_later()

    def resolve(self) -> None:
        """Give all flows that changes reach their rates under present capacities, caps and full or empty buffers."""
        if not self.whole and self._solving.near(self._touched):
            return
        reach = Reach(self._solving.stores)
        self._asking = True
        if self.whole:
            reach.take_all(self._flows, self._solving.links)
        limiting = self._solving.solve(reach, self._touched)
        self._asking = False
        self._solving.note(reach, limiting, crowded=not self.whole)

    def _take_weight(self, flow: Flow, weight: float) -> None:
        self._crowds.release(flow)
        flow.share = weight
        self._touch(flow)

    def _touch(self, flow: Flow) -> None:
        if flow.active:
            self._touched.flows[flow] = None
            self._solve_later()

    def _solve_later(self) -> None:
        if not self._solve_pending and not self._asking:
            self._solve_pending = True
            Call(self.env, self._solve, priority=LAST)

    def _solve(self, _call: simpy.Event) -> None:
        self._solve_pending = False
        if self._end_due(float(self.env.now)):
            return  # who waits for these flows goes first; their end has requested another solve
        self.resolve()
        self._set_alarm()

    def _set_alarm(self) -> None:
        self._alarm.set(min(self._ends.next(), self._crowds.next), self._ring)

    def _ring(self) -> None:
        if not self._end_due(float(self.env.now)):
            self._set_alarm()

    def _end_due(self, now: float) -> bool:
        due = self._ends.due(now, now)
        if self._crowds.ends and (others := self._crowds.done(now)):
            due = sorted([*due, *others], key=lambda flow: flow.number)
        for flow in due:
            if flow.then is None:
                self._end(flow, flow.amount, now)
                continue
            self._crowds.release(flow)
            then, flow.then = flow.then, None
            flow.go_on(now)
            self._ends.put(flow)
            then()
            self._touch(flow)
        return bool(due)

    def _end(self, flow: Flow, completed: float, now: float) -> None:
        if flow.crowd is not None:
            self._crowds.release(flow, ends=True)
        left = flow.finish(now, completed)
        for link in flow.links:
            seconds = link.detach(flow, now, left)
            if link.heaviest:
                weigh(link, self._take_weight)
            if link.may_ask:
                link.look_around()
            if seconds > 0.0:
                there = self.least.setdefault(flow.name, {})
                there[link] = there.get(link, 0.0) + seconds
        del self._flows[flow]
        self._touched.ended(flow)
        self._solve_later()
