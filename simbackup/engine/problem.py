"""One problem, the flows that share some links at an instant, and its solution: their rates, and what explains them.

`docs/engine.md` states the rules. Levels rise together until links are full (`filling`); links lose time between
streams (`switchover`); full and empty buffers hold what fills or drains them (`holds`); customers wait behind each
other (`limit`); laws leave a part of an offer. Rates follow from what there is at the instant and nothing
before, in whatever order it is given. A change moves only the flows that it affects (`affected`): these are solved
while all others go on as they are, which comes to the same as solving all.

Each law is asked what it makes of what the network offers its flow while that takes all of its offer and all others
keep to their laws. For what a flow makes of its offer alone, a filling with uses solves this (`OfferFilling`). What
requests achieve behind others depends on what these use, which depends on what they achieve: the answers are asked
for in rounds until they stay. A single law needs one question.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, cast

from simbackup.engine.filling import (
    CAP,
    TIE,
    Allocation,
    OfferFilling,
    UnboundedFlowError,
    max_min_rates,
    same,
)
from simbackup.engine.flow import DONE, Flow, Limits
from simbackup.engine.group import BottleneckGroup, Variable
from simbackup.engine.holds import EQUAL, Hold, coupled_rates, held_demands
from simbackup.engine.limit import WHOLE, Behind, Limit, OnOwnLink, Parts, customer_limits
from simbackup.engine.link import Link
from simbackup.engine.switchover import Switchover

MOST_REPEATS = 30
"""Times that rates are solved again because requests that go round wait more or less for their turns."""

MOST_BLOCKED = 30
"""Times that rates are solved again because customers are blocked for more or less of the time."""

FULL_STEPS = 6
"""Times that these go all of the way, before they go half."""

BLOCKED = 1e-6
"""Share of its limit within which a flow is not held up."""

CONVERGED = 1e-4
"""Relative change of all rates below which they are settled."""

SAME = 1e-10
"""Change of a share of a resource below which it is the same."""
NEARER = 0.9
"""Share of the last change above which a round has brought the answers no nearer, and the next goes half as far."""
LEAST_STEP = 1.0 / 64.0
"""Least share of a change that one round makes."""
MOST_ROUNDS = 1000
"""Rounds after which the answers are taken as they are; limits only lower rates, so that nothing is exceeded."""

View = Mapping[int, float]
"""The share of each resource that others use, as one flow sees it."""


class BufferHold(NamedTuple):
    """A full or empty buffer by name, with its followers and leaders, and the bytes of one unit of each."""

    name: str
    followers: Mapping[Flow, float]
    leaders: Mapping[Flow, float]


class Solution(NamedTuple):
    """The rates of the variables of a problem, in their order, and all that follows from them."""

    rates: list[float]
    """Units a second."""
    bottlenecks: list[Link | None]
    """The link that limits each; None where its own limit or a buffer does."""
    why: list[tuple[str, Parts]]
    """The address that explains it, and the parts of its cycle where that limits it."""
    limits: list[Limits]
    """What limits each beside links."""
    lost: Mapping[Link, Mapping[Flow, float] | None]
    """What streams lose on links by turning; None where each turns for all that it moves."""
    binding: Collection[int]
    """The numbers of the holds that limit a flow."""


class More(NamedTuple):
    """Why a problem has no solution unless more is solved with it."""

    moved: Collection[Variable] = ()
    """Other flows and groups whose rates this solution would change."""
    stopped: Collection[Flow] = ()
    """Flows that asked nobody, whose laws leave them less than was thought."""
    uneven: Link | None = None
    """A link of which one stream moves more than all others together, and is spared turns."""
    group: BottleneckGroup | None = None
    """The group of which that stream is a member."""


def _used(link: Link, others: Sequence[Variable]) -> float:
    """Units a second of a link that these flows and groups use at present."""
    if link.streams is not None:
        return sum([one.load_on(link) * one.rate for one in others])
    # in fewer calls, as many flows may go on beside each one that is solved; those in groups are not among these
    return sum(
        [
            one.demands.get(link, 0.0) * one.own_rate if isinstance(one, Flow) else one.load_on(link) * one.rate
            for one in others
        ]
    )


def _above(variable: Variable, link: Link, level: float) -> bool:
    """Whether a flow's level is too high on a full link, or equal to the highest with a bottleneck of a later name."""
    own = variable.rate / variable.weight
    if link not in variable.demands or own < level * (1.0 - TIE):
        return False
    if own > level * (1.0 + TIE):
        return True
    return variable.bottleneck is not link and (variable.bottleneck is None or link.name < variable.bottleneck.name)


