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
"""Share of the requests below which those that time out are none."""

Rates = Callable[[Flow], float]


class Standing(NamedTuple):
    """What one job has at an adapter: probabilities of one buffer, two, ..., seconds of one, and wires that it uses."""

    at_least: tuple[float, ...]
    seconds: float
    wires: float


class ClosedLoop(Protocol):
    """A closed loop over links."""

    def standing(self, network: Network, others: Others) -> Standing:
        """What is queued at a network, when others use a share of each link."""
        ...


@dataclass(slots=True)
class Adapter:
    """A network, the loops that cross it, the bytes of one request of each application, and devices behind it.

    A flow that is neither a loop nor an application is a stream; it has its window outstanding, if the network states
    one, or what it asks for at once of a device behind it.
    """

    network: Network
    loops: dict[Flow, ClosedLoop] = field(default_factory=dict[Flow, ClosedLoop])
    requests: dict[Flow, float] = field(default_factory=dict[Flow, float])
    behind: dict[Link, None] = field(default_factory=dict[Link, None])

    def queue(self, rates: Rates) -> Queue:
        """What a request finds on one of the wires, taken at random, when flows have some rates."""
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
        """Bytes that a stream has outstanding here; None if that is not known."""
        asked = [place.run for link, place in flow.places.items() if link in self.behind and place.run > 0.0]
        windows = asked if self.network.window is None else [self.network.window, *asked]
        return min(windows, default=None)

    def standing(self, own: Flow, wait: float) -> tuple[float, float]:
        """What a request of a flow finds that takes so long here itself, apart from those of its own flow.

        The share of the network that requests of others take, and seconds of what all others have here.
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
    """Share of a link that all other flows use."""
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
    """How long requests wait at the adapters that they pass in turn, and how many wait too long."""

    adapters: tuple[Adapter, ...]
    timeout: float | None
    rate: float = 0.0
    mean: float = 0.0
    late: float = 0.0
    since: float = 0.0
    requests: float = 0.0
    waited_s: float = 0.0
    timed_out: float = 0.0
    watches: dict[str, tuple[float, float, float]] = field(default_factory=dict[str, tuple[float, float, float]])

    def settle(self, now: float) -> None:
        """Update the totals to `now`, seconds."""
        requests = self.rate * (now - self.since)
        if requests > 0.0:
            self.requests += requests
            self.waited_s += requests * self.mean
            self.timed_out += requests * self.late
        self.since = now

    def take(self, now: float, rate: float, rates: Rates) -> None:
        """From now on so many requests a second wait behind flows of such rates."""
        self.settle(now)
        queues = [adapter.queue(rates) for adapter in self.adapters]
        self.rate, self.mean = rate, sum(map(mean_wait, queues))
        self.late = late_behind_all(queues, self.timeout) if self.timeout is not None else 0.0

    def watch(self, job: str, now: float) -> None:
        """Note the totals when a job begins."""
        self.settle(now)
        self.watches[job] = (self.requests, self.waited_s, self.timed_out)

    def impact(self, job: str, now: float) -> dict[str, float]:
        """Mean seconds of waiting during a job that ends now, and the share of the requests that timed out."""
        self.settle(now)
        requests, waited_s, timed_out = self.watches.pop(job)
        requests = self.requests - requests
        impact = {"network_wait": (self.waited_s - waited_s) / requests if requests else 0.0}
        if self.timeout is not None:
            share = (self.timed_out - timed_out) / requests if requests else 0.0
            impact["timed_out"] = share if share > ROUNDING else 0.0
        return impact
