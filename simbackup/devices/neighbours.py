"""An event that fires when flows with random requests begin or end on some devices."""

from __future__ import annotations

import simpy

from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork


class Neighbours:
    """Those whose requests go to some devices besides those of one flow: users, applications, loops of buffers.

    A flow whose cost depends on them is given another one when somebody comes or goes. That their rates change is not
    noticed: these may follow from that cost.
    """

    def __init__(self, network: FlowNetwork, flow: Flow, *links: Link) -> None:
        self.name = flow.name
        self._network, self._flow, self._links = network, flow, links
        self._there = self._names()
        self.changed = simpy.Event(network.env)
        """Succeeds as soon as others are there."""
        network.couple(self, *links)

    def renew(self) -> None:
        """Wait for the next change."""
        if self.changed.triggered:
            self.changed = simpy.Event(self._network.env)

    def leave(self) -> None:
        """Notice nobody any more."""
        self._network.uncouple(self)

    def hold(self) -> None:
        """Hold nobody."""

    def solved(self, *, binding: bool) -> None:
        """Look who is there now."""
        del binding
        now = self._names()
        if now != self._there:
            self._there = now
            if not self.changed.triggered:
                self.changed.succeed()

    def _names(self) -> frozenset[str]:
        flows = [flow for link in self._links for flow in link.crossing]
        return frozenset([flow.name for flow in flows if flow is not self._flow and not flow.sequential])
