"""Files that another host reads, or makes, as on a share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from simbackup.data.live import DataSet
from simbackup.devices.host.live import Host
from simbackup.devices.network.live import Network, travelling
from simbackup.devices.shape import FlowShape
from simbackup.engine.link import Link
from simbackup.equations.files import behind_the_first, round_trips
from simbackup.late import Late
from simbackup.methods.making import FilesMade, filling, makes
from simbackup.parameters import parameters_of
from simbackup.system import System
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.methods.share.spec import ShareSpec
    from simbackup.scenario.spec import Spec


class Served(NamedTuple):
    """How fast a host serves files to others."""

    link: Link
    """The resource that all streams share."""
    rate: float
    """Bytes a second of all streams together."""
    stream_rate: float
    """Bytes a second of one stream."""

    def bound(self, shape: FlowShape) -> FlowShape:
        """The shape of bytes that the host sends or receives, with these limits."""
        if math.isfinite(self.rate):
            shape = shape.plus({self.link: 1.0 / self.rate})
        return shape.at_most(self.stream_rate, self.link.name) if math.isfinite(self.stream_rate) else shape


@dataclass(frozen=True, slots=True)
class Share(Late):
    """A file share: a host reads or writes files that another host keeps.

    Requests for each file are those in addition to the requests for its data. Fields are those of `ShareSheet`, in SI
    units.
    """

    host: str
    """The host that uses the share."""
    keeper: str
    """The host that keeps the files."""
    networks: tuple[str, ...]
    """The links between the two."""
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
        return Served(system.shares[f"hosts.{self.keeper}.serving"], self.rate, self.stream_rate)


def requested(
    keeper: Host, networks: Sequence[Network], answering: float, trips: float, size: float
) -> dict[tuple[str, str], float]:
    """Seconds, by part, of `trips` requests to a keeper with `size` bytes of data in them."""
    parts: dict[tuple[str, str], float] = dict(travelling(networks, trips))
    for network in networks:
        there = network.link.name, Activity.TRANSFER
        parts[there] = parts.get(there, 0.0) + size / network.rate
    parts[keeper.cpu.name, Activity.WAIT_FOR_REQUESTS] = answering * trips
    return parts


def called(shape: FlowShape, system: System, share: Share, trips: float) -> FlowShape:
    """The shape when each unit also takes so many requests without data, which the keeper of a share answers."""
    networks = [system.networks[name] for name in share.networks]
    return _answered(shape.following(travelling(networks, trips)), system, share, trips)


def _answered(shape: FlowShape, system: System, share: Share, trips: float) -> FlowShape:
    """The shape when each unit also waits for so many answers of a keeper."""
    keeper = system.hosts[share.keeper]
    answering = keeper.seconds(share.call_cpu) * trips
    return keeper.working(shape, answering).after(answering, keeper.cpu.name, Activity.WAIT_FOR_REQUESTS)


def asked(shape: FlowShape, system: System, share: Share, trips: float) -> FlowShape:
    """The shape when each byte also crosses the networks of a share, in `trips` requests that its keeper answers."""
    networks = [system.networks[name] for name in share.networks]
    shape = shape.following(travelling(networks, trips))
    for network in networks:
        shape = shape.after(1.0 / network.rate, network.link.name, Activity.TRANSFER)
    shape = share.served(system).bound(_answered(shape, system, share, trips))
    return shape.over(networks)  # its window bounds all of this, and takes no time of its own


def _blocks(shape: FlowShape, system: System, share: Share, data: DataSet) -> FlowShape:
    """The shape of bytes of an image that a host writes to a device of another host, one request after the other.

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
    if made.file_cpu:
        shape = host.then(shape, host.seconds(made.file_cpu) * made.per_byte, Activity.INDEX)
    shape = sending(shape, system, (host, share), 1.0 / made.per_byte, share.make_calls)
    keeper = system.hosts[share.keeper]
    return filling(shape, keeper, data, made._replace(file_cpu=0.0, flushes=made.flushes + share.flushes))


def sending(shape: FlowShape, system: System, maker: tuple[Host, Share], size: float, calls: float = 0.0) -> FlowShape:
    """The shape of bytes that a host sends to a share, in files of so many bytes, each with so many further calls."""
    host, share = maker
    work, each = 1.0 / shape.cap, 1.0 / size
    shape = asked(shape, system, share, round_trips(size, share.request, calls) * each)
    early = behind_the_first(size, share.request) if host.overlaps else 0.0
    if early <= 0.0:
        return shape
    keeper, networks = system.hosts[share.keeper], [system.networks[name] for name in share.networks]
    later = requested(keeper, networks, keeper.seconds(share.call_cpu), size / share.request, size)
    return shape.asking_early({part: early * each * seconds for part, seconds in later.items()}, early, work)


def created(system: System, share: Share, data: DataSet, files: float) -> FlowShape:
    """The shape of so many files that a host creates on a share, without their bytes."""
    shape = called(FlowShape(), system, share, share.make_calls * files)
    return filling(shape, system.hosts[share.keeper], data, FilesMade(files, flushes=share.flushes))


def written(system: System, maker: tuple[Host, Share], data: DataSet) -> FlowShape:
    """The shape of bytes that a host writes to files, or blocks, on a share that has created them."""
    host, share = maker
    copied = host.then(FlowShape(), 1.0 / host.copy_rate)
    if not makes(data):
        return _blocks(copied, system, share, data)
    return sending(copied, system, maker, data.size / data.files)


def share_of(said: ShareSpec | None, spec: Spec, keeper: str, *, makes: bool = False) -> Share | None:
    """The share on a host whose files another one reads, or `makes`; None if the file says nothing of one."""
    if said is None:
        return None
    way = spec.route(said.host, keeper) if makes else spec.route(keeper, said.host)
    return parameters_of(
        Share, said, keeper=keeper, networks=way or (), look_calls=lambda: (said.look_calls or said.calls).si,
        make_calls=lambda: (said.make_calls or said.calls).si,
    )  # fmt: skip
