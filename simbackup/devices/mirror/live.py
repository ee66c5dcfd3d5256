"""Mirrors of volumes that are split off as frozen images, and synchronised again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from simbackup.devices.changes import Changes
from simbackup.devices.image import FrozenImage, Times, lost
from simbackup.devices.network.live import travel_time, travelling
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction, Region, Service, Store, bus
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Spot
from simbackup.engine.link import Link
from simbackup.equations.disk_turns import interrupted_share
from simbackup.late import Late
from simbackup.parameters import parameters_of
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.devices.mirror.spec import MirrorSpec
    from simbackup.devices.site import Site
    from simbackup.devices.volume.live import Volume

State = Literal["new", "synchronising", "attached", "split"]
ROUNDS = 100
EXACT = 1e-9
"""Greatest number of iterations in which a share is approached from below, and the step at which they end."""
SMALL = 8192.0
"""Bytes that are assumed for a request of others; compared with the seek, its transfer hardly counts."""


@dataclass(frozen=True, slots=True)
class MirrorParameters(Late):
    """How a mirror is synchronised.

    Fields are those of `MirrorSheet`, in SI units.
    """

    region: float
    request: float
    in_flight: float
    fast_resync: bool
    connections: float = 1.0
    sync_rate: float = math.inf


class Mirror(FrozenImage):
    """A mirror of a volume on disks of its own.

    Attached, it takes every write that its volume takes. Split, it keeps what it had, and a map remembers the regions
    of the volume that change. Synchronising, it takes new writes while the old data are copied.
    """

    def __init__(
        self,
        name: str,
        origin: Volume,
        region: Region,
        *,
        parameters: MirrorParameters,
        times: Times,
        state: State = "attached",
    ) -> None:
        super().__init__(name, origin, times)
        self.region = region
        self.parameters = parameters
        self.lookup_size = parameters.region
        self.state: State = state
        self.changes = Changes(parameters.region, origin.region.size)
        origin.mirrors.append(self)

    @property
    def follows(self) -> bool:
        """Whether what is written to the volume is written to the mirror, too."""
        return self.state in {"attached", "synchronising"}

    @property
    def hindrance(self) -> str | None:
        """Why it cannot be split off now; None if it can."""
        if self.active:
            return "exists already: the mirror is split"
        return None if self.state == "attached" else "cannot be split off: the mirror is not in sync with its volume"

    @property
    def loss(self) -> str | None:
        """Why there is no frozen image; None if there is one."""
        return None if self.active else "does not exist: the mirror is not split"

    def source(self, begin: float, size: float) -> Region:
        """Where a part of the frozen image is read: on the disks of the mirror."""
        return self.region.part(begin, size)

    def create(self) -> None:
        """Split the mirror off: it keeps its data."""
        self.state, self.active, self.changes = "split", True, Changes(self.parameters.region, self.origin.region.size)
        self.origin.announce()

    def remove(self) -> None:
        """Remove the frozen image; the mirror stays split until it is synchronised."""
        self.active = False
        self.readers.fail(lost(self))

    def wrote(self, begin: float, size: float) -> None:
        """Note that a run of the volume was written."""
        if self.state == "split":
            self.changes.add(begin, size)

    @property
    def behind(self) -> tuple[float, float]:
        """Bytes to copy to synchronise it: in sequence, and in scattered regions."""
        if self.state == "attached":
            return 0.0, 0.0
        if self.state == "new" or not self.parameters.fast_resync:
            return self.origin.region.size, 0.0
        return self.changes.runs.total, self.changes.total - self.changes.runs.total

    def synchronise(self) -> None:
        """Take new writes from now on, while old data are copied."""
        self.state, self.active = "synchronising", False
        self.readers.fail(lost(self))
        self.origin.announce()

    def attach(self) -> None:
        """Mark it as in sync with the volume."""
        self.state, self.changes = "attached", Changes(self.parameters.region, self.origin.region.size)
        self.origin.announce()

    def _positioned(self, size: float, request: float, *, scattered: bool) -> tuple[float, float]:
        """The share (0 to 1) of requests that begin with a seek, and its distance in bytes, without others."""
        if not scattered:
            return 0.0, 0.0
        run = max(self.parameters.region, request)
        whole = self.origin.region.size
        return request / run, min(whole / max(size / run, 1.0), whole - request)

    def _sides(self, size: float, request: float, *, scattered: bool, flow: Flow | None) -> tuple[Service, Service]:
        """The mean times of a read and a write, over those after which users have moved the arms and all others.

        Random requests of users come between two requests of the synchronisation the more often, the slower these
        follow each other; and these are the slower, the more often the arms have to return.
        """
        source, target = self.origin.region, self.region
        positioned = self._positioned(size, request, scattered=scattered)
        alone = _mixed(source, "read", request, *positioned), _mixed(target, "write", request, *positioned)
        beside = [_requests_beside(source, "read", flow), _requests_beside(target, "write", flow)]
        if not any(beside):
            return alone
        room = (source.size - request) / 3.0
        disturbed = _mixed(source, "read", request, 1.0, room), _returned(target, request, room, scattered=scattered)

        def blended(shares: Sequence[float]) -> tuple[Service, Service]:
            read, write = (_blend(*each) for each in zip(shares, disturbed, alone, strict=True))
            return read, write

        shares = [0.0, 0.0]
        for _ in range(ROUNDS):
            read, write = blended(shares)
            turn = (read.latency + write.latency) / self.parameters.in_flight
            apart = max(turn, read.busy, write.busy, request / self._most)
            found = [interrupted_share(others, apart) for others in beside]
            if max(after - before for before, after in zip(shares, found, strict=True)) <= EXACT:
                break
            shares = found
        return blended(shares)

    @property
    def _most(self) -> float:
        """Greatest rate, bytes a second, that the networks between both sides and the parameters allow."""
        between = (*bus(self.origin.region.store, "read"), *self.region.store.path)
        return min([self.parameters.sync_rate, *(network.rate * network.wires for network in between)])

    @property
    def sides(self) -> tuple[Link, Link]:
        """The devices of the volume and of the mirror."""
        return self.origin.region.store.link, self.region.store.link

    def copying(self, size: float, *, scattered: bool, flow: Flow | None = None) -> FlowShape:
        """What each byte of a synchronisation loads on both sides: several requests at once, a read and a write each.

        `flow` is the synchronisation itself, if it is running; other flows are its competitors.

        Scattered regions are visited in order: the arms pass over what is between two of them. If users work meanwhile,
        they have moved the arms before some of the requests.
        """
        source, target = self.origin.region, self.region
        request = min(self.parameters.request, source.size)
        if scattered and self.parameters.region < request:  # neighbouring regions are copied with one request
            request = min(request, max(self.parameters.region, self.changes.piece))
        read, write = self._sides(size, request, scattered=scattered, flow=flow)
        away = travel_time((*bus(source.store, "read"), *target.store.path))
        each = 1.0 / (self.parameters.in_flight * request)
        parts = {
            (source.store.name, Activity.COPY_READ): each * read.latency,
            (target.store.name, Activity.COPY_WRITE): each * write.latency,
            **travelling((*bus(source.store, "read"), *target.store.path), each),
        }
        shape = FlowShape(sequential=not scattered)
        for path in (bus(source.store, "read"), target.store.path):
            shape = shape.through(path, connections=int(self.parameters.connections))
        for region, service in ((source, read), (target, write)):
            place = Spot(region.begin + region.size / 2.0, request, writes=region is target)
            shape = shape.plus(
                {region.store.link: service.busy / request}, {region.store.link: 1.0}, {region.store.link: place}
            )
        latency = read.latency + write.latency + away
        shape = shape.cycle(parts, self.parameters.in_flight * request / latency)
        return shape.at_most(self.parameters.sync_rate, f"{self.name}.sync_rate", Activity.SYNCHRONISE)


def _requests_beside(region: Region, direction: Direction, own: Flow | None) -> float:
    """Requests a second of users and applications at other places of a region's device."""
    store = region.store
    others = [flow for flow in store.link.flows if flow is not own and not flow.sequential]
    used = sum([flow.rate * flow.demands.get(store.link, 0.0) for flow in others])
    one = store.scattered(direction, region.begin, region.size, min(SMALL, region.size)).busy
    return used / one if one > 0.0 else 0.0


