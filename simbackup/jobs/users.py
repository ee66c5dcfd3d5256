"""Users of a database who go on working while it is backed up, and what they feel of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from simbackup.components.host import Host
from simbackup.components.storage import Store
from simbackup.engine.flows import Flow, FlowNetwork
from simbackup.engine.trace import Trace
from simbackup.equations.database import lock_waits, slowdown

ROUNDING = 1e-9
"""Share of the transactions below which a loss is rounding."""
GREATEST_SLOWDOWN = 1e6
"""Factor that stands for a device that has no time left."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What users ask: transactions a second, the share that writes; disk reads, their bytes, core seconds of each."""

    rate: float
    writes: float
    reads: float
    read_size: float
    cpu: float


@dataclass(slots=True)
class _Watch:
    """Where the totals of users and device stood when a job began."""

    begin: float
    completed: float
    busy_s: float


@dataclass(slots=True)
class _Lock:
    """Seconds from which and until which a read lock was held, by one job or by several that overlap."""

    begin: float
    end: float = math.inf

    def within(self, begin: float, end: float) -> float:
        """Seconds of it that lie within a time."""
        return min(self.end, end) - max(self.begin, begin)


@dataclass(slots=True)
class Users:
    """A steady stream of transactions on one data set.

    It is a flow counted in transactions. While a read lock is held, those that write wait for its end, and only the
    others go on; what piled up is then served at once.
    """

    name: str
    data: str
    demand: Demand
    network: FlowNetwork
    trace: Trace
    host: Host
    store: Store
    position: tuple[float, float]
    flow: Flow = field(init=False)
    own_busy: float = field(init=False)
    holders: int = 0
    locks: list[_Lock] = field(default_factory=list[_Lock])
    watches: dict[str, _Watch] = field(default_factory=dict[str, _Watch])

    def start(self) -> None:
        """Begin to work."""
        begin, size = self.position
        # Two places drawn at random are a third of the data apart in the mean.
        service = self.store.request("read", begin, begin + size / 3.0, min(self.demand.read_size, size - size / 3.0))
        self.own_busy = self.demand.reads * service.busy
        self.flow = self.network.start(
            self.name,
            "transactions",
            float("inf"),
            {self.store.link: self.own_busy, self.host.cpu: self.demand.cpu},
            # Shares of flows are in units a second: a transaction counts for the bytes that a stream moves meanwhile.
            share=self.store.stream("read", begin, size) / self.own_busy if self.own_busy else 1.0,
            cap=self.demand.rate,
            cap_cause=self.name,
            moves={self.store.link: self.demand.reads * self.demand.read_size},
        )

    def lock(self) -> None:
        """Let those that write wait."""
        if not self.holders:
            self.locks.append(_Lock(float(self.network.env.now)))
        self.holders += 1
        self.network.set_cap(self.flow, self.demand.rate * (1.0 - self.demand.writes), f"data.{self.data}")

    def unlock(self) -> None:
        """Let them go on, unless another job holds a lock still."""
        self.holders -= 1
        if not self.holders:
            self.locks[-1].end = float(self.network.env.now)
            self.network.set_cap(self.flow, self.demand.rate, self.name)

    def close(self) -> None:
        """Let nobody work: the data are being restored."""
        self.network.set_cap(self.flow, 0.0, f"data.{self.data}")

    def open(self) -> None:
        """Let all work again."""
        self.network.set_cap(self.flow, self.demand.rate, self.name)

    def watch(self, job: str, now: float) -> None:
        """Note where all stands when a job begins."""
        self.network.settle()
        self.watches[job] = _Watch(now, self.flow.completed, self.store.link.busy_s)

    def tell(self, job: str, now: float) -> None:
        """Record what the users felt of a job that ends now."""
        self.network.settle()
        begun = self.watches.pop(job)
        seconds = now - begun.begin
        offered = self.demand.rate * seconds
        locks = [lock.within(begun.begin, now) for lock in self.locks if lock.end > begun.begin and lock.begin < now]
        waits = [lock_waits(held, self.demand.rate * self.demand.writes) for held in locks]
        waiting = sum(wait.transactions for wait in waits)
        done = self.flow.completed - begun.completed
        served = done + waiting  # who waited is served when the lock is given up
        lost = 1.0 - served / offered if offered else 0.0
        others = max(self.store.link.busy_s - begun.busy_s - done * self.own_busy, 0.0)
        self.trace.event(
            now,
            self.name,
            "felt",
            job=job,
            offered=offered,
            lost=lost if lost > ROUNDING else 0.0,
            waited=waiting,
            mean_wait=sum(wait.transactions * wait.mean for wait in waits) / waiting if waiting else 0.0,
            longest_wait=max((wait.longest for wait in waits), default=0.0),
            slowdown=min(slowdown(others / seconds if seconds else 0.0), GREATEST_SLOWDOWN),
        )
