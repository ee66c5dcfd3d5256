"""Networks and buses between hosts and devices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simbackup.engine.link import Link
from simbackup.equations.transfers import cubic_rate, loss_rate, window_rate
from simbackup.late import Late
from simbackup.trace.activity import Activity


@dataclass(slots=True, eq=False)
class Network(Late):
    """A direction of a network or bus: its link, seconds of a round trip, bytes a second of one of its parallel wires.

    A stream has the bytes of its `window` under way at most, if that is stated; a share of its segments is lost, after
    which its window `halves`, or grows with the cube of the time. On a link of `storage`, and on those behind it, a
    command to a tape drive takes so many `trips`, to read at most one. The
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
    storage: bool = False
    trips: float = 2.0
    other: Network | None = None
    beyond: tuple[Link, ...] = ()

    @property
    def links(self) -> tuple[Link, ...]:
        """All that a byte passes at the same time."""
        return (self.link, *self.beyond)

    @property
    def wires(self) -> int:
        """How many wires lie side by side."""
        return max(round(min(link.nominal for link in self.links) / self.rate), 1)


def commanded(networks: Sequence[Network]) -> Sequence[Network]:
    """The networks over which a host commands a drive at their end: from the first one of storage on.

    Before them, bytes cross to a host that does so.
    """
    first = next((i for i, network in enumerate(networks) if network.storage), len(networks))
    return networks[first:]


class Travel(NamedTuple):
    """How a command to a drive, its bytes and its answer travel: seconds, bytes a second, and where most seconds pass.

    The seconds are those of round trips, beside which the bytes take their own.
    """

    seconds: float = 0.0
    rate: float = math.inf
    on: str = ""


NEAR = Travel()
"""Commands that take no time on their way."""


def command_travel(networks: Sequence[Network], *, reading: bool) -> Travel:
    """How commands travel that a host sends one at a time to a drive at the end of some networks."""
    far = commanded(networks)
    if not far:
        return NEAR
    each = [network.latency * min(network.trips, 1.0 if reading else 2.0) for network in far]
    slowest = max(range(len(far)), key=lambda i: each[i])
    return Travel(math.fsum(each), min(network.rate for network in far), far[slowest].link.name)


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
