"""Switches: each part of a link has a port of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from simbackup.devices.network.live import Network
from simbackup.devices.network.spec import TO, WAY
from simbackup.late import changed


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
