"""Networks and buses between hosts and devices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from simbackup.engine.flows import Link


@dataclass(frozen=True, slots=True)
class Network:
    """A network or bus: its link, the seconds of one round trip, and bytes a second of one of its parallel wires.

    A stream has the bytes of its `window` outstanding there, if that is stated.
    """

    link: Link
    latency: float
    rate: float
    window: float | None = None


def travel_time(networks: Iterable[Network]) -> float:
    """Seconds of one round trip over networks, one behind the other."""
    return sum(network.latency for network in networks)
