"""How compression and expansion load cores: the shape of a byte that passes through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simbackup.catalogue import Reduction
from simbackup.devices.host.live import Host
from simbackup.devices.shape import FlowShape
from simbackup.trace.activity import Activity

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
