"""How compression and expansion load cores: the shape of a byte that passes through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simbackup.catalogue import Reduction
from simbackup.devices.host.live import Host
from simbackup.devices.shape import FlowShape
from simbackup.trace.activity import Activity

Coding = tuple[float, str, float]
"""Seconds of a core of the host for each byte, the activity, and the number of threads."""


def compressed(shape: FlowShape, client: Host, server: Host | None, how: Reduction) -> FlowShape:
    """The shape of a byte that is read, with its deduplication and compression on the way to a medium."""
    return _coded(shape, (client, server), how, (_cut, _compress), _expand)


def expanded(shape: FlowShape, client: Host | None, server: Host | None, how: Reduction) -> FlowShape:
    """The shape of a byte that comes back, with its expansion; None for an end that works beside the shape."""
    return _coded(shape, (client, server), how, (_expand, _join), _compress)


def coding(host: Host, how: Reduction, codec: str) -> float:
    """Seconds of a core of a host to `compress` or `expand` a byte."""
    return _scaled(host, how.compress_cpu if codec == "compress" else how.expand_cpu, how)


def _cut(host: Host, how: Reduction) -> Coding:
    return host.seconds(how.cut_cpu), Activity.FIND_CHUNKS, how.cutters


def _join(host: Host, how: Reduction) -> Coding:
    return host.seconds(how.join_cpu), Activity.JOIN_CHUNKS, how.cutters


def _compress(host: Host, how: Reduction) -> Coding:
    return _scaled(host, how.compress_cpu, how), Activity.COMPRESS, how.threads


def _expand(host: Host, how: Reduction) -> Coding:
    return _scaled(host, how.expand_cpu, how), Activity.EXPAND, how.expanders


def _scaled(host: Host, reference: float, how: Reduction) -> float:
    """Seconds of a core whose speed is that of the measured one, or another: t = t_m (s_m / s)^p."""
    return host.seconds(reference) * (host.speed / how.measured_at) ** (1.0 - how.scaling)


def _coded(
    shape: FlowShape,
    hosts: tuple[Host | None, Host | None],
    how: Reduction,
    there: Sequence[Callable[[Host, Reduction], Coding]],
    undone: Callable[[Host, Reduction], Coding],
) -> FlowShape:
    """The shape with the coding of its direction at client or server; on a wire, the server undoes it."""
    client, server = hosts
    if client is not None and how.at in {"client", "wire"}:
        for coding in there:
            shape = _inline(shape, client, coding(client, how), overlapped=how.overlapped)
    if server is not None and how.at in {"wire", "server"}:
        for coding in (undone,) if how.at == "wire" else there:
            shape = _behind(shape, server, coding(server, how), overlapped=how.overlapped)
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
