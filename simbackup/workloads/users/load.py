"""What one transaction of users loads on links, which queues it finds there, and how long it takes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from simbackup.devices.host.live import Host
from simbackup.devices.network.live import Network
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, Service, Store, Waiters, bus
from simbackup.engine.flow import Flow
from simbackup.engine.link import Link
from simbackup.equations.disk_turns import Visited
from simbackup.equations.queueing import Centre, mixed_response, processor_sharing
from simbackup.equations.waiting import Party, Run, work_found

CLOSE = 1e-6
"""Relative distance of the rate of workers from their own limit that is a rounding error."""


class Outstanding(NamedTuple):
    """What a request finds at a link."""

    load: float = 0.0
    """Share (0 to 1) of the link that requests at a given rate use."""
    work: float = 0.0
    """Seconds of work that others have there."""


NOBODY = Outstanding()


def at_device(store: Store, own: Flow, each: float, asking: Waiters) -> Outstanding:
    """What a request of the flow `own` finds at a device: how busy it is, and the work that is already there.

    `each` is the seconds of the request itself; `asking` is what the users of the flow have requested.

    A stream has at most one run at each disk, or as many as the times that it is served for each time of others. A
    stream that writes counts as one request as long as the own: reads are served before what page caches and
    controllers write in the background. So does any stream on a device without an arm, as all requests there are served
    at the same time.
    """
    link, load, mine = store.link, 0.0, 0.0
    users = {visitor.flow(): visitor for visitor in store.visitors.values()}
    parties: list[Party] = []
    for flow in link.flows:
        used = link.demand(flow) * flow.rate / link.capacity if link.capacity > 0.0 else 0.0
        if flow is own:
            mine = max(used - asking.held, 0.0)
        elif flow in users:
            they = users[flow].asking()
            load += max(used - they.held, 0.0)
            parties += [Party(they.held, each, each, each, they.number)] if they.number else []
        elif used > 0.0:
            parties.append(_party(store, flow, used, each))
    return Outstanding(load, work_found(parties, load + mine, each, asking.number * each))


def _party(store: Store, flow: Flow, used: float, each: float) -> Party:
    """The requests of a flow that is not users: how many it has at the device, and their seconds."""
    workers = _workers(flow, store.link)
    waiting = _waiting(flow, store.link)
    number = max(waiting * workers, used) if waiting is not None else None
    run = _run(store, flow)
    if run is None:
        return Party(used, each, each, each, number, workers)
    share = min(flow.sequential, 1.0)

    def mixed(seconds: float) -> float:
        return share * seconds + (1.0 - share) * each

    return Party(used, mixed(run.mean), mixed(run.left), mixed(max(run.waited, run.mean)), number, workers)


def _workers(flow: Flow, link: Link) -> float:
    """Greatest number of requests that a flow has at one of the disks of a link."""
    if flow.customers is None:
        return 1.0
    taken = flow.customers.service_demands().get(link, 0.0)
    return flow.customers.workers / (max(taken * link.capacity / flow.demands[link], 1.0) if taken > 0.0 else 1.0)


def _waiting(flow: Flow, link: Link) -> float | None:
    """Requests that a flow, or each of its workers, has at a link; None if something else limits it."""
    if flow.customers is None or link not in flow.customers.service_demands():  # it has been read ahead
        place = flow.places.get(link)
        turns = place.turns if place is not None else 1.0
        return turns if flow.bottleneck is link else None
    if flow.bottleneck is not link and flow.rate < flow.cap * (1.0 - CLOSE):
        return None
    elsewhere = [flow.rate * seconds for (at, _), seconds in flow.limit.parts.items() if at != link.name]
    return max(1.0 - math.fsum(elsewhere), 0.0)


def _run(store: Store, flow: Flow) -> Run | None:
    """Seconds of the runs of a stream that reads on one disk; None without an arm, or if it does not read.

    Other demands of its bytes on the device are requests of their own, such as those for blocks in a copy area.
    """
    link, place = store.link, flow.places.get(store.link)
    moved = flow.moves.get(link, 0.0)
    if place is None or place.writes or moved <= 0.0 or not flow.sequential:
        return None
    size = store.run("read", place.run)
    if math.isinf(size):
        return None
    visited = cast("Visited | None", place.visited)
    begin, whole = max(place.position - size / 2.0, 0.0), size * store.width
    begin, size = min(begin, max(store.size - whole, 0.0)), min(whole, store.size)
    moving, sides = whole * store.stream("read", begin, size), store.sides(begin, size)
    turn = sides * whole * link.lost(flow) / moved / flow.sequential
    longest = moving + max(turn, visited.back if visited is not None else 0.0)
    mean = sides * whole * link.demand(flow) / moved / flow.sequential
    return Run(moving, min(max(mean, moving), longest), longest)


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
