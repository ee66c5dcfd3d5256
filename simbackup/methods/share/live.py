"""Files that another host reads, or makes, as on a share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simbackup.data.live import DataSet
from simbackup.devices.host.live import Host
from simbackup.devices.network.live import Network, travelling
from simbackup.devices.shape import FlowShape
from simbackup.engine.link import Link
from simbackup.equations.files import behind_the_first, round_trips
from simbackup.late import Late
from simbackup.methods.making import FilesMade, filling
from simbackup.system import System
from simbackup.trace.activity import Activity


class Served(NamedTuple):
    """How fast a host serves others: the link that all share, and bytes a second for all and for one stream."""

    link: Link
    rate: float
    stream_rate: float

    def bound(self, shape: FlowShape) -> FlowShape:
        """The shape of bytes that the host gives away or takes."""
        if math.isfinite(self.rate):
            shape = shape.plus({self.link: 1.0 / self.rate})
        return shape.at_most(self.stream_rate, self.link.name) if math.isfinite(self.stream_rate) else shape


@dataclass(frozen=True, slots=True)
class Share(Late):
    """The host at the share and the one that keeps the files, the networks between them, and what a file costs there.

    Requests for each file that is read, looked at and made, besides those for data; bytes of a request for data;
    reference core seconds of the keeper for each request; flushes of each file that is made; bytes a second that the
    keeper serves at most, of all streams and of one.
    """

    host: str
    keeper: str
    networks: tuple[str, ...]
    calls: float
    request: float
    look_calls: float
    make_calls: float
    call_cpu: float = 0.0
    flushes: float = 0.0
    rate: float = math.inf
    stream_rate: float = math.inf

    def served(self, system: System) -> Served:
        """How fast the keeper serves."""
        return Served(system.serving(self.keeper), self.rate, self.stream_rate)


def requested(
    keeper: Host, networks: Sequence[Network], answering: float, trips: float, size: float
) -> dict[tuple[str, str], float]:
    """Seconds of so many requests to a keeper, with so many bytes in them: ways there and back, transfers, answers."""
    parts: dict[tuple[str, str], float] = dict(travelling(networks, trips))
    for network in networks:
        there = network.link.name, Activity.TRANSFER
        parts[there] = parts.get(there, 0.0) + size / network.rate
    parts[keeper.cpu.name, Activity.WAIT_FOR_REQUESTS] = answering * trips
    return parts


def asked(shape: FlowShape, system: System, share: Share, trips: float) -> FlowShape:
    """The shape when each byte also crosses the networks of a share, in so many requests that its keeper answers."""
    keeper, networks = system.hosts[share.keeper], [system.networks[name] for name in share.networks]
    answering = keeper.seconds(share.call_cpu) * trips
    shape = shape.following(travelling(networks, trips))
    for network in networks:
        shape = shape.after(1.0 / network.rate, network.link.name, Activity.TRANSFER)
    shape = keeper.working(shape, answering).after(answering, keeper.cpu.name, Activity.WAIT_FOR_REQUESTS)
    shape = share.served(system).bound(shape)
    return shape.over(networks)  # its window bounds all of this, and takes no time of its own


def _blocks(shape: FlowShape, system: System, share: Share, data: DataSet) -> FlowShape:
    """The shape of bytes of an image that a host writes on another one, in requests one after the other.

    A request of r bytes takes a round trip, its bytes on each line, the work of a core that answers, and the write,
    which is on disk or in the write cache of a controller before the answer: `T = R + r / B + c + w(r)`.
    """
    store, size = data.volume.region.store, min(share.request, data.size)
    written = store.append(data.volume.region.begin + data.begin, size).latency
    return asked(shape, system, share, 1.0 / size).after(written / size, store.name, Activity.WRITE)


def making(
    shape: FlowShape, system: System, maker: tuple[Host, Share | None], data: DataSet, made: FilesMade
) -> FlowShape:
    """The shape of bytes of which a host makes files, its own or on a share.

    Over a share each request waits for its way there and back and for the host that keeps the files, and bytes follow
    each other: of a file of s bytes t = (m + ceil(s / r)) (l + c) + s / R, and what it costs the file system of the
    keeper, for m requests beside those for data of r bytes, a round trip l, c of the keeper for each request, and a
    network of R (Callaghan, Pawlowski and Staubach, RFC 1813, 1995, for the calls; holds for one request under way
    for each worker). A host that reads ahead of programs also writes behind them: requests for data before the last
    are under way while the next bytes come.
    """
    host, share = maker
    if share is None:
        return filling(shape, host, data, made)
    if made.per_byte <= 0.0:
        return _blocks(shape, system, share, data)
    keeper = system.hosts[share.keeper]
    trips = round_trips(1.0 / made.per_byte, share.request, share.make_calls) * made.per_byte
    if made.file_cpu:
        shape = host.then(shape, host.seconds(made.file_cpu) * made.per_byte, Activity.INDEX)
    work, size = 1.0 / shape.cap, 1.0 / made.per_byte
    shape = asked(shape, system, share, trips)
    early = behind_the_first(size, share.request) if host.overlaps else 0.0
    if early > 0.0:
        networks, answering = [system.networks[name] for name in share.networks], keeper.seconds(share.call_cpu)
        each = requested(keeper, networks, answering, size / share.request, size)
        shape = shape.asking_early(
            {part: early * made.per_byte * seconds for part, seconds in each.items()}, early, work
        )
    return filling(shape, keeper, data, made._replace(file_cpu=0.0, flushes=made.flushes + share.flushes))
