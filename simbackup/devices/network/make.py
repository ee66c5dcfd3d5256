"""A live network from its spec."""

from __future__ import annotations

from collections.abc import Collection

from simbackup.devices.network.live import Network, Networks, Port, Switch
from simbackup.devices.network.spec import BACK, RECEIVE, SEND, LinkSpec
from simbackup.engine.link import Link
from simbackup.late import late
from simbackup.schema.quantity import Quantity


def make(networks: Networks, name: str, link: LinkSpec, ends: Collection[str]) -> None:
    """Add a link that joins some parts: its directions by its name, with `BACK` the other; or a switch with its ports.

    Parameters
    ----------
    networks
        Where it is added.
    name, link
        Its name and what the file says about it.
    ends
        All that it joins, also other links that join it.
    """
    if link.ported(ends):
        _switch(networks, name, link, ends)
        return
    there = networks[name] = _direction(name, link, link.rate)
    if link.duplex == "full":
        back = networks[name + BACK] = _direction(name + BACK, link, link.rate)
        there.other, back.other = back, there


def _switch(networks: Networks, name: str, link: LinkSpec, ends: Collection[str]) -> None:
    """Add the ports of a switch."""
    networks.switches[name] = switch = Switch({})
    for end in ends:
        port, rate = f"{name}.{end}", link.ports.get(end, link.rate)
        if link.duplex == "half":
            both = networks[port] = _direction(port, link, rate)
            switch.ports[end] = Port(both, both)
            continue
        send, receive = (_direction(port + way, link, rate) for way in (SEND, RECEIVE))
        send.other, receive.other = receive, send
        networks[port + SEND], networks[port + RECEIVE] = send, receive
        switch.ports[end] = Port(send, receive)


def _direction(name: str, link: LinkSpec, each: Quantity) -> Network:
    """One direction, with as many wires side by side as there are."""
    rate = link.count.si * each.si
    wires = Link(f"links.{name}", rate, fastest=rate)
    return late(
        Network, link=wires, latency=lambda: link.latency.si, rate=each.si,
        window=lambda: link.window.si if link.window else None, loss=lambda: link.loss.si,
        halves=lambda: link.congestion == "reno",
        storage=lambda: link.storage, trips=lambda: link.command_trips.si,
    )  # fmt: skip
