"""What a file may say about a device that keeps nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from simbackup.schema.capability import Sink
from simbackup.schema.registry import DeviceKind

if TYPE_CHECKING:
    from simbackup.devices.site import Site


class NulSpec(Sink):
    """A device that takes all data and keeps nothing; it serves to measure only the reading side."""

    kind: Literal["nul"]


def make(site: Site, nul: NulSpec) -> None:
    """None: there is no live part, and what is discarded takes no time."""
    del site, nul


KINDS = (DeviceKind("nul", NulSpec, "simbackup.devices.nul.spec:make"),)
