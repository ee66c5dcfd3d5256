"""Applications whose requests cross networks while jobs use them, and what that costs them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from simbackup.devices.network.adapter import Adapter, Waiting
from simbackup.devices.network.live import travel_time
from simbackup.engine.flow import Flow
from simbackup.engine.network import FlowNetwork
from simbackup.equations.waiting import Queue, mean_wait
from simbackup.trace.trace import Trace
from simbackup.workloads.impact import IMPACT, throughput

NEVER_YIELDS = 1e6
"""Fairness weight of requests at a given rate: a request that waits does not delay the next."""
SETTLED = 1e-6
"""Relative change of a rate below which it counts as unchanged."""
MOST_TURNS = 50
"""Greatest number of solutions at one instant, as the rates of clients and of jobs depend on each other."""
PRECISION = 1e-8
"""Relative precision of the rate of clients."""


@dataclass(frozen=True, slots=True)
class Asking:
    """The requests of an application: at a given rate, or from clients who each wait for the answer."""

    request: float
    """Bytes of a request."""
    rate: float | None = None
    """Requests a second; None if clients wait for answers."""
    clients: float = 1.0
    """Number of clients."""
    think_time: float = 0.0
    """Seconds between an answer and the client's next request."""


@dataclass(slots=True, eq=False)
class Application:
    """An application whose requests cross networks; its flow is counted in requests.

    Requests at a given rate take what they need, and jobs get the rest. A client makes its next request when it has the
    last answer, and so yields to what is in the queues. Requests that time out are answered all the same.
    """

    name: str
    asking: Asking
    """Its requests."""
    adapters: tuple[Adapter, ...]
    """The queues in front of the links that requests cross, in order."""
    network: FlowNetwork
    trace: Trace
    waiting: Waiting
    """How long requests wait, and how many time out."""
    nominal: float = field(init=False)
    """Requests a second when no job uses the networks."""
    flow: Flow = field(init=False)
    watches: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """When each running job began, and the total of requests then."""
    _solved: tuple[float, int] = (-1.0, 0)
    """When the rate of clients was solved last, and how often at that instant."""

    def __post_init__(self) -> None:
        self.nominal = self.asking.rate if self.asking.rate is not None else self._interactive(self._undisturbed)[0]

    def start(self) -> None:
        """Begin to make requests."""
        asking, links = self.asking, {adapter.network.link: self.asking.request for adapter in self.adapters}
        weight = NEVER_YIELDS if asking.rate is not None else asking.clients
        self.flow = self.network.start(
            self.name,
            "requests",
            math.inf,
            links,
            weight=weight / asking.request,
            cap=asking.rate if asking.rate is not None else asking.clients / self._alone(),
            moves=links,
            sequential=False,
            patient=True,
        )
        for adapter in self.adapters:
            adapter.requests[self.flow] = asking.request
        self.network.couple(self, *links)

    def _alone(self) -> float:
        """Seconds from one request of a client to its next when nobody else uses the networks."""
        networks = [adapter.network for adapter in self.adapters]
        return self.asking.think_time + travel_time(networks) + sum(self.asking.request / n.rate for n in networks)

    def constraint(self) -> None:
        """Set the rate of clients according to what is in the queues now; adds no constraint."""
        if self.asking.rate is None:
            self.network.set_cap(self.flow, *self._interactive(self._beside_jobs))

    def solved(self, *, binding: bool) -> None:
        """Note the rates from now on; if those of jobs change the rate of clients, solve again."""
        del binding
        now = float(self.network.env.now)
        self.waiting.take(now, self.flow.rate, self._seen)
        if self.asking.rate is None:
            time, turns = self._solved
            self._solved = (now, turns + 1 if time == now else 0)
            if self._solved[1] < MOST_TURNS and self._moved():
                self.network.changed(self)

    def _seen(self, flow: Flow) -> float:
        """The rate of a flow, requests a second, as a request meets it: a client does not wait behind itself."""
        return flow.rate * self._kept if flow is self.flow else flow.rate

    @property
    def _kept(self) -> float:
        return 1.0 if self.asking.rate is not None else (self.asking.clients - 1.0) / self.asking.clients

    def _moved(self) -> bool:
        """Whether what is in the queues now gives the clients another rate."""
        return abs(self._interactive(self._beside_jobs)[0] - self.flow.cap) > SETTLED * self.flow.cap

    def _undisturbed(self, adapter: Adapter, rate: float) -> Queue:
        """What a client finds at an adapter without others, when all clients make `rate` requests a second."""
        load = self._kept * rate * self.asking.request / adapter.network.link.nominal
        return Queue((), 0.0, self.asking.request / adapter.network.rate, load)

    def _beside_jobs(self, adapter: Adapter, rate: float) -> Queue:
        """What a client finds at an adapter now, when all clients make `rate` requests a second."""
        return adapter.queue(lambda flow: rate * self._kept if flow is self.flow else flow.rate)

    def _interactive(self, found: Callable[[Adapter, float], Queue]) -> tuple[float, str]:
        """Requests a second of all clients, and the address of the network at which they wait longest.

        The X that solves `N = X (Z + sum of latency, service and wait)`, each wait behind the load of (N - 1) / N of X
        (as in `queueing.interactive_rate`) and what jobs then have queued.
        """
        low, high, longest = 0.0, self.asking.clients / self._alone(), self.name
        while high - low > PRECISION * high:
            rate = (low + high) / 2.0
            waits = {adapter.network.link.name: mean_wait(found(adapter, rate)) for adapter in self.adapters}
            enough = rate * (self._alone() + sum(waits.values())) >= self.asking.clients
            low, high = (low, rate) if enough else (rate, high)
            longest = max(waits, key=lambda link: waits[link])
        return low, longest

    def watch(self, job: str, now: float) -> None:
        """Note the totals when a job begins."""
        self.waiting.watch(job, now)
        self.watches[job] = (now, self.waiting.requests)

    def tell(self, job: str, now: float) -> None:
        """Record what a job that ends now cost the application."""
        impact = self.waiting.impact(job, now)
        begin, before = self.watches.pop(job)
        seconds, served = now - begin, self.waiting.requests - before
        self.trace.event(
            now,
            self.name,
            IMPACT,
            job=job,
            **throughput(self.nominal * seconds, served, seconds, SETTLED),
            **impact,
        )
