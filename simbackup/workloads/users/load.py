"""What one transaction of users loads on links, and how long it takes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from simbackup.devices.host.live import Host
from simbackup.devices.network.live import Network
from simbackup.devices.outstanding import NOBODY, Outstanding
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, Service, Store, bus
from simbackup.engine.link import Link
from simbackup.equations.queueing import Centre, mixed_response, processor_sharing

FULL = 1.0 - 1e-9
"""Utilisation above which a queue grows without end."""


@dataclass(slots=True)
class Load:
    """What one transaction of users loads on links, and how long it waits there when it is alone."""

    shape: FlowShape = field(default_factory=FlowShape)
    """Its demands on all links."""
    waited: dict[Link, float] = field(default_factory=dict[Link, float])
    """Seconds that it waits at each link when it is alone."""
    held: dict[Link, float] = field(default_factory=dict[Link, float])
    """Seconds of each link's time that it uses meanwhile."""
    visits: dict[Link, float] = field(default_factory=dict[Link, float])
    """Its requests at each link that wait in the queues of others."""
    stores: dict[Link, Store] = field(default_factory=dict[Link, Store])
    """The devices among these links."""
    ports: dict[Link, Network] = field(default_factory=dict[Link, Network])
    """The networks among these links."""
    delay: float = 0.0
    """Seconds that it waits at no link."""

    @property
    def alone(self) -> float:
        """Seconds of one transaction when it is alone."""
        return self.delay + sum(self.waited.values())

    def take(
        self,
        store: Store,
        service: Service,
        times: float,
        size: float,
        *,
        waits: bool,
        direction: Direction = "write",
    ) -> None:
        """Add requests to a device, for which the user waits or not.

        Requests of 0 bytes add time to others, and wait in no queue. Nor does a write that a cache gathers.
        """
        if times <= 0.0:
            return
        self.shape = self.shape.plus({store.link: times * service.busy}, {store.link: times * size})
        self.shape = self.shape.through(bus(store, direction), times * size)
        if waits:
            queues = size > 0.0 and not (direction == "write" and store.gathers >= size)
            self._wait(store.link, times * service.latency, times * service.busy, times if queues else 0.0)
            self.stores[store.link] = store
            for network in bus(store, direction) if size > 0.0 else ():
                self._pass(network, times, size)

    def compute(self, host: Host, seconds: float) -> None:
        """Add seconds of the reference core."""
        if seconds > 0.0:
            self.shape = host.working(self.shape, host.seconds(seconds))
            self._wait(host.cpu, host.seconds(seconds), host.seconds(seconds), 1.0)

    def _pass(self, network: Network, times: float, size: float) -> None:
        """Wait for `times` round trips over a network, and for the bytes of each."""
        self.delay += times * network.latency
        if math.isinf(network.rate):
            return
        slowest = min(network.links, key=lambda link: link.capacity)
        for link in network.links:  # the bytes pass all of them at the same time, and may wait at each
            self._wait(link, times * size / network.rate if link is slowest else 0.0, times * size, times)
            self.ports[link] = Network(link, 0.0, link.nominal / network.wires, network.window)

    def _wait(self, link: Link, latency: float, busy: float, visits: float) -> None:
        self.waited[link] = self.waited.get(link, 0.0) + latency
        self.held[link] = self.held.get(link, 0.0) + busy
        self.visits[link] = self.visits.get(link, 0.0) + visits

    def each(self, link: Link) -> float:
        """Seconds of one of the requests that wait at a link."""
        visits = self.visits.get(link, 0.0)
        return self.waited.get(link, 0.0) / visits if visits > 0.0 else 0.0

    def centres(self, found: Mapping[Link, Outstanding]) -> list[Centre]:
        """The service centres that a user passes, given what requests find of others at each link."""
        centres: list[Centre] = []
        for link, demand in self.shape.demands.items():
            held, standing = self.held.get(link, 0.0) / link.nominal, found.get(link, NOBODY)
            alone = self.waited.get(link, 0.0)
            wait = alone + self.visits.get(link, 0.0) * standing.work
            servers = link.nominal if link.pooled else 1.0
            centres.append(Centre(wait, held, demand / link.nominal - held, standing.load, servers, alone))
        return centres

    def response(self, rate: float, found: Mapping[Link, Outstanding]) -> float:
        """Seconds of a transaction when `rate` come a second at random, given what requests find of others."""
        seconds = self.delay
        for link, wait in self.waited.items():
            standing = found.get(link, NOBODY)
            if link.pooled:
                threads = self.visits[link] * standing.work / wait if wait > 0.0 else 0.0
                seconds += processor_sharing(wait, rate * self.shape.demands[link], link.nominal, threads)
                continue
            own = rate * self.shape.demands.get(link, 0.0) / link.nominal if link.nominal > 0.0 else 1.0
            if own + standing.load >= FULL and wait > 0.0:
                return math.inf
            seconds += mixed_response(wait, own + standing.load, self.visits[link] * standing.work)
        return seconds