def _returned(region: Region, size: float, distance: float, *, scattered: bool) -> Service:
    """The time of a write after the arms were elsewhere; a cache that gathers stripes shares the seek."""
    store, begin = region.store, region.begin
    if scattered or store.gathers < size:
        return store.request("write", begin, begin + distance, size)
    after = store.append(begin, size)
    return Service(after.latency, after.busy + store.switchover(begin, begin + distance, size, writing=1).busy)


def _mixed(region: Region, direction: Direction, size: float, positioned: float, distance: float) -> Service:
    """Mean time of a request when a share of them is some distance from the one before."""
    store, begin = region.store, region.begin
    after = store.continued(begin, size) if direction == "read" else _written(store, begin, size)
    return _blend(positioned, store.request(direction, begin, begin + distance, size), after)


def _blend(share: float, one: Service, other: Service) -> Service:
    """The mean of two services, the first of which is that of a share of the requests."""
    return Service(*(share * a + (1.0 - share) * b for a, b in zip(one, other, strict=True)))


def _written(store: Store, begin: float, size: float) -> Service:
    """A write after another: it comes upon its disk at any turn, unless a cache gathers whole stripes."""
    return store.append(begin, size) if store.gathers >= size else store.request("write", begin, begin, size)


def make(site: Site, mirror: MirrorSpec) -> Mirror:
    """The mirror, in its region."""
    return Mirror(
        site.address, site.volume(mirror.of), site.room, parameters=parameters_of(MirrorParameters, mirror),
        times=Times(mirror.create_time.si, mirror.remove_time.si), state=mirror.state,
    )  # fmt: skip
