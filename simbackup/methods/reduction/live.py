"""How deduplication and compression load cores and stores: the shape of a byte that passes through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simbackup.catalogue import Reduction
from simbackup.devices.host.live import Host
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import Volume
from simbackup.engine.link import Link
from simbackup.system import System
from simbackup.trace.activity import Activity

Pace = tuple[Link, float | None, float | None]
"""The link that all streams share, and the greatest rates of all of them and of one, bytes a second."""


def ingested(shape: FlowShape, system: System, job: str, device: str, reduction: Reduction) -> FlowShape:
    """The shape of a byte that is saved when a store takes it, too.

    All streams share what the store takes at most, and the disks on which its index is read for some chunks. A store of
    objects has no such disks.
    """
    pace = (system.shares[f"devices.{device}.ingest"], reduction.ingest, reduction.stream_ingest)
    shape = _paced(shape, pace, (f"{job}.ingest", Activity.FIND_CHUNKS))
    if device in system.of(Volume) and reduction.index_reads > 0.0:
        region = system.of(Volume)[device].region
        one = region.store.scattered("read", region.begin, region.size, 1.0)
        shape = shape.plus({region.store.link: reduction.index_reads * one.busy})
    return shape


def given_back(shape: FlowShape, system: System, device: str, reduction: Reduction) -> FlowShape:
    """The shape of a byte that comes back when a store on disk gives it, which all streams share."""
    link = system.shares[f"devices.{device}.restore_rate"]
    return _paced(
        shape, (link, reduction.restore_rate, reduction.stream_restore_rate), (link.name, Activity.JOIN_CHUNKS)
    )


def _paced(shape: FlowShape, pace: Pace, own: tuple[str, str]) -> FlowShape:
    """The shape of a byte that a store handles, at a stream's own pace, which others do not slow."""
    link, of_all, of_one = pace
    if of_all is None and of_one is None:
        return shape
    if of_all is not None:
        shape = shape.plus({link: 1.0 / of_all})
    rate = min(each for each in (of_all, of_one) if each is not None)
    return shape.at_most(rate / max(shape.workers, 1), *own, alone=rate)


Coding = tuple[float, str, float]
"""Seconds of a core of the host for each byte, the activity, and the number of threads."""


def compressed(shape: FlowShape, client: Host, server: Host | None, reduction: Reduction) -> FlowShape:
    """The shape of a byte that is read, with its deduplication and compression on the way to a medium."""
    return _coded(shape, (client, server), reduction, (_cut, _compress), _expand)


def expanded(shape: FlowShape, client: Host | None, server: Host | None, reduction: Reduction) -> FlowShape:
    """The shape of a byte that comes back, with its expansion; None for an end that works beside the shape."""
    return _coded(shape, (client, server), reduction, (_expand, _join), _compress)


def coding(host: Host, reduction: Reduction, codec: str) -> float:
    """Seconds of a core of a host to `compress` or `expand` a byte."""
    return _scaled(host, reduction.compress_cpu if codec == "compress" else reduction.expand_cpu, reduction)


def _cut(host: Host, reduction: Reduction) -> Coding:
    return host.seconds(reduction.cut_cpu), Activity.FIND_CHUNKS, reduction.cutters


def _join(host: Host, reduction: Reduction) -> Coding:
    return host.seconds(reduction.join_cpu), Activity.JOIN_CHUNKS, reduction.cutters


def _compress(host: Host, reduction: Reduction) -> Coding:
    return _scaled(host, reduction.compress_cpu, reduction), Activity.COMPRESS, reduction.threads


def _expand(host: Host, reduction: Reduction) -> Coding:
    return _scaled(host, reduction.expand_cpu, reduction), Activity.EXPAND, reduction.expanders


def _scaled(host: Host, reference: float, reduction: Reduction) -> float:
    """Seconds of a core whose speed is that of the measured one, or another: t = t_m (s_m / s)^p."""
    return host.seconds(reference) * (host.speed / reduction.measured_at) ** (1.0 - reduction.scaling)


def _coded(
    shape: FlowShape,
    hosts: tuple[Host | None, Host | None],
    reduction: Reduction,
    there: Sequence[Callable[[Host, Reduction], Coding]],
    undone: Callable[[Host, Reduction], Coding],
) -> FlowShape:
    """The shape with the coding of its direction at client or server; on a wire, the server undoes it."""
    client, server = hosts
    if client is not None and reduction.at in {"client", "wire"}:
        for coding in there:
            shape = _inline(shape, client, coding(client, reduction), overlapped=reduction.overlapped)
    if server is not None and reduction.at in {"wire", "server"}:
        for coding in (undone,) if reduction.at == "wire" else there:
            shape = _behind(shape, server, coding(server, reduction), overlapped=reduction.overlapped)
    return shape


def _inline(shape: FlowShape, host: Host, coding: Coding, *, overlapped: bool) -> FlowShape:
    """The shape when whoever reads or writes also codes, in series; threads of their own code in parallel."""
    seconds, activity, threads = coding
    if seconds <= 0.0:
        return shape
    if overlapped or threads > 1:
        return host.on_threads(shape, seconds, threads, activity)
    return host.then(shape, seconds, activity)


def _behind(shape: FlowShape, host: Host, coding: Coding, *, overlapped: bool) -> FlowShape:
    """The shape when a program at the other end codes in parallel; workers who wait for requests wait for it."""
    return _inline(shape, host, coding, overlapped=overlapped or not shape.workers)
