"""How flows share links if their laws let them use only a part of what they are offered.

Each law is asked what it makes of what the network offers its flow while that takes all of its offer and all others
keep to their laws. For what a flow makes of its offer alone, a filling with uses solves this (`OfferFilling`). What
requests achieve behind others depends on what these use, which depends on what they achieve: the answers are asked
for in rounds until they stay. A single law needs one question.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from simbackup.engine.filling import TIE, Allocation, OfferFilling
from simbackup.engine.holds import held_demands
from simbackup.engine.limit import Behind, Limit, OnOwnLink

if TYPE_CHECKING:
    from simbackup.engine.flow import Flow
    from simbackup.engine.group import Variable
    from simbackup.engine.link import Link
    from simbackup.engine.problem import Problem

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


def bound_by_laws(problem: Problem, allocation: Allocation) -> list[tuple[int, Limit]]:
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


def stopped(rates: Iterable[tuple[Variable, float]]) -> list[Flow]:
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
        blame = self.problem.blame(self.outcome)
        found: list[tuple[int, Limit]] = []
        for i in self.lawful:
            limit = self.answer(i)
            if limit.rate < self.offers[i] * (1.0 - TIE):
                if limit.rate > 0.0 and 0.0 < self.free[i] < self.offers[i]:
                    limit = limit.at_most(max(1.0 / limit.rate - 1.0 / self.free[i], 0.0))
                found.append((i, limit.shared(*blame.of(i))))
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
