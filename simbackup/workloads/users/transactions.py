"""What one transaction of users loads: host, disks, mirrors, and the snapshots that still need what it overwrites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from simbackup.devices.changes import Spread
from simbackup.devices.host.live import Host
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.snapshot.live import Snapshot
from simbackup.devices.store import Service
from simbackup.devices.volume.first_write import ChunkRun, copying, served
from simbackup.equations import snapshot as equations
from simbackup.trace.activity import Activity
from simbackup.workloads.users.load import Load


@dataclass(frozen=True, slots=True)
class Transaction:
    """What users ask with one transaction: disk reads and updates, bytes of a read, core seconds, where updates go."""

    reads: float
    read_size: float
    cpu: float
    updates: float
    spread: Spread
    synchronous: bool

    @property
    def mean_size(self) -> float:
        """Bytes of a request to the disks on average."""
        number = self.reads + self.updates
        size = self.reads * self.read_size + self.updates * self.spread.size
        return size / number if number > 0.0 else self.read_size


class Writers(NamedTuple):
    """Who asks: so many users who each wait for their last transaction, and think; or so many transactions a second.

    Without either, one user who does not think.
    """

    clients: float = 1.0
    think_time: float = 0.0
    rate: float | None = None


ONE = Writers()


@dataclass(frozen=True, slots=True)
class Demand:
    """What users ask: a transaction, the share that writes, and how often: so many a second, or so many users."""

    transaction: Transaction
    writes: float
    rate: float | None = None
    clients: float = 1.0
    think_time: float = 0.0

    @property
    def writers(self) -> Writers:
        """Who asks."""
        return Writers(self.clients, self.think_time, self.rate)

    @property
    def number(self) -> float:
        """Transactions a second of those who come at random, or users who wait for theirs."""
        return self.clients if self.rate is None else self.rate

    @property
    def waited(self) -> float:
        """Disk requests of a transaction that a user waits for."""
        return self.transaction.reads + (self.transaction.updates if self.transaction.synchronous else 0.0)


def load(
    asked: Transaction, place: VolumeRange, host: Host, fresh: Mapping[Snapshot, float], who: Writers = ONE
) -> Load:
    """What one transaction loads, `fresh` chunks of each snapshot being touched for the first time with each update.

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
    """Seconds to divide a request to a volume into the chunks of its snapshots, and to look each up."""
    return sum(one.parameters.map_time * max(size / one.parameters.chunk, 1.0) for one in snapshots)


class _Updates(NamedTuple):
    """Updates of chunks that a snapshot still needs, each of which touches some that lie side by side.

    Where an update falls (the place before and its own) and its bytes; such updates of a transaction; what the write of
    one takes without a snapshot; and whether the user waits for it.
    """

    snapshot: Snapshot
    places: tuple[float, float]
    size: float
    runs: float
    write: Service
    waits: bool

    def load(self, found: Load, outside: float, who: Writers) -> None:
        """Add the copies, the commits, and what the held write takes more: the arm is elsewhere, the queue is idle.

        A user does something else for `outside` seconds between two such updates.
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
        """Such updates that share a commit: of those who wait for them, or of all that wait to be written."""
        cow = self.snapshot.parameters
        if not self.waits:
            return equations.begun(cow.commit_backlog, self.size)
        seconds = self._copying(chunks)
        if who.rate is None:
            return equations.writers_together(who.clients, seconds, outside)
        most = equations.records_per_area(cow) / chunks
        return equations.arrivals_together(who.rate * self.runs, seconds, most)

    def _copying(self, chunks: float) -> float:
        """Seconds to read and to write the copies of one update."""
        store, area = self.snapshot.origin.region.store, self.snapshot.area.store
        here, there = self.places
        heads = {area.name: self.snapshot.position()} | {store.name: here}
        requests = copying(self.snapshot, store, there, ChunkRun(chunks * self.snapshot.parameters.chunk))
        copies = (r for r in requests if r.activity is not Activity.METADATA_COMMIT)
        return sum(r.times * served(r, heads).latency for r in copies)


def _mean(first: Service, others: Service, number: float) -> Service:
    """The mean of so many requests that follow each other, the first of which takes another time than the others."""
    share = 1.0 / max(number, 1.0)
    return Service(
        share * first.latency + (1.0 - share) * others.latency, share * first.busy + (1.0 - share) * others.busy
    )


def fresh_shares(snapshots: Iterable[Snapshot], users: str, spread: Spread, updates: float) -> dict[Snapshot, float]:
    """Chunks of each snapshot that an update touches for the first time, on average over so many updates."""
    return {
        snapshot: snapshot.changes.scatter(users, spread).fresh(updates) for snapshot in snapshots if snapshot.active
    }