class Problem:
    """Variables of a network, the links that they cross and the buffers that hold them, in numbers.

    A variable is a flow, or a group: that has weight one, and demands what its members do together. Nobody asks what
    these use of a link. Other flows on these links go on as they are. Flows and links are read, and not changed.
    """

    def __init__(self, variables: Sequence[Variable], links: Sequence[Link], holds: Sequence[BufferHold]) -> None:
        self.variables = variables
        self.links = links
        self.place = {one: i for i, one in enumerate(variables)}
        self.index = index = {link: i for i, link in enumerate(links)}
        self.limits, self.lowest = list[Limits](), list[Limit]()
        self.caps, self.weights = list[float](), list[float]()
        """The greatest rate of each by these, units per second; and their weights."""
        self.demands: list[dict[int, float]] = []
        self.has_laws = self.has_customers = False
        for one in variables:
            if isinstance(one, Flow):
                limits, limit = one.limits, one.limit
                if limits.law is not None:
                    limits = limits.without_law()
                    limit = limits.lowest
                self.has_laws = self.has_laws or one.law is not None
                self.has_customers = self.has_customers or (one.depends and one.customers is not None)
            else:
                limits = Limits(limit := Limit(one.cap, one.name))
            self.limits.append(limits)
            self.lowest.append(limit)
            self.caps.append(limit.rate)
            self.weights.append(one.weight)
            self.demands.append({index[link]: demand for link, demand in one.demands.items()})
        self.beside: dict[Link, list[Variable]] = {}
        """The flows that go on as they are, on links that others of them are solved for."""
        for link in links:
            if len(link.variables) > 1 and (others := [one for one in link.variables if one not in self.place]):
                self.beside[link] = others
        self.used = {link: _used(link, others) for link, others in self.beside.items()}
        """What these flows use of each link, in units a second; only the rest of its capacity is shared out."""
        self.capacities = [
            max(0.0, link.capacity - self.used[link]) if link in self.used else link.capacity for link in links
        ]
        self.buffers = holds
        self.holds = [self._hold(one) for one in holds]
        self.lost: dict[Link, Mapping[Flow, float] | None] = {
            link: None for link in links if link.streams is not None and link not in self.beside
        }
        """What streams lose at present; None where each turns for all that it moves."""
        self.switchovers = self._switchovers()
        self.offering: set[int] = set()
        """Holds (those from zero on) that limit what laws are offered, though what these leave may not fill them."""
        self.more: More | None = None
        """What else has to be solved, as soon as that is known."""

    @cached_property
    def flows(self) -> list[Flow]:
        """The variables that are single flows."""
        return [one for one in self.variables if isinstance(one, Flow)]

    def _hold(self, hold: BufferHold) -> Hold:
        leaders: dict[int, float] = {}
        beside = 0.0
        for flow, size in hold.leaders.items():
            place = self.place.get(flow if flow.group is None else flow.group)
            if place is None:
                beside += flow.rate * size
            else:
                leaders[place] = leaders.get(place, 0.0) + (size if flow.group is None else flow.weight * size)
        return Hold({self.place[flow]: size for flow, size in hold.followers.items()}, leaders, beside)

    def _switchovers(self) -> dict[int, Switchover]:
        """The links that turn between streams. From here on a stream demands what it does if it turns for all.

        Of those that others cross, too, the streams are even, or all of them would be solved.
        """
        found: dict[int, Switchover] = {}
        for resource, link in enumerate(self.links):
            if link.streams is None:
                continue
            lost_by = {self.place[flow]: lost for flow, lost in link.most_lost(self.place)}
            for i, lost in lost_by.items():
                self.demands[i][resource] += lost
            if link in self.beside:
                continue
            single: dict[int, float] = {}
            for group in link.groups:  # their demands include what they lose
                greatest, lost = group.lost_on(link)
                if lost > 0.0 and link in group.solved_with and group in self.place:
                    lost_by[self.place[group]], single[self.place[group]] = lost, greatest
            if lost_by:  # each run costs a switchover, of the same cost for all streams
                found[resource] = Switchover(lost_by, lost_by, single)
        return found

    def solve(self) -> Solution | More:
        """The rates under all rules; `More` if further flows or links must be solved with these."""
        allocation = self._with_customers()
        for _ in range(MOST_REPEATS if self.has_customers else 0):
            before = allocation.rates
            self._update_switchover(before)
            allocation = self._with_customers()
            if self.more is not None or self._converged(before, allocation.rates):
                break
        if self.has_laws:
            allocation = self._with_laws(allocation)
            if less := _stopped(zip(self.variables, allocation.rates, strict=True)):
                self.more = self.more or More(stopped=less)
        self._find_uneven(allocation)
        self._update_switchover(allocation.rates)
        return self.more or self._solution(allocation)

    def rates(self) -> Allocation:
        """The fair rates, given the present limit of each variable and the holds of buffers."""
        found = coupled_rates(
            self.capacities, self.demands, self.weights, self.caps, self.holds, switchovers=self.switchovers
        )
        self.note_more(found)
        return found

    def _set_limits(self, number: int, limits: Limits) -> None:
        self.limits[number] = limits
        self.lowest[number] = limit = limits.lowest
        self.caps[number] = limit.rate

    def note_more(self, allocation: Allocation) -> None:
        """Note in `more` the other flows whose rates an allocation would change."""
        if self.more is not None or not self.beside:
            return
        beside = {self.index[link]: link for link in self.beside}
        used, levels, changed = dict(self.used), dict[Link, float](), set[Link]()
        for variable, rate, demands in zip(self.variables, allocation.rates, self.demands, strict=True):
            for link in [beside[resource] for resource in demands if resource in beside]:
                used[link] += variable.load_on(link) * rate
                levels[link] = max(levels.get(link, 0.0), rate / variable.weight)
                if not same(rate, variable.rate):
                    changed.add(link)
        full = {beside[i] for i in allocation.filled if i in beside}
        moved: dict[Variable, None] = {}
        for link, others in self.beside.items():
            if link in changed:
                moved.update(dict.fromkeys(one for one in others if one.bottleneck is link))
            if link in full or (link in changed and used[link] >= link.capacity * (1.0 - TIE)):
                moved.update(dict.fromkeys(one for one in others if _above(one, link, levels[link])))
        if moved:
            self.more = More(moved=moved)

    def used_by_others(self, flow: int, resource: int, rates: Sequence[float]) -> float:
        """The share of a resource that all flows except one use at given rates."""
        capacity = self.capacities[resource]
        if capacity <= 0.0:
            return 1.0
        switchover = self.switchovers.get(resource)
        shares = switchover.shares(rates) if switchover is not None else {}
        used = 0.0
        for i, demand in enumerate(self.demands):
            if i != flow and resource in demand:
                spared = switchover.lost[i] * (1.0 - shares[i]) if switchover is not None and i in shares else 0.0
                used += (demand[resource] - spared) * rates[i]
        return min(used / capacity, 1.0)

    def _with_customers(self) -> Allocation:
        """The rates when requests wait behind each other, and streams lose what they do now to switchover.

        Customers whom something else holds up are blocked meanwhile, so that others wait for them less, which makes
        these faster: repeated until the rates stay.
        """
        if not self.has_customers:
            return self.rates()
        self._limit_customers()
        allocation = self.rates()
        if self.more is not None:
            return allocation
        used = self._with_laws(allocation)
        rates, blocked = {flow: used.rates[self.place[flow]] for flow in self.flows}, dict[Flow, float]()
        for step in range(MOST_BLOCKED):
            before = allocation.rates
            blocked = self._blocked(used, blocked, 1.0 if step < FULL_STEPS else 0.5)
            self._limit_customers(rates, blocked)
            self._without_laws()
            allocation = self.rates()
            if self.more is not None or not any(blocked.values()) or self._converged(before, allocation.rates):
                break
            used = self._with_laws(allocation)
        return allocation

    def _limit_customers(
        self, rates: Mapping[Flow, float] | None = None, blocked: Mapping[Flow, float] | None = None
    ) -> None:
        for flow, limit in customer_limits(self.flows, self._lost_by, rates, blocked).items():
            i = self.place[flow]
            self._set_limits(i, self.limits[i].waiting(limit))

    def _blocked(self, used: Allocation, before: Mapping[Flow, float], step: float) -> dict[Flow, float]:
        """Seconds of a unit for which customers are blocked under an allocation, as something else holds their flow up.

        From what it was before, it goes a part of the way.
        """
        found: dict[Flow, float] = {}
        for flow in self.flows:
            i = self.place[flow]
            customers, wait, rate = flow.customers, self.limits[i].wait, used.rates[i]
            if customers is None or not flow.depends or wait is None or rate <= 0.0:
                continue
            held_up = rate < wait.rate * (1.0 - BLOCKED)
            seconds, old = customers.workers * (1.0 / rate - 1.0 / wait.rate) if held_up else 0.0, before.get(flow, 0.0)
            found[flow] = old + step * (seconds - old)
        return found

    @staticmethod
    def _converged(before: Sequence[float], after: Sequence[float]) -> bool:
        return all(math.isclose(*rates, rel_tol=CONVERGED) for rates in zip(before, after, strict=True))

    def _lost_by(self, flow: Flow, link: Link) -> float:
        """Units of a link that are lost to switchover for one unit of a flow, in the present step of the solution."""
        if link not in self.lost or link.streams is None:
            return link.lost(flow)
        lost = self.lost[link]
        if link not in flow.demands:
            return 0.0
        return link.streams.most_lost(flow) if lost is None or flow not in lost else lost[flow]

    def _without_laws(self) -> None:
        """Remove the limits of all laws, so that each flow is offered all that the links allow."""
        self.offering.clear()
        for i, limits in enumerate(self.limits):
            if limits.law is not None:
                self._set_limits(i, limits.without_law())

    def _with_laws(self, allocation: Allocation) -> Allocation:
        """The rates after all laws have limited their flows to what they use of an allocation."""
        while self.more is None and (bound := _bound_by_laws(self, allocation)):
            for i, limit in bound:
                self._set_limits(i, self.limits[i]._replace(law=limit))
            allocation = self.rates()
        return allocation

    def _update_switchover(self, rates: Sequence[float]) -> None:
        """Update what streams lose to switchover at given rates."""
        for resource, switchover in self.switchovers.items():
            shares = switchover.shares(rates)
            lost: dict[Flow, float] = {}
            for i, share in shares.items():
                one = self.variables[i]
                if isinstance(one, Flow):
                    lost[one] = switchover.lost[i] * share
                elif share < 1.0 - TIE:
                    self.more = self.more or More(uneven=self.links[resource], group=one)
                    return
            self.lost[self.links[resource]] = lost if min(shares.values()) < 1.0 - TIE else None

    def _find_uneven(self, allocation: Allocation) -> None:
        """Note in `more` a link whose streams an allocation makes uneven."""
        turning = [link for link in self.beside if link.streams is not None and len(link.crossing) > 1]
        rates = dict(zip(self.variables, allocation.rates, strict=True)) if turning else {}
        for link in turning:
            if link.streams is not None and not link.streams.even(link, rates):
                self.more = self.more or More(uneven=link)

    def _solution(self, allocation: Allocation) -> Solution:
        links, first = self.links, len(self.links)
        return Solution(
            rates=allocation.rates,
            bottlenecks=[links[j] if 0 <= j < first else None for j in allocation.bottlenecks],
            why=[self.why(allocation, i) for i in range(len(self.variables))],
            limits=self.limits,
            lost=self.lost,
            binding={i for i in (*(j - first for j in allocation.filled), *self.offering) if i >= 0},
        )

    def why(self, allocation: Allocation, number: int, passed: frozenset[int] = frozenset()) -> tuple[str, Parts]:
        """The address that limits a variable under an allocation, and the parts of its cycle if the cycle limits it.

        If a buffer holds the variable, it is limited by what limits the leader that moves most, or by the buffer if it
        has no leader or leaders form a circle; `passed` are the buffers that were followed so far.
        """
        bottleneck, limit, first = allocation.bottlenecks[number], self.lowest[number], len(self.links)
        if bottleneck < first:
            return _own(self.links, bottleneck, allocation.rates[number], limit)
        name, _, leaders = self.buffers[bottleneck - first]
        if not leaders or bottleneck in passed:
            return name, WHOLE
        leader = _greatest({flow: self._rate(allocation, flow) * size for flow, size in leaders.items()})
        if leader not in self.place:
            return leader.cause, leader.spent
        return self.why(allocation, self.place[leader], passed | {bottleneck})

    def _rate(self, allocation: Allocation, flow: Flow) -> float:
        """The rate of a flow under an allocation; its present rate, if it is not part of the problem."""
        place = self.place.get(flow if flow.group is None else flow.group)
        if place is None:
            return flow.rate
        return allocation.rates[place] * (1.0 if flow.group is None else flow.weight)


