"""Networks and buses between hosts and devices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from simbackup.engine.activity import Activity
from simbackup.engine.flows import Link
from simbackup.equations.transfers import cubic_rate, loss_rate, window_rate


@dataclass(slots=True, eq=False)
class Network:
    """A direction of a network or bus: its link, seconds of a round trip, bytes a second of one of its parallel wires.

    A stream has the bytes of its `window` under way at most, if that is stated; a share of its segments is lost, after
    which its window `halves`, or grows with the cube of the time. The
    `other` direction is the same one unless both have a capacity of their own. Between two ports of a switch a byte
    also passes what lies `beyond` the first, at the same time.
    """

    link: Link
    latency: float
    rate: float
    window: float | None = None
    loss: float = 0.0
    segment: float = 0.0
    halves: bool = False
    other: Network | None = None
    beyond: tuple[Link, ...] = ()

    @property
    def links(self) -> tuple[Link, ...]:
        """All that a byte passes at the same time."""
        return (self.link, *self.beyond)

    @property
    def wires(self) -> int:
        """How many wires lie side by side."""
        return max(round(min(link.capacity for link in self.links) / self.rate), 1)


def opposite(path: Iterable[Network]) -> tuple[Network, ...]:
    """The same networks in the other direction, in the same order."""
    return tuple(network.other or network for network in path)


def connection_rate(networks: Sequence[Network], window: float | None = None) -> float:
    """Bytes a second that windows or losses leave one connection over networks, one behind the other.

    `window` are the most bytes that its program has under way, as ssh does.
    """
    away = travel_time(networks)
    windows = [most for most in (window, *(network.window for network in networks)) if most is not None]
    segments = [network.segment for network in networks if network.segment > 0.0]
    kept = math.prod(1.0 - network.loss for network in networks)
    by_window = window_rate(min(windows), away) if windows else math.inf
    after_loss = loss_rate if any(network.halves for network in networks) else cubic_rate
    by_loss = after_loss(min(segments), away, 1.0 - kept) if segments else math.inf
    return min(by_window, by_loss)


def travelling(networks: Iterable[Network], times: float = 1.0) -> dict[tuple[str, str], float]:
    """Seconds of so many round trips by network, as parts of a cycle."""
    parts: dict[tuple[str, str], float] = {}
    for network in networks:  # what is crossed twice is travelled twice
        key = (network.link.name, Activity.TRAVEL)
        parts[key] = parts.get(key, 0.0) + times * network.latency
    return parts


def travel_time(networks: Iterable[Network]) -> float:
    """Seconds of one round trip over networks, one behind the other."""
    return sum(network.latency for network in networks)
