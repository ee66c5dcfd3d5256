"""Users who go on working while their data are backed up, what that costs them, and when jobs lock their data."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import simpy

from simbackup.devices.host.live import Host
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.network.adapter import Adapter
from simbackup.devices.network.live import Network
from simbackup.devices.snapshot.live import Snapshot
from simbackup.devices.store import Store, Visitor, Waiters
from simbackup.engine.flow import Flow
from simbackup.engine.network import FlowNetwork
from simbackup.equations.database import LockWaits, lock_waits, slowdown, users_who_wait
from simbackup.equations.queueing import growing_response
from simbackup.trace.trace import Trace
from simbackup.workloads.impact import IMPACT, throughput
from simbackup.workloads.users.load import Load
from simbackup.workloads.users.queues import Passed, Queues
from simbackup.workloads.users.transactions import Demand, asked_at_once, fresh_shares, load, weight

ROUNDING = 1e-9
"""Share of lost transactions below which the loss is a rounding error."""


@dataclass(slots=True)
class Watch:
    """The totals of users and device when a job began."""

    begin: float
    """When it began, seconds after the start."""
    completed: float
    """Transactions that were done."""
    busy_s: float
    """Seconds for which the device was busy."""
    own_s: float
    """Those for transactions of the users."""
    passed: Passed
    """Totals of the transactions that were done."""
    asked: float
    """Transactions that would have been done without slow devices."""

    def load(self, asked: float, served: float) -> float:
        """Transactions begun since then for each that was served, given both totals; 1 unless devices delayed them."""
        since = asked - self.asked
        return since / served if since > served * (1.0 + ROUNDING) > 0.0 else 1.0


@dataclass(slots=True)
class LockTime:
    """The time for which a read lock was held, by one job or by several that overlap."""

    begin: float
    """In seconds after the start."""
    end: float = math.inf
    """In seconds after the start; infinite while it is held."""

    def within(self, begin: float, end: float) -> float:
        """Seconds of it between two times."""
        return min(self.end, end) - max(self.begin, begin)


@dataclass(slots=True)
class Asked:
    """Transactions that users would have done so far without slow devices."""

    rate: float = 0.0
    """Transactions a second now."""
    total: float = 0.0
    """All until `since`."""
    since: float = 0.0
    """When the rate changed last, in seconds."""

    def until(self, now: float) -> float:
        """All transactions until now."""
        return self.total + self.rate * (now - self.since) if now > self.since else self.total

    def change(self, now: float, rate: float) -> None:
        """Go on with another rate."""
        self.total, self.since, self.rate = self.until(now), now, rate


GREATEST_SLOWDOWN = 1e6
"""Slowdown that is reported for a saturated device."""
STAY, LEAST = 0.9, 1e-3
"""Share of active users who are still active after a step of a lock, and the share below which none is."""
STEP = 0.05
"""Change of the share of updates that need a copy after which the load of a transaction is calculated again."""


@dataclass(slots=True, eq=False)
class Users:
    """Users of one data set: transactions at a given rate, or a number of users who each wait for the answer.

    Their flow is counted in transactions. While a read lock is held, transactions that write wait for its end, and are
    then served at once; only the others continue. If snapshots need overwritten data, the first update of a chunk costs
    a copy. The share of such updates falls with time, and the flow is restarted in steps.
    """

    name: str
    data: str
    """The name of the data set."""
    demand: Demand
    """Their transactions, and how many."""
    network: FlowNetwork
    trace: Trace
    host: Host
    """The host of the data set."""
    place: VolumeRange
    """Where the data set is."""
    queue: Callable[[Network], Adapter]
    nominal: float = field(init=False)
    """Transactions a second when no job is running."""
    flow: Flow = field(init=False)
    load: Load = field(init=False)
    """What a transaction loads now."""
    before: float = 0.0
    """Transactions of earlier flows."""
    own_before: float = 0.0
    """Seconds of the device's time that these took."""
    queues: Queues = field(init=False)
    """What transactions find in queues, and how long they take."""
    undisturbed: float = field(init=False)
    """Seconds of a transaction when no job is running."""
    holders: int = 0
    """Jobs that hold a read lock now."""
    going: float = 1.0
    """Share (0 to 1) of users who do not wait for a lock."""
    closed: int = 0
    """Restores that keep them out now."""
    locks: list[LockTime] = field(default_factory=list[LockTime])
    """When read locks were held."""
    watches: dict[str, Watch] = field(default_factory=dict[str, Watch])
    """The totals when each running job began."""
    asked: Asked = field(default_factory=Asked)
    """Transactions that would have been done so far without slow devices."""

    def __post_init__(self) -> None:
        self.load = self._loaded({})
        self.queues = Queues(self.name, self.demand, self.network, self.queue)
        self.nominal, self.undisturbed = self.queues.undisturbed(self.load)

    @property
    def store(self) -> Store:
        """The device that holds their data."""
        return self.place.volume.region.store

    @property
    def completed(self) -> float:
        """Transactions done so far."""
        return self.before + self.flow.completed

    @property
    def own_busy(self) -> float:
        """Seconds of the device's time that their own transactions have taken so far."""
        return self.own_before + self.flow.completed * self.load.shape.demands.get(self.store.link, 0.0)

    def start(self) -> None:
        """Begin to work."""
        self._begin({}, math.inf)
        begin, mean = self.place.volume.region.begin + self.place.begin, self.demand.transaction.mean_size
        waits, asked = self.demand.rate is None, lambda: asked_at_once(self.demand, self.load, self.store)
        self.store.visitors[self.name] = Visitor(
            begin, self.place.size, mean, waits, asked, self._used, lambda: self.flow, self._asking
        )
        self.network.env.process(self._work())

    def _work(self) -> Generator[simpy.Event, Any, None]:
        """Work for ever, in steps if frozen images need what is overwritten."""
        while True:
            updates = yield from self._step()
            each = self.demand.transaction.updates
            amount = updates / each if each > 0.0 else math.inf
            fresh = self._fresh(updates) if each > 0.0 else {}
            self.network.stop(self.flow)
            self._begin(fresh, amount)
            yield self.flow.done | self.place.volume.changed
            self._note(self.network.stop(self.flow))

    def _begin(self, fresh: dict[Snapshot, float], amount: float) -> None:
        """Start a flow of `amount` transactions, given the chunks of each snapshot that an update touches first."""
        self.load = self._loaded(fresh)
        shape = self.load.shape
        cap, cause = self._ceiling()
        self.asked.change(float(self.network.env.now), cap)
        self.flow = self.network.start(
            self.name,
            "transactions",
            amount,
            shape.demands,
            weight=weight(self.place, self.demand, self.load, self.host.window(self.store) or 0.0),
            cap=cap,
            cap_cause=cause,
            moves=shape.moves,
            sequential=False,
            patient=True,
            law=self.queues.law,
        )
        self.queues.follow(self.flow, self.load)

    def _asking(self) -> Waiters:
        """What waiting users have requested from the device that holds their data."""
        return self.queues.asking(self.store.link)

    def _used(self) -> float:
        """Share (0 to 1) of the device that they use; before their rate is known, as if they were alone."""
        rate = self.flow.rate or min(self._ceiling()[0], self.nominal)
        return rate * self.load.shape.demands.get(self.store.link, 0.0)

    def _loaded(self, fresh: dict[Snapshot, float]) -> Load:
        """What a transaction loads, given the chunks of each snapshot that an update touches first."""
        return load(self.demand.transaction, self.place, self.host, fresh, self.demand.writers)

    def _note(self, transactions: float) -> None:
        """Count transactions that were done, and note what they have overwritten."""
        self.before += transactions
        self._tell_volume(self.before)
        self.own_before += transactions * self.load.shape.demands.get(self.store.link, 0.0)
        updates = transactions * self.demand.transaction.updates
        if updates > 0.0:
            mirrors = [mirror for mirror in self.place.volume.mirrors if mirror.state == "split"]
            for image in (*self.place.volume.snapshots, *mirrors):
                image.changes.scatter(self.name, self.demand.transaction.spread).update(updates)
            self.place.volume.moved()

    def _tell_volume(self, transactions: float) -> None:
        """Report the total of updates to the volume, given that of transactions."""
        asked = self.demand.transaction
        if asked.updates > 0.0:
            place = (self.place.begin, self.place.size)
            self.place.volume.updated(self.name, place, asked.spread, transactions * asked.updates)

    def _step(self) -> Generator[simpy.Event, Any, float]:
        """Number of updates until the load is calculated again; snapshots without space become invalid."""
        if self.demand.transaction.updates == 0.0:
            return math.inf
        spread, volume = self.demand.transaction.spread, self.place.volume
        least = volume.until_next(self.name, (self.place.begin, self.place.size), spread, STEP)
        scatters = {snapshot: snapshot.changes.scatter(self.name, spread) for snapshot in volume.snapshots}
        for scatter in scatters.values():
            least = min(least, scatter.step(STEP))
        each = {image: max(scatter.fresh(), ROUNDING) * image.parameters.chunk for image, scatter in scatters.items()}
        wanted = {image: least * size for image, size in each.items()}
        granted = yield from volume.claims.take(self.name, wanted)
        short = [max(size / each[image], 1.0) for image, size in granted.items() if size < wanted[image]]
        return min([least, *short])

    def _fresh(self, updates: float) -> dict[Snapshot, float]:
        spread = self.demand.transaction.spread
        return fresh_shares(self.place.volume.snapshots, self.name, spread, updates if math.isfinite(updates) else 0.0)

    def _ceiling(self) -> tuple[float, str]:
        """The greatest rate that locks leave, in transactions a second, and its cause."""
        if self.closed:
            return 0.0, f"data.{self.data}"
        if self.place.volume.full:  # those that write get an error
            return self.nominal * (1.0 - self.demand.writes), self.place.volume.name
        if self.holders:
            return self.nominal * (1.0 - self.demand.writes) * self.going, f"data.{self.data}"
        return (self.nominal if self.demand.rate is not None else math.inf), self.name

    def _allow(self) -> None:
        """Set the rate that locks leave now."""
        self.network.set_cap(self.flow, *self._ceiling())
        self.asked.change(float(self.network.env.now), self._ceiling()[0])

    def lock(self) -> None:
        """Hold a read lock: transactions that write wait, and users who wait for them become fewer."""
        if not self.holders:
            self.locks.append(LockTime(float(self.network.env.now)))
            if self.demand.rate is None and self._locked_rate > 0.0:
                self.network.env.process(self._come_to_wait(self.locks[-1]))
        self.holders += 1
        self._allow()

    @property
    def _locked_rate(self) -> float:
        """Transactions a second of each user that wait for a read lock."""
        return self.nominal * self.demand.writes / self.demand.clients

    def _come_to_wait(self, lock: LockTime) -> Generator[simpy.Event, Any, None]:
        """Reduce the users who still work, step by step, until the lock is released."""
        share, mean = 1.0, (1.0 - STAY) / -math.log(STAY)
        while lock.end == math.inf and share > LEAST:
            self.going, share = share * mean, share * STAY
            self._allow()
            yield self.network.env.timeout(-math.log(STAY) / self._locked_rate)
        if lock.end == math.inf:
            self.going = 0.0
            self._allow()

    def unlock(self) -> None:
        """Release the lock, unless another job still holds one."""
        self.holders -= 1
        if not self.holders:
            self.locks[-1].end, self.going = float(self.network.env.now), 1.0
            self._allow()

    def close(self) -> None:
        """Stop all work: the data are being restored."""
        self.closed += 1
        self._allow()

    def open(self) -> None:
        """Allow work again."""
        self.closed -= 1
        self._allow()

    def watch(self, job: str, now: float) -> None:
        """Note the totals when a job begins."""
        self.network.advance()
        self._tell_volume(self.completed)
        self.queues.advance(now)
        done, asked = self.queues.passed, self.asked.until(now)
        self.watches[job] = Watch(now, self.completed, self.store.link.busy_s, self.own_busy, done, asked)

    def tell(self, job: str, now: float) -> None:
        """Record what a job that ends now cost the users."""
        self.network.advance()
        begun = self.watches.pop(job)
        seconds = now - begun.begin
        locks = [lock.within(begun.begin, now) for lock in self.locks if lock.end > begun.begin and lock.begin < now]
        waits = [self._waits(held) for held in locks]
        waiting = sum(wait.transactions for wait in waits)
        served = self.completed - begun.completed + waiting  # who waited is served when the lock is given up
        others = max(self.store.link.busy_s - begun.busy_s - (self.own_busy - begun.own_s), 0.0)
        held_up = sum(wait.transactions * wait.mean for wait in waits)
        self.queues.advance(now)
        response = self._during(begun, seconds, held_up, served)
        self.trace.event(
            now,
            self.name,
            IMPACT,
            job=job,
            **throughput(self.nominal * seconds, served, seconds, ROUNDING),
            waited=waiting,
            mean_wait=held_up / waiting if waiting else 0.0,
            longest_wait=max((wait.longest for wait in waits), default=0.0),
            slowdown=min(slowdown(others / seconds if seconds else 0.0), GREATEST_SLOWDOWN),
            response=response,
            slower=response / self.undisturbed if 0.0 < self.undisturbed < math.inf else 1.0,
        )

    def _waits(self, held: float) -> LockWaits:
        """The transactions that wait for a lock which is held for some seconds."""
        if self.demand.rate is None:
            return users_who_wait(held, self.demand.clients, self._locked_rate)
        return lock_waits(held, self.nominal * self.demand.writes)

    def _during(self, begun: Watch, seconds: float, held_up: float, served: float) -> float:
        """Mean seconds of a transaction during a job, at most as long as the job; `held_up` are waits for locks."""
        if not served:
            return seconds
        if self.demand.rate is None:  # Little's law
            found = self.demand.clients * seconds / served - self.demand.think_time
        else:
            done = self.queues.passed.transactions - begun.passed.transactions
            load = begun.load(self.asked.until(begun.begin + seconds), done)
            grown = growing_response(self.load.alone, load, seconds) if load > 1.0 else 0.0
            found = max(self.queues.passed.response(begun.passed, 0.0 if grown else seconds), grown) + held_up / served
        return min(max(found, 0.0), seconds) if seconds else 0.0
