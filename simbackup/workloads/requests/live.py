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
"""Weight in fairness of requests at a given rate: a request that waits does not delay the next."""
SETTLED = 1e-6
"""Change of a rate below which it is the same."""
MOST_TURNS = 50
"""Times that a rate is solved again at one instant because the rates of jobs follow it."""
PRECISION = 1e-8
"""Share to which the rate of clients is found."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What an application asks: bytes of a request, and so many a second, or clients who each wait for the last."""

    request: float
    rate: float | None = None
    clients: float = 1.0
    think_time: float = 0.0


@dataclass(slots=True, eq=False)
class Application:
    """Requests over networks, a flow counted in requests.

    Those at a given rate take what they need, and jobs what is left; a client asks for the next when it has
    the last, and so yields to what is in the queue. Requests that time out are answered all the same.
    """

    name: str
    asking: Asking
    adapters: tuple[Adapter, ...]
    network: FlowNetwork
    trace: Trace
    waiting: Waiting
    nominal: float = field(init=False)
    flow: Flow = field(init=False)
    watches: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    _solved: tuple[float, int] = (-1.0, 0)

    def __post_init__(self) -> None:
        self.nominal = self.asking.rate if self.asking.rate is not None else self._interactive(self._undisturbed)[0]

    def start(self) -> None:
        """Begin to ask."""
        asking, links = self.asking, {adapter.network.link: self.asking.request for adapter in self.adapters}
        weight = NEVER_YIELDS if asking.rate is not None else asking.clients
        self.flow = self.network.start(
            self.name,
            "requests",
            math.inf,
            links,
            share=weight / asking.request,
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

    def hold(self) -> None:
        """Set the rate that the clients have behind what is in the queues now; nobody is held."""
        if self.asking.rate is None:
            self.network.set_cap(self.flow, *self._interactive(self._beside_jobs))

    def solved(self, *, binding: bool) -> None:
        """Note the rates from now on; if those of jobs have changed that of the clients, solve again."""
        del binding
        now = float(self.network.env.now)
        self.waiting.take(now, self.flow.rate, self._seen)
        if self.asking.rate is None:
            time, turns = self._solved
            self._solved = (now, turns + 1 if time == now else 0)
            if self._solved[1] < MOST_TURNS and self._moved():
                self.network.changed(self)

    def _seen(self, flow: Flow) -> float:
        """The rate of a flow as a request sees it: a client does not wait behind itself."""
        return flow.rate * self._kept if flow is self.flow else flow.rate

    @property
    def _kept(self) -> float:
        return 1.0 if self.asking.rate is not None else (self.asking.clients - 1.0) / self.asking.clients

    def _moved(self) -> bool:
        """Whether the clients have another rate behind what is in the queues now."""
        return abs(self._interactive(self._beside_jobs)[0] - self.flow.cap) > SETTLED * self.flow.cap

    def _undisturbed(self, adapter: Adapter, rate: float) -> Queue:
        """What a client finds at an adapter that nobody else uses, when all make so many requests a second."""
        load = self._kept * rate * self.asking.request / adapter.network.link.nominal
        return Queue((), 0.0, self.asking.request / adapter.network.rate, load)

    def _beside_jobs(self, adapter: Adapter, rate: float) -> Queue:
        """What a client finds at an adapter now, when all make so many requests a second."""
        return adapter.queue(lambda flow: rate * self._kept if flow is self.flow else flow.rate)

    def _interactive(self, found: Callable[[Adapter, float], Queue]) -> tuple[float, str]:
        """Requests a second of all clients, and the network at which they wait longest.

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
