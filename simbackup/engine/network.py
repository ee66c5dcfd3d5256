"""Bulk data in motion: flows that share links fairly, with events only where a rate changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Unpack

import simpy

from simbackup.engine.affected import Affected, Changes, Coupling, waits_alone
from simbackup.engine.events import ENDS, LAST, Alarm, Call, Completions
from simbackup.engine.flow import Flow, FlowOptions
from simbackup.engine.group import MANY, BottleneckGroup, Groups
from simbackup.engine.limit import Customers, Limit, Parts, Spot
from simbackup.engine.link import Link
from simbackup.engine.problem import BufferHold, More, Solution, solve
from simbackup.refusals import Closure, Refusals

if TYPE_CHECKING:
    from simbackup.engine.buffer import Buffer
    from simbackup.trace.trace import Trace

_number = attrgetter("number")
_name = attrgetter("name")


class FlowNetwork:
    """All flows of a simulation, at weighted max-min fair rates that are constant between changes.

    Changes at one instant are solved once, after every other event of the instant; processes that wake when
    flows are done, and start others, are heard first. Only what they affect is solved, or with `whole` the whole
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

    def __init__(
        self,
        env: simpy.Environment,
        trace: Trace | None = None,
        whole: bool = False,
        refusals: Refusals | None = None,
    ) -> None:
        self.env = env
        self.trace = trace
        self.whole = whole
        self.least: dict[str, dict[Link, float]] = {}
        """By name and link, the least seconds that ended flows have used, until these are asked for."""
        self.refusals = refusals or Refusals()
        """Names whose flows fail, also those that come, until they are admitted again."""
        self.closed: dict[str, list[tuple[float, float]]] = {}
        """When links were closed, in seconds, by name; the last may not be over."""
        self._flows: dict[Flow, None] = {}
        self._links: dict[Link, None] = {}
        """Those that flows cross."""
        self._couplings: dict[Coupling, int] = {}
        self._numbers = count()
        """Flows, links and couplings have numbers in the order in which they came."""
        self._changes = Changes()
        self._completions = Completions[Flow]()
        self._groups = Groups(env, self._numbers, self._completions, trace)
        self._alarm = Alarm(env)
        self._solve_pending = self._dependents = False

    @property
    def flows(self) -> tuple[Flow, ...]:
        """The active flows in the order in which they started."""
        return tuple(self._flows)

    @property
    def links(self) -> tuple[Link, ...]:
        """The links that flows cross."""
        return tuple(self._links)

    def start(
        self,
        name: str,
        activity: str,
        amount: float,
        demands: Mapping[Link, float],
        **options: Unpack[FlowOptions],
    ) -> Flow:
        """A flow under way, in units of the caller's choice (bytes, files).

        Parameters
        ----------
        name, activity
            The address of what is moved for (``"jobs.full"``) and what is done (``"write"``); labels that change no
            rate.
        amount
            Units to move, may be infinite; a flow of zero is done at once.
        demands
            Units of each link that one unit of the flow consumes; zero attaches without consuming.
        **options
            Its greatest rate, its weight, what it moves and where, its law, its customers: `FlowOptions`.

        Raises
        ------
        ValueError
            When a number is out of range, or when neither a link nor the cap limits the flow.
        """
        flow = Flow(self.env, name, activity, amount, demands, options)
        figures = [amount, flow.weight, *demands.values(), *flow.moves.values()]
        if not (min(figures) >= 0.0 and flow.weight > 0.0 and sum(figures) >= 0.0):  # no sum with a NaN is
            raise ValueError(f"flow {name}: amount, demands and moves must be zero or more, weight above zero")
        if not flow.demands and math.isinf(flow.cap) and amount > 0.0:
            raise ValueError(f"flow {name} has no demand on any link and no cap")
        if amount == 0.0:
            flow.active = False
            flow.done.succeed()
            return flow
        if not flow.patient and (closure := self._refusal(flow)) is not None:
            flow.active, flow.failure = False, closure.reason
            flow.done.succeed()
            return flow
        flow.number = next(self._numbers)
        self._flows[flow] = None
        for link in flow.links:
            self._groups.come_to(link)
            link.attach(flow)
            if link not in self._links:
                self._links[link], link.number = None, next(self._numbers)
        self._meet(flow)
        self.touch(flow)
        return flow

    def add_phase(self, flow: Flow, at: float, then: Callable[[], None]) -> None:
        """Call `then` when a flow that has just been started has moved `at` units, to give it another shape."""
        flow.phase_end, flow.next_phase = at, then

    def stop(self, flow: Flow) -> float:
        """End a flow now, and return the units that it completed; a flow that has ended stays as it is."""
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
        customers: Customers | None,
        *,
        places: Mapping[Link, Spot],
    ) -> None:
        """Let a flow go on with other demands and places on the links that it was started on, and another limit.

        A ValueError names a link that it was not started on.
        """
        if missing := [link.name for link in (*demands, *moves) if link not in flow.links]:
            raise ValueError(f"flow {flow.name} was not started on {missing[0]}")
        self._groups.release(flow)
        now = float(self.env.now)
        flow.advance(now)
        for link in flow.links:
            link.advance(now)
        flow.load(demands, moves, places, customers)
        for link in flow.links:
            link.reload(flow)
        self._meet(flow)
        self.set_cap(flow, *limit[:3])

    def set_cap(self, flow: Flow, cap: float, cause: str | None = None, parts: Parts | None = None) -> None:
        """Give a flow another greatest rate, units per second, the address that explains it, and the parts of it."""
        self._groups.release(flow)
        flow.set_cap(cap, cause, parts)
        self.touch(flow)

    def set_capacity(self, link: Link, capacity: float) -> None:
        """Give a link another capacity, units per second."""
        self._change(link)
        link.set_capacity(capacity)

    # failures

    def close(self, link: Link, closure: Closure, *, waits: bool = False) -> None:
        """Let a link serve nobody until it opens: flows fail that cross it or come to it, or all of them `wait`."""
        self._change(link)
        if not link.closures:
            self.closed.setdefault(link.name, []).append((float(self.env.now), math.inf))
        link.close(closure, waits=waits)
        if not waits:
            for flow in [flow for flow in link.flows if not flow.patient]:
                self.fail(flow, closure.reason)
                self.refuse(flow.name, closure)

    def open(self, link: Link, closure: Closure) -> None:
        """Let a link serve again that was closed, unless something else keeps it closed."""
        self._change(link)
        link.open(closure)
        if not link.closures:
            times = self.closed[link.name]
            times[-1] = (times[-1][0], float(self.env.now))

    def refuse(self, name: str, closure: Closure) -> None:
        """Let all flows of a name fail, also those that come, until the name is admitted.

        What goes on behind them, at low priority, only fails where it crosses a closed link itself.
        """
        self.refusals.refuse(name, closure)
        for flow in [flow for flow in self._flows if flow.name == name and not (flow.patient or flow.low_priority)]:
            self.fail(flow, closure.reason)

    def admit(self, name: str) -> Closure | None:
        """Refuse flows of a name no more; why they were refused, None if they were not."""
        return self.refusals.admit(name)

    def _refusal(self, flow: Flow) -> Closure | None:
        """Why a flow that comes fails at once, None if it does not."""
        if flow.name in self.refusals.closures and not flow.low_priority:
            return self.refusals.closures[flow.name]
        for link in flow.links:
            for closure, waits in link.closures.items():
                if not waits:
                    self.refuse(flow.name, closure)
                    return closure
        return None

    def advance(self) -> None:
        """Update the totals of all active flows and links to the present time."""
        now = float(self.env.now)
        for flow in self._flows:
            flow.advance(now)
        for link in self._links:
            link.advance(now)

    # couplings

    def couple(self, coupling: Coupling, *watched: Flow | Link, watcher: Buffer | None = None) -> None:
        """Ask a coupling for its hold whenever what it watches is solved: a flow, or those that cross a link.

        A `watcher` says between which levels that a flow shares with others the coupling need not be asked.
        """
        self._couplings.setdefault(coupling, next(self._numbers))
        for part in watched:
            if isinstance(part, Flow):
                self._groups.release(part)
                part.watchers[coupling] = watcher
            else:
                self._groups.come_to(part)
                part.watchers[coupling] = None

    def uncouple(self, coupling: Coupling) -> None:
        """Remove a coupling."""
        self._couplings.pop(coupling, None)

    def changed(self, coupling: Coupling) -> None:
        """Request a solution of what a coupling concerns, after all other events of this instant."""
        self._changes.couplings[coupling] = None
        self._solve_later()

    def touch(self, flow: Flow) -> None:
        """Request a new solution for a flow that has changed, or that a coupling no longer holds."""
        if flow.active:
            self._changes.flows[flow] = None
            self._solve_later()

    # flows that share links

    def _meet(self, flow: Flow) -> None:
        """Record which flows the new one shares links with; dissolve groups whose members it depends on."""
        if flow.may_depend:
            flow.update_dependence()
        for link in flow.links:
            if link.heaviest:
                self._weigh(link)
            if link.may_depend:
                link.update_dependence()
            if link.depended_on and link.groups:
                self._groups.leave(link)

    def _weigh(self, link: Link) -> None:
        """Update the weights of flows whose weight depends on who else crosses a link.

        Where no stream meets them, they are weighed with each other: the greatest counts as a stream, so that it is no
        less than others at the links that it goes on to.
        """
        weighed, before = link.weighed, link.heaviest
        if weighed and len(weighed) == len(link.crossing):
            link.heaviest = max(weighed.values())
        else:
            link.heaviest = 1.0
        changed = weighed if link.heaviest != before else islice(reversed(weighed), 1)  # else only the newest
        for flow in changed:
            weight = flow.given_weight / link.heaviest
            if flow.weight != weight:
                self._groups.release(flow)
                flow.weight = weight
                self.touch(flow)

    def _change(self, link: Link) -> None:
        """Request a solution for a link with another capacity; groups dissolve if it affects each flow differently."""
        self._groups.come_to(link)
        if waits_alone(link):
            self._groups.leave(link)
        self._changes.links[link] = None
        self._solve_later()

    # solutions

    def _solve_later(self) -> None:
        if not self._solve_pending and not self._dependents:
            self._solve_pending = True
            Call(self.env, self._solve, priority=LAST)

    def _solve(self, _call: simpy.Event) -> None:
        self._solve_pending = False
        if self._end_due(float(self.env.now)):
            return  # who waits for these flows goes first; their end has requested another solution
        self.resolve()
        self._set_alarm()

    def resolve(self) -> None:
        """Give all flows that changes affect their rates under present capacities, caps and full or empty buffers."""
        affected = Affected(self._couplings)
        self._dependents = True
        if self.whole:
            affected.take_all(self._flows, self._links)
        limiting = self._solved(affected)
        self._dependents = False
        for coupling in sorted(affected.asked, key=self._couplings.__getitem__):
            coupling.solved(binding=coupling in limiting)
        self._form_groups(affected)

    def _solved(self, affected: Affected) -> Collection[Coupling]:
        """Give all that changes affect their rates; the couplings that limit some of them.

        A solution may affect more than was thought. Then all is solved once more, with that.
        """
        while True:
            affected.take(self._changes)
            self._leave_groups(affected)
            variables = sorted(affected.variables, key=_number)
            # By name, so that ties do not depend on the order of starting.
            links = sorted([link for link in affected.links if link.crossing], key=_name)
            if not variables and not links:
                return ()
            holding = [
                (coupling, hold)
                for coupling in sorted(affected.asked, key=self._couplings.__getitem__)
                if (hold := affected.asked[coupling]) is not None
            ]
            solution = solve(variables, links, [BufferHold(coupling.name, *hold) for coupling, hold in holding])
            if isinstance(solution, More):
                self._extend(affected, solution)
            elif not self._part(affected, variables, solution):
                self._take(variables, solution)
                return {holding[i][0] for i in solution.binding}

    def _leave_groups(self, affected: Affected) -> None:
        """Take flows out of groups that have to be solved one by one."""
        while True:
            while affected.leaving:
                flow = next(iter(affected.leaving))
                del affected.leaving[flow]
                if flow.group is not None:
                    affected.part(flow.group, self._groups.release(flow))
            asked = next(((group, link) for group in affected.groups for link in group.links if link.depended_on), None)
            if asked is None:
                return
            affected.part(asked[0], self._groups.part(*asked))
            affected.take(self._changes)

    def _extend(self, affected: Affected, more: More) -> None:
        """Add what else has to be solved to what is affected."""
        if more.group is not None and more.uneven is not None:
            affected.part(more.group, self._groups.part(more.group, more.uneven))
        elif more.uneven is not None:
            affected.uneven(more.uneven)
        elif more.stopped:
            affected.stopped(more.stopped)
        else:
            affected.add(more.moved)

    def _part(self, affected: Affected, variables: Sequence[Flow | BottleneckGroup], solution: Solution) -> bool:
        """Take members out of groups that something else stops at a solution; return whether there were any."""
        if not affected.groups:
            return False
        for one, rate, limit in zip(variables, solution.rates, solution.bottlenecks, strict=True):
            if isinstance(one, BottleneckGroup) and (out := self._groups.parted(one, rate, limit)):
                affected.part(one, out)
                return True
        return False

    def _take(self, variables: Sequence[Flow | BottleneckGroup], solution: Solution) -> None:
        """Give links, flows and groups their parts of a solution."""
        now = float(self.env.now)
        for link, lost in solution.lost.items():
            link.set_lost(lost)
        for i, one in enumerate(variables):
            if isinstance(one, BottleneckGroup):
                self._groups.assign(one, solution.rates[i])
                continue
            if one.limits is not solution.limits[i]:
                one.take_limits(solution.limits[i])
            if one.assign(now, solution.rates[i], solution.bottlenecks[i], solution.why[i]):
                self._completions.put(one)
            if one.law is not None:
                one.update_dependence()

    def _form_groups(self, affected: Affected) -> None:
        """Form groups, and update the totals of links, after a solution."""
        links, groups, now = affected.links, self._groups, float(self.env.now)
        if not self.whole and (groups.changed or affected.groups or affected.asked or len(affected.variables) >= MANY):
            if affected.asked:
                groups.add_held(affected.asked)
            groups.form(links | groups.links if groups.links else links)
        if groups.changed:
            links = links | groups.links
            groups.carry([link for link in links if link.groups])
        stale = sorted([link for link in links if link.stale], key=_number)
        for link in stale:
            link.take_rates(now, self.trace)
            if not link.crossing:
                self._links.pop(link, None)
        for link in stale:
            for group in link.groups:
                if group.unrecorded:
                    groups.changed[group] = None
        if groups.changed:
            groups.record()

    # ends

    def _set_alarm(self) -> None:
        self._alarm.set(min(self._completions.earliest(ENDS), self._groups.ends.earliest(ENDS)), self._ring)

    def _ring(self) -> None:
        if not self._end_due(float(self.env.now)):
            self._set_alarm()

    def _end_due(self, now: float) -> bool:
        due = self._completions.due(now, now)
        if others := self._groups.done(now):
            due = sorted([*due, *others], key=_number)
        for flow in due:
            if flow.next_phase is None:
                self._end(flow, flow.amount, now)
                continue
            self._groups.release(flow)
            then, flow.next_phase = flow.next_phase, None
            flow.begin_phase(now)
            self._completions.put(flow)
            then()
            self.touch(flow)
        return bool(due)

    def _end(self, flow: Flow, completed: float, now: float) -> None:
        if flow.group is not None:
            self._groups.release(flow, ends=True)
        left = flow.finish(now, completed)
        for link in flow.links:
            seconds = link.detach(flow, now, left)
            if link.heaviest:
                self._weigh(link)
            if link.may_depend:
                link.update_dependence()
            if seconds > 0.0:
                there = self.least.setdefault(flow.name, {})
                there[link] = there.get(link, 0.0) + seconds
        del self._flows[flow]
        self._changes.ended(flow)
        self._solve_later()
