"""The queue in front of a link: what a small request finds there, and how long it waits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from simbackup.devices.network.live import Network
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Others
from simbackup.engine.link import Link
from simbackup.equations.waiting import Queue, late_behind_all, mean_wait

FULL = 1.0 - 1e-6
"""Greatest load of an adapter that is reported; a full one has no mean wait."""
ROUNDING = 1e-9
"""Share of timed-out requests below which it counts as zero."""

Rates = Callable[[Flow], float]


class Standing(NamedTuple):
    """What one job has queued in front of a network."""

    at_least: tuple[float, ...]
    """Probability that at least one of its buffers is there, at least two, and so on."""
    seconds: float
    """Seconds of one of these buffers on a wire."""
    wires: float
    """Wires over which it spreads them."""


class ClosedLoop(Protocol):
    """A closed loop over links."""

    def standing(self, network: Network, others: Others) -> Standing:
        """What it has queued in front of a network, if others use a share (0 to 1) of each link."""
        ...


@dataclass(slots=True)
class Adapter:
    """The queue in front of a network link, for small requests.

    A flow that is neither a closed loop nor an application is a stream. It has its window outstanding, if the network
    states one, or the bytes that it requests at once from a device behind the link.
    """

    network: Network
    """The link."""
    loops: dict[Flow, ClosedLoop] = field(default_factory=dict[Flow, ClosedLoop])
    """The closed loops that cross it."""
    requests: dict[Flow, float] = field(default_factory=dict[Flow, float])
    """Bytes of one request of each application."""
    behind: dict[Link, None] = field(default_factory=dict[Link, None])
    """Devices behind the link, from which streams request bytes."""

    def queue(self, rates: Rates) -> Queue:
        """What an arriving request finds on a random wire, if flows have these rates."""
        link, wire = self.network.link, self.network.rate
        loads = {flow: link.demand(flow) * rates(flow) / link.nominal for flow in link.flows if flow in self.requests}
        load = sum(loads.values())
        own = sum(part * self.requests[flow] / wire for flow, part in loads.items()) / load if load > 0.0 else 0.0
        load = min(load, FULL)
        parties = [self._standing(flow, rates, load) for flow in link.flows if flow not in self.requests]
        at_least, stage = together([party for party in parties if party is not None], link.nominal / wire)
        return Queue(at_least, stage, own, load)

    def _standing(self, flow: Flow, rates: Rates, load: float) -> Standing | None:
        if flow in self.loops:
            return self.loops[flow].standing(self.network, lambda link: used_by_others(link, flow, rates))
        window, wire = self._window(flow), self.network.rate
        moved = self.network.link.demand(flow) * rates(flow)
        if window is None or moved <= 0.0:
            return None
        bound = flow.cause == self.network.link.name
        return Standing((1.0 if bound else min(moved / (wire * (1.0 - load)), 1.0),), window / wire, 1.0)

    def _window(self, flow: Flow) -> float | None:
        """Bytes that a stream has outstanding on this link; None if that is not known."""
        asked = [place.run for link, place in flow.places.items() if link in self.behind and place.run > 0.0]
        windows = asked if self.network.window is None else [self.network.window, *asked]
        return min(windows, default=None)

    def standing(self, own: Flow, wait: float) -> tuple[float, float]:
        """What a request that takes `wait` seconds here finds of others than its own flow.

        Returns the share (0 to 1) of the network that requests of others use, and the seconds of everything that others
        have queued.
        """
        found, link = self.queue(lambda flow: flow.rate), self.network.link
        mine = min(link.demand(own) * own.rate / link.nominal, found.load) if own in link.crossing else 0.0
        load = found.load - mine
        theirs = found.load * found.request - mine * self.requests.get(own, 0.0) / self.network.rate
        return load, math.fsum(found.at_least) * found.stage + max(theirs, 0.0) - load * wait


class Adapters(dict[str, Adapter]):
    """The queues of links by name, made when they are first needed."""

    def of(self, network: Network) -> Adapter:
        """The queue of a network on the way to a device."""
        return self.setdefault(network.link.name.removeprefix("links."), Adapter(network))


def used_by_others(link: Link, mine: Flow, rates: Rates) -> float:
    """Share (0 to 1) of a link that all flows but one use."""
    used = sum(link.demand(flow) * rates(flow) for flow in link.flows if flow is not mine)
    return min(used / link.nominal, 1.0) if link.nominal > 0.0 else 1.0


def together(parties: Sequence[Standing], wires: float) -> tuple[tuple[float, ...], float]:
    """What all jobs have queued on a random wire, and the mean seconds of one buffer.

    The queues of several jobs are taken to be independent, each beside the load of the others.
    """
    chances, standing, seconds = [1.0], 0.0, 0.0
    for party in parties:
        here = [min(party.wires / wires, 1.0) * share for share in party.at_least]
        own = [one - more for one, more in zip((1.0, *here), (*here, 0.0), strict=True)]
        both = [0.0] * (len(chances) + len(own) - 1)
        for i, one in enumerate(chances):
            for j, other in enumerate(own):
                both[i + j] += one * other
        chances = both
        standing += sum(here)
        seconds += sum(here) * party.seconds
    at_least, total = list[float](), 0.0
    for chance in reversed(chances[1:]):
        total += chance
        at_least.append(min(total, 1.0))
    return tuple(reversed(at_least)), seconds / standing if standing > 0.0 else 0.0


@dataclass(slots=True)
class Waiting:
    """How long requests of an application wait at the adapters that they pass, and how many time out."""

    adapters: tuple[Adapter, ...]
    """The adapters in the order in which requests pass them."""
    timeout: float | None
    """Seconds of waiting after which a request is given up; None without a limit."""
    rate: float = 0.0
    """Requests a second now."""
    mean: float = 0.0
    """Mean seconds that a request waits now, at all adapters together."""
    late: float = 0.0
    """Share (0 to 1) of the requests that time out now."""
    since: float = 0.0
    """The time, in seconds, up to which the totals count."""
    requests: float = 0.0
    """Total of requests."""
    waited_s: float = 0.0
    """Total of seconds that they waited."""
    timed_out: float = 0.0
    """Total of those that timed out."""
    watches: dict[str, tuple[float, float, float]] = field(default_factory=dict[str, tuple[float, float, float]])
    """The three totals when each running job began."""

    def advance(self, now: float) -> None:
        """Update the totals to `now`, seconds."""
        requests = self.rate * (now - self.since)
        if requests > 0.0:
            self.requests += requests
            self.waited_s += requests * self.mean
            self.timed_out += requests * self.late
        self.since = now

    def take(self, now: float, rate: float, rates: Rates) -> None:
        """From now on, let `rate` requests a second wait behind flows of these rates."""
        self.advance(now)
        queues = [adapter.queue(rates) for adapter in self.adapters]
        self.rate, self.mean = rate, sum(map(mean_wait, queues))
        self.late = late_behind_all(queues, self.timeout) if self.timeout is not None else 0.0

    def watch(self, job: str, now: float) -> None:
        """Note the totals when a job begins."""
        self.advance(now)
        self.watches[job] = (self.requests, self.waited_s, self.timed_out)

    def impact(self, job: str, now: float) -> dict[str, float]:
        """Mean seconds of waiting during a job that ends now, and the share of the requests that timed out."""
        self.advance(now)
        requests, waited_s, timed_out = self.watches.pop(job)
        requests = self.requests - requests
        impact = {"network_wait": (self.waited_s - waited_s) / requests if requests else 0.0}
        if self.timeout is not None:
            share = (self.timed_out - timed_out) / requests if requests else 0.0
            impact["timed_out"] = share if share > ROUNDING else 0.0
        return impact
