"""Object stores: requests over connections, each with its latency, and limits that all requests share."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import simpy

from simbackup.devices.network.live import Network, connection_rate, travel_time, travelling
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Direction
from simbackup.engine.limit import limit_of
from simbackup.engine.link import Link
from simbackup.equations import transfers as equations
from simbackup.late import Late
from simbackup.parameters import parameters_of
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Clock
from simbackup.trace.trace import Trace

if TYPE_CHECKING:
    from simbackup.devices.object_store.spec import ObjectStoreSpec
    from simbackup.devices.site import Site


@dataclass(frozen=True, slots=True)
class Terms(Late):
    """What an object store takes for its requests, and what it limits.

    Fields are those of `ObjectStoreSheet`, in SI units.
    """

    write_latency: float
    read_latency: float
    connection_rate: float
    part: float
    write_requests: float
    read_requests: float
    write_rate: float | None = None
    read_rate: float | None = None
    object_requests: float = 0.0
    most_parts: float = math.inf
    retrieval_time: float = 0.0
    retrieval_requests: float = math.inf


class Objects(NamedTuple):
    """The objects that a job writes or reads, and how its program handles their parts."""

    size: float
    """Bytes of each object."""
    number: float
    """How many there are."""
    part: float | None = None
    """Bytes of a part, if the program chooses it; otherwise the object store does."""
    by_turns: bool = False
    """Whether the program does nothing else while its requests are in flight."""


class ObjectStore:
    """A bucket: connections with one request under way each, and limits that all of them share."""

    def __init__(self, name: str, terms: Terms) -> None:
        self.name = name
        self.terms = terms
        self.link = Link(name, 1.0)  # counts the bytes, and limits nothing
        self.requests: dict[Direction, Link] = {
            "write": Link(f"{name}.write_requests", terms.write_requests),
            "read": Link(f"{name}.read_requests", terms.read_requests),
        }
        rates: tuple[tuple[Direction, float | None], ...] = (("write", terms.write_rate), ("read", terms.read_rate))
        self.pipes = {way: Link(f"{name}.{way}_rate", rate, fastest=rate) for way, rate in rates if rate is not None}

    def carrying(
        self, shape: FlowShape, direction: Direction, objects: Objects, networks: Sequence[Network], connections: int,
        *, drawn: Callable[[str, float], float],
    ) -> FlowShape:  # fmt: skip
        """The shape of bytes that also go to objects, or come from them, over networks on some connections.

        The next requests are made while those before them are answered, one at a time on each connection. A program
        that alternates fills none while it waits for its connections. `drawn` takes the address of a latency and the
        number of requests that have it, and returns the mean factor that chance draws for them.
        """
        terms, write = self.terms, direction == "write"
        most = equations.parts(objects.size, objects.part or terms.part, terms.most_parts)
        requests = most + (terms.object_requests if write and most > 1.0 else 0.0)
        each = objects.size / requests  # bytes of a request on average
        at_once = equations.at_once(connections, objects.number, most)
        rate, sending = self._sending(networks, each)
        own = terms.write_latency if write else terms.read_latency
        own *= drawn(f"{self.name}.{direction}_latency", requests * objects.number)
        travel = travelling(networks, 1.0 / each)
        parts = {(self.name, Activity.WAIT_FOR_REQUESTS.value): own / each, **travel}
        parts |= {part: parts.get(part, 0.0) + seconds for part, seconds in sending.items()}
        alone = equations.requests_rate(each, own + sum(travel.values()) * each, rate, 1.0)
        workers = max(shape.workers, 1)  # who share connections
        before = {} if not objects.by_turns else shape.parts if shape.workers > 1 else _filling(shape)
        shape = shape.over(networks, connections=at_once)
        share = at_once / workers
        sent = {part: seconds / share for part, seconds in parts.items()}
        shape = shape.within(limit_of(sent, alone * share), 1.0 / workers if workers > 1 else share)
        if before:
            after = {part: before.get(part, 0.0) + seconds for part, seconds in sent.items()}
            shape = shape.cycle(before | after)._replace(afar=shape.afar | {self.name})
        demands = {self.link: 0.0, self.requests[direction]: 1.0 / each}
        demands |= {self.pipes[direction]: 1.0} if direction in self.pipes else {}
        return shape.plus(demands, dict.fromkeys(demands, 1.0))._replace(sent=1.0)

    def buffer_wait(self, direction: Direction, networks: Sequence[Network], size: float) -> float:
        """Seconds that a buffer of a request waits on a connection of its own, in addition to what its bytes load.

        That is the latency of the store, the round trip, and the time by which a connection is slower than the slowest
        network.
        """
        rate, _ = self._sending(networks, size)
        slowest = min((network.rate for network in networks), default=math.inf)
        own = self.terms.write_latency if direction == "write" else self.terms.read_latency
        return own + travel_time(networks) + size * max(1.0 / rate - 1.0 / slowest, 0.0)

    def buffered(self, direction: Direction, size: float) -> FlowShape:
        """How a byte of buffers of some size, each of which is a request, loads the limits of the store."""
        demands = {self.link: 0.0, self.requests[direction]: 1.0 / size}
        demands |= {self.pipes[direction]: 1.0} if direction in self.pipes else {}
        return FlowShape(demands, dict.fromkeys(demands, 1.0), sequential=0.0)

    def asked(self, direction: Direction, networks: Sequence[Network], size: float) -> FlowShape:
        """The shape of one request of `size` bytes, which may be 0, on a connection without other requests."""
        own = self.terms.write_latency if direction == "write" else self.terms.read_latency
        parts = {(self.name, Activity.WAIT_FOR_REQUESTS.value): own, **travelling(networks)}
        demands = {self.requests[direction]: 1.0}
        if size > 0.0:
            _, sending = self._sending(networks, size)
            parts |= {part: parts.get(part, 0.0) + seconds * size for part, seconds in sending.items()}
            demands |= {self.pipes[direction]: size} if direction in self.pipes else {}
            demands |= {link: size for network in networks for link in network.links}
        demands |= {self.link: 0.0}
        return FlowShape(demands, dict.fromkeys(demands, size), afar=frozenset({self.name})).cycle(parts)

    def retrieve(self, clock: Clock, job: str, objects: float) -> Generator[simpy.Event, Any, None]:
        """Request so many objects from an archive, one by one, and wait until all of them can be read."""
        asked = objects / self.terms.retrieval_requests
        lasts = self.terms.retrieval_time * clock.drawn(f"{self.name}.retrieval_time", job, 1.0)
        with clock.span(job, self.name, Activity.WAIT_FOR_RETRIEVAL):
            yield clock.env.timeout(asked + lasts)

    def _sending(self, networks: Sequence[Network], each: float) -> tuple[float, dict[tuple[str, str], float]]:
        """Bytes a second of one connection, and the seconds of a byte by their cause: store, wire, or round trips.

        A request of `each` bytes waits for a round trip in any case, in which the first window is in flight: for s
        bytes and a window of W, those after it take `(s - W) T / W` more.
        """
        slowest = min(networks, key=lambda network: network.rate, default=None)
        bound = connection_rate(networks)
        if slowest is None:  # its host owns it
            return self.terms.connection_rate, {(self.name, ""): 1.0 / self.terms.connection_rate}
        away = travel_time(networks)
        held = max(1.0 - bound * away / each, 0.0) / bound if math.isfinite(bound) else 0.0
        if held * min(self.terms.connection_rate, slowest.rate) > 1.0:
            return 1.0 / held, {part: seconds / away * held for part, seconds in travelling(networks).items()}
        if slowest.rate < self.terms.connection_rate:
            return slowest.rate, {(slowest.link.name, ""): 1.0 / slowest.rate}
        return self.terms.connection_rate, {(self.name, ""): 1.0 / self.terms.connection_rate}

    @property
    def links(self) -> list[Link]:
        """What serves jobs: the requests and the pipes in each direction."""
        return [self.link, *self.requests.values(), *self.pipes.values()]

    def record(self, trace: Trace) -> None:
        """Record the bytes and each limit in the trace."""
        for link in self.links:
            kind = "object store" if link is self.link else "object store limit"
            trace.device(
                link.name, kind, link.busy_s, units=link.units, bytes_moved=link.bytes_moved,
                peak_bytes_per_s=link.peak_bytes_per_s,
            )  # fmt: skip


def _filling(shape: FlowShape) -> dict[tuple[str, str], float]:
    """Seconds that reading a byte takes when nothing else runs, by address and activity."""
    workers = max(shape.workers, 1)
    own = {part: seconds / workers for part, seconds in shape.bound.parts.items()}
    busiest = max(shape.demands, key=lambda link: shape.demands[link] / (link.capacity or 1.0), default=None)
    least = shape.demands[busiest] / (busiest.capacity or 1.0) if busiest is not None else 0.0
    if busiest is None or sum(own.values()) >= least:
        return own
    return {(busiest.name, Activity.READ): least}


def make(site: Site, store: ObjectStoreSpec) -> ObjectStore:
    """The store."""
    return ObjectStore(site.address, parameters_of(Terms, store))
