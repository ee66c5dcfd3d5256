"""What the transactions of users find in the queues that they pass, and how long they take."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from simbackup.devices.network.adapter import Adapter
from simbackup.devices.network.live import Network
from simbackup.devices.store import Waiters
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Behind, Limit, Others
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.equations.queueing import Centre, interactive_rate
from simbackup.workloads.users.load import Load, Outstanding, at_device
from simbackup.workloads.users.transactions import Demand

SETTLED = 1e-6
"""Relative change of a rate below which it counts as unchanged."""
MOST_TURNS = 40
"""Greatest number of solutions at one instant, as the rate and what others have in the queues depend on each other."""
FULL_TURNS = 8
"""Solutions after which the iteration is damped by one half."""


class Passed(NamedTuple):
    """Totals of the transactions so far."""

    transactions: float = 0.0
    """Their number."""
    seconds: float = 0.0
    """Their seconds."""
    endless: float = 0.0
    """Those that waited in a queue that grows without end."""

    def plus(self, transactions: float, each: float) -> Passed:
        """The totals after some more transactions that take `each` seconds."""
        if math.isinf(each):
            return self._replace(transactions=self.transactions + transactions, endless=self.endless + transactions)
        return self._replace(transactions=self.transactions + transactions, seconds=self.seconds + transactions * each)

    def response(self, before: Passed, most: float) -> float:
        """Mean seconds of a transaction since `before`; one in a queue that grows without end counts as `most`."""
        transactions = self.transactions - before.transactions
        if transactions <= 0.0:
            return 0.0
        return (self.seconds - before.seconds + (self.endless - before.endless) * most) / transactions


@dataclass(slots=True, eq=False)
class Queues:
    """The queues that transactions pass: what others have there now, and how long transactions have taken so far.

    Users who wait for each transaction make the fewer, the longer these take, and so leave more to others. They are
    solved again until what they find agrees with what was assumed.
    """

    name: str
    """The address of the users."""
    demand: Demand
    network: FlowNetwork
    queue: Callable[[Network], Adapter]
    load: Load = field(init=False)
    """What a transaction loads."""
    flow: Flow = field(init=False)
    """The flow of transactions."""
    found: dict[Link, Outstanding] = field(default_factory=dict[Link, Outstanding])
    """What requests were assumed to find at each link in the last solution."""
    passed: Passed = field(default_factory=Passed)
    """Totals of the transactions so far."""
    each: float = 0.0
    """Seconds of a transaction now."""
    rate: float = 0.0
    """Transactions a second now."""
    since: float = 0.0
    """The time, in seconds, up to which the totals count."""
    _adapters: dict[Link, Adapter] = field(default_factory=dict[Link, Adapter])
    _turns: tuple[float, int] = (-1.0, 0)
    """When users were solved last, and how often at that instant."""

    @property
    def law(self) -> Behind | None:
        """The rate of users who wait for each transaction, behind others; None for transactions at a given rate."""
        return None if self.demand.rate is not None else Behind(self._behind)

    def undisturbed(self, load: Load) -> tuple[float, float]:
        """Transactions a second with such a load, and seconds of one, when nobody else is there."""
        self.load = load
        if self.demand.rate is not None:
            return self.demand.rate, load.response(self.demand.rate, {})
        rate = self.interactive({})
        return rate, self.demand.clients / rate - self.demand.think_time if rate else 0.0

    def follow(self, flow: Flow, load: Load) -> None:
        """From now on, observe a flow of transactions with such a load."""
        self.flow, self.load = flow, load
        self._adapters = {link: self.queue(port) for link, port in load.ports.items()}
        for link, adapter in self._adapters.items():
            adapter.requests = {f: size for f, size in adapter.requests.items() if f.active}
            adapter.requests[flow] = load.held[link] / load.visits[link]
            adapter.behind |= dict.fromkeys(load.stores)
        self.network.couple(self, flow, *load.stores, *self._adapters)

    def constraint(self) -> None:
        """Solve users who wait again with what they find now; adds no constraint."""
        if self.demand.rate is None and self.flow.active:
            self.network.touch(self.flow)

    def solved(self, *, binding: bool) -> None:
        """Note what transactions find from now on, and how long they take."""
        del binding
        now, found = float(self.network.env.now), self._now()
        self.advance(now)
        self.rate = self.flow.rate
        if self.demand.rate is not None:
            self.each = self.load.response(self.rate, found)
            return
        time, turns = self._turns
        self._turns = now, (turns + 1 if time == now else 0)
        if self._turns[1] >= FULL_TURNS:
            found = {link: _between(self.found.get(link, one), one) for link, one in found.items()}
        moved = abs(self.interactive(found) - self.interactive(self.found)) > SETTLED * self.flow.rate
        if moved and self._turns[1] < MOST_TURNS:
            self.found = found
            self.network.changed(self)

    def advance(self, now: float) -> None:
        """Update the totals to `now`, seconds."""
        if now > self.since:
            self.passed = self.passed.plus(self.rate * (now - self.since), self.each)
            self.since = now

    def _now(self) -> dict[Link, Outstanding]:
        """What a request finds at each device and network now."""
        found: dict[Link, Outstanding] = {}
        for link, store in self.load.stores.items():
            found[link] = at_device(store, self.flow, self.load.each(link), self.asking(link))
        for link, adapter in self._adapters.items():
            found[link] = Outstanding(*adapter.standing(self.flow, self.load.each(link)))
        for link in self.load.waited:
            if link.pooled:
                found[link] = Outstanding(0.0, self._threads(link) * self.load.each(link))
        return found

    def _threads(self, link: Link) -> float:
        """Threads of others on the cores of a host: those that run, and those that wait for a core."""
        return sum(
            link.demand(flow) * (flow.cap if flow.bottleneck is link and flow.cap < math.inf else flow.rate)
            for flow in link.flows
            if flow is not self.flow
        )

    def interactive(self, found: dict[Link, Outstanding]) -> float:
        """Transactions a second of users who wait for each, given what requests find of others at each link."""
        return interactive_rate(self.load.centres(found), self.demand.clients, self.demand.think_time + self.load.delay)

    def _behind(self, others: Others) -> Limit:
        """Their rate behind others, and the link at which they wait longest."""
        waited = self.load.waited
        found = {link: self.found.get(link) or self._used(link, others(link)) for link in self.load.shape.demands}
        longest = max(waited, key=lambda link: waited[link], default=None)
        return Limit(self.interactive(found), longest.name if longest else self.name)

    def _used(self, link: Link, share: float) -> Outstanding:
        """What a request finds at a link of which others use a `share`; at cores, the threads that run there."""
        return Outstanding(0.0, share * link.capacity * self.load.each(link)) if link.pooled else Outstanding(share)

    def asking(self, link: Link) -> Waiters:
        """What waiting users have requested from a device now; nothing is counted of transactions at a given rate."""
        if self.demand.rate is not None or self.flow.rate <= 0.0:
            return Waiters()
        for at, centre in zip(self.load.shape.demands, self.load.centres(self.found), strict=True):
            if at is link and centre.held > 0.0:
                disks = max(self.load.waited[link] / centre.held, 1.0)
                return _asking(centre, self.demand.clients, self.flow.rate, disks)
        return Waiters()


def _asking(centre: Centre, clients: float, rate: float, disks: float) -> Waiters:
    """What `clients` users have requested from each of several disks when they do `rate` transactions a second."""
    free = 1.0 - centre.others - rate * (centre.behind + (clients - 1.0) / clients * centre.held)
    number = rate * centre.wait / free if free > 0.0 else clients
    return Waiters(rate * centre.held, min(number, clients) / disks)


def _between(one: Outstanding, other: Outstanding) -> Outstanding:
    """The mean of both."""
    return Outstanding(*(0.5 * (a + b) for a, b in zip(one, other, strict=True)))
