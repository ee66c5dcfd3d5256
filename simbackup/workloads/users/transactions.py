"""What one transaction of users loads: host, disks, mirrors, and the snapshots that still need what it overwrites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from simbackup.devices.changes import Spread
from simbackup.devices.host.live import Host
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.devices.network.live import Network
from simbackup.devices.shape import FlowShape
from simbackup.devices.snapshot.live import Snapshot
from simbackup.devices.store import Direction, Service, Store, bus
from simbackup.engine.flows import Link
from simbackup.equations import snapshot as equations
from simbackup.equations.queueing import Centre


@dataclass(frozen=True, slots=True)
class Transaction:
    """What users ask with one transaction: disk reads and updates, bytes of a read, core seconds, where updates go.

    It also moves the bytes of a request over each of some networks.
    """

    reads: float
    read_size: float
    cpu: float
    updates: float
    spread: Spread
    synchronous: bool
    networks: tuple[Network, ...] = ()
    request: float = 0.0


@dataclass(slots=True)
class Load:
    """What one transaction asks of the links it crosses, and how long it waits at each while it is alone."""

    shape: FlowShape = field(default_factory=FlowShape)
    waited: dict[Link, float] = field(default_factory=dict[Link, float])
    held: dict[Link, float] = field(default_factory=dict[Link, float])

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
        """Add so many requests to a device, for which the user waits or not."""
        if times > 0.0:
            self.shape = self.shape.plus({store.link: times * service.busy}, {store.link: times * size})
            self.shape = self.shape.over(bus(store, direction), times * size)
            if waits:
                self._wait(store.link, times * service.latency, times * service.busy)

    def compute(self, host: Host, seconds: float) -> None:
        """Add so many seconds of the reference core."""
        if seconds > 0.0:
            self.shape = host.working(self.shape, host.seconds(seconds))
            self._wait(host.cpu, host.seconds(seconds), host.seconds(seconds))

    def send(self, network: Network, size: float) -> None:
        """Add so many bytes over a network, on one wire of it."""
        self.shape = self.shape.plus({network.link: size}, {network.link: size})
        self._wait(network.link, network.latency + size / network.rate, size)

    def _wait(self, link: Link, latency: float, busy: float) -> None:
        self.waited[link] = self.waited.get(link, 0.0) + latency
        self.held[link] = self.held.get(link, 0.0) + busy

    def centres(self, others: Mapping[Link, float]) -> list[Centre]:
        """The queues that a user passes, when others use a share of each link."""
        found: list[Centre] = []
        for link, demand in self.shape.demands.items():
            held = self.held.get(link, 0.0) / link.capacity
            behind = demand / link.capacity - held
            found.append(Centre(self.waited.get(link, 0.0), held, behind, others.get(link, 0.0)))
        return found

    @property
    def links(self) -> Sequence[Link]:
        """The links of `centres`, in their order."""
        return tuple(self.shape.demands)


def load(asked: Transaction, place: VolumeRange, host: Host, fresh: Mapping[Snapshot, float]) -> Load:
    """What one transaction loads, `fresh` chunks of each snapshot being touched for the first time with each update.

    Two places drawn at random are a third of the data apart in the mean.
    """
    found, region = Load(), place.volume.region
    begin = region.begin + place.begin
    store = region.store

    def there(size: float) -> float:
        return begin + max(min(place.size / 3.0, place.size - size), 0.0)

    read = min(asked.read_size, place.size)
    found.take(store, store.request("read", begin, there(read), read), asked.reads, read, waits=True, direction="read")
    found.compute(host, asked.cpu)
    for network in asked.networks:
        found.send(network, asked.request)
    if asked.updates > 0.0:
        size, waits = min(asked.spread.size, place.size), asked.synchronous
        write = store.request("write", begin, there(size), size)
        found.take(store, write, asked.updates, size, waits=waits)
        for mirror in place.volume.mirrors:
            if mirror.follows:  # written at the same time as the volume, on disks of its own
                twin = mirror.region
                at = twin.begin + place.begin
                far = at + (there(size) - begin)
                found.take(twin.store, twin.store.request("write", at, far, size), asked.updates, size, waits=False)
        for snapshot, share in fresh.items():
            _copy(found, snapshot, (begin, there(size)), asked.updates * share, size, waits=waits)
    return found


def _copy(
    found: Load, snapshot: Snapshot, places: tuple[float, float], copies: float, size: float, *, waits: bool
) -> None:
    """The copies that updates of fresh chunks need first: read the old, write it to the copy area, commit that."""
    cow, area, origin = snapshot.parameters, snapshot.area.store, snapshot.origin.region.store
    chunk = cow.chunk
    here, there = places
    there = min(there, origin.size - chunk)
    found.take(origin, origin.request("read", here, there, chunk), copies, chunk, waits=waits, direction="read")
    at = min(snapshot.position(), area.size - chunk)
    head = there if area is origin else at
    found.take(area, area.request("write", head, at, chunk), copies, chunk, waits=waits)
    metadata = max(at - equations.commit_distance(cow), snapshot.area.begin)
    commits = copies * equations.commits_per_copy(cow, size)
    found.take(area, area.request("write", at, metadata, chunk), commits, chunk, waits=waits)


def fresh_shares(snapshots: Iterable[Snapshot], users: str, spread: Spread, updates: float) -> dict[Snapshot, float]:
    """Chunks of each snapshot that an update touches for the first time, in the mean over so many updates."""
    return {
        snapshot: snapshot.changes.scatter(users, spread).fresh(updates) for snapshot in snapshots if snapshot.active
    }