def solve(variables: Sequence[Variable], links: Sequence[Link], holds: Sequence[BufferHold]) -> Solution | More:
    """The rates of flows and groups on links with the holds of buffers; `More` if others must be solved with them.

    Raises
    ------
    ValueError
        Nothing limits a flow.
    """
    if not variables:
        return _unchanged(links)
    try:
        alone = _alone(variables[0], links, holds) if len(variables) == 1 else None
        return alone or Problem(variables, links, holds).solve()
    except UnboundedFlowError as error:
        name = variables[error.flow].name
        raise ValueError(f"flow {name} is limited neither by a link nor by a cap") from None


def _unchanged(links: Sequence[Link]) -> Solution | More:
    """The solution without variables, for links that flows have left; `More` if a link's streams are now uneven."""
    turning = [link for link in links if link.streams is not None]
    for link in turning:
        if len(link.variables) > 1 and link.streams is not None and not link.streams.even(link, {}):
            return More(uneven=link)
    return Solution([], [], [], [], {link: None for link in turning if len(link.variables) < 2}, ())  # noqa: PLR2004


def _alone(one: Variable, links: Sequence[Link], holds: Sequence[BufferHold]) -> Solution | None:
    """The solution of a flow that shares no link, the most frequent case; None if further rules apply to it."""
    if not isinstance(one, Flow) or one.law is not None or (one.depends and one.customers is not None):
        return None
    if any(len(link.variables) > 1 for link in links) or any(one in hold.leaders for hold in holds):
        return None
    limit, first = one.limit, len(links)
    capacities = [link.capacity for link in links]
    demand = {i: one.demands[link] for i, link in enumerate(links) if link in one.demands}
    sizes = [hold.followers[one] for hold in holds]
    led = [sum([flow.rate * size for flow, size in hold.leaders.items()]) for hold in holds]
    [rate], [by], _ = max_min_rates(capacities, [demand], [one.weight], [limit.rate])
    if any(rate * size > most * (1.0 + EQUAL) for size, most in zip(sizes, led, strict=True)):
        demand |= dict(enumerate(sizes, first))
        [rate], [by], _ = max_min_rates([*capacities, *led], [demand], [one.weight], [limit.rate])
    if by < first:
        why = _own(links, by, rate, limit)
    elif leaders := holds[by - first].leaders:
        leader = _greatest({flow: flow.rate * size for flow, size in leaders.items()})
        why = leader.cause, leader.spent
    else:
        why = holds[by - first].name, WHOLE
    lost = {link: None for link in links if link.streams is not None}
    bottleneck = links[by] if 0 <= by < first else None
    return Solution([rate], [bottleneck], [why], [one.limits], lost, (by - first,) if by >= first else ())


