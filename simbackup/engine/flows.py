"""Bulk data in motion: flows that share links fairly, with events only where a rate changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count

import simpy

from simbackup.engine.alarm import LAST, Alarm, Call
from simbackup.engine.blame import Held, own_limit
from simbackup.engine.ends import Ends
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Law, Limit, Parts, Spot
from simbackup.engine.link import Link
from simbackup.engine.plain import plain_rates
from simbackup.engine.reach import BeyondReachError, FlowCoupling, Reach, Touches
from simbackup.engine.rounds import Going
from simbackup.engine.sharing import Sharing
from simbackup.engine.trace import Trace

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
    >>> env.run(until=first.done).waited
    {'devices.sda': 15.0}
    """

    def __init__(self, env: simpy.Environment, trace: Trace | None = None, *, whole: bool = False) -> None:
        self.env = env
        self.trace = trace
        self.whole = whole
        self.least: dict[str, dict[Link, float]] = {}
        """Seconds that ended flows of a name take of each link at the least, until they are asked for."""
        self._flows: dict[Flow, None] = {}
        self._links: dict[Link, int] = {}
        self._stores: dict[FlowCoupling, int] = {}
        self._numbers = count()
        self._touched = Touches()
        self._ends = Ends()
        self._alarm = Alarm(env, self._ring)
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
        share
            Weight in fairness.
        cap, cap_cause
            Greatest rate, units per second, and the address that explains it (the flow's name if None).
        cap_parts
            Seconds of one unit at that rate by address and activity, where it is a cycle of several.
        moves
            Bytes that one unit of the flow moves on a link; zero where not named.
        places
            Where on a link it moves them.
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
        if not (min(figures) >= 0.0 and share > 0.0) or any(map(math.isnan, figures)):
            raise ValueError(f"flow {name}: amount, demands and moves must be zero or more, share above zero")
        flow = Flow(
            self.env, name=name, activity=activity, amount=amount, demands=demands, share=share, moves=moves or {},
            places=places or {}, sequential=sequential, law=law, going=going,
        )  # fmt: skip
        flow.set_cap(cap, cap_cause or name, cap_parts)
        if not flow.demands and math.isinf(cap) and amount > 0.0:
            raise ValueError(f"flow {name} has no demand on any link and no cap")
        if amount == 0.0:
            flow.done.succeed(flow)
            return flow
        flow.number = next(self._numbers)
        self._flows[flow] = None
        for link in flow.links:
            link.attach(flow)
            self._link(link)
        self._touch(flow)
        return flow

    def stop(self, flow: Flow) -> float:
        """Units that the flow completed until now, when it ends; nothing happens to one that has ended."""
        if flow.active:
            self._end(flow, flow.completed)
        return flow.completed

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
        for part in (flow, *flow.links):
            part.settle(float(self.env.now))
        flow.load(demands, moves, places, going)
        for link in flow.links:
            link.note(flow)
        self.set_cap(flow, *limit[:3])

    def set_cap(self, flow: Flow, cap: float, cause: str | None = None, parts: Parts | None = None) -> None:
        """Give a flow another greatest rate, units per second, the address that explains it, and the parts of it."""
        flow.set_cap(cap, cause or flow.name, parts)
        self._touch(flow)

    def set_capacity(self, link: Link, capacity: float | Callable[[Sequence[Flow]], float]) -> None:
        """Give a link another capacity, units per second."""
        link.set_capacity(capacity)
        self._touched.links[link] = None
        self._solve_later()

    def settle(self) -> None:
        """Update the totals of all active flows and links to the present time."""
        for part in (*self._flows, *self._links):
            part.settle(float(self.env.now))

    def couple(self, store: FlowCoupling, *watched: Flow | Link) -> None:
        """Ask a store for its hold whenever what it watches is solved: a flow, or those that cross a link."""
        self._stores.setdefault(store, next(self._numbers))
        for part in watched:
            part.watchers[store] = None

    def uncouple(self, store: FlowCoupling) -> None:
        """Ask a store no more."""
        self._stores.pop(store, None)

    def changed(self, store: FlowCoupling) -> None:
        """Solve what a store has to do with after everything else of this instant."""
        self._touched.stores[store] = None
        self._solve_later()

    def queued(self, link: Link) -> None:
        """Ask those who watch a link again: more waits for it, though no rate has changed."""
        self._touched.links[link] = None
        self._solve_later()

    def resolve(self) -> None:
        """Give all flows that changes reach their rates under present capacities, caps and full or empty buffers."""
        reach = Reach(self._stores)
        self._asking = True
        if self.whole:
            reach.take_all(self._flows, self._links)
        while True:
            reach.take(self._touched)
            try:
                limiting = self._fill(reach.flows) if reach.plain else self._share(reach)
                break
            except BeyondReachError as beyond:
                reach.add(beyond.flows)
        self._asking = False
        for store in sorted(reach.asked, key=self._stores.__getitem__) if reach.asked else ():
            store.solved(binding=store in limiting)
        stale = [link for link in reach.links if link.stale or not link.crossing]
        for link in sorted(stale, key=lambda link: self._links.get(link, 0)):
            link.take_rates(float(self.env.now), self.trace)
            if not link.crossing:
                self._links.pop(link, None)

    def _fill(self, flows: Collection[Flow]) -> Collection[FlowCoupling]:
        """Give flows that nothing but links and caps limit their rates; none of the stores limits any."""
        for flow, rate, limit in plain_rates(flows):
            self._assign(flow, rate, limit, own_limit(flow, rate, limit))
        return ()

    def _share(self, reach: Reach) -> Collection[FlowCoupling]:
        """Give flows their rates by all rules; the stores that limit some of them."""
        flows = sorted(reach.flows, key=lambda flow: flow.number)
        # By name, so that ties do not depend on the order of starting.
        links = sorted((link for link in reach.links if link.crossing), key=lambda link: link.name)
        asked = sorted(reach.asked, key=self._stores.__getitem__)
        held = [(store, hold) for store in asked if (hold := reach.asked[store]) is not None]
        sharing = Sharing(flows, links, [Held(store.name, *hold) for store, hold in held])
        allocation = sharing.solve()
        blame = sharing.blame(allocation)
        for i, (flow, rate) in enumerate(zip(flows, allocation.rates, strict=True)):
            self._assign(flow, rate, blame.link(i), blame.of(i))
        return {held[i - len(links)][0] for i in allocation.filled if i >= len(links)}

    def _assign(self, flow: Flow, rate: float, limit: Link | None, why: tuple[str, Parts]) -> None:
        before = flow.near
        flow.assign(float(self.env.now), rate, limit, why)
        if flow.near != before:
            self._ends.put(flow, before)

    def _link(self, link: Link) -> None:
        if link not in self._links:
            self._links[link] = next(self._numbers)

    def _touch(self, flow: Flow) -> None:
        if flow.active:
            self._touched.flows[flow] = None
            self._solve_later()

    def _solve_later(self) -> None:
        if not self._solve_pending and not self._asking:
            self._solve_pending = True
            Call(self.env, self._solve, priority=LAST)

    def _solve(self) -> None:
        self._solve_pending = False
        if self._end_due():
            return  # who waits for these flows goes first; their end has requested another solve
        self.resolve()
        self._set_alarm()

    def _set_alarm(self) -> None:
        self._alarm.set(self._ends.next())

    def _ring(self) -> None:
        if not self._end_due():
            self._set_alarm()

    def _end_due(self) -> bool:
        due = self._ends.due(float(self.env.now))
        for flow in due:
            self._end(flow, flow.amount)
        return bool(due)

    def _end(self, flow: Flow, completed: float) -> None:
        now = float(self.env.now)
        near = flow.near
        left = flow.finish(now, completed)
        self._ends.put(flow, near)
        for link in flow.links:
            seconds = link.detach(flow, now, left)
            if seconds > 0.0:
                there = self.least.setdefault(flow.name, {})
                there[link] = there.get(link, 0.0) + seconds
        del self._flows[flow]
        self._touched.ended(flow)
        self._solve_later()
