"""What a change reaches: the flows whose rates are solved again, and what the others mean to them.

A change touches flows, links and stores. The flows that it touches are solved again, with those that a touched link
limits, while all others go on as they are. An allocation of these is that of the whole network if no other flow would
move: where a link is full, none has a higher level on it; and where a link limits others, those that are solved use of
it what they did. Otherwise the others are reached, too, and all is solved once more. Links that are not full connect
nobody. Three things reach further:

- Flows whose laws stop them, requests that wait for others, and uneven streams ask what others use of a link. All flows
  of such an entangled link are solved together. Even streams demand the same at any rates; one that comes or goes
  changes what all of them demand, which moves nobody while the link has room.
- A full or empty buffer of a flow that is solved again is asked for its hold, and its followers are solved with it.
  Leaders that are not reached move what they do: to a single follower that is a cap.
- Whoever watches a flow or a link is asked when that is solved again.

Invariant: between two instants the rates of all flows are those of a full solution, within rounding. No rule depends
on which flows were reached.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from simbackup.engine.crowd import Crowd
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.mover import Mover

Ports = Mapping[Flow, float]
"""Flows on one side of a buffer, and the bytes of one unit of each."""


class FlowCoupling(Protocol):
    """What can hold flows to the rates of others, or follows these: a buffer, users who wait for their requests."""

    name: str

    def hold(self) -> tuple[Ports, Ports] | None:
        """The followers that must not move more bytes than the leaders, and these; None when nobody follows."""
        ...

    def solved(self, *, binding: bool) -> None:
        """Note the rates from now on, and whether the hold limits any follower."""
        ...


class BeyondReachError(Exception):
    """An allocation moves flows that it was to leave as they are."""

    def __init__(self, flows: Iterable[Mover]) -> None:
        super().__init__()
        self.flows = tuple(flows)


class UnevenError(Exception):
    """A stream of a link moves more than all others together, and is spared turns; a crowd that it is a member of."""

    def __init__(self, link: Link, crowd: Crowd | None = None) -> None:
        super().__init__()
        self.link = link
        self.crowd = crowd


class StoppedError(Exception):
    """The laws of flows that asked nobody leave them less than an allocation."""

    def __init__(self, flows: Sequence[Flow]) -> None:
        super().__init__()
        self.flows = flows


class Touches:
    """What has changed since the rates were solved last: flows, links and stores, in the order of the changes."""

    def __init__(self) -> None:
        self.flows: dict[Flow, None] = {}
        self.links: dict[Link, None] = {}
        self.stores: dict[FlowCoupling, None] = {}

    def ended(self, flow: Flow) -> None:
        """Touch what a flow leaves behind."""
        self.flows.pop(flow, None)
        self.links.update(dict.fromkeys(flow.links))
        self.stores.update(dict.fromkeys(flow.watchers))


class Reach:
    """Flows that are solved together, the links that they cross, and the stores that are asked with them."""

    def __init__(self, stores: Collection[FlowCoupling]) -> None:
        self.stores = stores
        self.flows: dict[Mover, None] = {}
        self.crowds: dict[Crowd, None] = {}
        self.links: dict[Link, None] = {}
        self.asked: dict[FlowCoupling, tuple[Ports, Ports] | None] = {}
        self.leaving: dict[Flow, None] = {}
        """Those of the flows that share the level of a crowd, which they have to leave first."""
        self._entangled: dict[Link, None] = {}
        self.plain = True
        """Whether nothing but links and caps limits the flows."""

    def take(self, touched: Touches) -> None:
        """Reach what has changed, and those whom it limits. What changes as stores are asked is reached as well."""
        while touched.flows or touched.links or touched.stores:
            flows, touched.flows = touched.flows, {}
            links, touched.links = touched.links, {}
            stores, touched.stores = touched.stores, {}
            for store in stores:
                self._ask(store)
            self.add(flows)
            for flow in flows:
                for link in flow.links:  # also those that it demands no more
                    movers = link.movers if link.streams is not None and link.moves_all else link.limited
                    if movers:
                        self.add(movers)
            for link in links:
                self._see(link)
                other = (link.streams is not None or link.has_other_capacity) and link.moves_all
                alone = link.may_ask and waits_alone(link)
                movers = link.movers if other or alone or link.entangled else link.limited
                if movers:
                    self.add(movers)

    def take_all(self, flows: Iterable[Flow], links: Iterable[Link]) -> None:
        """Reach the whole network, and solve it by all rules."""
        self.mix()
        for store in self.stores:
            self._ask(store)
        self.add(flows)
        for link in links:
            self._see(link)

    def add(self, flows: Iterable[Mover]) -> None:
        """Solve flows together with these, and what is entangled with them."""
        reached = self.flows
        waiting = [flow for flow in flows if flow not in reached]
        while waiting:
            flow = waiting.pop()
            if flow in reached or not flow.active:
                continue
            if isinstance(flow, Crowd):
                self.crowds[flow] = None
            elif flow.crowd is not None:
                self.leaving[flow] = None
                continue
            reached[flow] = None
            if flow.asks:
                self.mix()
            elif isinstance(flow, Flow) and flow.going is not None:
                flow.go_alone()
            self._cross(flow.links, waiting)
            if flow.watchers:
                self._ask_all(flow.watchers)

    def _cross(self, links: Iterable[Link], waiting: list[Mover]) -> None:
        """See the links of a flow that is solved, and whom it moves there."""
        seen = self.links
        for link in links:
            if link not in seen:
                seen[link] = None
                if link.watchers:
                    self._ask_all(link.watchers)
                if link.limited:  # they use of other links what it leaves of this one
                    waiting += link.limited
            if link.entangled:
                self.mix()
                waiting += self._entangle(link)

    def mix(self) -> None:
        """Solve by all rules."""
        if self.plain:
            self.plain = False
            for link in tuple(self.links):
                self.add(self._entangle(link))

    def _entangle(self, link: Link) -> list[Mover]:
        """The flows that have to be solved together with those of a link."""
        if self.plain or link in self._entangled or not link.entangled:
            return []
        self._entangled[link] = None
        return [other for other in link.movers if other not in self.flows]

    def ask(self, flows: Iterable[Flow]) -> None:
        """Solve flows whose laws stop them by all rules, together with all on their links."""
        for flow in flows:
            flow.look_around(stopped=True)
        self.mix()
        self.add(other for flow in flows for link in flow.links for other in link.movers)

    def turn(self, link: Link) -> None:
        """Solve the streams of a link that are uneven by all rules."""
        link.turn({})
        self.mix()
        self.add(link.movers)

    def part(self, crowd: Crowd, flows: Iterable[Flow]) -> None:
        """Solve flows that have left a crowd one by one."""
        if not crowd.members:
            self.flows.pop(crowd, None)
            self.crowds.pop(crowd, None)
        self.add(flows)

    def _see(self, link: Link) -> None:
        if link not in self.links:
            self.links[link] = None
            self._ask_all(link.watchers)

    def _ask_all(self, stores: Iterable[FlowCoupling]) -> None:
        for store in stores:
            self._ask(store)

    def _ask(self, store: FlowCoupling) -> None:
        if store in self.asked or store not in self.stores:
            return
        self.asked[store] = None
        hold = self.asked[store] = store.hold()
        if hold is not None:
            self.add(hold[0])


def waits_alone(link: Link) -> bool:
    """Whether a single flow crosses a link, whose requests may wait there for others."""
    return len(link.crossing) == 1 and link in next(iter(link.crossing)).queues