def _own(links: Sequence[Link], bottleneck: int, rate: float, limit: Limit) -> tuple[str, Parts]:
    """What limits a flow that no buffer holds: its own limit or a link, with the parts of its cycle."""
    if bottleneck == CAP:
        return limit.cause, limit.parts
    return links[bottleneck].name, limit.parts if rate >= limit.rate * (1.0 - DONE) else WHOLE


def _greatest(moved: Mapping[Flow, float]) -> Flow:
    """The flow that moves the most bytes a second; the first of several with as much."""
    most = max(moved.values()) * (1.0 - TIE)
    return next(flow for flow, bytes_per_s in moved.items() if bytes_per_s >= most)


def _bound_by_laws(problem: Problem, allocation: Allocation) -> list[tuple[int, Limit]]:
    """The flows whose laws allow less than an allocation gives them, with the limits that follow."""
    lawful = [
        i for i, flow in enumerate(problem.variables)
        if flow.law is not None and flow.depends and problem.limits[i].law is None
    ]  # fmt: skip
    if not lawful:
        return []
    laws = _Laws(problem, allocation, lawful)
    if not any(laws.answer(i).rate < allocation.rates[i] * (1.0 - TIE) for i in lawful):
        return []
    if len(lawful) > 1:
        laws.agree()
    return laws.limits() if problem.more is None else []


