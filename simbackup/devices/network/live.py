"""Networks and buses between hosts and devices, and switches, in which each part has a port of its own."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from simbackup.devices.network.spec import BACK, RECEIVE, SEND, TO, WAY
from simbackup.engine.link import Link
from simbackup.equations.transfers import cubic_rate, loss_rate, window_rate
from simbackup.late import Late, changed, late
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.devices.network.spec import LinkSpec
SEGMENT = 1448.0
"""Payload in bytes of a TCP segment in a frame of Ethernet: 1500 bytes less headers with time stamps (RFC 7323)."""


@dataclass(slots=True, eq=False)
class Network(Late):
    """One direction of a network or bus."""

    link: Link
    """The resource that all flows share."""
    latency: float
    """Seconds of a round trip."""
    rate: float
    """Bytes a second of one of its parallel wires, which is the most that one stream gets."""
    window: float | None = None
    """Greatest number of bytes that a connection has in flight; None without a limit."""
    loss: float = 0.0
    """Share (0 to 1) of the segments that are lost."""
    halves: bool = False
    """Whether a loss halves the window (Reno); otherwise it grows with the cube of the time (CUBIC)."""
    storage: bool = False
    """Whether it is a storage network; over it, and over the links behind it, a command to a tape drive takes `trips`.
    """
    trips: float = 2.0
    """Round trips of a command that writes to a tape drive; one that reads takes one at most."""
    other: Network | None = None
    """The other direction; None if both directions share one capacity."""
    beyond: tuple[Link, ...] = ()
    """Links that a byte passes at the same time, as it goes through a switch from one port to another."""

    @property
    def links(self) -> tuple[Link, ...]:
        """All links that a byte passes at the same time."""
        return (self.link, *self.beyond)

    @property
    def wires(self) -> int:
        """Number of its parallel wires."""
        return max(round(min(link.nominal for link in self.links) / self.rate), 1)


def commanded(networks: Sequence[Network]) -> Sequence[Network]:
    """The networks that a command to a drive at their end crosses: from the first storage network on.

    A host at the end of the networks before commands the drive.
    """
    first = next((i for i, network in enumerate(networks) if network.storage), len(networks))
    return networks[first:]


class Travel(NamedTuple):
    """How long commands to a drive travel."""

    seconds: float = 0.0
    """Seconds of the round trips of one command, without its bytes."""
    rate: float = math.inf
    """Bytes a second of the slowest network on the way."""
    on: str = ""
    """The address of the link that takes most of these seconds."""


NEAR = Travel()
"""Commands to a drive without a network on the way."""


def command_travel(networks: Sequence[Network], *, reading: bool) -> Travel:
    """How long the commands travel that a host sends, one at a time, to a drive at the end of some networks."""
    far = commanded(networks)
    if not far:
        return NEAR
    each = [network.latency * min(network.trips, 1.0 if reading else 2.0) for network in far]
    slowest = max(range(len(far)), key=lambda i: each[i])
    return Travel(math.fsum(each), min(network.rate for network in far), far[slowest].link.name)


def opposite(path: Iterable[Network]) -> tuple[Network, ...]:
    """The same networks in the other direction, in the same order."""
    return tuple(network.other or network for network in path)


def connection_rate(networks: Sequence[Network]) -> float:
    """Greatest rate, bytes a second, of one connection over several networks, by its window and by losses."""
    away = travel_time(networks)
    windows = [network.window for network in networks if network.window is not None]
    kept = math.prod(1.0 - network.loss for network in networks)
    by_window = window_rate(min(windows), away) if windows else math.inf
    after_loss = loss_rate if any(network.halves for network in networks) else cubic_rate
    by_loss = after_loss(SEGMENT, away, 1.0 - kept) if kept < 1.0 else math.inf
    return min(by_window, by_loss)


def travelling(networks: Iterable[Network], times: float = 1.0) -> dict[tuple[str, str], float]:
    """Seconds of a number of round trips, by address of the link."""
    parts: dict[tuple[str, str], float] = {}
    for network in networks:  # what is crossed twice is travelled twice
        key = (network.link.name, Activity.TRAVEL)
        parts[key] = parts.get(key, 0.0) + times * network.latency
    return parts


def travel_time(networks: Iterable[Network]) -> float:
    """Seconds of one round trip over several networks."""
    return sum(network.latency for network in networks)


class Port(NamedTuple):
    """The two directions of a port: what its part sends, and what it receives; one and the same with half duplex."""

    send: Network
    receive: Network


@dataclass(slots=True, eq=False)
class Switch:
    """The ports of a link by the parts that it joins.

    A byte from one part to another loads the ports of both at the same time, and is under way for one latency.
    """

    ports: dict[str, Port]
    ways: dict[tuple[str, str], Network] = field(default_factory=dict[tuple[str, str], Network])

    def way(self, before: str, after: str) -> Network:
        """The way from one part to another; its opposite is the way back."""
        if (before, after) not in self.ways:
            there = _way(self.ports[before].send, self.ports[after].receive)
            back = _way(self.ports[after].send, self.ports[before].receive)
            there.other, back.other = back, there
            self.ways[before, after], self.ways[after, before] = there, back
        return self.ways[before, after]


def _way(out: Network, into: Network) -> Network:
    return changed(out, beyond=(into.link,), rate=min(out.rate, into.rate), other=None)


class Networks(dict[str, Network]):
    """All directions of links and ports by name; a way through a switch is made when it is first asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.switches: dict[str, Switch] = {}

    def __missing__(self, name: str) -> Network:
        link, _, ends = name.partition(WAY)
        before, _, after = ends.partition(TO)
        if link not in self.switches:
            raise KeyError(name)
        return self.switches[link].way(before, after)


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
    there = networks[name] = _direction(name, link, link.rate.si)
    if link.duplex == "full":
        back = networks[name + BACK] = _direction(name + BACK, link, link.rate.si)
        there.other, back.other = back, there


def _switch(networks: Networks, name: str, link: LinkSpec, ends: Collection[str]) -> None:
    """Add the ports of a switch."""
    networks.switches[name] = switch = Switch({})
    for end in ends:
        port, rate = f"{name}.{end}", link.ports.get(end, link.rate).si
        if link.duplex == "half":
            both = networks[port] = _direction(port, link, rate)
            switch.ports[end] = Port(both, both)
            continue
        send, receive = (_direction(port + way, link, rate) for way in (SEND, RECEIVE))
        send.other, receive.other = receive, send
        networks[port + SEND], networks[port + RECEIVE] = send, receive
        switch.ports[end] = Port(send, receive)


def _direction(name: str, link: LinkSpec, each: float) -> Network:
    """One direction, with as many wires side by side as there are."""
    rate = link.count.si * each
    wires = Link(f"links.{name}", rate, fastest=rate)
    return late(
        Network, link=wires, latency=lambda: link.latency.si, rate=each,
        window=lambda: link.window.si if link.window else None, loss=lambda: link.loss.si,
        halves=lambda: link.congestion == "reno",
        storage=lambda: link.storage, trips=lambda: link.command_trips.si,
    )  # fmt: skip
