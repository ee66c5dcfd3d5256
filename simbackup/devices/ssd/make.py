"""A live solid-state disk from its spec."""

from __future__ import annotations

from simbackup.devices.site import Site
from simbackup.devices.ssd.live import Ssd
from simbackup.devices.ssd.spec import SsdSpec


def make(site: Site, ssd: SsdSpec) -> Ssd:
    """The solid-state disk."""
    rates = (ssd.read_rate.si, ssd.write_rate.si)
    return Ssd(site.address, ssd.capacity.si, rates, (ssd.read_latency.si, ssd.write_latency.si))
