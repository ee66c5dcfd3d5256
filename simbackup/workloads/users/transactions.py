"""What one transaction of users loads: host, disks, mirrors, snapshots; and how users share a device with streams."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from simbackup.devices.changes import Spread
from simbackup.devices.host.live import Host
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.snapshot.live import Snapshot
from simbackup.devices.store import Service, Store
from simbackup.devices.volume.live import ChunkRun, copying, served
from simbackup.equations import snapshot as equations
from simbackup.trace.activity import Activity
from simbackup.workloads.users.load import Load


@dataclass(frozen=True, slots=True)
class Transaction:
    """One transaction of users."""

    reads: float
    """Disk reads."""
    read_size: float
    """Bytes of a read."""
    cpu: float
    """Seconds of the reference core."""
    updates: float
    """Disk writes."""
    spread: Spread
    """Bytes of a write, and where writes go."""
    synchronous: bool
    """Whether a user waits for the writes."""

    @property
    def mean_size(self) -> float:
        """Mean bytes of its requests to the disks."""
        number = self.reads + self.updates
        size = self.reads * self.read_size + self.updates * self.spread.size
        return size / number if number > 0.0 else self.read_size


class Writers(NamedTuple):
    """How transactions begin; by default, one user begins the next when the last is done."""

    clients: float = 1.0
    """Users who each wait for the last transaction."""
    think_time: float = 0.0
    """Seconds between two transactions of a user."""
    rate: float | None = None
    """Transactions a second; None if users wait."""


ONE = Writers()


@dataclass(frozen=True, slots=True)
class Demand:
    """The transactions of users, and how they begin."""

    transaction: Transaction
    """One transaction."""
    writes: float
    """Share (0 to 1) that writes, and so waits for a read lock."""
    rate: float | None = None
    """Transactions a second; None if users wait for the last one."""
    clients: float = 1.0
    """Users who each wait for the last transaction."""
    think_time: float = 0.0
    """Seconds between two transactions of a user."""

    @property
    def writers(self) -> Writers:
        """How transactions begin."""
        return Writers(self.clients, self.think_time, self.rate)

    @property
    def number(self) -> float:
        """Transactions a second, or the number of users who wait."""
        return self.clients if self.rate is None else self.rate

    @property
    def waited(self) -> float:
        """Disk requests of a transaction that a user waits for."""
        return self.transaction.reads + (self.transaction.updates if self.transaction.synchronous else 0.0)


def load(
    asked: Transaction, place: VolumeRange, host: Host, fresh: Mapping[Snapshot, float], who: Writers = ONE
) -> Load:
    """What one transaction loads, given the chunks of each snapshot that an update touches first (`fresh`).

    Two places drawn at random are a third of the data apart on average.
    """
    found, volume = Load(), place.volume
    begin, store = volume.region.begin + place.begin, volume.region.store

    def there(size: float) -> float:
        return begin + max(min(place.size / 3.0, place.size - size), 0.0)

    read = min(asked.read_size, place.size)
    asked_read = store.scattered("read", begin, place.size, read)
    found.take(store, asked_read, asked.reads, read, waits=True, direction="read")
    found.compute(host, asked.cpu)
    found.delay += asked.reads * _mapping(volume.snapshots, read)
    if asked.updates > 0.0:
        size, waits = min(asked.spread.size, place.size), asked.synchronous
        write = store.scattered("write", begin, place.size, size)
        found.take(store, write, asked.updates, size, waits=waits)
        found.delay += asked.updates * _mapping(volume.snapshots, size) if waits else 0.0
        for mirror in volume.mirrors:
            if mirror.follows:  # written at the same time as the volume, on disks of its own
                twin = mirror.region
                at = twin.begin + place.begin
                there_too = twin.store.scattered("write", at, place.size, size)
                found.take(twin.store, there_too, asked.updates, size, waits=False)
        before = found.alone
        for snapshot, share in fresh.items():
            hits = max(size / snapshot.parameters.chunk, 1.0)
            runs = asked.updates * share / hits
            if runs > 0.0:
                run = _Updates(snapshot, (begin, there(size)), size, runs, write, waits=waits)
                run.load(found, before / runs, who)
    return found


def _mapping(snapshots: Iterable[Snapshot], size: float) -> float:
    """Seconds to divide a request to a volume into the chunks of its snapshots, and to look up each chunk."""
    return sum(one.parameters.map_time * max(size / one.parameters.chunk, 1.0) for one in snapshots)


class _Updates(NamedTuple):
    """Updates of chunks that a snapshot still needs; one may touch several adjacent chunks."""

    snapshot: Snapshot
    places: tuple[float, float]
    """Bytes of the device: the place of the request before, and that of the update."""
    size: float
    """Bytes of an update."""
    runs: float
    """Such updates of a transaction."""
    write: Service
    """The time of an update without a snapshot."""
    waits: bool
    """Whether the user waits for it."""

    def load(self, found: Load, outside: float, who: Writers) -> None:
        """Add the copies, the commits, and the further time of the update, as the arm is elsewhere and the queue idle.

        A user spends `outside` seconds on other things between two such updates.
        """
        cow, store = self.snapshot.parameters, self.snapshot.origin.region.store
        chunks = max(self.size / cow.chunk, 1.0)
        run = ChunkRun(chunks * cow.chunk, self._together(chunks, outside, who))
        here, there = self.places
        heads = {self.snapshot.area.store.name: self.snapshot.position()} | {store.name: here}
        for request in copying(self.snapshot, store, there, run):
            service = served(request, heads)
            if self.waits and request.activity is Activity.COPY_WRITE:  # one after the other, when all are read
                next_to = served(request, {request.store.name: request.position})
                service = _mean(service, next_to, request.times * run.together)
            found.take(
                request.store, service, self.runs * request.times, request.size, waits=self.waits,
                direction=request.direction,
            )  # fmt: skip
            found.delay += self.runs * request.times * request.delay if self.waits else 0.0
        found.delay += self.runs * equations.unplug_time(cow, run.together) if self.waits else 0.0
        if store.gathers >= self.size:  # the held write goes to the disks later, as without a snapshot
            return
        alone = who.rate is None and who.clients <= 1.0 and self.waits
        held = store.request("write", here, there, self.size)
        if alone or self.snapshot.area.store.link is store.link:  # those that are held together follow the first
            number = run.together if self.waits else 1.0
            held = _mean(store.request("write", heads[store.name], there, self.size), held, number)
        more = Service(held.latency - self.write.latency, held.busy - self.write.busy)
        found.take(store, more, self.runs, 0.0, waits=self.waits)

    def _together(self, chunks: float, outside: float, who: Writers) -> float:
        """Mean number of such updates that share a commit."""
        cow = self.snapshot.parameters
        if not self.waits:
            return equations.begun(cow.commit_backlog, self.size)
        seconds = self._copying(chunks)
        if who.rate is None:
            return equations.writers_together(who.clients, seconds, outside)
        most = equations.records_per_area(cow) / chunks
        return equations.arrivals_together(who.rate * self.runs, seconds, most)

    def _copying(self, chunks: float) -> float:
        """Seconds to read and to write the copies for one update."""
        store, area = self.snapshot.origin.region.store, self.snapshot.area.store
        here, there = self.places
        heads = {area.name: self.snapshot.position()} | {store.name: here}
        requests = copying(self.snapshot, store, there, ChunkRun(chunks * self.snapshot.parameters.chunk))
        copies = (r for r in requests if r.activity is not Activity.METADATA_COMMIT)
        return sum(r.times * served(r, heads).latency for r in copies)


def _mean(first: Service, others: Service, number: float) -> Service:
    """The mean of `number` requests in series, of which the first takes another time than the others."""
    share = 1.0 / max(number, 1.0)
    return Service(
        share * first.latency + (1.0 - share) * others.latency, share * first.busy + (1.0 - share) * others.busy
    )


def fresh_shares(snapshots: Iterable[Snapshot], users: str, spread: Spread, updates: float) -> dict[Snapshot, float]:
    """Mean number of chunks of each snapshot that an update touches first, over a number of updates."""
    return {
        snapshot: snapshot.changes.scatter(users, spread).fresh(updates) for snapshot in snapshots if snapshot.active
    }


FIRST = 100.0
"""Weight of transactions at a given rate; a stream has 1, so that a job still ends if they overload the device."""


def weight(place: VolumeRange, demand: Demand, load: Load, window: float) -> float:
    """Weight of users among flows, in transactions a second for each byte a second of a stream.

    Transactions that come by themselves, so many a second, come before all streams: however long each waits, the next
    still come, while a stream has so many requests under way and makes no more before these are done. What they leave
    is for the streams, as in a mixed queueing network (Baskett, Chandy, Muntz and Palacios 1975; see
    equations/waiting.py).

    Users who each wait for their last request have as many under way as there are users, or fewer. In order of
    arrival, a disk serves one request of each of them for one run of a stream, of which a `window` is asked for at
    once; so does each disk of an array. Where no arm moves, a run has no size: there all users together have the time
    of one stream. Several groups have the weight of one, in proportion to what they ask for.
    """
    region, waits = place.volume.region, demand.rate is None
    store, asked = region.store, asked_at_once(demand, load, region.store)
    before = 1.0 if waits else FIRST
    if not asked:
        return before
    run = store.run("read", window) * store.width
    if waits and demand.waited > 0.0 and load.held.get(store.link, 0.0) > 0.0 and math.isfinite(run):
        return demand.clients / demand.waited / run
    groups = max(sum([group.asked() for group in store.visitors.values() if group.waits == waits]), asked)
    begin = region.begin + place.begin
    stream = store.stream("read", begin, place.size) / store.sides(begin, place.size)
    return before * stream * demand.number / groups


def asked_at_once(demand: Demand, load: Load, store: Store) -> float:
    """Seconds of a device for one transaction of each user, or for all transactions of a second."""
    return demand.number * load.shape.demands.get(store.link, 0.0)
