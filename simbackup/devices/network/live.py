"""Networks and buses between hosts and devices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from simbackup.engine.activity import Activity
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
