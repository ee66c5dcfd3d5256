"""What a file may say of a service."""

from __future__ import annotations

from typing import Literal

from simbackup.schema.capability import Service
from simbackup.schema.part import USE, Fact, Facts, Figures
from simbackup.schema.quantity import Duration, Frequency, Pieces, usual
from simbackup.schema.registry import DeviceKind, Look


class ServiceSpec(Service):
    """A service that answers so many operations a second, whoever asks: a metadata server, a database, a quota."""

    kind: Literal["service"]
    operations: Frequency
    """Operations per second that it answers at most."""
    at_once: Pieces = usual("1")
    """Number of operations in service at the same time (servers of its queue). The total rate stays
    `operations`: with four at once, each takes four times as long.
    """
    latency: Duration = usual("0 s", "s")
    """Further time until an answer arrives, however few ask."""

    def figures(self) -> Figures:
        """How much it was used."""
        return {"": USE}

    def facts(self) -> Facts:
        """Operations a second."""
        yield Fact.of(self.operations.si, "1/s", "operations")


KINDS = (DeviceKind("service", ServiceSpec, "simbackup.devices.service.live:make"),)
LOOKS = {"service": Look("M2 3h12v4H2zM2 9h12v4H2zM4 5h2M4 11h2", "#eef2ff", "#5a67b8")}
