"""simbackup.devices.network.spec"""

from __future__ import annotations

from simbackup.schema.modelled import Modelled
from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Pieces,
    PositiveSize,
    Rate,
    Text,
)


class NetworkSheet(Frozen):
    """A network or bus."""

    rate: Rate
    """Payload rate in each direction."""
    latency: Duration
    """Round trip."""
    window: PositiveSize | None = None
    """Bytes that one stream has outstanding in the queue of the adapter; none stand there unless stated."""


class LinkSpec(Modelled, NetworkSheet):
    """A network or bus that joins hosts and devices."""

    joins: tuple[Text, ...]
    """The hosts and devices that it joins, or other links, as a bridge does."""
    count: Pieces | None = None
    """Links of this kind side by side, each stream on one of them; one unless stated."""
