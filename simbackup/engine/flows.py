"""Bulk data in motion: flows that share links fairly, with events only where a rate changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import simpy

from simbackup.engine.alarm import LAST, Alarm, Call
from simbackup.engine.blame import Blame
from simbackup.engine.limit import Law, Limit, Parts, Spot
from simbackup.engine.link import Flow, Link
from simbackup.engine.rounds import Going
from simbackup.engine.sharing import Held, Sharing
from simbackup.engine.trace import Trace

__all__ = ["Flow", "FlowCoupling", "FlowNetwork", "Link"]

Ports = Mapping[Flow, float]
"""Flows on one side of a buffer, and the bytes of one unit of each."""


class FlowCoupling(Protocol):
    """What can hold flows to the rates of others: a buffer."""

    name: str

    def hold(self) -> tuple[Ports, Ports] | None:
        """The followers that must not move more bytes than the leaders, and these; None when nobody follows."""
        ...

    def solved(self, *, binding: bool) -> None:
        """Note the rates from now on, and whether the hold limits any follower."""
        ...


class FlowNetwork:
    """All flows of a simulation, at weighted max-min fair rates that are constant between changes.

    Changes at one instant are solved once, after every other event of the instant; processes that wake when
    flows are done, and start others, are heard first. One alarm waits for the next flow to end. It may fire
    once more after the last flow, so end a run with `env.run(until=event)` rather than `env.run()`.

    Examples
    --------
    >>> env = simpy.Environment()
    >>> network, disk = FlowNetwork(env), Link("devices.sda", 100.0)
    >>> first = network.start("jobs.a", "write", 1000.0, {disk: 1.0})
    >>> second = network.start("jobs.b", "write", 500.0, {disk: 1.0})
    >>> env.run(until=first.done).waited
    {'devices.sda': 15.0}
    """

    def __init__(self, env: simpy.Environment, trace: Trace | None = None) -> None:
        self.env = env
        self.trace = trace
        self._flows: dict[Flow, None] = {}
        self._links: dict[Link, None] = {}
        self._stores: dict[FlowCoupling, None] = {}
        self._alarm = Alarm(env, self._ring)
        self._solve_pending = False

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
        self._flows[flow] = None
        for link in flow.links:
            link.attach(flow)
            self._links[link] = None
        self.changed()
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
        flow.demands = {link: demand for link, demand in demands.items() if demand != 0.0}
        flow.moves, flow.places, flow.going = dict(moves), dict(places), going
        self.set_cap(flow, *limit[:3])

    def set_cap(self, flow: Flow, cap: float, cause: str | None = None, parts: Parts | None = None) -> None:
        """Give a flow another greatest rate, units per second, the address that explains it, and the parts of it."""
        flow.set_cap(cap, cause or flow.name, parts)
        self.changed()

    def set_capacity(self, link: Link, capacity: float | Callable[[Sequence[Flow]], float]) -> None:
        """Give a link another capacity, units per second."""
        link.set_capacity(capacity)
        self.changed()

    def settle(self) -> None:
        """Update the totals of all active flows and links to the present time."""
        for part in (*self._flows, *self._links):
            part.settle(float(self.env.now))

    def couple(self, store: FlowCoupling) -> None:
        """Ask a store for its hold at every solve."""
        self._stores[store] = None

    def uncouple(self, store: FlowCoupling) -> None:
        """Ask a store no more."""
        self._stores.pop(store, None)

    def changed(self) -> None:
        """Solve the network after everything else of this instant."""
        if not self._solve_pending:
            self._solve_pending = True
            Call(self.env, self._solve, priority=LAST)

    def resolve(self) -> None:
        """Give every flow its rate under the present capacities, caps and full or empty buffers."""
        asked = [(store, store.hold()) for store in self._stores]
        held = [(store, hold) for store, hold in asked if hold is not None]
        # By name, so that ties do not depend on the order of starting.
        links = sorted((link for link in self._links if link.flows), key=lambda link: link.name)
        sharing = Sharing(self.flows, links, [Held(store.name, hold) for store, hold in held])
        allocation = sharing.solve()
        self._assign(sharing.blame(allocation))
        limiting = {held[i - len(links)][0] for i in allocation.filled if i >= len(links)}
        for store, _ in asked:
            store.solved(binding=store in limiting)

    def _assign(self, blame: Blame) -> None:
        now, allocation = float(self.env.now), blame.allocation
        for i, (flow, rate) in enumerate(zip(blame.flows, allocation.rates, strict=True)):
            flow.assign(now, rate, blame.link(i), blame.of(i))

    def _solve(self) -> None:
        self._solve_pending = False
        if self._end_due():
            return  # who waits for these flows goes first; their end has requested another solve
        self.resolve()
        for link in tuple(self._links):
            link.take_rates(float(self.env.now), self.trace)
            if not link.flows:
                del self._links[link]
        self._set_alarm()

    def _set_alarm(self) -> None:
        self._alarm.set(min((flow.ends for flow in self._flows), default=math.inf))

    def _ring(self) -> None:
        if not self._end_due():
            self._set_alarm()

    def _end_due(self) -> bool:
        due = [flow for flow in self._flows if flow.due(self.env.now)]
        for flow in due:
            self._end(flow, flow.amount)
        return bool(due)

    def _end(self, flow: Flow, completed: float) -> None:
        now = float(self.env.now)
        left = flow.finish(now, completed)
        for link in flow.links:
            link.detach(flow, now, left)
        del self._flows[flow]
        self.changed()
