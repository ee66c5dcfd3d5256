"""Networks and buses between hosts and devices."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.engine.flows import Link


@dataclass(frozen=True, slots=True)
class Network:
    """A network or bus: its link, the seconds of one round trip, and bytes a second of one of its parallel wires."""

    link: Link
    latency: float
    rate: float