def _stopped(rates: Iterable[tuple[Variable, float]]) -> list[Flow]:
    """The flows whose laws allow less than these rates, though they were solved without the others on their links."""
    return [
        cast("Flow", one)
        for one, rate in rates
        if isinstance(one.law, OnOwnLink) and not one.depends and not one.law.leaves(rate)
    ]


class _Laws:
    """The laws of some flows, what they are offered, and how they see the others."""

    def __init__(self, problem: Problem, allocation: Allocation, lawful: Sequence[int]) -> None:
        self.problem = problem
        self.lawful = lawful
        self.first = self.outcome = allocation
        self.offers = {i: allocation.rates[i] for i in lawful}
        self.free = self.offers
        self.views: dict[int, View] = {}
        """Once they have to agree; until then each sees the others as they are at first, where it asks for them."""

    @cached_property
    def capacities(self) -> list[float]:
        """Those of the links, and what leaders move at first, beyond which no follower rises, law or none."""
        rates = self.first.rates
        held = [hold.beside + sum([rates[i] * size for i, size in hold.leaders.items()]) for hold in self.problem.holds]
        return [*self.problem.capacities, *held]

    @cached_property
    def demands(self) -> list[dict[int, float]]:
        """Those of the flows on links and holds."""
        return held_demands(self.problem.demands, self.problem.holds, len(self.problem.links))

    def answer(self, flow: int, offer: float | None = None) -> Limit:
        """What a flow uses of an offer by its law; by default, of its present offer."""
        law, view, index = self.problem.variables[flow].law, self.views.get(flow), self.problem.index

        def others(link: Link) -> float:
            resource = index.get(link, -1)
            if view is not None:
                return view.get(resource, 0.0)
            crossed = resource in self.problem.demands[flow]
            return self.problem.used_by_others(flow, resource, self.first.rates) if crossed else 0.0

        if law is None:
            return Limit(math.inf, self.problem.variables[flow].name)
        if isinstance(law, Behind):
            return law.limit(others)
        return law(self.offers[flow] if offer is None else offer, others)

    def agree(self) -> None:
        """Repeat until all laws agree on what each flow uses beside the others.

        The step falls where a round brings them no nearer: what one achieves falls with what others do, so that full
        steps could go to and fro.
        """
        step, before = 1.0, math.inf
        self.views = {i: self._view(i, self.first.rates) for i in self.lawful}
        for _ in range(MOST_ROUNDS):
            seen = self._look_again()
            if self.problem.more is not None:
                return
            change = max(
                (abs(seen[i][j] - old) for i, view in self.views.items() for j, old in view.items()), default=0.0
            )
            step = step if change <= NEARER * before else max(0.5 * step, LEAST_STEP)
            before = change
            self.views = {i: _between(view, seen[i], step) for i, view in self.views.items()}
            if change <= SAME:
                break
        self.outcome = self._fill(self._uses())
        self.free = self._free_offers()

    def limits(self) -> list[tuple[int, Limit]]:
        """The flows that use less than their offers, with their limits.

        A law takes no more of the time than its flow would save if it and others of its sort held nobody up.
        """
        found: list[tuple[int, Limit]] = []
        for i in self.lawful:
            limit = self.answer(i)
            if limit.rate < self.offers[i] * (1.0 - TIE):
                if limit.rate > 0.0 and 0.0 < self.free[i] < self.offers[i]:
                    limit = limit.at_most(max(1.0 / limit.rate - 1.0 / self.free[i], 0.0))
                found.append((i, limit.shared(*self.problem.why(self.outcome, i))))
                self.problem.offering.add(self.outcome.bottlenecks[i] - len(self.problem.links))
        return found

    def _behind(self, flow: int) -> bool:
        return isinstance(self.problem.variables[flow].law, Behind)

    def _uses(self) -> dict[int, Callable[[float], float]]:
        """For each flow, the function from an offer to what it uses, beside the others as they are now."""
        return {i: self._use(i) for i in self.lawful}

    def _use(self, flow: int) -> Callable[[float], float]:
        if self._behind(flow):
            limit = self.answer(flow).rate
            return lambda _: limit
        return lambda offer: self.answer(flow, offer).rate

    def _fill(self, uses: Mapping[int, Callable[[float], float]]) -> Allocation:
        """The rates of all flows, where a law may use less than it is offered, and what each law was offered."""
        problem = self.problem
        filling = OfferFilling(self.capacities, self.demands, problem.weights, problem.caps, problem.switchovers, uses)
        outcome = filling.filled_up()
        problem.note_more(outcome)
        self.offers = {i: outcome.rates[i] for i in self.lawful} | filling.offers
        return outcome

    def _look_again(self) -> dict[int, View]:
        """What each flow takes the others to use: what they use beside it for requests, else what they are offered."""
        uses = self._uses()
        seen: dict[int, View] = {}
        for i in filter(self._behind, self.lawful):
            outcome = self._fill({other: use for other, use in uses.items() if other != i})
            seen[i] = self._view(i, outcome.rates)
        outcome = self._fill(uses)
        offered = [
            outcome.rates[i] if i not in uses or self._behind(i) else self.offers[i] for i in range(len(outcome.rates))
        ]
        return seen | {i: self._view(i, offered) for i in self.lawful if i not in seen}

    def _free_offers(self) -> dict[int, float]:
        """What each flow would get if every flow used all of its offer; requests still wait behind others."""
        offers = self.offers
        outcome = self._fill({i: use for i, use in self._uses().items() if self._behind(i)})
        self.offers = offers
        return {i: outcome.rates[i] for i in self.lawful}

    def _view(self, flow: int, rates: Sequence[float]) -> View:
        return {resource: self.problem.used_by_others(flow, resource, rates) for resource in self.problem.demands[flow]}


def _between(old: View, new: View, step: float) -> View:
    """A value between two, at a share of their distance."""
    return {resource: share + step * (new[resource] - share) for resource, share in old.items()}
