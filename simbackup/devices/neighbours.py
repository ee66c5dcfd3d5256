"""An event that fires when flows with random requests begin or end on some devices."""

from __future__ import annotations

import simpy

from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork


class Neighbours:
    """The other flows with random requests on some devices: users, applications, native backups.

    The cost of some flows depends on them, and is computed again when one begins or ends. Changes of their rates are
    not noticed, as these may be consequences of that cost.
    """

    def __init__(self, network: FlowNetwork, flow: Flow, *links: Link) -> None:
        self.name = flow.name
        self._network, self._flow, self._links = network, flow, links
        self._there = self._names()
        self.changed = simpy.Event(network.env)
        """Succeeds when one of them begins or ends."""
        network.couple(self, *links)

    def renew(self) -> None:
        """Wait for the next change."""
        if self.changed.triggered:
            self.changed = simpy.Event(self._network.env)

    def leave(self) -> None:
        """Notice no further changes."""
        self._network.uncouple(self)

    def constraint(self) -> None:
        """Adds no constraint."""

    def solved(self, *, binding: bool) -> None:
        """Compare the flows with those of before."""
        del binding
        now = self._names()
        if now != self._there:
            self._there = now
            if not self.changed.triggered:
                self.changed.succeed()

    def _names(self) -> frozenset[str]:
        flows = [flow for link in self._links for flow in link.crossing]
        return frozenset([flow.name for flow in flows if flow is not self._flow and not flow.sequential])
