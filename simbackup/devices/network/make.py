"""A live network from its spec."""

from __future__ import annotations

from simbackup.devices.network.live import Network
from simbackup.devices.network.spec import LinkSpec
from simbackup.engine.flows import Link
from simbackup.schema.quantity import si_or


def make(name: str, link: LinkSpec) -> Network:
    """The network, with as many wires side by side as there are."""
    wires = Link(f"links.{name}", si_or(link.count, 1.0) * link.rate.si)
    return Network(wires, link.latency.si, link.rate.si, link.window.si if link.window else None)
