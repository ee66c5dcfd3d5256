"""How flows share links: the rules, and one solve that follows them.

The rates of an instant follow from the flows under way, the links, the full and empty buffers, and nothing before.

1. Levels. Each flow has a share (its weight) and a level, `rate / share`. All levels rise together until a link is
   full or a flow reaches its cap; what has reached its limit stays, and the rest goes on: weighted max-min fairness
   (`solver`). Each flow then has a link that is full and on which no flow has a higher level, or is at its cap. Only
   full links connect flows. No capacity is exceeded by more than rounding.
2. Turns. A link that turns between streams loses time for the bytes that others move, or for all of a stream's own if
   these are fewer. What it gives is a rising function of the level, and full where a closed form says (`turns`).
3. Buffers. What fills a full buffer moves together no more than what drains it, and what drains an empty one no more
   than what fills it. Such a hold is one more link, with what its leaders move as its capacity (`coupling`).
4. Requests that go round. They are limited by the time that they wait behind each other, and behind the rest: what
   all other flows use of each link when their levels have risen beside them, as far as their laws let them (`rounds`).
   One that something else holds up, such as a full cache, comes back as late as that lets it. One that meets nobody
   where it waits goes round as if it were alone, and is a flow with a cap.
5. Laws. A flow may make less of what it is offered than all of it. It is offered what it would have if it alone took
   all of its offer while every other flow uses what it does; what it leaves goes to the others. For a use that
   depends on the offer alone this is a filling, too (`lawful`). What requests achieve behind others depends on what
   these use at that offer; laws of that sort agree in rounds (`laws`).
6. Blame. A flow is limited by the link, the cap or the law that it is at, a held one by what limits its greatest
   leader (`blame`). A law takes as much of a flow's time as the flow would save if no flow made less of its offer;
   the rest is that of the full link.

No rule depends on an order: flows, links and buffers may be given in any. Ties go to the link before the cap, and to
the first link by name. A change moves only the flows that it reaches (`reach`): these are solved while all others go on
as they are, which comes to the same as solving all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from simbackup.engine.beside import Beside
from simbackup.engine.blame import Blame, Held
from simbackup.engine.coupling import Hold, coupled_rates
from simbackup.engine.flow import Flow
from simbackup.engine.laws import bound_by_laws, stopped
from simbackup.engine.link import Link
from simbackup.engine.mover import Mover
from simbackup.engine.reach import StoppedError, UnevenError
from simbackup.engine.rounds import go_round
from simbackup.engine.solver import TIE, Allocation, UnboundedFlowError
from simbackup.engine.turns import Turns

MOST_TURNS = 30
"""Times that rates are solved again because requests that go round wait more or less for their turns."""

SETTLED = 1e-4
"""Relative change of all rates below which they are settled."""


class Sharing:
    """Flows of a network, the links that they cross and the buffers that hold them, in numbers.

    A crowd is a flow of share one, which demands what its members do together. Nobody asks what these use of a link.
    Other flows on these links go on as they are. No allocation moves them: one that would is an error that names them.
    """

    def __init__(self, flows: Sequence[Mover], links: Sequence[Link], held: Sequence[Held]) -> None:
        self.flows = flows
        self.links = links
        self.alone = [flow for flow in flows if isinstance(flow, Flow)]
        """The flows that share no level with others."""
        self.place = {flow: i for i, flow in enumerate(flows)}
        self.index = {link: i for i, link in enumerate(links)}
        self.outside = Beside(flows, links, self.place)
        self.capacities = [self.outside.left(link) for link in links]
        self.shares = [flow.share for flow in flows]
        self.demands = [{self.index[link]: demand for link, demand in flow.demands.items()} for flow in flows]
        self.held = held
        self.holds = [self._hold(one) for one in held]
        self.turns = self._turns()
        self.going = any(flow.going is not None and flow.asks for flow in flows)
        self.offering: set[int] = set()
        """Holds (those from zero on) that limit what laws are offered, though what these leave may not fill them."""

    def _hold(self, held: Held) -> Hold:
        leaders: dict[int, float] = {}
        beside = 0.0
        for flow, size in held.leaders.items():
            place = self.place.get(flow if flow.crowd is None else flow.crowd)
            if place is None:
                beside += flow.rate * size
            else:
                leaders[place] = leaders.get(place, 0.0) + (size if flow.crowd is None else flow.weight * size)
        return Hold({self.place[flow]: size for flow, size in held.followers.items()}, leaders, beside)

    def _turns(self) -> dict[int, Turns]:
        """The links that turn between streams. From here on a stream demands what it does if it turns for all.

        Of those that others cross, too, the streams are even, or all of them would be solved.
        """
        found: dict[int, Turns] = {}
        for resource, link in enumerate(self.links):
            lost_by = {self.place[flow]: lost for flow, lost in link.most_lost().items() if flow in self.place}
            for i, lost in lost_by.items():
                self.demands[i][resource] += lost
            if link.streams is None or link in self.outside.others:
                continue
            single: dict[int, float] = {}
            for crowd in link.crowds:  # whose demands hold what they lose
                lost = crowd.lost_on(link)[1]
                if lost > 0.0 and link in crowd.seen and crowd in self.place:
                    lost_by[self.place[crowd]], single[self.place[crowd]] = lost, crowd.sides[link].greatest()
            if lost_by:  # each run costs a turn, which costs all of them the same
                found[resource] = Turns(lost_by, lost_by, single)
        return found

    def rates(self) -> Allocation:
        """The rates under the present caps and limits of the flows.

        Raises
        ------
        ValueError
            Nothing limits a flow.
        BeyondReachError
            They would move other flows.
        """
        caps = [flow.cap for flow in self.flows]
        try:
            found = coupled_rates(self.capacities, self.demands, self.shares, caps, self.holds, turns=self.turns)
        except UnboundedFlowError as error:
            raise ValueError(f"flow {self.flows[error.flow].name} is limited neither by a link nor by a cap") from None
        self.outside.check(found)
        return found

    def blame(self, allocation: Allocation) -> Blame:
        """What limits each flow under an allocation."""
        return Blame(self.flows, self.links, self.held, allocation, self.place)

    def turn(self, rates: Sequence[float]) -> None:
        """Let the links note what their streams lose at some rates."""
        for resource, turns in self.turns.items():
            shares = turns.shares(rates)
            lost: dict[Flow, float] = {}
            for i, share in shares.items():
                mover = self.flows[i]
                if isinstance(mover, Flow):
                    lost[mover] = turns.lost[i] * share
                elif share < 1.0 - TIE:
                    raise UnevenError(self.links[resource], mover)
            self.links[resource].turn(lost if min(shares.values()) < 1.0 - TIE else None)

    def beside(self, flow: int, resource: int, rates: Sequence[float]) -> float:
        """The share of a resource that all flows but one use at some rates."""
        capacity = self.capacities[resource]
        if capacity <= 0.0:
            return 1.0
        turns = self.turns.get(resource)
        shares = turns.shares(rates) if turns is not None else {}
        used = 0.0
        for i, demand in enumerate(self.demands):
            if i != flow and resource in demand:
                spared = turns.lost[i] * (1.0 - shares[i]) if turns is not None and i in shares else 0.0
                used += (demand[resource] - spared) * rates[i]
        return min(used / capacity, 1.0)

    def _going_round(self) -> Allocation:
        """The rates when requests go round, and take turns as their links have noted."""
        go_round(self.alone)
        allocation = self.rates()
        if self.going:
            used = self._bent(allocation)
            go_round(self.alone, {flow: used.rates[self.place[flow]] for flow in self.alone})
            self._straighten()
            allocation = self.rates()
        return allocation

    def _straighten(self) -> None:
        """Let all flows have what they are offered, until their laws are asked."""
        self.offering.clear()
        for flow in self.alone:
            flow.bend(None)

    def _bent(self, allocation: Allocation) -> Allocation:
        """The rates when laws leave flows what they do of an allocation, which these note."""
        while bound := bound_by_laws(self, allocation):
            for flow, limit in bound:
                flow.bend(limit)
            allocation = self.rates()
        return allocation

    def solve(self) -> Allocation:
        """The rates, with the laws of the flows, which note their limits."""
        self._straighten()
        for link in self.links:
            if link not in self.outside.others:
                link.turn(None)
        allocation = self._going_round()
        for _ in range(MOST_TURNS if self.going else 0):
            before = allocation.rates
            self.turn(before)
            allocation = self._going_round()
            if all(math.isclose(*rates, rel_tol=SETTLED) for rates in zip(before, allocation.rates, strict=True)):
                break
        allocation = self._bent(allocation)
        self._check(allocation)
        self.turn(allocation.rates)
        return allocation

    def _check(self, allocation: Allocation) -> None:
        """Raise an error if a law leaves less than was thought, or streams are uneven on a link that others cross."""
        if less := stopped(zip(self.flows, allocation.rates, strict=True)):
            raise StoppedError(less)
        turning = [link for link in self.outside.others if link.streams is not None and len(link.crossing) > 1]
        rates: dict[Mover, float] = dict(zip(self.flows, allocation.rates, strict=True)) if turning else {}
        for link in turning:
            if link.streams is not None and not link.streams.even(link, rates):
                raise UnevenError(link)
