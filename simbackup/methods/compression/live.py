"""What compressing and expanding load on their way."""

from __future__ import annotations

from simbackup.catalogue import Reduction
from simbackup.devices.host.live import Host
from simbackup.devices.shape import FlowShape
from simbackup.engine.activity import Activity

Coding = tuple[float, str]
"""Seconds of a byte on the reference core, and the activity."""


def compressed(shape: FlowShape, client: Host, server: Host | None, how: Reduction) -> FlowShape:
    """The shape of a byte that is read when it is also compressed on its way to a medium."""
    return _coded(
        shape, client, server, how, ((how.compress_cpu, Activity.COMPRESS), (how.expand_cpu, Activity.EXPAND))
    )


def expanded(shape: FlowShape, client: Host, server: Host | None, how: Reduction) -> FlowShape:
    """The shape of a byte that comes back when it is also expanded."""
    return _coded(
        shape, client, server, how, ((how.expand_cpu, Activity.EXPAND), (how.compress_cpu, Activity.COMPRESS))
    )


def _coded(
    shape: FlowShape, client: Host, server: Host | None, how: Reduction, coding: tuple[Coding, Coding]
) -> FlowShape:
    """The shape with the coding of its direction at client or server, and what a wire needs undone at its end."""
    there, undone = coding
    if how.at in {"client", "wire"}:
        shape = _inline(shape, client, there, how)
    if server is not None and how.at in {"wire", "server"}:
        shape = _behind(shape, server, undone if how.at == "wire" else there, how)
    return _bounded(shape, client, how)


def _inline(shape: FlowShape, host: Host, coding: Coding, how: Reduction) -> FlowShape:
    """The shape when whoever reads or writes also codes, piece after piece, with some threads."""
    reference, activity = coding
    seconds = host.seconds(reference)
    if seconds <= 0.0:
        return shape
    return host.working(host.then(shape, seconds / how.threads, activity), seconds * (1.0 - 1.0 / how.threads))


def _behind(shape: FlowShape, host: Host, coding: Coding, how: Reduction) -> FlowShape:
    """The shape when a program at the other end codes meanwhile; those who wait for each request wait for it, too."""
    if shape.workers:
        return _inline(shape, host, coding, how)
    reference, activity = coding
    seconds = host.seconds(reference)
    if seconds <= 0.0:
        return shape
    return host.working(shape, seconds).at_most(how.threads / seconds, host.cpu.name, activity)


def _bounded(shape: FlowShape, host: Host, how: Reduction) -> FlowShape:
    """The shape when a card or device codes no faster than it can."""
    if how.rate is None:
        return shape
    address = f"{host.name}.compressor"
    if shape.workers:
        return shape.after(1.0 / how.rate, address, Activity.COMPRESS)
    return shape.at_most(how.rate, address, Activity.COMPRESS)
