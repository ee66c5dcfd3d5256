"""What a change affects: the flows, groups and links whose rates have to be solved again.

A change touches flows, links and couplings. The flows that it touches are solved again, with those that a touched link
limits, while all others go on as they are. A solution of these is that of the whole network if no other flow would
move: where a link is full, none has a higher level on it; and where a link limits others, those that are solved use of
it what they did. Otherwise the others are affected, too, and all is solved once more. Links that are not full connect
nobody. Three things go further:

- Flows whose laws stop them, requests that wait for others, and uneven streams ask what others use of a link. All flows
  of such an solved_jointly link are solved together. Even streams demand the same at any rates; one that comes or goes
  changes what all of them demand, which moves nobody while the link has room.
- A full or empty buffer of a flow that is solved again is asked for its hold, and its followers are solved with it.
  Leaders that are not affected move what they do: to a single follower that is a cap.
- Whoever watches a flow or a link is asked when that is solved again.

Invariant: between two instants the rates of all flows are those of a full solution, within rounding. No rule depends
on which flows were affected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from simbackup.engine.flow import Flow
from simbackup.engine.group import BottleneckGroup, Variable
from simbackup.engine.link import Link

Sides = tuple[Mapping[Flow, float], Mapping[Flow, float]]
"""The followers at a full or empty buffer and their leaders, with the bytes of one unit of each."""


class Coupling(Protocol):
    """What can hold flows to the rates of others, or follows these: a buffer, users who wait for their requests."""

    name: str

    def constraint(self) -> Sides | None:
        """The followers, which must not move more bytes than the leaders, and the leaders; None if there are none."""
        ...

    def solved(self, *, binding: bool) -> None:
        """Note the rates from now on, and whether the hold limits any follower."""
        ...


class Changes:
    """What has changed since the rates were solved last, in the order of the changes."""

    def __init__(self) -> None:
        self.flows: dict[Flow, None] = {}
        self.links: dict[Link, None] = {}
        self.couplings: dict[Coupling, None] = {}

    def ended(self, flow: Flow) -> None:
        """Note that a flow has ended: the links that it crossed and the couplings that watched it have changed."""
        self.flows.pop(flow, None)
        self.links.update(dict.fromkeys(flow.links))
        self.couplings.update(dict.fromkeys(flow.watchers))


class Affected:
    """What one solution covers: flows and groups, the links that they cross, and the couplings whose holds count."""

    def __init__(self, couplings: Collection[Coupling]) -> None:
        self.couplings = couplings
        """All that there are."""
        self.variables: dict[Variable, None] = {}
        self.groups: dict[BottleneckGroup, None] = {}
        self.links: dict[Link, None] = {}
        self.asked: dict[Coupling, Sides | None] = {}
        self.leaving: dict[Flow, None] = {}
        """Members of groups, which have to leave these before they can be solved."""
        self._jointly: dict[Link, None] = {}

    def take(self, changes: Changes) -> None:
        """Add all that has changed, and the flows that changed links limit, until no coupling changes anything more."""
        while changes.flows or changes.links or changes.couplings:
            flows, changes.flows = changes.flows, {}
            links, changes.links = changes.links, {}
            couplings, changes.couplings = changes.couplings, {}
            for coupling in couplings:
                self._ask(coupling)
            self.add(flows)
            others = list[Variable]()
            for flow in flows:
                for link in flow.links:  # also links that it no longer demands
                    many = len(link.variables) > 1 and link.streams is not None and link.moves_all
                    others += link.variables if many else link.limited
            for link in links:
                self._see(link)
                resized = link.solved_capacity >= 0.0 and link.capacity != link.solved_capacity
                many = link.solved_jointly or (link.may_depend and waits_alone(link))
                many = many or ((resized or link.streams is not None) and link.moves_all)
                others += link.variables if many else link.limited
            self.add(others)

    def take_all(self, flows: Iterable[Flow], links: Iterable[Link]) -> None:
        """Add all flows, links and couplings of the network."""
        for coupling in self.couplings:
            self._ask(coupling)
        self.add(flows)
        for link in links:
            self._see(link)

    def add(self, variables: Iterable[Variable]) -> None:
        """Add flows or groups, the links that they cross, and the flows that have to be solved with these."""
        known = self.variables
        waiting = [one for one in variables if one not in known]
        while waiting:
            one = waiting.pop()
            if one in known or not one.active:
                continue
            if isinstance(one, BottleneckGroup):
                self.groups[one] = None
            elif one.group is not None:
                self.leaving[one] = None
                continue
            known[one] = None
            if isinstance(one, Flow) and one.customers is not None and not one.depends:
                one.go_alone()
            for link in one.links:
                self._cross(link, waiting)
            for coupling in one.watchers:
                self._ask(coupling)

    def _cross(self, link: Link, waiting: list[Variable]) -> None:
        """Add a link that an affected flow crosses; `waiting` gets the other flows that this affects."""
        if link not in self.links:
            self._see(link)
            waiting += link.limited  # they use of other links what it leaves of this one
        if link.solved_jointly and link not in self._jointly:
            self._jointly[link] = None
            waiting += [other for other in link.variables if other not in self.variables]

    def stopped(self, flows: Iterable[Flow]) -> None:
        """Add all flows on the links of flows whose laws stop them."""
        for flow in flows:
            flow.update_dependence(stopped=True)
        self.add(other for flow in flows for link in flow.links for other in link.variables)

    def uneven(self, link: Link) -> None:
        """Add the streams of a link on which one is interrupted less often than the others."""
        link.set_lost({})
        self.add(link.variables)

    def part(self, group: BottleneckGroup, flows: Iterable[Flow]) -> None:
        """Solve for flows by themselves that have left a group; drop the group if it is empty now."""
        if not group.members:
            self.variables.pop(group, None)
            self.groups.pop(group, None)
        self.add(flows)

    def _see(self, link: Link) -> None:
        if link not in self.links:
            self.links[link] = None
            for coupling in link.watchers:
                self._ask(coupling)

    def _ask(self, coupling: Coupling) -> None:
        if coupling in self.asked or coupling not in self.couplings:
            return
        self.asked[coupling] = None
        hold = self.asked[coupling] = coupling.constraint()
        if hold is not None:
            self.add(hold[0])


def waits_alone(link: Link) -> bool:
    """Whether a single flow crosses a link, whose requests may wait there for others."""
    return len(link.crossing) == 1 and link in next(iter(link.crossing)).queues
