"""What compressing and expanding load on their way."""

from __future__ import annotations

from collections.abc import Sequence

from simbackup.catalogue import Reduction
from simbackup.devices.host.live import Host
from simbackup.devices.shape import FlowShape
from simbackup.engine.activity import Activity

Coding = tuple[float, str, int]
"""Seconds of a byte on the reference core, the activity, and threads."""


def compressed(shape: FlowShape, client: Host, server: Host | None, how: Reduction) -> FlowShape:
    """The shape of a byte that is read when it is also deduplicated and compressed on its way to a medium."""
    there = (how.cut_cpu, Activity.FIND_CHUNKS, how.cutters), (how.compress_cpu, Activity.COMPRESS, how.threads)
    return _coded(shape, (client, server), how, there, (how.expand_cpu, Activity.EXPAND, how.expanders))


def expanded(shape: FlowShape, client: Host, server: Host | None, how: Reduction) -> FlowShape:
    """The shape of a byte that comes back when it is also expanded."""
    there = (how.expand_cpu, Activity.EXPAND, how.expanders), (how.join_cpu, Activity.JOIN_CHUNKS, how.cutters)
    return _coded(shape, (client, server), how, there, (how.compress_cpu, Activity.COMPRESS, how.threads))


def _coded(
    shape: FlowShape, hosts: tuple[Host, Host | None], how: Reduction, there: Sequence[Coding], undone: Coding
) -> FlowShape:
    """The shape with the coding of its direction at client or server, and what a wire needs undone at its end."""
    client, server = hosts
    if how.at in {"client", "wire"}:
        for coding in there:
            shape = _inline(shape, client, coding, overlapped=how.overlapped)
    if server is not None and how.at in {"wire", "server"}:
        for coding in (undone,) if how.at == "wire" else there:
            shape = _behind(shape, server, coding, overlapped=how.overlapped)
    return _bounded(shape, client, how)


def _inline(shape: FlowShape, host: Host, coding: Coding, *, overlapped: bool) -> FlowShape:
    """The shape when whoever reads or writes also codes, piece after piece; threads of their own code meanwhile."""
    reference, activity, threads = coding
    seconds = host.seconds(reference)
    if seconds <= 0.0:
        return shape
    if overlapped or threads > 1:
        return host.working(shape, seconds).at_most(threads / seconds, host.cpu.name, activity)
    return host.then(shape, seconds, activity)


def _behind(shape: FlowShape, host: Host, coding: Coding, *, overlapped: bool) -> FlowShape:
    """The shape when a program at the other end codes meanwhile; those who wait for each request wait for it, too."""
    return _inline(shape, host, coding, overlapped=overlapped or not shape.workers)


def _bounded(shape: FlowShape, host: Host, how: Reduction) -> FlowShape:
    """The shape when a card or device codes no faster than it can."""
    if how.rate is None:
        return shape
    address = f"{host.name}.compressor"
    if shape.workers:
        return shape.after(1.0 / how.rate, address, Activity.COMPRESS)
    return shape.at_most(how.rate, address, Activity.COMPRESS)
