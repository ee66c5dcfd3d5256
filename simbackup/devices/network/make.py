"""A live network from its spec."""

from __future__ import annotations

from simbackup.devices.network.live import Network
from simbackup.devices.network.spec import BACK, LinkSpec
from simbackup.engine.flows import Link
from simbackup.schema.quantity import si_or


def make(name: str, link: LinkSpec) -> dict[str, Network]:
    """The network by its name, and its other direction by that name with `BACK` if it has one of its own."""
    there = _direction(name, link)
    if link.duplex == "half":
        return {name: there}
    back = _direction(name + BACK, link)
    there.other, back.other = back, there
    return {name: there, name + BACK: back}


def _direction(name: str, link: LinkSpec) -> Network:
    """One direction, with as many wires side by side as there are."""
    rate = si_or(link.count, 1.0) * link.rate.si
    wires = Link(f"links.{name}", rate, fastest=rate)
    window = link.window.si if link.window else None
    return Network(wires, link.latency.si, link.rate.si, window, si_or(link.loss, 0.0), si_or(link.segment, 0.0))
